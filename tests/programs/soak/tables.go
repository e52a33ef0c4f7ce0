package main

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"unsafe"

	"github.com/goacp/goacp/acp"
)

// Keys of a rank in each structure, and keys that belong to all.
const (
	ownKeys    = 60
	commonKeys = 10
	slots      = 64 // of each table
)

// shared is what rank 0 makes in every round for all ranks.
type shared struct {
	Set, Multiset, Map, Common acp.TableAddress
}

// meet makes the structures on rank 0 and tells the others where they are.
func (s *shared) meet(w *world) error {
	if w.rank == 0 {
		if err := s.make(w); err != nil {
			return err
		}
		*(*shared)(unsafe.Pointer(&w.p.Starter()[sharedPlace])) = *s
	}
	if err := w.p.Sync(); err != nil {
		return err
	}
	if w.rank != 0 {
		if err := w.complete(w.p.Copy(w.at(w.rank, sharedPlace), w.at(0, sharedPlace), uint64(unsafe.Sizeof(*s)), acp.HandleNull)); err != nil {
			return err
		}
		*s = *(*shared)(unsafe.Pointer(&w.p.Starter()[sharedPlace]))
	}
	return nil
}

func (s *shared) make(w *world) error {
	ranks := make([]acp.Rank, w.procs)
	for i, r := range w.random().Perm(w.procs) {
		ranks[i] = acp.Rank(r)
	}
	set, err := w.p.NewByteSet(ranks, slots, 0)
	if err != nil {
		return err
	}
	multiset, err := w.p.NewByteMultiset(ranks, slots, 0)
	if err != nil {
		return err
	}
	dict, err := w.p.NewByteMap(ranks, slots, 0)
	if err != nil {
		return err
	}
	common, err := w.p.NewByteMultiset(ranks, slots, ranks[0])
	if err != nil {
		return err
	}
	s.Set, s.Multiset, s.Map, s.Common = set.Address(), multiset.Address(), dict.Address(), common.Address()
	return nil
}

// part destroys the structures.
func (s *shared) part(w *world) error {
	if w.rank != 0 {
		return nil
	}
	return errors.Join(w.p.ByteSetAt(s.Set).Destroy(), w.p.ByteMultisetAt(s.Multiset).Destroy(),
		w.p.ByteMapAt(s.Map).Destroy(), w.p.ByteMultisetAt(s.Common).Destroy())
}

// keyOf is key i of a rank; its length depends on i.
func keyOf(rank, i int) string {
	return fmt.Sprintf("%d/%d/%0*d", rank, i, 1+i%50, 0)
}

// owned keeps the keys of this rank in a structure that others change at the same time.
type owned struct {
	w     *world
	rnd   *rand.Rand
	model map[string]string
}

func (o *owned) key() string { return keyOf(o.w.rank, o.rnd.IntN(ownKeys)) }

// value returns the value of the next insertion, sometimes a long one.
func (o *owned) value() string {
	b := make([]byte, 1+o.rnd.IntN(2000>>o.rnd.IntN(11)))
	pattern(b, o.rnd.Uint64())
	return string(b)
}

// seen compares what an iteration has found of the keys of this rank.
func (o *owned) seen(found map[string]string, twice string) error {
	if twice != "" {
		return fmt.Errorf("the iteration has seen %q twice", twice)
	}
	for key, value := range o.model {
		v, ok := found[key]
		if !ok {
			return fmt.Errorf("the iteration has not seen %q", key)
		}
		if v != value {
			return fmt.Errorf("the iteration has seen %q with %d bytes %.20q, expected %d bytes %.20q", key, len(v), v, len(value), value)
		}
	}
	for key := range found {
		if _, ok := o.model[key]; !ok {
			return fmt.Errorf("the iteration has seen %q, which was not there", key)
		}
	}
	return nil
}

// mine reports whether a key is one of this rank.
func (o *owned) mine(key string) bool {
	var rank int
	_, err := fmt.Sscanf(key, "%d/", &rank)
	return err == nil && rank == o.w.rank
}

func (o *owned) settle() error { return nil }
func (o *owned) close() error  { return nil }

type setKeys struct {
	owned
	set *acp.Set[string]
}

