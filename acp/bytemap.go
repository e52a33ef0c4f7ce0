package acp

import (
	"context"

	"github.com/goacp/goacp/internal/structure/hashed"
)

// ByteMap is a map from keys to values, which are strings of bytes that are not empty. Hash tables on several
// ranks hold them; the hash of a key selects the table.
//
// All ranks may insert, find, load and remove at the same time. Operations on whole maps process one slot
// after the other, while other operations continue. Spec 4.7.
type ByteMap struct{ t tables }

// NewByteMap makes an empty map with a table of slots hash slots on each of ranks and a directory of the
// tables on rank. A rank may occur in ranks more than once. Fails with ErrBadRank, ErrBadSize and
// ErrHeapFull, and then takes no memory. Any rank. Blocks for a round trip for each table. Spec 4.7.8.
func (p *Process) NewByteMap(ranks []Rank, slots int, rank Rank) (ByteMap, error) {
	t, err := p.newTables(hashed.Map, ranks, slots, rank)
	return ByteMap{t}, err
}

// ByteMapAt returns the map whose Address is a. Local. Does not block. Spec 4.7.8.
func (p *Process) ByteMapAt(a TableAddress) ByteMap { return ByteMap{p.tablesAt(hashed.Map, a)} }

// WithContext returns the same map. When ctx ends, blocking methods of the result return early; see
// Process.WithContext. Local. Does not block.
func (m ByteMap) WithContext(ctx context.Context) ByteMap { return ByteMap{m.t.withContext(ctx)} }

// Address returns the address by which other ranks reach the map. Local. Does not block.
func (m ByteMap) Address() TableAddress { return m.t.address() }

// Destroy frees the pairs, the tables and the directory. No rank may use the map any more.
// Fails with ErrDestroyed if that has been done already. Any rank. Blocks for a round trip
// for each table. Spec 4.7.9.
func (m ByteMap) Destroy() error { return m.t.destroy() }

// Len returns the number of pairs. Pairs that ranks insert or remove during the call may or may not be
// counted. Any rank. Blocks for a round trip for each table. Spec 4.7.23.
func (m ByteMap) Len() (int, error) { return m.t.len(false) }

// LenLocal is Len for the pairs on the calling rank. Any rank. Blocks for a round trip at
// most. Spec 4.7.22.
func (m ByteMap) LenLocal() (int, error) { return m.t.len(true) }

// Empty reports whether there are no pairs. Any rank. Blocks as Len does, until it has
// found one. Spec 4.7.11.
func (m ByteMap) Empty() (bool, error) { return m.t.empty(false) }

// EmptyLocal is Empty for the pairs on the calling rank. Any rank. Blocks for a round trip
// at most. Spec 4.7.10.
func (m ByteMap) EmptyLocal() (bool, error) { return m.t.empty(true) }

// Clear removes all pairs. Any rank. Blocks for a round trip for each table. Spec 4.7.7.
func (m ByteMap) Clear() error { return m.t.clear(false) }

// ClearLocal removes the pairs on the calling rank. Any rank. Blocks for a round trip at
// most. Spec 4.7.6.
func (m ByteMap) ClearLocal() error { return m.t.clear(true) }

// Insert inserts copies of key and value, which may lie on any rank, and reports whether
// it did: a key that is in the map keeps its value. An empty value removes the key, and
// nothing is inserted. Fails with ErrBadSize for an empty key, and with ErrHeapFull. Any
// rank. Blocks for one round trip. Spec 4.7.15.
func (m ByteMap) Insert(pair Pair) (bool, error) {
	if pair.Second.Size == 0 {
		_, err := m.t.remove(pair.First, hashed.Everywhere)
		return false, err
	}
	return m.t.insert(pair.First, pair.Second, 0)
}

// Load copies the value of the key pair.First to pair.Second, which may lie on any
// rank, as much of it as there is room for. It returns how many bytes it has copied, 0 if
// the key is not in the map. Fails with ErrBadSize for an empty key. Any rank. Blocks for
// one round trip, and for three more if the value is longer than 32 KiB. Spec 4.7.21.
func (m ByteMap) Load(pair Pair) (uint64, error) {
	n, err := m.t.t.RetrieveFrom(pair.First.span(), pair.Second.span())
	return n, m.t.failed("retrieval", err)
}

// Remove removes key and its value, and reports whether the map had the key. Fails with ErrBadSize for an
// empty key. Any rank. Blocks for one round trip. Spec 4.7.20.
func (m ByteMap) Remove(key Element) (bool, error) { return m.t.remove(key, hashed.Everywhere) }

// InsertMany is Insert of each of pairs, and reports for each whether it has been inserted. Equal keys are
// inserted in their order, other keys in any order. Fails with a ManyError if some fail, as Insert does; all
// other pairs are inserted. Any rank. Blocks for one round trip to all ranks of the map together, for one
// more if keys or values lie on other hosts, and for a few more if keys and values take over 32 KiB.
func (m ByteMap) InsertMany(pairs []Pair) (added []bool, err error) { return m.t.insertPairs(pairs) }

