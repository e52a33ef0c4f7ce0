package wait

import (
	"math/bits"
	"runtime"
	"slices"
	"testing"

	"golang.org/x/sys/unix"
)

// TestPool: ranks share processors if they overlap, also by way of other ranks.
func TestPool(t *testing.T) {
	for _, c := range []struct {
		lists      [][]byte
		one        int
		want       []int
		processors int
	}{
		{[][]byte{{3}}, 0, []int{0}, 2},
		{[][]byte{{3}, {3}, {3}}, 1, []int{0, 1, 2}, 2},                 // not bound
		{[][]byte{{1}, {1}, {1}}, 1, []int{0, 1, 2}, 1},                 // all bound to the same
		{[][]byte{{1}, {2}}, 0, []int{0}, 1},                            // each bound to its own
		{[][]byte{{1}, {2}, {1}, {2}}, 2, []int{0, 2}, 1},               // two jobs, each bound to the same
		{[][]byte{{1}, {2}, {1}, {2}}, 3, []int{1, 3}, 1},               // those of the other processor
		{[][]byte{{1}, {0, 1}, {1, 1}}, 0, []int{0, 1, 2}, 2},           // by way of the third
		{[][]byte{{255, 255}, {255}, {0, 1}}, 1, []int{0, 1, 2}, 16},    // of different lengths
		{[][]byte{{4}, {3}, {6}, {0, 9}, {1}}, 4, []int{0, 1, 2, 4}, 3}, // in several steps
		{[][]byte{{4}, {3}, {6}, {0, 9}, {1}}, 3, []int{3}, 2},          // apart from the others
		{[][]byte{{1}, {2}, nil}, 0, []int{0, 1, 2}, 2},                 // one may be anywhere
	} {
		p := PoolOf(c.lists[c.one])
		for grown := true; grown; {
			grown = false
			for _, list := range c.lists {
				grown = p.Join(list) || grown
			}
		}
		var ranks []int
		for i, list := range c.lists {
			if p.Shares(list) {
				ranks = append(ranks, i)
			}
		}
		if !slices.Equal(ranks, c.want) || p.Size() != c.processors {
			t.Errorf("%v: %d shares %d processors with %v, want %d with %v", c.lists, c.one, p.Size(), ranks, c.processors, c.want)
		}
	}
	if p := PoolOf(nil); p.Join(nil) || p.Size() != runtime.NumCPU() {
		t.Errorf("%d processors, the runtime sees %d", p.Size(), runtime.NumCPU())
	}
}

// The runtime counts the processors of this process in the same way.
func TestProcessors(t *testing.T) {
	if p := PoolOf(Processors()); p.Size() != runtime.NumCPU() {
		t.Errorf("%d processors, the runtime sees %d", p.Size(), runtime.NumCPU())
	}
}

// TestLeaveProcessor: the thread goes on elsewhere, may run where it might before, and stays where it is if that is
// the only processor.
func TestLeaveProcessor(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var all, one unix.CPUSet
	if err := unix.SchedGetaffinity(0, &all); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = unix.SchedSetaffinity(0, &all) }()
	for cpu := range len(all) * bits.UintSize {
		if !all.IsSet(cpu) {
			continue
		}
		one.Zero()
		one.Set(cpu)
		if err := unix.SchedSetaffinity(0, &one); err != nil {
			t.Fatal(err)
		}
		LeaveProcessor()
		var now unix.CPUSet
		if err := unix.SchedGetaffinity(0, &now); err != nil || now != one {
			t.Errorf("bound to processor %d: %v, %v", cpu, now, err)
		}
		if err := unix.SchedSetaffinity(0, &all); err != nil {
			t.Fatal(err)
		}
		moved := all.Count() == 1
		for range 100 { // the kernel may take the thread back at once
			here := processor()
			LeaveProcessor()
			moved = moved || here != processor()
			if err := unix.SchedGetaffinity(0, &now); err != nil || now != all {
				t.Fatalf("the thread may run on %v, %v", now, err)
			}
		}
		if !moved {
			t.Error("the thread stays where it is")
		}
	}
}
