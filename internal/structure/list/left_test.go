package list

import (
	"errors"
	"fmt"
	"testing"

	"github.com/goacp/goacp/internal/memory/heapview"
	"github.com/goacp/goacp/internal/network/am"
)

// leave takes a rank out of the run. Its memory reads as zeros.
func (w *world) leave(rank int) {
	if w.gone == nil {
		w.gone = make(map[int]bool)
	}
	w.gone[rank] = true
	clear(w.mems[rank])
}

// TestLeft destroys, clears and replaces lists with elements on ranks that have left. That frees the elements to which links lead from
// both ends. Other operations that meet an element on such a rank fail, and change nothing.
func TestLeft(t *testing.T) {
	for _, hosts := range [][]int{{0, 0, 0, 0}, {0, 1, 2, 3}, {0, 1, 1, 1}} {
		for _, x := range []struct {
			ranks []int // of the elements; rank 3 leaves
			lost  int   // elements on other ranks that no link leads to
		}{
			{[]int{3}, 0}, {[]int{3, 3}, 0}, {[]int{0, 3}, 0}, {[]int{3, 1}, 0}, {[]int{0, 1, 2, 3, 2, 1, 0}, 0},
			{[]int{0, 1, 3, 2, 2, 3, 0, 1}, 2}, {[]int{3, 2, 3}, 1}, {[]int{1, 1, 1}, 0},
		} {
			for list := range 3 {
				t.Run(fmt.Sprint(hosts, x.ranks, list), func(t *testing.T) {
					for _, op := range []am.Op{OpDestroy, OpClear, OpAssign} {
						leftBehind(t, newWorld(hosts...), x.ranks, list, op, x.lost)
					}
				})
			}
		}
	}
}

// leftBehind makes a list on a rank, lets rank 3 leave, and carries out an operation that frees the elements.
func leftBehind(t *testing.T, w *world, ranks []int, on int, op am.Op, lost int) {
	t.Helper()
	make := func() uint64 {
		r, err := w.do(t, am.Call{Op: OpCreate, GA: uint64(on)<<44 | 1<<20})
		if err != nil {
			t.Fatal(err)
		}
		return r.Val0
	}
	list, other, leaves := make(), make(), false
	before := w.blocks()
	for _, rank := range ranks {
		leaves = leaves || rank == 3
		if _, err := w.do(t, am.Call{Op: OpInsert, GA: list, Args: [4]uint64{list, uint64(rank)}, Data: []byte("some value")}); err != nil {
			t.Fatal(err)
		}
	}
	w.leave(3)
	if leaves {
		w.refuses(t, list)
	}
	if _, err := w.do(t, am.Call{Op: op, GA: list, Args: [4]uint64{other}}); err != nil {
		t.Fatalf("operation %#x: %v", op, err)
	}
	if op == OpDestroy {
		before--
		if _, err := w.do(t, am.Call{Op: OpState, GA: list}); !errors.Is(err, heapview.ErrBadAddress) {
			t.Errorf("a list that is destroyed: %v", err)
		}
	} else if got := w.contents(list); got != "" {
		t.Errorf("the list has %s", got)
	}
	if n := w.blocks(); n != before+lost {
		t.Errorf("operation %#x leaves %d blocks, expected %d", op, n, before+lost)
	}
}

// blocks returns the number of blocks in use on the ranks that stay.
func (w *world) blocks() int {
	all := 0
	for _, h := range w.heaps[:3] {
		n, _, _ := h.Usage()
		all += int(n)
	}
	return all
}

// refuses carries out operations that meet elements on a rank that has left.
func (w *world) refuses(t *testing.T, list uint64) {
	t.Helper()
	before := string(w.snapshot())
	for _, op := range []am.Op{OpReverse, OpRemove, OpUnique} {
		if _, err := w.do(t, am.Call{Op: op, GA: list, Data: []byte("some value")}); !isGone(err) {
			t.Errorf("operation %#x: %v", op, err)
		}
	}
	place, n, err := w.memory().State(list)
	for ; err == nil && n > 0; n-- {
		place, err = w.memory().Step(list, place, 1)
	}
	if !isGone(err) {
		t.Errorf("%d steps before the end: %v", n, err)
	}
	if string(w.snapshot()) != before {
		t.Error("an operation that fails has changed something")
	}
}
