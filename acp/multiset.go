package acp

import (
	"context"
	"iter"

	"github.com/goacp/goacp/internal/structure/hashed"
)

// Multiset is a Set that stores for each key how often it was inserted, for example to count words. The
// corresponding functions of the C library were added in version 3.0; the chapters are those of sets.
type Multiset[K any] struct{ k keyed[K] }

// NewMultiset makes an empty multiset, as NewSet makes a set. Any rank. Blocks for a round
// trip for each of ranks. Spec 4.6.8.
func NewMultiset[K any](p *Process, ranks []Rank, slots int, rank Rank) (*Multiset[K], error) {
	s, err := newKeyed[K](p, hashed.Multiset, ranks, slots, rank)
	if err != nil {
		return nil, err
	}
	return &Multiset[K]{s}, nil
}

// MultisetAt returns the multiset whose Address is a. Its keys must be of type K; the address of a
// ByteMultiset of such keys is valid, too. Fails with ErrBadType. Local. Does not block. Spec 4.6.8.
func MultisetAt[K any](p *Process, a TableAddress) (*Multiset[K], error) {
	s, err := keyedAt[K](p, hashed.Multiset, a)
	if err != nil {
		return nil, err
	}
	return &Multiset[K]{s}, nil
}

// WithContext returns the same multiset. When ctx ends, blocking methods of the result return early; see
// Process.WithContext. Local. Does not block.
func (m *Multiset[K]) WithContext(ctx context.Context) *Multiset[K] {
	return &Multiset[K]{m.k.withContext(ctx)}
}

// Bytes returns the same multiset as one of bytes. Local. Does not block.
func (m *Multiset[K]) Bytes() ByteMultiset { return ByteMultiset{m.k.tables} }

// Address returns the address by which other ranks reach the multiset. Local. Does not block.
func (m *Multiset[K]) Address() TableAddress { return m.k.address() }

// Destroy frees the multiset, which no rank may use any more. Fails with ErrDestroyed if
// that has been done already. Any rank. Blocks for a round trip for each of its ranks. Spec
// 4.6.9.
func (m *Multiset[K]) Destroy() error { return m.k.destroy() }

// Len returns the number of different keys. Keys that ranks insert or remove meanwhile may or may not be
// counted. Any rank. Blocks for a round trip for each of its ranks. Spec 4.6.22.
func (m *Multiset[K]) Len() (int, error) { return m.k.len(false) }

// LenLocal is Len for the keys on the calling rank. Any rank. Blocks for a round trip at
// most. Spec 4.6.21.
func (m *Multiset[K]) LenLocal() (int, error) { return m.k.len(true) }

// Empty reports whether there are no keys. Any rank. Blocks as Len does, until it has found
// one. Spec 4.6.11.
func (m *Multiset[K]) Empty() (bool, error) { return m.k.empty(false) }

// EmptyLocal is Empty for the keys on the calling rank. Any rank. Blocks for a round trip
// at most. Spec 4.6.10.
func (m *Multiset[K]) EmptyLocal() (bool, error) { return m.k.empty(true) }

// Clear removes all keys. Any rank. Blocks for a round trip for each of its ranks. Spec
// 4.6.7.
func (m *Multiset[K]) Clear() error { return m.k.clear(false) }

// ClearLocal removes the keys on the calling rank. Any rank. Blocks for a round trip at
// most. Spec 4.6.6.
func (m *Multiset[K]) ClearLocal() error { return m.k.clear(true) }

// Contains reports whether key is there. Fails with ErrBadSize for an empty key. Any rank.
// Blocks for one round trip. Spec 4.6.14.
func (m *Multiset[K]) Contains(key K) (bool, error) { return m.k.contains(key) }

// Insert inserts key times times and reports whether it was not in the multiset before.
// Fails with ErrBadSize for an empty key and for no times, and with ErrHeapFull. Any rank.
// Blocks for one round trip. Spec 4.6.15.
func (m *Multiset[K]) Insert(key K, times uint64) (bool, error) {
	if times == 0 {
		return false, m.k.failed("insertion", ErrBadSize)
	}
	return m.k.insertBytes(m.k.key.bytes(&key), nil, times)
}

// Count returns the multiplicity of key, 0 if it is not in the multiset. Fails with
// ErrBadSize for an empty key. Any rank. Blocks for one round trip. Spec 4.6.14.
func (m *Multiset[K]) Count(key K) (uint64, error) {
	times, err := m.k.t.Count(m.k.key.bytes(&key))
	return times, m.k.failed("search", err)
}

