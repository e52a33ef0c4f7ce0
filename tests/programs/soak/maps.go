package main

import (
	"fmt"
	"math/rand/v2"

	"github.com/goacp/goacp/acp"
)

// mapKeys has keys of its own in the map.
type mapKeys struct {
	owned
	dict *acp.Map[string, string]
}

func newMapKeys(w *world, rnd *rand.Rand) (actor, error) {
	dict, err := acp.MapAt[string, string](w.p, w.shared.Map)
	return &mapKeys{owned{w, rnd, map[string]string{}}, dict}, err
}

func (m *mapKeys) step() error {
	key := m.key()
	value, there := m.model[key]
	switch n := m.rnd.IntN(20); {
	case n < 4:
		x := m.value()
		if !there {
			m.model[key] = x
		}
		isNew, err := m.dict.Insert(key, x)
		return expect(isNew, !there, err)
	case n < 9:
		x := m.value()
		m.model[key] = x
		isNew, err := m.dict.Store(key, x)
		return expect(isNew, !there, err)
	case n < 13:
		delete(m.model, key)
		was, err := m.dict.Remove(key)
		return expect(was, there, err)
	case n < 19:
		x, ok, err := m.dict.Load(key)
		if err != nil || ok != there {
			return expect(ok, there, err)
		}
		if x != value {
			return fmt.Errorf("%q has %d bytes %.20q, expected %d bytes %.20q", key, len(x), x, len(value), value)
		}
		return nil
	default:
		return m.check()
	}
}

func (m *mapKeys) check() error {
	var all sightings
	for key, value := range m.dict.All() {
		m.saw(&all, key, value)
	}
	if err := m.dict.Err(); err != nil {
		return err
	}
	return m.seen(all)
}
