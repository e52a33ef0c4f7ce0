package acp

import (
	"context"

	"github.com/goacp/goacp/internal/structure/hashed"
)

// ByteSet is a set of keys, which are strings of bytes that are not empty. Hash tables on several ranks hold
// them; the hash of a key selects the table.
//
// All ranks may insert, find and remove at the same time. Operations on whole sets process one slot after the
// other, while other operations continue. Spec 4.6.
type ByteSet struct{ t tables }

// NewByteSet makes an empty set with a table of slots hash slots on each of ranks and a directory of the
// tables on rank. A rank may occur in ranks more than once. Fails with ErrBadRank, ErrBadSize and
// ErrHeapFull, and then takes no memory. Any rank. Blocks for a round trip for each table. Spec 4.6.8.
func (p *Process) NewByteSet(ranks []Rank, slots int, rank Rank) (ByteSet, error) {
	t, err := p.newTables(hashed.Set, ranks, slots, rank)
	return ByteSet{t}, err
}

// ByteSetAt returns the set whose Address is a. Local. Does not block. Spec 4.6.8.
func (p *Process) ByteSetAt(a TableAddress) ByteSet { return ByteSet{p.tablesAt(hashed.Set, a)} }

// WithContext returns the same set. When ctx ends, blocking methods of the result return early; see
// Process.WithContext. Local. Does not block.
func (s ByteSet) WithContext(ctx context.Context) ByteSet { return ByteSet{s.t.withContext(ctx)} }

// Address returns the address by which other ranks reach the set. Local. Does not block.
func (s ByteSet) Address() TableAddress { return s.t.address() }

// Destroy frees the keys, the tables and the directory. No rank may use the set any more.
// Fails with ErrDestroyed if that has been done already. Any rank. Blocks for a round trip
// for each table. Spec 4.6.9.
func (s ByteSet) Destroy() error { return s.t.destroy() }

// Len returns the number of keys. Keys that ranks insert or remove during the call may or may not be counted.
// Any rank. Blocks for a round trip for each table. Spec 4.6.22.
func (s ByteSet) Len() (int, error) { return s.t.len(false) }

// LenLocal is Len for the keys on the calling rank. Any rank. Blocks for a round trip at
// most. Spec 4.6.21.
func (s ByteSet) LenLocal() (int, error) { return s.t.len(true) }

// Empty reports whether there are no keys. Any rank. Blocks as Len does, until it has found
// one. Spec 4.6.11.
func (s ByteSet) Empty() (bool, error) { return s.t.empty(false) }

// EmptyLocal is Empty for the keys on the calling rank. Any rank. Blocks for a round trip
// at most. Spec 4.6.10.
func (s ByteSet) EmptyLocal() (bool, error) { return s.t.empty(true) }

// Clear removes all keys. Any rank. Blocks for a round trip for each table. Spec 4.6.7.
func (s ByteSet) Clear() error { return s.t.clear(false) }

// ClearLocal removes the keys on the calling rank. Any rank. Blocks for a round trip at
// most. Spec 4.6.6.
func (s ByteSet) ClearLocal() error { return s.t.clear(true) }

// Insert inserts a copy of key, which may lie on any rank, and reports whether it was not
// in the set before. Fails with ErrBadSize for an empty key, and with ErrHeapFull. Any
// rank. Blocks for one round trip. Spec 4.6.15.
func (s ByteSet) Insert(key Element) (bool, error) { return s.t.insert(key, Element{}, 0) }

// Remove removes key and reports whether it was in the set. Fails with ErrBadSize for an empty key. Any rank.
// Blocks for one round trip. Spec 4.6.20.
func (s ByteSet) Remove(key Element) (bool, error) { return s.t.remove(key, hashed.Everywhere) }

// InsertMany is Insert of each of keys, and reports for each whether it was new. Of equal keys the first is
// inserted. Fails with a ManyError if some fail, as Insert does; all other keys are inserted. Any rank. Blocks
// for one round trip to all ranks of the set together, for one more if keys lie on other hosts, and for a few
// more if the keys take over 32 KiB.
func (s ByteSet) InsertMany(keys []Element) (added []bool, err error) {
	return s.t.changeElements("insertion", hashed.Insert, 0, keys)
}

