package acp

import (
	"context"

	"github.com/goacp/goacp/internal/structure/hashed"
)

// ByteMultiset is a set that stores for each key how often it was inserted: the multiplicity of the key. Len
// counts different keys, and iterators visit each of them once.
//
// Version 3.0 of the library introduced multisets. Unless stated otherwise they behave like the sets of
// chapter 4.6, also when several ranks use them.
type ByteMultiset struct{ t tables }

// NewByteMultiset makes an empty multiset; parameters and errors are those of NewByteSet.
// Any rank. Blocks for a round trip for each table. Spec 4.6.8.
func (p *Process) NewByteMultiset(ranks []Rank, slots int, rank Rank) (ByteMultiset, error) {
	t, err := p.newTables(hashed.Multiset, ranks, slots, rank)
	return ByteMultiset{t}, err
}

// ByteMultisetAt returns the multiset whose Address is a. Local. Does not block. Spec
// 4.6.8.
func (p *Process) ByteMultisetAt(a TableAddress) ByteMultiset {
	return ByteMultiset{p.tablesAt(hashed.Multiset, a)}
}

// WithContext returns the same multiset. When ctx ends, blocking methods of the result return early; see
// Process.WithContext. Local. Does not block.
func (m ByteMultiset) WithContext(ctx context.Context) ByteMultiset {
	return ByteMultiset{m.t.withContext(ctx)}
}

// Address returns the address by which other ranks reach the multiset. Local. Does not block.
func (m ByteMultiset) Address() TableAddress { return m.t.address() }

// Destroy frees the keys, the tables and the directory. No rank may use the multiset any
// more. Fails with ErrDestroyed if that has been done already. Any rank. Blocks for a round
// trip for each table. Spec 4.6.9.
func (m ByteMultiset) Destroy() error { return m.t.destroy() }

// Len returns the number of different keys. Keys that ranks insert or remove during the call may or may not
// be counted. Any rank. Blocks for a round trip for each table. Spec 4.6.22.
func (m ByteMultiset) Len() (int, error) { return m.t.len(false) }

// LenLocal is Len for the keys on the calling rank. Any rank. Blocks for a round trip at
// most. Spec 4.6.21.
func (m ByteMultiset) LenLocal() (int, error) { return m.t.len(true) }

// Empty reports whether there are no keys. Any rank. Blocks as Len does, until it has found
// one. Spec 4.6.11.
func (m ByteMultiset) Empty() (bool, error) { return m.t.empty(false) }

// EmptyLocal is Empty for the keys on the calling rank. Any rank. Blocks for a round trip
// at most. Spec 4.6.10.
func (m ByteMultiset) EmptyLocal() (bool, error) { return m.t.empty(true) }

// Clear removes all keys. Any rank. Blocks for a round trip for each table. Spec 4.6.7.
func (m ByteMultiset) Clear() error { return m.t.clear(false) }

// ClearLocal removes the keys on the calling rank. Any rank. Blocks for a round trip at
// most. Spec 4.6.6.
func (m ByteMultiset) ClearLocal() error { return m.t.clear(true) }

// Insert inserts a copy of key, which may lie on any rank, once more. It reports whether it
// was not in the multiset before. Fails with ErrBadSize for an empty key, and with
// ErrHeapFull. Any rank. Blocks for one round trip. Spec 4.6.15.
func (m ByteMultiset) Insert(key Element) (bool, error) { return m.t.insert(key, Element{}, 1) }

// Remove takes key away once, and reports whether it was there; with multiplicity 0 it is
// gone. Fails with ErrBadSize for an empty key. Any rank. Blocks for one round trip. Spec
// 4.6.20.
func (m ByteMultiset) Remove(key Element) (bool, error) { return m.t.remove(key, 1) }

// RemoveAll removes key, whatever its multiplicity. Otherwise as Remove. Any rank. Blocks
// for one round trip. Spec 4.6.20.
func (m ByteMultiset) RemoveAll(key Element) (bool, error) { return m.t.remove(key, hashed.Everywhere) }

// Count returns the multiplicity of key, 0 if it is not in the multiset. Fails with
// ErrBadSize for an empty key. Any rank. Blocks for one round trip. Spec 4.6.14.
func (m ByteMultiset) Count(key Element) (uint64, error) {
	times, err := m.t.t.CountFrom(key.span())
	return times, m.t.failed("search", err)
}

// InsertMany is Insert of each of keys, and reports for each whether it was new. Fails with a ManyError if
// some fail, as Insert does; all other keys are inserted. Any rank. Blocks for one round trip to all ranks of
// the multiset together, for one more if keys lie on other hosts, and for a few more if the keys take over 32
// KiB.
func (m ByteMultiset) InsertMany(keys []Element) (added []bool, err error) {
	return m.t.changeElements("insertion", hashed.Insert, 1, keys)
}

