package acp

import (
	"context"
	"fmt"
	"iter"
	"reflect"

	"github.com/goacp/goacp/internal/structure/hashed"
)

// Map is a map from keys of type K to values of type V, which several ranks hold; the hash of a key selects
// the rank. All ranks may insert, load, store and remove at the same time.
//
// Set lists the possible types of keys. V is a string type, a slice of bytes, or of fixed size without
// pointers. Values that take no bytes, such as empty strings, cannot be stored. Spec 4.7.
type Map[K, V any] struct {
	k   keyed[K]
	val codec[V]
}

// NewMap makes an empty map with slots hash slots on each of ranks and a directory of them on rank. Look-ups
// stay fast up to a few keys for each slot. Fails with ErrBadType, ErrBadRank, ErrBadSize and ErrHeapFull.
// Any rank. Blocks for a round trip for each of ranks. Spec 4.7.8.
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

// MapAt returns the map whose Address is a. Its keys and values must be of types K and V; the address of a
// ByteMap of such keys and values is valid, too. Fails with ErrBadType. Local. Does not block. Spec 4.7.8.
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

// WithContext returns the same map. When ctx ends, blocking methods of the result return early; see
// Process.WithContext. Local. Does not block.
func (m *Map[K, V]) WithContext(ctx context.Context) *Map[K, V] {
	return &Map[K, V]{m.k.withContext(ctx), m.val}
}

// Bytes returns the same map as one of bytes. Local. Does not block.
func (m *Map[K, V]) Bytes() ByteMap { return ByteMap{m.k.tables} }

// Address returns the address by which other ranks reach the map. Local. Does not block.
func (m *Map[K, V]) Address() TableAddress { return m.k.address() }

// Destroy frees the map, which no rank may use any more. Fails with ErrDestroyed if that
// has been done already. Any rank. Blocks for a round trip for each of its ranks. Spec
// 4.7.9.
func (m *Map[K, V]) Destroy() error { return m.k.destroy() }

// Len returns the number of pairs. Pairs that ranks insert or remove meanwhile may or may not be counted. Any
// rank. Blocks for a round trip for each of its ranks. Spec 4.7.23.
func (m *Map[K, V]) Len() (int, error) { return m.k.len(false) }

// LenLocal is Len for the pairs on the calling rank. Any rank. Blocks for a round trip at
// most. Spec 4.7.22.
func (m *Map[K, V]) LenLocal() (int, error) { return m.k.len(true) }

// Empty reports whether there are no pairs. Any rank. Blocks as Len does, until it has
// found one. Spec 4.7.11.
func (m *Map[K, V]) Empty() (bool, error) { return m.k.empty(false) }

// EmptyLocal is Empty for the pairs on the calling rank. Any rank. Blocks for a round trip
// at most. Spec 4.7.10.
func (m *Map[K, V]) EmptyLocal() (bool, error) { return m.k.empty(true) }

// Clear removes all pairs. Any rank. Blocks for a round trip for each of its ranks. Spec
// 4.7.7.
func (m *Map[K, V]) Clear() error { return m.k.clear(false) }

// ClearLocal removes the pairs on the calling rank. Any rank. Blocks for a round trip at
// most. Spec 4.7.6.
func (m *Map[K, V]) ClearLocal() error { return m.k.clear(true) }

// Contains reports whether key is there. Fails with ErrBadSize for an empty key. Any rank.
// Blocks for one round trip. Spec 4.7.14.
func (m *Map[K, V]) Contains(key K) (bool, error) { return m.k.contains(key) }

// Insert inserts key with value unless the map has the key, and reports whether it did.
// Fails with ErrBadSize if one of them is empty, and with ErrHeapFull. Any rank. Blocks for
// one round trip. Spec 4.7.15.
func (m *Map[K, V]) Insert(key K, value V) (bool, error) { return m.insertValue(&key, &value, 0) }

// Store is like Insert, but replaces the value of a key that the map has. It reports whether the key is new.
// Any rank. Blocks for one round trip.
func (m *Map[K, V]) Store(key K, value V) (bool, error) { return m.insertValue(&key, &value, 1) }

func (m *Map[K, V]) insertValue(key *K, value *V, replace uint64) (bool, error) {
	b := m.val.bytes(value)
	if len(b) == 0 {
		return false, m.k.failed("insertion", fmt.Errorf("%w: an empty value", ErrBadSize))
	}
	return m.k.insertBytes(m.k.key.bytes(key), b, replace)
}

