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

// known is what this member has learnt about registered memory of others.
type known struct {
	mu      sync.RWMutex
	regions [][]Region // by member, in order of position; nil until the first operation
	lapses  uint64     // how often something was forgotten
}

// knownMax bounds what is remembered of one member.
const knownMax = 1024

func (k *known) init(members int) { k.regions = make([][]Region, members) }

// find returns what is known, and if nothing is, the number that learn wants.
func (k *known) find(member int, pos uint64) (r Region, lapses uint64, err error) {
	k.mu.RLock()
	defer k.mu.RUnlock()
	r, err = around(k.regions[member], pos)
	return r, k.lapses, err
}

// learn remembers r, unless something was to be forgotten since find.
func (k *known) learn(member int, r Region, lapses uint64) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if lapses != k.lapses {
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

// count returns how often something was forgotten.
func (k *known) count() uint64 {
	k.mu.RLock()
	defer k.mu.RUnlock()
	return k.lapses
}

func (k *known) forget(member int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.regions[member] = nil
	k.lapses++
}

// region returns the registered memory of member that holds n bytes at pos, asking the
// owner if this process does not know it, and the number of lapses before that.
func (t *Transport) region(member int, pos, n uint64) (r Region, lapses uint64, err error) {
	r, lapses, err = t.known.find(member, pos)
	if err != nil {
		if member == t.cfg.Self {
			r, err = t.attached.find(member, pos)
		} else if r, err = t.cfg.Ask(member, pos); err == nil && !r.sound(pos, len(t.dynamic)) {
			err = fmt.Errorf("the owner of position %#x says that it lies in %#x bytes from %#x on, at address %#x in window %d, which cannot be",
				pos, r.Size, r.Pos, r.Addr, r.Window)
		} else if err == nil {
			t.known.learn(member, r, lapses)
		}
	}
	var outside *fabric.RangeError
	if errors.As(err, &outside) || err == nil && !r.holds(pos, n) {
		err = &fabric.RangeError{Pos: pos, Size: n}
	}
	return r, lapses, err
}
