package object

import (
	"errors"
	"fmt"
	"sync"
	"testing"
)

// TestIDPoolModel: threads of several processes take numbers and give them back. No thread gets a number that another
// thread has, and no number is lost.
func TestIDPoolModel(t *testing.T) {
	for _, size := range []int{1, 7, 64, 1000, bitsOfPage + 3} {
		w, all := newWorld(t, 3)
		addr := w.at(IDPoolSize)
		must(t, all[0].InitIDPool(addr, size))
		random := seeded(t)
		var mu sync.Mutex
		taken := map[int]Thread{}
		threads(t, all, 3, func(o *Objects, th Thread) error {
			rnd := random(th)
			var mine []int
			put := func(i int) error {
				id := mine[i]
				mine = append(mine[:i], mine[i+1:]...)
				mu.Lock()
				delete(taken, id)
				mu.Unlock()
				return o.PutID(addr, id)
			}
			for range *handOvers / 10 {
				if len(mine) > 0 && rnd.IntN(2) == 0 {
					if err := put(rnd.IntN(len(mine))); err != nil {
						return err
					}
					continue
				}
				id, err := o.GetID(addr)
				if errors.Is(err, ErrExhausted) && size < 1000 {
					continue
				}
				if err != nil {
					return err
				}
				mu.Lock()
				other, used := taken[id]
				taken[id] = th
				mu.Unlock()
				if used || id < 0 || id >= size {
					return fmt.Errorf("%v gets the number %d of %d, which %v has: %v", th, id, size, other, used)
				}
				mine = append(mine, id)
			}
			for len(mine) > 0 {
				if err := put(0); err != nil {
					return err
				}
			}
			return nil
		})
		for want := range size { // one thread alone gets the smallest one
			if id, err := all[1].GetID(addr); err != nil || id != want {
				t.Fatalf("number %d of %d is %d, %v", want, size, id, err)
			}
		}
		_, err := all[2].GetID(addr)
		expect(t, err, ErrExhausted, "pool of numbers at 0x100000000: no number is free")
		must(t, all[0].PutID(addr, size/2))
		if id, err := all[2].GetID(addr); err != nil || id != size/2 {
			t.Errorf("the only free number %d is %d, %v", size/2, id, err)
		}
		must(t, all[2].DestroyIDPool(addr))
		if len(w.spaces) != 1 {
			t.Errorf("%d spaces are left", len(w.spaces))
		}
	}
}

// TestIDPoolMisuse: each misuse fails with its text and changes nothing.
func TestIDPoolMisuse(t *testing.T) {
	w, all := newWorld(t, 1)
	o, addr := all[0], w.at(IDPoolSize)
	missing := "pool of numbers at 0x100000000: it has not been initialised, or it has been destroyed"
	_, err := o.GetID(addr)
	expect(t, err, ErrNotInitialised, missing)
	expect(t, o.PutID(addr, 0), ErrNotInitialised, missing)
	expect(t, o.DestroyIDPool(addr), ErrNotInitialised, missing)
	expect(t, o.InitIDPool(addr, 0), ErrArgument, "pool of numbers at 0x100000000: invalid argument: 0 numbers")
	must(t, o.InitIDPool(addr, 5))
	for _, id := range []int{-1, 5} {
		expect(t, o.PutID(addr, id), ErrArgument, fmt.Sprintf("pool of numbers at 0x100000000: invalid argument: the number %d; it has 0 to 4", id))
	}
	expect(t, o.PutID(addr, 3), ErrFree, "pool of numbers at 0x100000000: the number is free: 3")
	must(t, o.DestroyIDPool(addr))
	if err := o.InitIDPool(72, 5); err == nil || len(w.spaces) != 1 {
		t.Errorf("InitIDPool outside of all spaces returns %v, and leaves %d spaces", err, len(w.spaces))
	}
}
