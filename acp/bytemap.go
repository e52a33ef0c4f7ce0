package acp

import "github.com/goacp/goacp/internal/hashed"

// ByteMap is a map from keys to values, which are strings of bytes that are not empty. Hash
// tables on several ranks hold them; the hash of a key says which one.
//
// All ranks may insert, find, retrieve and remove at the same time. Operations on whole
// maps look at one slot after the other while others go on. Spec 4.7.
type ByteMap struct{ tables }

// NewByteMap makes an empty map with a table of slots slots on each of ranks, in which a
// rank may stand more than once, and what says where they are on rank. Fails with
// ErrBadRank, ErrBadSize and ErrHeapFull, and then takes no memory. Any rank. Blocks for a
// round trip for each table. Spec 4.7.8.
func (p *Process) NewByteMap(ranks []Rank, slots int, rank Rank) (ByteMap, error) {
	t, err := p.newTables(hashed.Map, ranks, slots, rank)
	return ByteMap{t}, err
}

// ByteMapAt returns the map of which another rank has told the address. Local. Does not
// block. Spec 4.7.8.
func (p *Process) ByteMapAt(a TableAddress) ByteMap { return ByteMap{p.tablesAt(hashed.Map, a)} }

// Insert inserts copies of key and value, which may lie on any rank, and reports whether
// it did: a key that is in the map keeps its value. An empty value removes the key, and
// nothing is inserted. Fails with ErrBadSize for an empty key, and with ErrHeapFull. Any
// rank. Blocks for one round trip. Spec 4.7.15.
func (m ByteMap) Insert(pair Pair) (bool, error) {
	if pair.Second.Size == 0 {
		_, err := m.remove(pair.First, hashed.Everywhere)
		return false, err
	}
	return m.insert(pair.First, pair.Second, 0)
}

// Retrieve copies the value of the key pair.First to pair.Second, which may lie on any
// rank, as much of it as there is room for. It returns how many bytes it has copied, 0 if
// the key is not in the map. Fails with ErrBadSize for an empty key. Any rank. Blocks for
// one round trip, and for three more if the value is longer than 32 KiB. Spec 4.7.21.
func (m ByteMap) Retrieve(pair Pair) (uint64, error) {
	n, err := m.t.RetrieveFrom(pair.First.span(), pair.Second.span())
	return n, m.failed("retrieval", err)
}

// Remove removes key and its value if it is in the map, which it reports. Fails with
// ErrBadSize for an empty key. Any rank. Blocks for one round trip. Spec 4.7.20.
func (m ByteMap) Remove(key Element) (bool, error) { return m.remove(key, hashed.Everywhere) }

// Deref returns where key and value of an element lie, and nothing for the end. Fails with
// ErrBadAddress if the element has been removed. Any rank. Blocks for one round trip. Spec
// 4.7.25.
func (m ByteMap) Deref(it TableIterator) (Pair, error) { return m.deref(it) }

// Assign replaces the pairs by those of from. Fails with ErrHeapFull, and then the map is
// as before. Any rank. Blocks for round trips for each table and each megabyte. Spec
// 4.7.3.
func (m ByteMap) Assign(from ByteMap) error { return m.assign(from.tables, false) }

// AssignLocal replaces all pairs by those of from on the calling rank. Otherwise as Assign.
// Any rank. Blocks as Assign does. Spec 4.7.2.
func (m ByteMap) AssignLocal(from ByteMap) error { return m.assign(from.tables, true) }

// Merge inserts the pairs of from; keys that are in the map keep their values. Fails with
// ErrHeapFull when it may have inserted some of them. Any rank. Blocks as Assign does.
// Spec 4.7.17.
func (m ByteMap) Merge(from ByteMap) error { return m.merge(from.tables, false) }

// MergeLocal inserts the pairs of from on the calling rank. Otherwise as Merge. Any rank.
// Blocks as Assign does. Spec 4.7.16.
func (m ByteMap) MergeLocal(from ByteMap) error { return m.merge(from.tables, true) }

// Move inserts the pairs of from as Merge does and removes them there. A pair whose value
// another rank replaces meanwhile stays in from. After a failure, such as ErrHeapFull, each
// key is in one of the two at least. Any rank. Blocks as Assign does. Spec 4.7.19.
func (m ByteMap) Move(from ByteMap) error { return m.move(from.tables, false) }

// MoveLocal moves the pairs of from on the calling rank. Otherwise as Move. Any rank.
// Blocks as Assign does. Spec 4.7.18.
func (m ByteMap) MoveLocal(from ByteMap) error { return m.move(from.tables, true) }

// Swap exchanges the pairs of two maps, each of which keeps its tables. Fails with
// ErrHeapFull, and then both are as before. Any rank. Blocks as Assign does; if the tables
// of both have equally many slots on the same ranks, for a round trip for each. Spec
// 4.7.24.
func (m ByteMap) Swap(with ByteMap) error { return m.swap(with.tables) }