// Load returns the value of key, and false if the map has not got the key. Fails with
// ErrBadSize for an empty key. Any rank. Blocks for one round trip, and a few more if the
// value is longer than 512 bytes and V is not of fixed size. Spec 4.7.21.
func (m *Map[K, V]) Load(key K) (V, bool, error) {
	value, found, err := m.load(m.k.key.bytes(&key))
	return value, found, m.k.failed("retrieval", err)
}

func (m *Map[K, V]) load(key []byte) (value V, found bool, err error) {
	if m.val.kind != codecFixed {
		b, err := m.k.t.WholeValue(key)
		if err != nil || b == nil {
			return value, false, err
		}
		value, err = m.val.value(b)
		return value, err == nil, err
	}
	room := m.val.bytes(&value)
	n, err := m.k.t.Value(key, room)
	if err == nil && n != 0 && n != uint64(len(room)) {
		err = fmt.Errorf("%d bytes where a %v has %d", n, reflect.TypeFor[V](), len(room))
	}
	return value, n != 0 && err == nil, err
}

// InsertMany is Insert of each of keys with the value of the same index, and reports which it has inserted.
// Equal keys come in their order, other keys in any order. Fails with ErrBadSize if there are not as many
// values, and with a ManyError if some fail, as Insert does; the others are inserted. Any rank. Blocks for
// one round trip to all ranks of the map together, and for a few more if keys and values take over 32 KiB.
func (m *Map[K, V]) InsertMany(keys []K, values []V) (added []bool, err error) {
	return m.insertMany(keys, values, 0)
}

// StoreMany is like InsertMany, but replaces the values of keys that the map has. It reports which keys are
// new. Any rank. Blocks as InsertMany does.
func (m *Map[K, V]) StoreMany(keys []K, values []V) (added []bool, err error) {
	return m.insertMany(keys, values, 1)
}

// LoadMany returns the value of each of keys, and whether the map has it; otherwise the value is zero.
// Fails with a ManyError if some fail, as Load does. Any rank. Blocks as InsertMany does.
func (m *Map[K, V]) LoadMany(keys []K) (values []V, found []bool, err error) { return m.loadMany(keys) }

// ContainsMany reports which of keys are there. Fails with a ManyError if some are empty. Any rank. Blocks
// as InsertMany does.
func (m *Map[K, V]) ContainsMany(keys []K) ([]bool, error) { return m.k.containsMany(keys) }

// RemoveMany is Remove of each of keys, and reports which the map had. Of equal keys only the first can be
// there. Fails with a ManyError if some fail, as Remove does; the others are removed. Any rank. Blocks as
// InsertMany does.
func (m *Map[K, V]) RemoveMany(keys []K) (removed []bool, err error) {
	return m.k.changeKeys("removal", hashed.Remove, hashed.Everywhere, keys)
}

// Remove removes key and its value, and reports whether the map had them. Fails with
// ErrBadSize for an empty key. Any rank. Blocks for one round trip. Spec 4.7.20.
func (m *Map[K, V]) Remove(key K) (bool, error) { return m.k.removeKey(key, hashed.Everywhere) }

// All iterates over keys and values: for key, value := range m.All(). Pairs that ranks insert or remove
// meanwhile may or may not be seen. If the loop ends early, Err returns the error. Any rank. Blocks for a
// round trip for each table and each 32 KiB.
func (m *Map[K, V]) All() iter.Seq2[K, V] { return m.pairs(false) }

// AllLocal is All for the pairs on the calling rank. Any rank. Blocks for no other rank,
// unless the directory is on another host.
func (m *Map[K, V]) AllLocal() iter.Seq2[K, V] { return m.pairs(true) }

func (m *Map[K, V]) pairs(local bool) iter.Seq2[K, V] {
	return func(yield func(K, V) bool) {
		var bad error
		m.k.each(local, func(key K, r *hashed.Record) bool {
			value, err := m.val.value(r.Value)
			if bad = err; err != nil {
				return false
			}
			return yield(key, value)
		})
		if bad != nil {
			m.k.err = m.k.failed("iteration", bad)
		}
	}
}

// Keys iterates over the keys. Otherwise as All. Any rank. Blocks as All does.
func (m *Map[K, V]) Keys() iter.Seq[K] { return m.k.keys(false) }

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

// Err returns the error that ended the last iteration, nil if it saw everything it should. Goroutines that
// iterate at the same time each need their own value of the same Address. Local. Does not block.
func (m *Map[K, V]) Err() error { return m.k.err }

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
