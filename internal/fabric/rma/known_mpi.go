//go:build mpi

package rma

import (
	"cmp"
	"slices"
	"sync"

	"github.com/goacp/goacp/internal/fabric"
)

// known is what this member has learnt about registered memory of others.
type known struct {
	mu      sync.RWMutex
	regions [][]Region // by member, in order of position; nil until the first operation
}

// knownMax bounds what is remembered of one member.
const knownMax = 1024

func (k *known) init(members int) { k.regions = make([][]Region, members) }

func (k *known) find(member int, pos uint64) (Region, error) {
	k.mu.RLock()
	defer k.mu.RUnlock()
	return around(k.regions[member], pos)
}

func (k *known) learn(member int, r Region) {
	k.mu.Lock()
	defer k.mu.Unlock()
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

func (k *known) forget(member int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.regions[member] = nil
}

func (k *known) forgetAll() {
	k.mu.Lock()
	defer k.mu.Unlock()
	clear(k.regions)
}

// region returns the registered memory of member that holds n bytes at pos, asking the
// owner if this process does not know it.
func (f *Fabric) region(member int, pos, n uint64) (Region, error) {
	r, err := f.known.find(member, pos)
	if err != nil {
		if member == f.cfg.Self {
			r, err = f.attached.find(member, pos)
		} else if r, err = f.cfg.Ask(member, pos); err == nil {
			f.known.learn(member, r)
		}
	}
	if err == nil && !r.holds(pos, n) {
		err = &fabric.RangeError{Pos: pos, Size: n}
	}
	return r, err
}
