package acp

import "github.com/goacp/goacp/internal/hashed"

// ByteMultiset is a set that knows how often it has each key, which is called the
// multiplicity of the key. It counts and iterates over different keys.
//
// Version 3.0 of the library has multisets; where nothing else is said they are as the
// sets of chapter 4.6. The same holds for their use by several ranks.
type ByteMultiset struct{ tables }

// NewByteMultiset makes an empty multiset; parameters and errors are those of NewByteSet.
// Any rank. Blocks for a round trip for each table. Spec 4.6.8.
func (p *Process) NewByteMultiset(ranks []Rank, slots int, rank Rank) (ByteMultiset, error) {
	t, err := p.newTables(hashed.Multiset, ranks, slots, rank)
	return ByteMultiset{t}, err
}

// ByteMultisetAt returns the multiset of which another rank has told the address. Local.
// Does not block. Spec 4.6.8.
func (p *Process) ByteMultisetAt(a TableAddress) ByteMultiset {
	return ByteMultiset{p.tablesAt(hashed.Multiset, a)}
}

// Insert inserts a copy of key, which may lie on any rank, once more. It reports whether it
// was not in the multiset before. Fails with ErrBadSize for an empty key, and with
// ErrHeapFull. Any rank. Blocks for one round trip. Spec 4.6.15.
func (m ByteMultiset) Insert(key Element) (bool, error) { return m.insert(key, Element{}, 1) }

// Remove takes key away once, and reports whether it was there; with multiplicity 0 it is
// gone. Fails with ErrBadSize for an empty key. Any rank. Blocks for one round trip. Spec
// 4.6.20.
func (m ByteMultiset) Remove(key Element) (bool, error) { return m.remove(key, 1) }

// RemoveAll removes key, whatever its multiplicity. Otherwise as Remove. Any rank. Blocks
// for one round trip. Spec 4.6.20.
func (m ByteMultiset) RemoveAll(key Element) (bool, error) { return m.remove(key, hashed.Everywhere) }

// Retrieve returns the multiplicity of key, 0 if it is not in the multiset. Fails with
// ErrBadSize for an empty key. Any rank. Blocks for one round trip. Spec 4.6.14.
func (m ByteMultiset) Retrieve(key Element) (uint64, error) {
	times, err := m.t.CountFrom(key.span())
	return times, m.failed("search", err)
}

// Deref returns where the key of an element lies, and nothing for the end. Fails with
// ErrBadAddress if the element has been removed. Any rank. Blocks for one round trip. Spec
// 4.6.24.
func (m ByteMultiset) Deref(it TableIterator) (Element, error) {
	where, err := m.deref(it)
	return where.First, err
}

// Assign replaces the keys by those of from, with their multiplicities. Fails with
// ErrHeapFull, and then the multiset is as before. Any rank. Blocks for round trips for
// each table and each megabyte. Spec 4.6.3.
func (m ByteMultiset) Assign(from ByteMultiset) error { return m.assign(from.tables, false) }

// AssignLocal replaces all keys by those of from on the calling rank. Otherwise as Assign.
// Any rank. Blocks as Assign does. Spec 4.6.2.
func (m ByteMultiset) AssignLocal(from ByteMultiset) error { return m.assign(from.tables, true) }

// Merge adds the multiplicities of from. Fails with ErrHeapFull when it may have added
// some of them. Any rank. Blocks as Assign does. Spec 4.6.17.
func (m ByteMultiset) Merge(from ByteMultiset) error { return m.merge(from.tables, false) }

// MergeLocal adds the multiplicities of the keys of from on the calling rank. Otherwise as
// Merge. Any rank. Blocks as Assign does. Spec 4.6.16.
func (m ByteMultiset) MergeLocal(from ByteMultiset) error { return m.merge(from.tables, true) }

// Move adds the multiplicities of from and removes the keys there. After a failure, such as
// ErrHeapFull, each key is in one of the two at least. Any rank. Blocks as Assign does.
// Spec 4.6.19.
func (m ByteMultiset) Move(from ByteMultiset) error { return m.move(from.tables, false) }

// MoveLocal moves the keys of from on the calling rank. Otherwise as Move. Any rank. Blocks
// as Assign does. Spec 4.6.18.
func (m ByteMultiset) MoveLocal(from ByteMultiset) error { return m.move(from.tables, true) }

// Swap exchanges the keys of two multisets, each of which keeps its tables. Fails with
// ErrHeapFull, and then both are as before. Any rank. Blocks as Assign does; if the tables
// of both have equally many slots on the same ranks, for a round trip for each. Spec
// 4.6.23.
func (m ByteMultiset) Swap(with ByteMultiset) error { return m.swap(with.tables) }
