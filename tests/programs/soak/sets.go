package main

import (
	"fmt"
	"math/rand/v2"

	"github.com/goacp/goacp/acp"
)

// commonKeys is how many keys belong to all ranks.
const commonKeys = 10

// setKeys has keys of its own in the set.
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
	var all sightings
	for key := range s.set.All() {
		s.saw(&all, key, "")
	}
	if err := s.set.Err(); err != nil {
		return err
	}
	return s.seen(all)
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
	var all sightings
	for key, n := range s.set.All() {
		s.saw(&all, key, fmt.Sprint(n))
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
	return s.seen(all)
}

// settle sends the other ranks the number of times that this rank has inserted a common key.
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
