//go:build mpi

package rma

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/goacp/goacp/internal/fabric"
)

// known has the regions of other members that this member has learnt.
type known struct {
	mu         sync.RWMutex
	regions    [][]Region // by member, in order of position; nil until the first operation
	generation uint64     // how often forget was called
}

// knownMax bounds the regions that known has of one member.
const knownMax = 1024

func (k *known) init(members int) { k.regions = make([][]Region, members) }

// find returns the region around pos of a member, and the generation. Fails with a
// *fabric.RangeError if the region is not known.
func (k *known) find(member int, pos uint64) (r Region, generation uint64, err error) {
	k.mu.RLock()
	defer k.mu.RUnlock()
	r, err = around(k.regions[member], pos)
	return r, k.generation, err
}

// learn remembers r, unless forget was called since find returned the generation: r may be one
// of the regions to be forgotten.
func (k *known) learn(member int, r Region, generation uint64) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if generation != k.generation {
		return
	}
	list := k.regions[member]
	if len(list) == knownMax {
		list = nil
	}
	at, found := slices.BinarySearchFunc(list, r, func(x, y Region) int { return cmp.Compare(x.Pos, y.Pos) })
	if found {
		list[at] = r
		return
	}
	k.regions[member] = slices.Insert(list, at, r)
}

// isCurrent reports whether forget was not called since find returned the generation.
func (k *known) isCurrent(generation uint64) bool {
	k.mu.RLock()
	defer k.mu.RUnlock()
	return generation == k.generation
}

// forget forgets the regions of a member.
func (k *known) forget(member int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.regions[member] = nil
	k.generation++
}

// region returns the region of member that has the n bytes at pos. It asks the owner if this
// process does not know the region. generation is that of known before.
func (t *Transport) region(member int, pos, n uint64) (r Region, generation uint64, err error) {
	r, generation, err = t.known.find(member, pos)
	if err != nil {
		if member == t.cfg.Self {
			r, err = t.Region(member, pos)
		} else if r, err = t.cfg.Ask(member, pos); err == nil && !r.sound(pos, len(t.dynamic)) {
			err = fmt.Errorf("impossible answer about position %#x: it lies in %#x bytes from position %#x on, at address %#x, in window %d of %d",
				pos, r.Size, r.Pos, r.Addr, r.Window, len(t.dynamic))
		} else if err == nil {
			t.known.learn(member, r, generation)
		}
	}
	var outside *fabric.RangeError
	if errors.As(err, &outside) || err == nil && !r.holds(pos, n) {
		err = &fabric.RangeError{Pos: pos, Size: n}
	}
	return r, generation, err
}
