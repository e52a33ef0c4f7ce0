package acp

import "github.com/goacp/goacp/internal/hashed"

// ByteSet is a set of keys, which are strings of bytes that are not empty. Hash tables on
// several ranks hold them; the hash of a key says which one.
//
// All ranks may insert, find and remove at the same time. Operations on whole sets look
// at one slot after the other while others go on. Spec 4.6.
type ByteSet struct{ tables }

// NewByteSet makes an empty set with a table of slots slots on each of ranks, in which a
// rank may stand more than once, and what says where they are on rank. Fails with
// ErrBadRank, ErrBadSize and ErrHeapFull, and then takes no memory. Any rank. Blocks for a
// round trip for each table. Spec 4.6.8.
func (p *Process) NewByteSet(ranks []Rank, slots int, rank Rank) (ByteSet, error) {
	t, err := p.newTables(hashed.Set, ranks, slots, rank)
	return ByteSet{t}, err
}

// ByteSetAt returns the set of which another rank has told the address. Local. Does not
// block. Spec 4.6.8.
func (p *Process) ByteSetAt(a TableAddress) ByteSet { return ByteSet{p.tablesAt(hashed.Set, a)} }

// Insert inserts a copy of key, which may lie on any rank, and reports whether it was not
// in the set before. Fails with ErrBadSize for an empty key, and with ErrHeapFull. Any
// rank. Blocks for one round trip. Spec 4.6.15.
func (s ByteSet) Insert(key Element) (bool, error) { return s.insert(key, Element{}, 0) }

// Remove removes key if it is in the set, which it reports. Fails with ErrBadSize for an
// empty key. Any rank. Blocks for one round trip. Spec 4.6.20.
func (s ByteSet) Remove(key Element) (bool, error) { return s.remove(key, hashed.Everywhere) }

// Deref returns where the key of an element lies, and nothing for the end. Fails with
// ErrBadAddress if the element has been removed. Any rank. Blocks for one round trip. Spec
// 4.6.24.
func (s ByteSet) Deref(it TableIterator) (Element, error) {
	where, err := s.deref(it)
	return where.First, err
}

// Assign replaces the keys by those of from. Fails with ErrHeapFull, and then the set is as
// before. Any rank. Blocks for round trips for each table and each megabyte. Spec 4.6.3.
func (s ByteSet) Assign(from ByteSet) error { return s.assign(from.tables, false) }

// AssignLocal replaces all keys by those of from on the calling rank. Otherwise as Assign.
// Any rank. Blocks as Assign does. Spec 4.6.2.
func (s ByteSet) AssignLocal(from ByteSet) error { return s.assign(from.tables, true) }

// Merge inserts the keys of from. Fails with ErrHeapFull when it may have inserted some of
// them. Any rank. Blocks as Assign does. Spec 4.6.17.
func (s ByteSet) Merge(from ByteSet) error { return s.merge(from.tables, false) }

// MergeLocal inserts the keys of from on the calling rank. Otherwise as Merge. Any rank.
// Blocks as Assign does. Spec 4.6.16.
func (s ByteSet) MergeLocal(from ByteSet) error { return s.merge(from.tables, true) }

// Move inserts the keys of from and removes them there. After a failure, such as
// ErrHeapFull, each key is in one of the two at least. Any rank. Blocks as Assign does.
// Spec 4.6.19.
func (s ByteSet) Move(from ByteSet) error { return s.move(from.tables, false) }

// MoveLocal moves the keys of from on the calling rank. Otherwise as Move. Any rank. Blocks
// as Assign does. Spec 4.6.18.
func (s ByteSet) MoveLocal(from ByteSet) error { return s.move(from.tables, true) }

// Swap exchanges the keys of two sets, each of which keeps its tables. Fails with
// ErrHeapFull, and then both are as before. Any rank. Blocks as Assign does; if the tables
// of both have equally many slots on the same ranks, for a round trip for each. Spec
// 4.6.23.
func (s ByteSet) Swap(with ByteSet) error { return s.swap(with.tables) }
