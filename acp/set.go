package acp

import (
	"context"
	"iter"

	"github.com/goacp/goacp/internal/structure/hashed"
)

// Set is a set of keys of type K, which several ranks hold; the hash of a key selects the rank. All ranks may
// insert, find and remove at the same time.
//
// K is a string type, a slice of bytes, or of fixed size without pointers, padding and
// numbers of floating point. Keys are stored as they lie in memory, so that C programs
// find structs. Spec 4.6.
type Set[K any] struct{ k keyed[K] }

// NewSet makes an empty set with slots hash slots on each of ranks and a directory of them on rank. Look-ups
// stay fast up to a few keys for each slot. Fails with ErrBadType, ErrBadRank, ErrBadSize and ErrHeapFull.
// Any rank. Blocks for a round trip for each of ranks. Spec 4.6.8.
func NewSet[K any](p *Process, ranks []Rank, slots int, rank Rank) (*Set[K], error) {
	s, err := newKeyed[K](p, hashed.Set, ranks, slots, rank)
	if err != nil {
		return nil, err
	}
	return &Set[K]{s}, nil
}

// SetAt returns the set whose Address is a. Its keys must be of type K; the address of a ByteSet of such keys
// is valid, too. Fails with ErrBadType. Local. Does not block. Spec 4.6.8.
func SetAt[K any](p *Process, a TableAddress) (*Set[K], error) {
	s, err := keyedAt[K](p, hashed.Set, a)
	if err != nil {
		return nil, err
	}
	return &Set[K]{s}, nil
}

// WithContext returns the same set. When ctx ends, blocking methods of the result return early; see
// Process.WithContext. Local. Does not block.
func (s *Set[K]) WithContext(ctx context.Context) *Set[K] { return &Set[K]{s.k.withContext(ctx)} }

// Bytes returns the same set as one of bytes. Local. Does not block.
func (s *Set[K]) Bytes() ByteSet { return ByteSet{s.k.tables} }

// Address returns the address by which other ranks reach the set. Local. Does not block.
func (s *Set[K]) Address() TableAddress { return s.k.address() }

// Destroy frees the set, which no rank may use any more. Fails with ErrDestroyed if that
// has been done already. Any rank. Blocks for a round trip for each of its ranks. Spec
// 4.6.9.
func (s *Set[K]) Destroy() error { return s.k.destroy() }

// Len returns the number of keys. Keys that ranks insert or remove meanwhile may or may not be counted. Any
// rank. Blocks for a round trip for each of its ranks. Spec 4.6.22.
func (s *Set[K]) Len() (int, error) { return s.k.len(false) }

// LenLocal is Len for the keys on the calling rank. Any rank. Blocks for a round trip at
// most. Spec 4.6.21.
func (s *Set[K]) LenLocal() (int, error) { return s.k.len(true) }

// Empty reports whether there are no keys. Any rank. Blocks as Len does, until it has found
// one. Spec 4.6.11.
func (s *Set[K]) Empty() (bool, error) { return s.k.empty(false) }

// EmptyLocal is Empty for the keys on the calling rank. Any rank. Blocks for a round trip
// at most. Spec 4.6.10.
func (s *Set[K]) EmptyLocal() (bool, error) { return s.k.empty(true) }

// Clear removes all keys. Any rank. Blocks for a round trip for each of its ranks. Spec
// 4.6.7.
func (s *Set[K]) Clear() error { return s.k.clear(false) }

// ClearLocal removes the keys on the calling rank. Any rank. Blocks for a round trip at
// most. Spec 4.6.6.
func (s *Set[K]) ClearLocal() error { return s.k.clear(true) }

// Contains reports whether key is there. Fails with ErrBadSize for an empty key. Any rank.
// Blocks for one round trip. Spec 4.6.14.
func (s *Set[K]) Contains(key K) (bool, error) { return s.k.contains(key) }

// Insert inserts key and reports whether it was not in the set before. Fails with
// ErrBadSize for an empty key, and with ErrHeapFull. Any rank. Blocks for one round trip.
// Spec 4.6.15.
func (s *Set[K]) Insert(key K) (bool, error) {
	return s.k.insertBytes(s.k.key.bytes(&key), nil, 0)
}

// Remove removes key and reports whether it was in the set. Fails with ErrBadSize for an
// empty key. Any rank. Blocks for one round trip. Spec 4.6.20.
func (s *Set[K]) Remove(key K) (bool, error) { return s.k.removeKey(key, hashed.Everywhere) }

// InsertMany is Insert of each of keys, and reports which were not in the set before. Of equal keys the first
// one is inserted. Fails with a ManyError if some fail, as Insert does; the others are inserted. Any rank.
// Blocks for one round trip to all ranks of the set together, and for a few more if the keys take over 32
// KiB.
func (s *Set[K]) InsertMany(keys []K) (added []bool, err error) {
	return s.k.changeKeys("insertion", hashed.Insert, 0, keys)
}

// ContainsMany reports which of keys are there. Fails with a ManyError if some are empty. Any rank. Blocks
// as InsertMany does.
func (s *Set[K]) ContainsMany(keys []K) ([]bool, error) { return s.k.containsMany(keys) }

// RemoveMany is Remove of each of keys, and reports which were in the set. Of equal keys only the first can be
// there. Fails with a ManyError if some fail, as Remove does; the others are removed. Any rank. Blocks as
// InsertMany does.
func (s *Set[K]) RemoveMany(keys []K) (removed []bool, err error) {
	return s.k.changeKeys("removal", hashed.Remove, hashed.Everywhere, keys)
}

// All iterates over the keys: for key := range s.All(). Keys that ranks insert or remove meanwhile may or may
// not be seen. If the loop ends early, Err returns the error. Any rank. Blocks for a round trip for each
// table and each 32 KiB.
func (s *Set[K]) All() iter.Seq[K] { return s.k.keys(false) }

// AllLocal is All for the keys on the calling rank. Any rank. Blocks for no other rank,
// unless the directory is on another host.
func (s *Set[K]) AllLocal() iter.Seq[K] { return s.k.keys(true) }

// Err returns the error that ended the last iteration, nil if it saw everything it should. Goroutines that
// iterate at the same time each need their own value of the same Address. Local. Does not block.
func (s *Set[K]) Err() error { return s.k.err }

// Assign replaces the keys by those of from. Fails with ErrHeapFull, and then the set is as
// before. Any rank. Blocks as ByteSet.Assign does. Spec 4.6.3.
func (s *Set[K]) Assign(from *Set[K]) error { return s.Bytes().Assign(from.Bytes()) }

// Merge inserts the keys of from. Fails with ErrHeapFull when it may have inserted some of
// them. Any rank. Blocks as ByteSet.Assign does. Spec 4.6.17.
func (s *Set[K]) Merge(from *Set[K]) error { return s.Bytes().Merge(from.Bytes()) }

// Move inserts the keys of from and removes them there. Fails as Merge does. Any rank.
// Blocks as ByteSet.Assign does. Spec 4.6.19.
func (s *Set[K]) Move(from *Set[K]) error { return s.Bytes().Move(from.Bytes()) }

// Swap exchanges the keys of two sets. Fails with ErrHeapFull, and then both are as before.
// Any rank. Blocks as ByteSet.Swap does. Spec 4.6.23.
func (s *Set[K]) Swap(with *Set[K]) error { return s.Bytes().Swap(with.Bytes()) }
