package acp

import (
	"context"
	"iter"

	"github.com/goacp/goacp/internal/structure/hashed"
)

// keyed is the part that Set, Multiset and Map with keys of type K share.
type keyed[K any] struct {
	tables
	key codec[K]
	err error // of the last iteration
}

func newKeyed[K any](p *Process, kind hashed.Kind, ranks []Rank, slots int, rank Rank) (keyed[K], error) {
	key, err := codecFor[K](p, true)
	if err != nil {
		return keyed[K]{}, err
	}
	t, err := p.newTables(kind, ranks, slots, rank)
	return keyed[K]{tables: t, key: key}, err
}

func keyedAt[K any](p *Process, kind hashed.Kind, a TableAddress) (keyed[K], error) {
	key, err := codecFor[K](p, true)
	return keyed[K]{tables: p.tablesAt(kind, a), key: key}, err
}

// withContext returns the same structure.
func (s *keyed[K]) withContext(ctx context.Context) keyed[K] {
	return keyed[K]{tables: s.tables.withContext(ctx), key: s.key}
}

// contains reports whether key is there.
func (s *keyed[K]) contains(key K) (bool, error) {
	found, err := s.t.Contains(s.key.bytes(&key))
	return found, s.failed("search", err)
}

// removeKey removes key, or times of its multiplicity, and reports whether it was there.
func (s *keyed[K]) removeKey(key K, times uint64) (bool, error) {
	removed, err := s.t.Remove(s.key.bytes(&key), times)
	return removed, s.failed("removal", err)
}

// each calls yield for the key and the record of every element, or of those on the calling
// rank, until it returns false.
func (s *keyed[K]) each(local bool, yield func(K, *hashed.Record) bool) {
	err := s.t.EachRecord(local, func(r *hashed.Record) (bool, error) {
		key, err := s.key.value(r.Key)
		return err == nil && yield(key, r), err
	})
	s.err = s.failed("iteration", err)
}

// keys iterates over keys.
func (s *keyed[K]) keys(local bool) iter.Seq[K] {
	return func(yield func(K) bool) {
		s.each(local, func(key K, _ *hashed.Record) bool { return yield(key) })
	}
}