// RemoveMany is Remove of each of keys, and reports for each whether it was in the multiset; a key that
// occurs several times in keys is removed as often. Fails with a ManyError if some fail, as Remove does; all
// other keys are removed. Any rank. Blocks as InsertMany does.
func (m ByteMultiset) RemoveMany(keys []Element) (removed []bool, err error) {
	return m.t.changeElements("removal", hashed.Remove, 1, keys)
}

// CountMany returns the multiplicity of each of keys, 0 for those that are not in the multiset. Fails with a
// ManyError if some fail, as Count does. Any rank. Blocks as InsertMany does.
func (m ByteMultiset) CountMany(keys []Element) ([]uint64, error) {
	k := m.t.p.findKeys(len(keys), func(i int) Element { return keys[i] })
	return m.t.countMany(hashed.Many{N: len(keys), Item: k.item})
}

// FindMany returns the position of each of keys, or End. Fails with a ManyError if some fail, as Find does.
// Any rank. Blocks as InsertMany does.
func (m ByteMultiset) FindMany(keys []Element) ([]TableIterator, error) { return m.t.findMany(keys) }

// Find returns the position of key, or End. Fails with ErrBadSize for an empty key. Any
// rank. Blocks for one round trip. Spec 4.6.14.
func (m ByteMultiset) Find(key Element) (TableIterator, error) { return m.t.find(key) }

// Begin returns the position of the first key. Any rank. Blocks for a round trip for each
// table until one has an element. Spec 4.6.5.
func (m ByteMultiset) Begin() (TableIterator, error) { return m.t.begin() }

// BeginLocal returns the position of the first key on the calling rank; if there is none, the result of
// EndLocal. Any rank. Blocks as Begin does. Spec 4.6.4.
func (m ByteMultiset) BeginLocal() (TableIterator, error) { return m.t.beginLocal() }

// End returns the position behind the last key. Local. Does not block. Spec 4.6.13.
func (m ByteMultiset) End() TableIterator { return m.t.end() }

// EndLocal returns the result of Next for the last key on the calling rank: the first key of the tables that
// follow. If the tables of the rank are not next to each other in the directory, only the first of them
// count. Any rank. Blocks as Begin does. Spec 4.6.12.
func (m ByteMultiset) EndLocal() (TableIterator, error) { return m.t.endLocal() }

// Next returns the position behind it, and End for End. Fails with ErrBadIterator for a
// position outside. Any rank. Blocks as Begin does. Spec 4.6.25.
func (m ByteMultiset) Next(it TableIterator) (TableIterator, error) { return m.t.next(it) }

// Deref returns where the key of an element lies, and nothing for the end. Fails with
// ErrBadAddress if the element has been removed. Any rank. Blocks for one round trip. Spec
// 4.6.24.
func (m ByteMultiset) Deref(it TableIterator) (Element, error) {
	where, err := m.t.deref(it)
	return where.First, err
}

// Assign replaces the keys by those of from, with their multiplicities. Fails with
// ErrHeapFull, and then the multiset is as before. Any rank. Blocks for round trips for
// each table and each megabyte. Spec 4.6.3.
func (m ByteMultiset) Assign(from ByteMultiset) error { return m.t.assign(from.t, false) }

// AssignLocal replaces all keys by those of from on the calling rank. Otherwise as Assign.
// Any rank. Blocks as Assign does. Spec 4.6.2.
func (m ByteMultiset) AssignLocal(from ByteMultiset) error { return m.t.assign(from.t, true) }

// Merge adds the multiplicities of from. Fails with ErrHeapFull when it may have added
// some of them. Any rank. Blocks as Assign does. Spec 4.6.17.
func (m ByteMultiset) Merge(from ByteMultiset) error { return m.t.merge(from.t, false) }

// MergeLocal adds the multiplicities of the keys of from on the calling rank. Otherwise as
// Merge. Any rank. Blocks as Assign does. Spec 4.6.16.
func (m ByteMultiset) MergeLocal(from ByteMultiset) error { return m.t.merge(from.t, true) }

// Move adds the multiplicities of from and removes the keys there. After a failure, such as
// ErrHeapFull, each key is in one of the two at least. Any rank. Blocks as Assign does.
// Spec 4.6.19.
func (m ByteMultiset) Move(from ByteMultiset) error { return m.t.move(from.t, false) }

// MoveLocal moves the keys of from on the calling rank. Otherwise as Move. Any rank. Blocks
// as Assign does. Spec 4.6.18.
func (m ByteMultiset) MoveLocal(from ByteMultiset) error { return m.t.move(from.t, true) }

// Swap exchanges the keys of two multisets, each of which keeps its tables. Fails with
// ErrHeapFull, and then both are as before. Any rank. Blocks as Assign does; if the tables
// of both have equally many slots on the same ranks, for a round trip for each. Spec
// 4.6.23.
func (m ByteMultiset) Swap(with ByteMultiset) error { return m.t.swap(with.t) }
