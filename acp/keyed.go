package acp

import (
	"iter"

	"github.com/goacp/goacp/internal/am"
	"github.com/goacp/goacp/internal/hashed"
)

// keyed is what sets, multisets and maps with keys of type K have in common.
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
	return keyed[K]{tables: tables{p, a, kind}, key: key}, err
}

// Contains reports whether key is there. Fails with ErrBadSize for an empty key. Any rank.
// Blocks for one round trip. Spec 4.6.14, 4.7.14.
func (s *keyed[K]) Contains(key K) (bool, error) {
	r, err := s.onKey(hashed.Find, &am.Call{Data: s.key.bytes(&key)}, nil)
	return r.Val0 != 0, s.failed("search", err)
}

// removeKey removes key, or times of its multiplicity, and reports whether it was there.
func (s *keyed[K]) removeKey(key K, times uint64) (bool, error) {
	removed, err := s.remove(s.key.bytes(&key), times)
	return removed, s.failed("removal", err)
}

// Len is Size as an int. Any rank. Blocks as Size does. Spec 4.6.22, 4.7.23.
func (s *keyed[K]) Len() (int, error) {
	n, err := s.Size()
	return int(n), err
}

// Err returns the error that ended the last iteration, nil if it saw everything it should.
// Goroutines that iterate at the same time need a value of their own each for that, of the
// same address. Local. Does not block.
func (s *keyed[K]) Err() error { return s.err }

// each calls yield for the key and the record of every element, or of those on the calling
// rank, until it returns false.
func (s *keyed[K]) each(local bool, yield func(K, *hashed.Record) bool) {
	s.err = nil
	out := make([]byte, am.MaxOut)
	err := s.eachTable(local, func(q part) (bool, error) {
		g := gatherer{part: q, out: out}
		for g.more() {
			g.records = g.records[:0]
			if err := g.step(); err != nil {
				return false, err
			}
			if more, err := s.eachRecord(g.records, yield); !more || err != nil {
				return false, err
			}
		}
		return true, nil
	})
	if err != nil {
		s.err = s.failed("iteration", err)
	}
}

func (s *keyed[K]) eachRecord(records []byte, yield func(K, *hashed.Record) bool) (more bool, err error) {
	for len(records) > 0 {
		r, rest, ok := s.kind.Record(records)
		if !ok {
			return false, am.ErrMalformed
		}
		records = rest
		key, err := s.key.value(r.Key)
		if err != nil {
			return false, err
		}
		if !yield(key, &r) {
			return false, nil
		}
	}
	return true, nil
}

// keys iterates over keys.
func (s *keyed[K]) keys(local bool) iter.Seq[K] {
	return func(yield func(K) bool) {
		s.each(local, func(key K, _ *hashed.Record) bool { return yield(key) })
	}
}