func newSetKeys(w *world, rnd *rand.Rand) (actor, error) {
	set, err := acp.SetAt[string](w.p, w.shared.Set)
	return &setKeys{owned{w, rnd, map[string]string{}}, set}, err
}

func (s *setKeys) step() error {
	key := s.key()
	_, there := s.model[key]
	switch n := s.rnd.IntN(20); {
	case n < 9:
		s.model[key] = ""
		isNew, err := s.set.Insert(key)
		return expect(isNew, !there, err)
	case n < 15:
		delete(s.model, key)
		was, err := s.set.Remove(key)
		return expect(was, there, err)
	case n < 19:
		is, err := s.set.Contains(key)
		return expect(is, there, err)
	default:
		return s.check()
	}
}

func (s *setKeys) check() error {
	found, twice := map[string]string{}, ""
	for key := range s.set.All() {
		if s.mine(key) {
			if _, again := found[key]; again {
				twice = key
			}
			found[key] = ""
		}
	}
	if err := s.set.Err(); err != nil {
		return err
	}
	return s.seen(found, twice)
}

// multisetKeys has keys of its own, and changes keys that belong to all ranks.
type multisetKeys struct {
	owned
	set, common *acp.Multiset[string]
	times       map[string]uint64
}

func newMultisetKeys(w *world, rnd *rand.Rand) (actor, error) {
	set, err := acp.MultisetAt[string](w.p, w.shared.Multiset)
	if err != nil {
		return nil, err
	}
	common, err := acp.MultisetAt[string](w.p, w.shared.Common)
	return &multisetKeys{owned: owned{w, rnd, map[string]string{}}, set: set, common: common, times: map[string]uint64{}}, err
}

func (s *multisetKeys) step() error {
	key := s.key()
	times := s.times[key]
	switch n := s.rnd.IntN(20); {
	case n < 4: // every step of this kind counts once in the end
		_, err := s.common.Insert(fmt.Sprint("common ", s.rnd.IntN(commonKeys)), 1)
		s.times[""]++
		return err
	case n < 9:
		add := 1 + s.rnd.Uint64N(5)
		s.times[key] += add
		isNew, err := s.set.Insert(key, add)
		return expect(isNew, times == 0, err)
	case n < 12:
		sub := 1 + s.rnd.Uint64N(5)
		s.times[key] -= min(times, sub)
		was, err := s.set.Remove(key, sub)
		return expect(was, times != 0, err)
	case n < 14:
		s.times[key] = 0
		was, err := s.set.RemoveAll(key)
		return expect(was, times != 0, err)
	case n < 19:
		found, err := s.set.Count(key)
		return expect(found, times, err)
	default:
		return s.compare()
	}
}

func (s *multisetKeys) compare() error {
	found, twice := map[string]string{}, ""
	for key, n := range s.set.All() {
		if s.mine(key) {
			if _, again := found[key]; again {
				twice = key
			}
			found[key] = fmt.Sprint(n)
		}
	}
	if err := s.set.Err(); err != nil {
		return err
	}
	clear(s.model)
	for key, n := range s.times {
		if n != 0 && key != "" {
			s.model[key] = fmt.Sprint(n)
		}
	}
	return s.seen(found, twice)
}

// settle tells the others how often this rank has inserted a common key.
func (s *multisetKeys) settle() error {
	*s.w.word(commonPlace) = s.times[""]
	return nil
}

func (s *multisetKeys) check() error {
	if err := s.compare(); err != nil || s.w.rank != 0 {
		return err
	}
	var want, found uint64
	for rank := range s.w.procs {
		place := commonPlace + 8
		if err := s.w.complete(s.w.p.Copy(s.w.at(0, place), s.w.at(rank, commonPlace), 8, acp.HandleNull)); err != nil {
			return err
		}
		want += *s.w.word(place)
	}
	for _, n := range s.common.All() {
		found += n
	}
	return expect(found, want, s.common.Err())
}

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
	found, twice := map[string]string{}, ""
	for key, value := range m.dict.All() {
		if m.mine(key) {
			if _, again := found[key]; again {
				twice = key
			}
			found[key] = value
		}
	}
	if err := m.dict.Err(); err != nil {
		return err
	}
	return m.seen(found, twice)
}
