package global_test

import (
	"bytes"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/goacp/goacp/internal/am"
	"github.com/goacp/goacp/internal/arena"
	"github.com/goacp/goacp/internal/fabric"
	"github.com/goacp/goacp/internal/fabric/segment"
	"github.com/goacp/goacp/internal/ga"
	"github.com/goacp/goacp/internal/global"
	"github.com/goacp/goacp/internal/global/globaltest"
)

// The operations of this test.
const (
	opJoin  = am.OpVector + iota // Out is Data and More, one behind the other; Val0 is Args[0], Val1 is GA
	opFail                       // fails with errorsOfOwner[Args[0]]
	opServe                      // answers with the request twice
)

// errorsOfOwner are errors with which operations fail at their owner.
var errorsOfOwner = []struct{ err, want error }{
	{arena.ErrBadAddress, global.ErrBadAddress}, {am.ErrGone, global.ErrDestroyed}, {am.ErrBadIterator, am.ErrBadIterator},
	{arena.ErrFull, global.ErrFull}, {am.ErrElsewhere, am.ErrElsewhere},
}

// operations are what the agent of every rank carries out.
func operations(*globaltest.Rank) []am.Operation {
	return []am.Operation{
		{Op: opJoin, Name: "join", Run: join},
		{Op: opFail, Name: "fail", Run: func(_ *arena.Arena, c am.Call) (am.Result, error) {
			return am.Result{}, errorsOfOwner[c.Args[0]].err
		}},
		{Op: opServe, Name: "double", Serve: func(r fabric.Request) (int, error) {
			return copy(r.Reply, append(bytes.Clone(r.Body), r.Body...)), nil
		}},
	}
}

func join(_ *arena.Arena, c am.Call) (am.Result, error) {
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

// TestBring brings bytes of all lengths and from all kinds of memory to where an operation reads
// them, and runs it there, near or far.
func TestBring(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	forEachWay(t, func(t *testing.T, w *globaltest.World, _ func(self, other int) bool) {
		rnd := rand.New(rand.NewPCG(seed, 1))
		all := areas(t, w)
		before := usage(t, w)
		for _, a := range all {
			copy(a.mem, noise(rnd, areaBytes))
		}
		for range 300 {
			r, member := w.Ranks[rnd.IntN(3)], rnd.IntN(3)
			var spans [2]ga.Span
			var want []byte
			for i := range spans {
				a := all[rnd.IntN(len(all))]
				n := length(rnd)
				at := rnd.IntN(areaBytes - n + 1)
				spans[i] = ga.Span{GA: a.at + uint64(at), N: uint64(n)}
				want = append(want, a.mem[at:at+n]...)
			}
			got, err := joined(r, member, spans[0], spans[1])
			if err != nil || !bytes.Equal(got, want) {
				t.Fatalf("%+v by rank %d at member %d: %d bytes, expected %d, %v", spans, r.Numbers.Own(), member, len(got), len(want), err)
			}
		}
		if n := usage(t, w); n != before {
			t.Errorf("%d blocks, there were %d", n, before)
		}
	})
}

// joined returns data and more, one behind the other, as the operation opJoin at member reads
// them.
func joined(r *globaltest.Rank, member int, data, more ga.Span) (out []byte, err error) {
	var in global.Input
	if err := in.Bring(r.Mem, member, data, more); err != nil {
		return nil, err
	}
	defer func() { err = in.Release(err) }()
	c := am.Call{Op: opJoin, Data: in.Data, More: in.More, Block: in.Block, Out: make([]byte, data.N+more.N)}
	var result am.Result
	if a := r.Mem.Arena(member); a != nil {
		result, err = join(a, c)
	} else {
		result, err = r.Mem.Far(member, c)
	}
	return c.Out[:result.N], err
}

// TestBringLong brings more bytes than a message holds, which go through a block.
func TestBringLong(t *testing.T) {
	forEachWay(t, func(t *testing.T, w *globaltest.World, maps func(self, other int) bool) {
		const long = am.MaxData + 8
		mem := foreign(t, long)
		copy(mem, noise(rand.New(rand.NewPCG(7, 8)), long))
		_, at := register(t, w.Ranks[1], mem)
		data, more := ga.Span{GA: at, N: long - 8}, ga.Span{GA: at + long - 8, N: 8}
		for self, r := range w.Ranks {
			for member := range w.Ranks {
				var in global.Input
				if err := in.Bring(r.Mem, member, data, more); err != nil {
					t.Fatal(err)
				}
				staged := usage(t, w) == 1
				if staged == (self == 1 && maps(self, member)) {
					t.Errorf("rank %d at member %d: through a block: %v", r.Numbers.Own(), member, staged)
				}
				if near := in.Block == (am.Block{}); near && !bytes.Equal(append(bytes.Clone(in.Data), in.More...), mem) {
					t.Errorf("rank %d at member %d: other bytes", r.Numbers.Own(), member)
				}
				if err := in.Release(in.Release(nil)); err != nil {
					t.Error(err)
				}
				if n := usage(t, w); n != 0 {
					t.Fatalf("%d blocks are left", n)
				}
			}
		}
	})
}

// TestBringFails: what cannot be brought takes no memory.
func TestBringFails(t *testing.T) {
	forEachWay(t, func(t *testing.T, w *globaltest.World, _ func(self, other int) bool) {
		good := w.Ranks[0].Starter(0)
		for _, r := range w.Ranks {
			for member := range w.Ranks {
				for name, c := range map[string]struct {
					data, more ga.Span
					want       error
				}{
					"no memory":          {ga.Span{GA: nowhere(1), N: 8}, ga.Span{GA: good, N: 8}, global.ErrBadAddress},
					"no memory behind":   {ga.Span{GA: good, N: 8}, ga.Span{GA: nowhere(1), N: 8}, global.ErrBadAddress},
					"much of no memory":  {ga.Span{GA: nowhere(1), N: am.MaxData + 1}, ga.Span{}, global.ErrBadAddress},
					"null":               {ga.Span{N: 8}, ga.Span{}, global.ErrBadAddress},
					"more than a rank":   {ga.Span{GA: good, N: 1 << segment.PositionBits}, ga.Span{}, global.ErrBadAddress},
					"sizes that wrap":    {ga.Span{GA: good, N: math.MaxUint64}, ga.Span{GA: good, N: 2}, global.ErrBadAddress},
					"more than the heap": {ga.Span{GA: nowhere(1), N: globaltest.Heap + 1}, ga.Span{}, global.ErrFull},
					"no such rank":       {ga.Span{GA: ga.Make(3, 4096), N: 8}, ga.Span{}, global.ErrBadAddress},
				} {
					var in global.Input
					err := in.Bring(r.Mem, member, c.data, c.more)
					if !errors.Is(err, c.want) {
						t.Errorf("%s by rank %d at member %d: %v", name, r.Numbers.Own(), member, err)
					}
					if err := in.Release(nil); err != nil {
						t.Error(err)
					}
				}
			}
		}
		if n := usage(t, w); n != 0 {
			t.Errorf("%d blocks are left", n)
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
