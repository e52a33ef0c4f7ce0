package main

import (
	"fmt"
	"math/rand/v2"

	"github.com/goacp/goacp/acp"
)

// copies moves bytes between slots, also between two other ranks. This rank has one slot in the
// starter memory of every rank. The copies form a chain: each may depend on the previous copy.
type copies struct {
	w     *world
	rnd   *rand.Rand
	model [][]byte         // of the slots
	sent  [outs]acp.Handle // the last copy from each buffer
	last  acp.Handle
	next  int
}

func newCopies(w *world, rnd *rand.Rand) (actor, error) {
	c := &copies{w: w, rnd: rnd, model: make([][]byte, w.procs)}
	for i := range c.model {
		c.model[i] = make([]byte, slotSize)
	}
	return c, nil
}

func (c *copies) slot(rank int) acp.GA { return c.w.at(rank, slotPlace+c.w.rank*slotSize) }

// extent chooses bytes of a slot, few of them more often than many.
func (c *copies) extent() (at, n int) {
	n = c.rnd.IntN(slotSize >> c.rnd.IntN(12))
	return c.rnd.IntN(slotSize - n + 1), n
}

// issue begins a copy after the previous copy, and often waits for it.
func (c *copies) issue(dst, src acp.GA, n int) error {
	order := c.last
	if c.rnd.IntN(8) == 0 {
		order = acp.HandleAll
	}
	h, err := c.w.p.Copy(dst, src, uint64(n), order)
	if err != nil {
		return err
	}
	c.last = h
	if c.rnd.IntN(3) == 0 {
		return c.w.complete(h, nil)
	}
	return nil
}

func (c *copies) step() error {
	one, other := c.rnd.IntN(c.w.procs), c.rnd.IntN(c.w.procs)
	at, n := c.extent()
	switch c.rnd.IntN(5) {
	case 0, 1:
		return c.put(one, at, n)
	case 2:
		return c.get(one, at, n)
	default:
		from, _ := c.extent()
		from = min(from, slotSize-n)
		copy(c.model[one][at:at+n], c.model[other][from:])
		return c.issue(c.slot(one)+acp.GA(at), c.slot(other)+acp.GA(from), n)
	}
}

func (c *copies) put(to, at, n int) error {
	i := c.next
	c.next = (c.next + 1) % outs
	if err := c.w.complete(c.sent[i], nil); err != nil {
		return err
	}
	place := copyPlace + i*slotSize
	out := c.w.here(place, n)
	pattern(out, c.rnd.Uint64())
	copy(c.model[to][at:], out)
	err := c.issue(c.slot(to)+acp.GA(at), c.w.at(c.w.rank, place), n)
	c.sent[i] = c.last
	return err
}

func (c *copies) get(from, at, n int) error {
	const place = copyPlace + outs*slotSize
	h, err := c.w.p.Copy(c.w.at(c.w.rank, place), c.slot(from)+acp.GA(at), uint64(n), c.last)
	if err := c.w.complete(h, err); err != nil {
		return err
	}
	c.last = h
	if err := differ(c.w.here(place, n), c.model[from][at:at+n]); err != nil {
		return fmt.Errorf("%d bytes at %d of the slot on rank %d: %w", n, at, from, err)
	}
	return nil
}

func (c *copies) settle() error { return c.w.complete(c.last, nil) }

func (c *copies) check() error {
	for rank := range c.w.procs {
		if err := c.get(rank, 0, slotSize); err != nil {
			return err
		}
	}
	return nil
}

func (c *copies) close() error { return nil }
