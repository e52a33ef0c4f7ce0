package wait

import (
	"runtime"
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

// The runtime counts the processors of this process in the same way.
func TestProcessors(t *testing.T) {
	if got := countUnion([][]byte{Processors()}); got != runtime.NumCPU() {
		t.Errorf("%d processors, the runtime sees %d", got, runtime.NumCPU())
	}
}
