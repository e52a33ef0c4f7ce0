package acp

import (
	"bytes"
	"fmt"

	"github.com/goacp/goacp/internal/memory/ga"
	"github.com/goacp/goacp/internal/structure/hashed"
)

// many carries out an operation on many keys. It calls done, like the Done of m, for each key that has not
// failed. An error of done is the failure of its key.
func (t tables) many(what string, m hashed.Many, done func(i int, o *hashed.Outcome) error) error {
	var failed failures
	m.Done = func(i int, o hashed.Outcome) {
		if o.Err == nil {
			o.Err = done(i, &o)
		}
		failed.note(i, o.Err)
	}
	err := t.t.Many(&m)
	if err == nil {
		err = failed.errorOf(m.N)
	}
	return t.failed(what, err)
}

// changeMany inserts or removes keys, and reports what the operation has done with each.
func (t tables) changeMany(what string, m hashed.Many) ([]bool, error) {
	did := make([]bool, m.N)
	err := t.many(what, m, func(i int, o *hashed.Outcome) error {
		did[i] = o.Done
		return nil
	})
	return did, err
}

// foundKeys are keys of any rank, where this process can read them.
type foundKeys struct {
	bytes [][]byte
	errs  []error
}

// findKeys makes the bytes of n elements readable.
func (p *Process) findKeys(n int, element func(i int) Element) foundKeys {
	spans := make([]ga.Span, n)
	for i := range spans {
		spans[i] = element(i).span()
	}
	b, errs := p.mem.LoadMany(spans)
	return foundKeys{b, errs}
}

func (k foundKeys) item(i int) (key, value []byte, err error) { return k.bytes[i], nil, k.errs[i] }

// changeElements is changeMany for elements without values.
func (t tables) changeElements(what string, op hashed.Op, arg uint64, elements []Element) ([]bool, error) {
	k := t.p.findKeys(len(elements), func(i int) Element { return elements[i] })
	return t.changeMany(what, hashed.Many{Op: op, Arg: arg, N: len(elements), Item: k.item})
}

// insertPairs inserts many pairs. An empty value removes its key.
func (t tables) insertPairs(pairs []Pair) ([]bool, error) {
	k := t.p.findKeys(len(pairs), func(i int) Element { return pairs[i].First })
	v := t.p.findKeys(len(pairs), func(i int) Element { return pairs[i].Second })
	return t.changeMany("insertion", hashed.Many{
		Op: hashed.Insert, N: len(pairs),
		Item: func(i int) (key, value []byte, err error) {
			if err = k.errs[i]; err == nil {
				err = v.errs[i]
			}
			return k.bytes[i], v.bytes[i], err
		},
	})
}

// findMany returns the positions of many keys, or the end for those that are not there.
func (t tables) findMany(keys []Element) ([]TableIterator, error) {
	its := make([]TableIterator, len(keys))
	for i := range its {
		its[i] = t.end()
	}
	k := t.p.findKeys(len(keys), func(i int) Element { return keys[i] })
	err := t.many("search", hashed.Many{Op: hashed.Find, N: len(keys), Item: k.item}, func(i int, o *hashed.Outcome) error {
		if o.Done {
			its[i] = TableIterator{o.Table, o.Slot, GA(o.Elem)}
		}
		return nil
	})
	return its, err
}

// countMany returns the multiplicities of many keys.
func (t tables) countMany(m hashed.Many) ([]uint64, error) {
	m.Op = hashed.Find
	times := make([]uint64, m.N)
	err := t.many("search", m, func(i int, o *hashed.Outcome) error {
		if o.Done {
			times[i] = o.Extra
		}
		return nil
	})
	return times, err
}

// expectedValue is the room in bytes for each of many values whose sizes are not known.
const expectedValue = 64

