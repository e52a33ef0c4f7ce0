package global_test

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/goacp/goacp/internal/access/global"
	"github.com/goacp/goacp/internal/access/global/globaltest"
	"github.com/goacp/goacp/internal/fabric"
	"github.com/goacp/goacp/internal/memory/heapview"
	"github.com/goacp/goacp/internal/network/am"
)

// The operations of this test.
const (
	opJoin  = am.OpVector + iota // Out is Data and More, one behind the other; Val0 is Args[0], Val1 is GA
	opFail                       // fails with errorsOfOwner[Args[0]]
	opServe                      // answers with the request twice
)

// errorsOfOwner are errors with which operations fail at their owner.
var errorsOfOwner = []struct{ err, want error }{
	{heapview.ErrBadAddress, global.ErrBadAddress}, {am.ErrGone, global.ErrDestroyed}, {am.ErrBadIterator, am.ErrBadIterator},
	{heapview.ErrFull, global.ErrFull}, {am.ErrElsewhere, am.ErrElsewhere},
}

// operations are what the agent of every rank carries out.
func operations(*globaltest.Rank) []am.Operation {
	return []am.Operation{
		{Op: opJoin, Name: "join", Run: join},
		{Op: opFail, Name: "fail", Run: func(_ *heapview.View, c am.Call) (am.Result, error) {
			return am.Result{}, errorsOfOwner[c.Args[0]].err
		}},
		{Op: opServe, Name: "double", Serve: func(r fabric.Request) (int, error) {
			return copy(r.Reply, append(bytes.Clone(r.Body), r.Body...)), nil
		}},
	}
}

func join(_ *heapview.View, c am.Call) (am.Result, error) {
	n := copy(c.Out, append(bytes.Clone(c.Data), c.More...))
	return am.Result{Val0: c.Args[0], Val1: c.GA, N: n}, nil
}

// TestFar sends calls of all lengths to all ranks: in a message, and by a block of the owner's
// heap, which is free again when the call has ended.
func TestFar(t *testing.T) {
	forEachWay(t, func(t *testing.T, w *globaltest.World, _ func(self, other int) bool) {
		rnd := rand.New(rand.NewPCG(5, 6))
		for _, r := range w.Ranks {
			for member := range w.Ranks {
				for _, n := range [][3]int{
					{0, 0, 0}, {5, 0, 100}, {0, 5, 100}, {1000, 1000, 500}, {am.MaxData, 0, 10}, {am.MaxData - 1, 1, am.MaxOut},
					{am.MaxData, 1, am.MaxOut}, {1, am.MaxData, am.MaxOut}, {100_000, 200_000, am.MaxOut},
				} {
					c := am.Call{Op: opJoin, GA: rnd.Uint64(), Args: [4]uint64{rnd.Uint64()}, Data: noise(rnd, n[0]), More: noise(rnd, n[1]), Out: make([]byte, n[2])}
					got, err := r.Mem.Far(member, c)
					want := append(bytes.Clone(c.Data), c.More...)
					want = want[:min(len(want), n[2])]
					if err != nil || got != (am.Result{Val0: c.Args[0], Val1: c.GA, N: len(want)}) || !bytes.Equal(c.Out[:got.N], want) {
						t.Fatalf("%v bytes by rank %d at member %d: %+v, %v", n, r.Numbers.Own(), member, got, err)
					}
				}
				if _, err := r.Mem.Far(member, am.Call{Op: opJoin, Data: make([]byte, globaltest.Heap+1)}); !errors.Is(err, global.ErrFull) {
					t.Errorf("more bytes than the heap has: %v", err)
				}
			}
		}
		if n := usage(t, w); n != 0 {
			t.Errorf("%d blocks are left", n)
		}
	})
}

// noise returns n random bytes.
func noise(rnd *rand.Rand, n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(rnd.Uint32())
	}
	return b
}

// TestFarFails: the error of the owner arrives, as users know it.
func TestFarFails(t *testing.T) {
	forEachWay(t, func(t *testing.T, w *globaltest.World, _ func(self, other int) bool) {
		for member := range w.Ranks {
			for i, c := range errorsOfOwner {
				for _, n := range []int{0, 100_000} {
					_, err := w.Ranks[0].Mem.Far(member, am.Call{Op: opFail, Args: [4]uint64{uint64(i)}, Data: make([]byte, n)})
					if !errors.Is(err, c.want) {
						t.Errorf("%v at member %d: %v", c.err, member, err)
					}
				}
			}
			if _, err := w.Ranks[0].Mem.Far(member, am.Call{Op: am.OpDeque}); err == nil {
				t.Error("an operation that no rank has succeeds")
			}
		}
		if n := usage(t, w); n != 0 {
			t.Errorf("%d blocks are left", n)
		}
	})
}

// TestCall sends messages of their own form.
func TestCall(t *testing.T) {
	forEachWay(t, func(t *testing.T, w *globaltest.World, _ func(self, other int) bool) {
		for member := range w.Ranks {
			answer := make([]byte, 5)
			if n, err := w.Ranks[2].Mem.Call(member, opServe, []byte("abc"), answer); n != 5 || err != nil || string(answer) != "abcab" {
				t.Errorf("member %d answers %q, %d, %v", member, answer, n, err)
			}
		}
	})
}

// TestRunEndsCalls: the end of the run ends a call whose answer does not come, and every call
// after it.
func TestRunEndsCalls(t *testing.T) {
	asked := make(chan fabric.Completion, 1)
	w := globaltest.New(t, globaltest.Config{Size: 2, Operations: func(*globaltest.Rank) []am.Operation {
		return []am.Operation{{Op: opServe, Name: "never", Serve: func(r fabric.Request) (int, error) {
			asked <- r.Later.Defer()
			return 0, nil
		}}}
	}})
	m := w.Ranks[0].Mem
	ended := make(chan error)
	go func() {
		_, err := m.Call(1, opServe, nil, nil)
		ended <- err
	}()
	<-asked
	over := errors.New("over")
	w.End(over)
	if err := <-ended; err != over {
		t.Errorf("the call: %v", err)
	}
	for name, err := range map[string]error{
		"put": m.Put(w.Ranks[1].Starter(0), []byte{1}), "free": m.Free(w.Ranks[0].Starter(0)),
		"rank": m.CheckRank(0), "address": m.Check(w.Ranks[0].Starter(0)), "alive": m.Alive(),
	} {
		if !errors.Is(err, over) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
