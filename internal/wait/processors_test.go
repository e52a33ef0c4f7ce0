package wait

import (
	"runtime"
	"slices"
	"testing"
)

func TestCountUnion(t *testing.T) {
	for _, c := range []struct {
		lists [][]byte
		want  int
	}{
		{nil, 0},
		{[][]byte{nil, {}}, 0},
		{[][]byte{{1}, {2}}, 2},                   // each bound to its own
		{[][]byte{{1}, {1}, {1}}, 1},              // all bound to the same
		{[][]byte{{3}, {6}}, 3},                   // overlapping
		{[][]byte{{1}, {0, 0, 128}, {0, 1}}, 3},   // of different lengths
		{[][]byte{{255, 255}, {255}, {0, 1}}, 16}, // bound and not bound
	} {
		if got := countUnion(c.lists); got != c.want {
			t.Errorf("%v: %d, want %d", c.lists, got, c.want)
		}
	}
}

// TestSharers: ranks share processors if they overlap, also by way of other ranks.
func TestSharers(t *testing.T) {
	for _, c := range []struct {
		lists      [][]byte
		one        int
		want       []int
		processors int
	}{
		{[][]byte{{3}}, 0, []int{0}, 2},
		{[][]byte{{3}, {3}, {3}}, 1, []int{0, 1, 2}, 2},                 // not bound
		{[][]byte{{1}, {2}, {1}, {2}}, 2, []int{0, 2}, 1},               // two jobs, each bound to the same
		{[][]byte{{1}, {2}, {1}, {2}}, 3, []int{1, 3}, 1},               // those of the other processor
		{[][]byte{{1}, {0, 1}, {1, 1}}, 0, []int{0, 1, 2}, 2},           // by way of the third
		{[][]byte{{4}, {3}, {6}, {0, 9}, {1}}, 4, []int{0, 1, 2, 4}, 3}, // in several steps
		{[][]byte{{4}, {3}, {6}, {0, 9}, {1}}, 3, []int{3}, 2},          // apart from the others
		{[][]byte{{1}, {2}, nil}, 0, []int{0, 1, 2}, 2},                 // one may be anywhere
	} {
		ranks, processors := Sharers(c.lists, c.one)
		if !slices.Equal(ranks, c.want) || processors != c.processors {
			t.Errorf("%v: %d shares %d processors with %v, want %d with %v", c.lists, c.one, processors, ranks, c.processors, c.want)
		}
	}
	if _, processors := Sharers([][]byte{nil, nil}, 0); processors != runtime.NumCPU() {
		t.Errorf("%d processors, the runtime sees %d", processors, runtime.NumCPU())
	}
}

// The runtime counts the processors of this process in the same way.
func TestProcessors(t *testing.T) {
	if got := countUnion([][]byte{Processors()}); got != runtime.NumCPU() {
		t.Errorf("%d processors, the runtime sees %d", got, runtime.NumCPU())
	}
}
