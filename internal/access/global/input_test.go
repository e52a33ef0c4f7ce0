package global_test

import (
	"bytes"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/goacp/goacp/internal/access/global"
	"github.com/goacp/goacp/internal/access/global/globaltest"
	"github.com/goacp/goacp/internal/memory/ga"
	"github.com/goacp/goacp/internal/memory/segment"
	"github.com/goacp/goacp/internal/network/am"
)

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
	if view := r.Mem.HeapView(member); view != nil {
		result, err = join(view, c)
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