// RemoveMany is Remove of each of keys, and reports for each whether it was in the set. Of equal keys only the
// first can be in the set. Fails with a ManyError if some fail, as Remove does; all other keys are removed.
// Any rank. Blocks as InsertMany does.
func (s ByteSet) RemoveMany(keys []Element) (removed []bool, err error) {
	return s.t.changeElements("removal", hashed.Remove, hashed.Everywhere, keys)
}

// FindMany returns the position of each of keys, or End. Fails with a ManyError if some fail, as Find does.
// Any rank. Blocks as InsertMany does.
func (s ByteSet) FindMany(keys []Element) ([]TableIterator, error) { return s.t.findMany(keys) }

// Find returns the position of key, or End. Fails with ErrBadSize for an empty key. Any
// rank. Blocks for one round trip. Spec 4.6.14.
func (s ByteSet) Find(key Element) (TableIterator, error) { return s.t.find(key) }

// Begin returns the position of the first key. Any rank. Blocks for a round trip for each
// table until one has an element. Spec 4.6.5.
func (s ByteSet) Begin() (TableIterator, error) { return s.t.begin() }

// BeginLocal returns the position of the first key on the calling rank; if there is none, the result of
// EndLocal. Any rank. Blocks as Begin does. Spec 4.6.4.
func (s ByteSet) BeginLocal() (TableIterator, error) { return s.t.beginLocal() }

// End returns the position behind the last key. Local. Does not block. Spec 4.6.13.
func (s ByteSet) End() TableIterator { return s.t.end() }

// EndLocal returns the result of Next for the last key on the calling rank: the first key of the tables that
// follow. If the tables of the rank are not next to each other in the directory, only the first of them
// count. Any rank. Blocks as Begin does. Spec 4.6.12.
func (s ByteSet) EndLocal() (TableIterator, error) { return s.t.endLocal() }

// Next returns the position behind it, and End for End. Fails with ErrBadIterator for a
// position outside. Any rank. Blocks as Begin does. Spec 4.6.25.
func (s ByteSet) Next(it TableIterator) (TableIterator, error) { return s.t.next(it) }

// Deref returns where the key of an element lies, and nothing for the end. Fails with
// ErrBadAddress if the element has been removed. Any rank. Blocks for one round trip. Spec
// 4.6.24.
func (s ByteSet) Deref(it TableIterator) (Element, error) {
	where, err := s.t.deref(it)
	return where.First, err
}

// Assign replaces the keys by those of from. Fails with ErrHeapFull, and then the set is as
// before. Any rank. Blocks for round trips for each table and each megabyte. Spec 4.6.3.
func (s ByteSet) Assign(from ByteSet) error { return s.t.assign(from.t, false) }

// AssignLocal replaces all keys by those of from on the calling rank. Otherwise as Assign.
// Any rank. Blocks as Assign does. Spec 4.6.2.
func (s ByteSet) AssignLocal(from ByteSet) error { return s.t.assign(from.t, true) }

// Merge inserts the keys of from. Fails with ErrHeapFull when it may have inserted some of
// them. Any rank. Blocks as Assign does. Spec 4.6.17.
func (s ByteSet) Merge(from ByteSet) error { return s.t.merge(from.t, false) }

// MergeLocal inserts the keys of from on the calling rank. Otherwise as Merge. Any rank.
// Blocks as Assign does. Spec 4.6.16.
func (s ByteSet) MergeLocal(from ByteSet) error { return s.t.merge(from.t, true) }

// Move inserts the keys of from and removes them there. After a failure, such as
// ErrHeapFull, each key is in one of the two at least. Any rank. Blocks as Assign does.
// Spec 4.6.19.
func (s ByteSet) Move(from ByteSet) error { return s.t.move(from.t, false) }

// MoveLocal moves the keys of from on the calling rank. Otherwise as Move. Any rank. Blocks
// as Assign does. Spec 4.6.18.
func (s ByteSet) MoveLocal(from ByteSet) error { return s.t.move(from.t, true) }

// Swap exchanges the keys of two sets, each of which keeps its tables. Fails with
// ErrHeapFull, and then both are as before. Any rank. Blocks as Assign does; if the tables
// of both have equally many slots on the same ranks, for a round trip for each. Spec
// 4.6.23.
func (s ByteSet) Swap(with ByteSet) error { return s.t.swap(with.t) }
