package main

import (
	"fmt"
	"math/rand/v2"
)

// ownKeys is how many keys a rank has in each of the structures that all ranks share.
const ownKeys = 60

// keyOf is key i of a rank; its length depends on i.
func keyOf(rank, i int) string {
	return fmt.Sprintf("%d/%d/%0*d", rank, i, 1+i%50, 0)
}

// owned keeps the keys of this rank in a structure that other ranks change at the same time.
type owned struct {
	w     *world
	rnd   *rand.Rand
	model map[string]string
}

func (o *owned) key() string { return keyOf(o.w.rank, o.rnd.IntN(ownKeys)) }

// value returns the value of the next insertion, which is sometimes long.
func (o *owned) value() string {
	b := make([]byte, 1+o.rnd.IntN(2000>>o.rnd.IntN(11)))
	pattern(b, o.rnd.Uint64())
	return string(b)
}

// sightings are the keys of this rank that an iteration has found.
type sightings struct {
	found map[string]string
	twice string // a key that came twice
}

// saw records that the iteration has reached a key, of any rank.
func (o *owned) saw(s *sightings, key, value string) {
	if !o.mine(key) {
		return
	}
	if s.found == nil {
		s.found = map[string]string{}
	}
	if _, again := s.found[key]; again {
		s.twice = key
	}
	s.found[key] = value
}

// seen checks the keys that an iteration has found.
func (o *owned) seen(s sightings) error {
	if s.twice != "" {
		return fmt.Errorf("the iteration has seen %q twice", s.twice)
	}
	for key, value := range o.model {
		v, ok := s.found[key]
		if !ok {
			return fmt.Errorf("the iteration has not seen %q", key)
		}
		if v != value {
			return fmt.Errorf("the iteration has seen %q with %d bytes %.20q, expected %d bytes %.20q", key, len(v), v, len(value), value)
		}
	}
	for key := range s.found {
		if _, ok := o.model[key]; !ok {
			return fmt.Errorf("the iteration has seen %q, which was not there", key)
		}
	}
	return nil
}

// mine reports whether a key belongs to this rank.
func (o *owned) mine(key string) bool {
	var rank int
	_, err := fmt.Sscanf(key, "%d/", &rank)
	return err == nil && rank == o.w.rank
}

func (o *owned) settle() error { return nil }
func (o *owned) close() error  { return nil }