// LoadMany is Load of each of pairs, and returns how many bytes of each it has copied. Fails with a ManyError
// if some fail, as Load does. Any rank. Blocks as InsertMany does.
func (m ByteMap) LoadMany(pairs []Pair) (copied []uint64, err error) { return m.t.loadPairs(pairs) }

// RemoveMany is Remove of each of keys, and reports for each whether the map had it. Of equal keys only the
// first can be in the map. Fails with a ManyError if some fail, as Remove does; all other keys are removed.
// Any rank. Blocks as InsertMany does.
func (m ByteMap) RemoveMany(keys []Element) (removed []bool, err error) {
	return m.t.changeElements("removal", hashed.Remove, hashed.Everywhere, keys)
}

// FindMany returns the position of each of keys, or End. Fails with a ManyError if some fail, as Find does.
// Any rank. Blocks as InsertMany does.
func (m ByteMap) FindMany(keys []Element) ([]TableIterator, error) { return m.t.findMany(keys) }

// Find returns the position of key, or End. Fails with ErrBadSize for an empty key. Any
// rank. Blocks for one round trip. Spec 4.7.14.
func (m ByteMap) Find(key Element) (TableIterator, error) { return m.t.find(key) }

// Begin returns the position of the first pair. Any rank. Blocks for a round trip for each
// table until one has an element. Spec 4.7.5.
func (m ByteMap) Begin() (TableIterator, error) { return m.t.begin() }

// BeginLocal returns the position of the first pair on the calling rank; if there is none, the result of
// EndLocal. Any rank. Blocks as Begin does. Spec 4.7.4.
func (m ByteMap) BeginLocal() (TableIterator, error) { return m.t.beginLocal() }

// End returns the position behind the last pair. Local. Does not block. Spec 4.7.13.
func (m ByteMap) End() TableIterator { return m.t.end() }

// EndLocal returns the result of Next for the last pair on the calling rank: the first pair of the tables
// that follow. If the tables of the rank are not next to each other in the directory, only the first of them
// count. Any rank. Blocks as Begin does. Spec 4.7.12.
func (m ByteMap) EndLocal() (TableIterator, error) { return m.t.endLocal() }

// Next returns the position behind it, and End for End. Fails with ErrBadIterator for a
// position outside. Any rank. Blocks as Begin does. Spec 4.7.26.
func (m ByteMap) Next(it TableIterator) (TableIterator, error) { return m.t.next(it) }

// Deref returns where key and value of an element lie, and nothing for the end. Fails with
// ErrBadAddress if the element has been removed. Any rank. Blocks for one round trip. Spec
// 4.7.25.
func (m ByteMap) Deref(it TableIterator) (Pair, error) { return m.t.deref(it) }

// Assign replaces the pairs by those of from. Fails with ErrHeapFull, and then the map is
// as before. Any rank. Blocks for round trips for each table and each megabyte. Spec
// 4.7.3.
func (m ByteMap) Assign(from ByteMap) error { return m.t.assign(from.t, false) }

// AssignLocal replaces all pairs by those of from on the calling rank. Otherwise as Assign.
// Any rank. Blocks as Assign does. Spec 4.7.2.
func (m ByteMap) AssignLocal(from ByteMap) error { return m.t.assign(from.t, true) }

// Merge inserts the pairs of from; keys that are in the map keep their values. Fails with
// ErrHeapFull when it may have inserted some of them. Any rank. Blocks as Assign does.
// Spec 4.7.17.
func (m ByteMap) Merge(from ByteMap) error { return m.t.merge(from.t, false) }

// MergeLocal inserts the pairs of from on the calling rank. Otherwise as Merge. Any rank.
// Blocks as Assign does. Spec 4.7.16.
func (m ByteMap) MergeLocal(from ByteMap) error { return m.t.merge(from.t, true) }

// Move inserts the pairs of from as Merge does and removes them there. A pair whose value another rank
// replaces during the call stays in from. After a failure, such as ErrHeapFull, each key is in at least one
// of the maps. Any rank. Blocks as Assign does. Spec 4.7.19.
func (m ByteMap) Move(from ByteMap) error { return m.t.move(from.t, false) }

// MoveLocal moves the pairs of from on the calling rank. Otherwise as Move. Any rank.
// Blocks as Assign does. Spec 4.7.18.
func (m ByteMap) MoveLocal(from ByteMap) error { return m.t.move(from.t, true) }

// Swap exchanges the pairs of two maps, each of which keeps its tables. Fails with
// ErrHeapFull, and then both are as before. Any rank. Blocks as Assign does; if the tables
// of both have equally many slots on the same ranks, for a round trip for each. Spec
// 4.7.24.
func (m ByteMap) Swap(with ByteMap) error { return m.t.swap(with.t) }