// Remove takes key away times times, or as often as it is there, and reports whether it was
// there. Fails with ErrBadSize for an empty key. Any rank. Blocks for one round trip. Spec
// 4.6.20.
func (m *Multiset[K]) Remove(key K, times uint64) (bool, error) { return m.k.removeKey(key, times) }

// RemoveAll removes key, whatever its multiplicity. Otherwise as Remove. Any rank. Blocks
// for one round trip. Spec 4.6.20.
func (m *Multiset[K]) RemoveAll(key K) (bool, error) { return m.k.removeKey(key, hashed.Everywhere) }

// InsertMany is Insert of each of keys times times, and reports which were not in the multiset before. Fails
// with ErrBadSize for no times, and with a ManyError if some fail, as Insert does; the others are inserted.
// Any rank. Blocks for one round trip to all ranks of the multiset together, and for a few more if the keys
// take over 32 KiB.
func (m *Multiset[K]) InsertMany(keys []K, times uint64) (added []bool, err error) {
	if times == 0 {
		return nil, m.k.failed("insertion", ErrBadSize)
	}
	return m.k.changeKeys("insertion", hashed.Insert, times, keys)
}

// ContainsMany reports which of keys are there. Fails with a ManyError if some are empty. Any rank. Blocks
// as InsertMany does.
func (m *Multiset[K]) ContainsMany(keys []K) ([]bool, error) { return m.k.containsMany(keys) }

// CountMany returns the multiplicity of each of keys, 0 for those that are not in the multiset. Fails with a
// ManyError if some are empty. Any rank. Blocks as InsertMany does.
func (m *Multiset[K]) CountMany(keys []K) ([]uint64, error) {
	return m.k.countMany(hashed.Many{N: len(keys), Item: m.k.items(keys)})
}

// RemoveMany is Remove of each of keys times times, and reports which were there. Fails with a ManyError if
// some fail, as Remove does; the others are taken away. Any rank. Blocks as InsertMany does.
func (m *Multiset[K]) RemoveMany(keys []K, times uint64) (removed []bool, err error) {
	return m.k.changeKeys("removal", hashed.Remove, times, keys)
}

// All iterates over the keys and their multiplicities: for key, times := range m.All().
// Otherwise as Set.All. Any rank. Blocks for a round trip for each table and each 32 KiB.
func (m *Multiset[K]) All() iter.Seq2[K, uint64] { return m.pairs(false) }

// AllLocal is All for the keys on the calling rank. Any rank. Blocks for no other rank,
// unless the directory is on another host.
func (m *Multiset[K]) AllLocal() iter.Seq2[K, uint64] { return m.pairs(true) }

func (m *Multiset[K]) pairs(local bool) iter.Seq2[K, uint64] {
	return func(yield func(K, uint64) bool) {
		m.k.each(local, func(key K, r *hashed.Record) bool { return yield(key, r.Times) })
	}
}

// Keys iterates over the keys. Otherwise as All. Any rank. Blocks as All does.
func (m *Multiset[K]) Keys() iter.Seq[K] { return m.k.keys(false) }

// Err returns the error that ended the last iteration, nil if it saw everything it should. Goroutines that
// iterate at the same time each need their own value of the same Address. Local. Does not block.
func (m *Multiset[K]) Err() error { return m.k.err }

// Assign replaces the keys by those of from, with their multiplicities. Fails with
// ErrHeapFull, and then the multiset is as before. Any rank. Blocks as ByteSet.Assign does.
// Spec 4.6.3.
func (m *Multiset[K]) Assign(from *Multiset[K]) error { return m.Bytes().Assign(from.Bytes()) }

// Merge adds the multiplicities of from. Fails with ErrHeapFull when it may have added some
// of them. Any rank. Blocks as ByteSet.Assign does. Spec 4.6.17.
func (m *Multiset[K]) Merge(from *Multiset[K]) error { return m.Bytes().Merge(from.Bytes()) }

// Move adds the multiplicities of from and removes the keys there. Fails as Merge does. Any
// rank. Blocks as ByteSet.Assign does. Spec 4.6.19.
func (m *Multiset[K]) Move(from *Multiset[K]) error { return m.Bytes().Move(from.Bytes()) }

// Swap exchanges the keys of two multisets. Fails with ErrHeapFull, and then both are as
// before. Any rank. Blocks as ByteSet.Swap does. Spec 4.6.23.
func (m *Multiset[K]) Swap(with *Multiset[K]) error { return m.Bytes().Swap(with.Bytes()) }