// loadPairs copies the values of many keys to the second elements of the pairs, and returns how many bytes
// of each.
func (t tables) loadPairs(pairs []Pair) ([]uint64, error) {
	k := t.p.findKeys(len(pairs), func(i int) Element { return pairs[i].First })
	d := t.p.destinations(pairs, k.errs)
	copied := make([]uint64, len(pairs))
	var failed failures
	m := hashed.Many{Op: hashed.Find, N: len(pairs), Values: true, Expect: expectedValue, Item: k.item}
	m.Done = func(i int, o hashed.Outcome) {
		if failed.note(i, o.Err); o.Done {
			copied[i] = d.put(i, o.Value)
		}
	}
	err := t.t.Many(&m)
	if err == nil {
		for i, bad := range t.p.mem.StoreMany(d.spans, d.values) {
			if failed.note(i, bad); bad != nil {
				copied[i] = 0
			}
		}
		err = failed.errorOf(len(pairs))
	}
	return copied, t.failed("retrieval", err)
}

// destinations are where values go: to memory that this process has mapped at once, to other memory later.
type destinations struct {
	spans  []ga.Span
	mapped [][]byte // where it is mapped
	values [][]byte // where it is not
}

// destinations returns those of pairs. errs receives an error for each pair whose destination cannot be
// memory of a rank.
func (p *Process) destinations(pairs []Pair, errs []error) destinations {
	d := destinations{make([]ga.Span, len(pairs)), make([][]byte, len(pairs)), make([][]byte, len(pairs))}
	for i := range pairs {
		d.spans[i] = pairs[i].Second.span()
		var ok bool
		if d.mapped[i], ok = p.mem.View(d.spans[i]); !ok && errs[i] == nil {
			errs[i] = p.mem.Check(d.spans[i].GA)
		}
	}
	return d
}

// put stores or keeps as much of a value as there is room for, and returns how much.
func (d *destinations) put(i int, value []byte) uint64 {
	value = value[:min(uint64(len(value)), d.spans[i].N)]
	if d.mapped[i] != nil {
		copy(d.mapped[i], value)
	} else {
		d.values[i] = bytes.Clone(value)
	}
	return uint64(len(value))
}

// items returns what hashed.Many needs of many keys.
func (s *keyed[K]) items(keys []K) func(i int) (key, value []byte, err error) {
	return func(i int) (key, value []byte, err error) { return s.key.bytes(&keys[i]), nil, nil }
}

// changeKeys inserts or removes keys without values, and reports what the operation has done with each.
func (s *keyed[K]) changeKeys(what string, op hashed.Op, arg uint64, keys []K) ([]bool, error) {
	return s.changeMany(what, hashed.Many{Op: op, Arg: arg, N: len(keys), Item: s.items(keys)})
}

// containsMany reports which keys are there.
func (s *keyed[K]) containsMany(keys []K) ([]bool, error) {
	return s.changeKeys("search", hashed.Find, 0, keys)
}

// insertMany inserts pairs, or replaces the values of keys that are there if replace is 1.
func (m *Map[K, V]) insertMany(keys []K, values []V, replace uint64) ([]bool, error) {
	if len(keys) != len(values) {
		return nil, m.k.failed("insertion", fmt.Errorf("%w: %d keys and %d values", ErrBadSize, len(keys), len(values)))
	}
	return m.k.changeMany("insertion", hashed.Many{
		Op: hashed.Insert, Arg: replace, N: len(keys),
		Item: func(i int) (key, value []byte, err error) {
			if value = m.val.bytes(&values[i]); len(value) == 0 {
				err = fmt.Errorf("%w: an empty value", ErrBadSize)
			}
			return m.k.key.bytes(&keys[i]), value, err
		},
	})
}

// loadMany returns the values of keys, and which keys are there.
func (m *Map[K, V]) loadMany(keys []K) ([]V, []bool, error) {
	values, found := make([]V, len(keys)), make([]bool, len(keys))
	all := hashed.Many{Op: hashed.Find, N: len(keys), Values: true, Expect: expectedValue, Item: m.k.items(keys)}
	if m.val.kind == codecFixed {
		all.Expect = int(m.val.size)
	}
	err := m.k.many("retrieval", all, func(i int, o *hashed.Outcome) (err error) {
		if o.Done {
			values[i], err = m.val.value(o.Value)
		}
		found[i] = o.Done && err == nil
		return err
	})
	return values, found, err
}
