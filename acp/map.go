package acp

import (
	"fmt"
	"iter"
	"reflect"

	"github.com/goacp/goacp/internal/hashed"
)

// Map is a map from keys of type K to values of type V, which several ranks hold; the hash
// of a key says which. All ranks may insert, load, store and remove at the same time.
//
// What types of keys are possible is said at Set. V is a string type, a slice of bytes, or
// of fixed size without pointers. Values that take no bytes, such as empty strings, cannot
// be stored. Spec 4.7.
type Map[K, V any] struct {
	keyed[K]
	val codec[V]
}

// NewMap makes an empty map with slots hash slots on each of ranks, and what says where
// they are on rank. Look-ups stay fast up to a few keys for each slot. Fails with
// ErrBadType, ErrBadRank, ErrBadSize and ErrHeapFull. Any rank. Blocks for a round trip for
// each of ranks. Spec 4.7.8.
func NewMap[K, V any](p *Process, ranks []Rank, slots int, rank Rank) (*Map[K, V], error) {
	val, err := codecFor[V](p, false)
	if err != nil {
		return nil, err
	}
	k, err := newKeyed[K](p, hashed.Map, ranks, slots, rank)
	if err != nil {
		return nil, err
	}
	return &Map[K, V]{k, val}, nil
}

// MapAt returns the map of which another rank has told the Address. It must be one of K and
// V, or a ByteMap of such keys and values. Fails with ErrBadType. Local. Does not block.
// Spec 4.7.8.
func MapAt[K, V any](p *Process, a TableAddress) (*Map[K, V], error) {
	val, err := codecFor[V](p, false)
	if err != nil {
		return nil, err
	}
	k, err := keyedAt[K](p, hashed.Map, a)
	if err != nil {
		return nil, err
	}
	return &Map[K, V]{k, val}, nil
}

// Bytes returns the same map as one of bytes. Local. Does not block.
func (m *Map[K, V]) Bytes() ByteMap { return ByteMap{m.tables} }

// Insert inserts key with value unless the map has the key, and reports whether it did.
// Fails with ErrBadSize if one of them is empty, and with ErrHeapFull. Any rank. Blocks for
// one round trip. Spec 4.7.15.
func (m *Map[K, V]) Insert(key K, value V) (bool, error) { return m.insertValue(&key, &value, 0) }

// Store is Insert that replaces the value of a key which the map has; it reports whether
// the key is new. Any rank. Blocks for one round trip.
func (m *Map[K, V]) Store(key K, value V) (bool, error) { return m.insertValue(&key, &value, 1) }

func (m *Map[K, V]) insertValue(key *K, value *V, replace uint64) (bool, error) {
	b := m.val.bytes(value)
	if len(b) == 0 {
		return false, m.failed("insertion", fmt.Errorf("%w: an empty value", ErrBadSize))
	}
	return m.insertBytes(m.key.bytes(key), b, replace)
}

// Load returns the value of key, and false if the map has not got the key. Fails with
// ErrBadSize for an empty key. Any rank. Blocks for one round trip, and a few more if the
// value is longer than 512 bytes and V is not of fixed size. Spec 4.7.21.
func (m *Map[K, V]) Load(key K) (V, bool, error) {
	value, found, err := m.load(m.key.bytes(&key))
	return value, found, m.failed("retrieval", err)
}

func (m *Map[K, V]) load(key []byte) (value V, found bool, err error) {
	if m.val.kind != codecFixed {
		b, err := m.t.WholeValue(key)
		if err != nil || b == nil {
			return value, false, err
		}
		value, err = m.val.value(b)
		return value, err == nil, err
	}
	room := m.val.bytes(&value)
	n, err := m.t.Value(key, room)
	if err == nil && n != 0 && n != uint64(len(room)) {
		err = fmt.Errorf("%d bytes where a %v has %d", n, reflect.TypeFor[V](), len(room))
	}
	return value, n != 0 && err == nil, err
}

// Remove removes key and its value, and reports whether the map had them. Fails with
// ErrBadSize for an empty key. Any rank. Blocks for one round trip. Spec 4.7.20.
func (m *Map[K, V]) Remove(key K) (bool, error) { return m.removeKey(key, hashed.Everywhere) }

// All iterates over keys and values: for key, value := range m.All(). Pairs that come and go
// meanwhile may be seen or not. If it ends early, Err says why. Any rank. Blocks for a
// round trip for each table and each 32 KiB.
func (m *Map[K, V]) All() iter.Seq2[K, V] { return m.pairs(false) }

// Local is All for the pairs on the calling rank. Any rank. Blocks for no other rank, unless
// the directory is on another host.
func (m *Map[K, V]) Local() iter.Seq2[K, V] { return m.pairs(true) }

func (m *Map[K, V]) pairs(local bool) iter.Seq2[K, V] {
	return func(yield func(K, V) bool) {
		var bad error
		m.each(local, func(key K, r *hashed.Record) bool {
			value, err := m.val.value(r.Value)
			if bad = err; err != nil {
				return false
			}
			return yield(key, value)
		})
		if bad != nil {
			m.err = m.failed("iteration", bad)
		}
	}
}

// Keys iterates over the keys. Otherwise as All. Any rank. Blocks as All does.
func (m *Map[K, V]) Keys() iter.Seq[K] { return m.keys(false) }

// Values iterates over the values. Otherwise as All. Any rank. Blocks as All does.
func (m *Map[K, V]) Values() iter.Seq[V] {
	return func(yield func(V) bool) {
		for _, value := range m.All() {
			if !yield(value) {
				return
			}
		}
	}
}

// Assign replaces the pairs by those of from. Fails with ErrHeapFull, and then the map is as
// before. Any rank. Blocks as ByteMap.Assign does. Spec 4.7.3.
func (m *Map[K, V]) Assign(from *Map[K, V]) error { return m.Bytes().Assign(from.Bytes()) }

// Merge inserts the pairs of from; keys that are in the map keep their values. Fails with
// ErrHeapFull when it may have inserted some of them. Any rank. Blocks as ByteMap.Assign
// does. Spec 4.7.17.
func (m *Map[K, V]) Merge(from *Map[K, V]) error { return m.Bytes().Merge(from.Bytes()) }

// Move does what Merge does and removes the pairs of from there. A pair whose value another
// rank replaces meanwhile stays in from. Fails as Merge does. Any rank. Blocks as
// ByteMap.Assign does. Spec 4.7.19.
func (m *Map[K, V]) Move(from *Map[K, V]) error { return m.Bytes().Move(from.Bytes()) }

// Swap exchanges the pairs of two maps. Fails with ErrHeapFull, and then both are as before.
// Any rank. Blocks as ByteMap.Swap does. Spec 4.7.24.
func (m *Map[K, V]) Swap(with *Map[K, V]) error { return m.Bytes().Swap(with.Bytes()) }
