package acp

import (
	"iter"

	"github.com/goacp/goacp/internal/hashed"
)

// Set is a set of keys of type K, which several ranks hold; the hash of a key says which.
// All ranks may insert, find and remove at the same time.
//
// K is a string type, a slice of bytes, or of fixed size without pointers, padding and
// numbers of floating point. Keys are stored as they lie in memory, so that C programs
// find structs. Spec 4.6.
type Set[K any] struct{ keyed[K] }

// NewSet makes an empty set with slots hash slots on each of ranks, and what says where
// they are on rank. Look-ups stay fast up to a few keys for each slot. Fails with
// ErrBadType, ErrBadRank, ErrBadSize and ErrHeapFull. Any rank. Blocks for a round trip for
// each of ranks. Spec 4.6.8.
func NewSet[K any](p *Process, ranks []Rank, slots int, rank Rank) (*Set[K], error) {
	s, err := newKeyed[K](p, hashed.Set, ranks, slots, rank)
	if err != nil {
		return nil, err
	}
	return &Set[K]{s}, nil
}

// SetAt returns the set of which another rank has told the Address. It must be one of K, or
// a ByteSet of such keys. Fails with ErrBadType. Local. Does not block. Spec 4.6.8.
func SetAt[K any](p *Process, a TableAddress) (*Set[K], error) {
	s, err := keyedAt[K](p, hashed.Set, a)
	if err != nil {
		return nil, err
	}
	return &Set[K]{s}, nil
}

// Bytes returns the same set as one of bytes. Local. Does not block.
func (s *Set[K]) Bytes() ByteSet { return ByteSet{s.tables} }

// Insert inserts key and reports whether it was not in the set before. Fails with
// ErrBadSize for an empty key, and with ErrHeapFull. Any rank. Blocks for one round trip.
// Spec 4.6.15.
func (s *Set[K]) Insert(key K) (bool, error) {
	return s.insertBytes(s.key.bytes(&key), nil, 0)
}

// Remove removes key and reports whether it was in the set. Fails with ErrBadSize for an
// empty key. Any rank. Blocks for one round trip. Spec 4.6.20.
func (s *Set[K]) Remove(key K) (bool, error) { return s.removeKey(key, hashed.Everywhere) }

// All iterates over the keys: for key := range s.All(). Keys that come and go meanwhile may
// be seen or not. If it ends early, Err says why. Any rank. Blocks for a round trip for
// each table and each 32 KiB.
func (s *Set[K]) All() iter.Seq[K] { return s.keys(false) }

// Local is All for the keys on the calling rank. Any rank. Blocks for no other rank, unless
// the directory is on another host.
func (s *Set[K]) Local() iter.Seq[K] { return s.keys(true) }

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
