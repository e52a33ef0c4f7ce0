package gp_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"sync"
	"testing"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/bridge"
	"github.com/goacp/goacp/gp"
)

// twoRows makes an array of a row for each rank, and assigns 80 bytes to the first place of the own
// row.
func twoRows(p *member) (*gp.Array, *gp.Element, error) {
	a, err := gp.Create(p.Process, gp.Config{Dims: []int{p.Procs(), 3}, Chunk: []int{1, 3}})
	if err != nil {
		return nil, nil, err
	}
	e, err := gp.Alloc(p.Process, 80)
	if err != nil {
		return nil, nil, err
	}
	if err := a.Assign(e, int(p.Rank()), 0); err != nil {
		return nil, nil, err
	}
	return a, e, p.sync()
}

// buffers returns slices of these lengths.
func buffers(lengths ...int) (all [][]byte) {
	for _, n := range lengths {
		all = append(all, make([]byte, n))
	}
	return all
}

// TestMistakes: calls with wrong arguments fail with the error that the manual names, on a place of
// this rank and of another rank.
func TestMistakes(t *testing.T) {
	forEach(t, []int{2}, func(t *testing.T, mode bridge.Mode, n int) {
		run(t, mode, n, func(p *member) error {
			a, e, err := twoRows(p)
			if err != nil {
				return err
			}
			own, other := int(p.Rank()), 1-int(p.Rank())
			_, getErr := a.Get(gp.Section{Lo: []int{0, 0}, Hi: []int{2, 0}})
			_, gatherErr := a.Gather([][]int{{0, 0}, {0, 3}})
			_, detachErr := a.Detach(other, 0)
			_, dimsErr := a.Sizes(gp.Section{Lo: []int{0}, Hi: []int{0}})
			_, allocErr := gp.Alloc(p.Process, math.MaxInt)
			_, negativeErr := gp.Alloc(p.Process, -1)
			_, typeErr := gp.Of[*int](a)
			mistakes := map[string]struct {
				err  error
				want []error
			}{
				"get":              {getErr, []error{gp.ErrBounds}},
				"gather":           {gatherErr, []error{gp.ErrBounds}},
				"dimensions":       {dimsErr, []error{gp.ErrBounds}},
				"detach":           {detachErr, []error{gp.ErrNotOwner}},
				"assign":           {a.Assign(e, other, 1), []error{gp.ErrNotOwner}},
				"assign outside":   {a.Assign(e, own, 3), []error{gp.ErrBounds}},
				"assign nothing":   {a.AssignPrefix(e, 0, own, 0), []error{gp.ErrSize}},
				"assign less":      {a.AssignPrefix(e, -1, own, 0), []error{gp.ErrSize}},
				"assign more":      {a.AssignPrefix(e, 81, own, 0), []error{gp.ErrSize}},
				"free":             {e.Free(), []error{gp.ErrAssigned}},
				"alloc":            {allocErr, []error{acp.ErrHeapFull}},
				"alloc negative":   {negativeErr, []error{acp.ErrBadSize}},
				"type":             {typeErr, []error{gp.ErrBadType}},
				"too few buffers":  {a.Put(gp.One(own, 0), nil), []error{gp.ErrSize}},
				"too many buffers": {a.GetInto(gp.One(own, 0), buffers(1, 1)), []error{gp.ErrSize}},
				"scatter buffers":  {a.Scatter([][]int{{0, 0}}, buffers(1, 1)), []error{gp.ErrSize}},
			}
			for _, row := range []int{own, other} {
				at := fmt.Sprintf(" row %d", row)
				mistakes["put more"+at] = struct {
					err  error
					want []error
				}{a.Put(gp.One(row, 0), buffers(96)), []error{gp.ErrSize}}
				mistakes["put less"+at] = struct {
					err  error
					want []error
				}{a.PutExact(gp.One(row, 0), buffers(79)), []error{gp.ErrSize}}
				mistakes["put nothing"+at] = struct {
					err  error
					want []error
				}{a.PutExact(gp.One(row, 0), buffers(0)), []error{gp.ErrSize}}
				mistakes["put much"+at] = struct {
					err  error
					want []error
				}{a.Put(gp.One(row, 0), buffers(100_000)), []error{gp.ErrSize}}
				mistakes["put to none"+at] = struct {
					err  error
					want []error
				}{a.Scatter([][]int{{row, 1}}, buffers(1)), []error{gp.ErrUnassigned, gp.ErrSize}}
				mistakes["get more"+at] = struct {
					err  error
					want []error
				}{a.GetInto(gp.One(row, 0), buffers(81)), []error{gp.ErrSize}}
				mistakes["get of none"+at] = struct {
					err  error
					want []error
				}{a.GatherInto([][]int{{row, 2}}, buffers(1)), []error{gp.ErrUnassigned, gp.ErrSize}}
			}
			for name, m := range mistakes {
				var op *gp.OpError
				if !errors.As(m.err, &op) || op.Rank != p.Rank() || op.Op == "" || op.Err == nil {
					return fmt.Errorf("%s: %#v", name, m.err)
				}
				for _, want := range m.want {
					if !errors.Is(m.err, want) {
						return fmt.Errorf("%s: %v, want %v", name, m.err, want)
					}
				}
			}
			return p.sync()
		})
	})
}

// TestErrorsNamePlaces: an error about a place has all that is known about it, and nothing has been
// copied to places of the same owner.
func TestErrorsNamePlaces(t *testing.T) {
	forEach(t, []int{3}, func(t *testing.T, mode bridge.Mode, n int) {
		run(t, mode, n, func(p *member) error {
			a, e, err := twoRows(p)
			if err != nil {
				return err
			}
			second, err := gp.Alloc(p.Process, 10)
			if err != nil {
				return err
			}
			clear(e.Bytes())
			if err := errors.Join(a.Assign(second, int(p.Rank()), 2), p.sync()); err != nil {
				return err
			}
			row := (int(p.Rank()) + 1) % n
			ones := []byte(strings.Repeat("\x01", 80))
			err = a.Put(gp.Section{Lo: []int{row, 0}, Hi: []int{row, 2}}, [][]byte{ones, nil, ones[:11]})
			var op *gp.OpError
			if !errors.As(err, &op) || fmt.Sprint(op.Place) != fmt.Sprint([]int{row, 2}) || int(op.Owner) != row || op.Want != 11 || op.Have != 10 || op.Array != a.Number() {
				return fmt.Errorf("%#v", err)
			}
			want := fmt.Sprintf("gp: put on rank %d: array %d, place [%d 2]: 11 bytes for an element of 10", p.Rank(), a.Number(), row)
			if err.Error() != want {
				return fmt.Errorf("%q, want %q", err, want)
			}
			if err := p.sync(); err != nil {
				return err
			}
			if strings.Contains(string(e.Bytes()), "\x01") {
				return errors.New("bytes have been copied")
			}
			return p.sync()
		})
	})
}

// TestDisagree: ranks that pass different configurations get an error, and none of them an array.
// The run continues.
func TestDisagree(t *testing.T) {
	shape := func(rank int) map[string]gp.Config {
		return map[string]gp.Config{
			"asks for dimensions [4]":     {Dims: []int{5 - rank}},
			"asks for chunks [3]":         {Dims: []int{8}, Chunk: []int{2 + rank}},
			"asks for [1] blocks":         {Dims: []int{8}, Starts: [][]int{{0, 4}}[:1][:1]},
			"begin elsewhere than rank 0": {Dims: []int{8}, Starts: [][]int{{0, 4 + rank}}},
			"asks for what no array has":  {Dims: []int{8}, Starts: [][]int{{-rank}}},
		}
	}
	run(t, bridge.ModeTCP, 2, func(p *member) error {
		for _, want := range []string{"asks for dimensions [4]", "asks for chunks [3]", "begin elsewhere than rank 0"} {
			_, err := gp.Create(p.Process, shape(int(p.Rank()))[want])
			if !errors.Is(err, acp.ErrDisagree) || !strings.Contains(err.Error(), "rank 1 ") || !strings.Contains(err.Error(), want) {
				return fmt.Errorf("%v, want %q", err, want)
			}
		}
		_, err := gp.Create(p.Process, shape(int(p.Rank()))["asks for what no array has"])
		if err := expect(gp.ErrShape, err); err != nil {
			return err
		}
		_, err = gp.Create(p.Process, gp.Config{Dims: []int{1 << 30, 1 << 30, 1 << 30}})
		if err := expect(acp.ErrHeapFull, err); err != nil {
			return err
		}
		_, err = gp.Create(p.Process, gp.Config{Dims: []int{1 << 30}})
		if err := expect(acp.ErrHeapFull, err); err != nil {
			return err
		}
		if !strings.HasSuffix(err.Error(), " bytes; -startermemsize-dl (ACP_STARTER_MEMSIZE_DL) raises the limit") {
			return fmt.Errorf("%v: expected the limit and the option", err)
		}
		return wholeHeap(p)
	})
}

// TestHeapFullOnOneRank: if the heap of one rank is too full for its records, no rank allocates any.
func TestHeapFullOnOneRank(t *testing.T) {
	run(t, bridge.ModeSHM, 2, func(p *member) error {
		const all = acp.MinHeapSize / 2
		if p.Rank() == 1 {
			if _, err := p.Malloc(all, 1); err != nil {
				return err
			}
		}
		// The block of a rank takes more than half of its heap.
		_, err := gp.Create(p.Process, gp.Config{Dims: []int{2 * (all/16 + 1000)}})
		if err := expect(acp.ErrHeapFull, err); err != nil {
			return err
		}
		if p.Rank() == 0 {
			return errors.Join(wholeHeap(p), p.sync())
		}
		return errors.Join(p.sync(), p.sync())
	})
}

// TestDestroyed: calls on destroyed or freed objects fail, and Reset ends everything.
func TestDestroyed(t *testing.T) {
	forEach(t, []int{3}, func(t *testing.T, mode bridge.Mode, n int) {
		run(t, mode, n, func(p *member) error {
			a, e, err := twoRows(p)
			if err != nil {
				return err
			}
			if err := errors.Join(a.Destroy(), e.Free(), expect(gp.ErrDestroyed, e.Free())); err != nil {
				return err
			}
			if err := errors.Join(useless(a, n), expect(gp.ErrDestroyed, a.Destroy())); err != nil {
				return err
			}
			a, e, err = twoRows(p)
			if err != nil {
				return err
			}
			if err := p.Reset((p.Rank() + 1) % acp.Rank(n)); err != nil {
				return err
			}
			if err := errors.Join(useless(a, n), expect(gp.ErrDestroyed, e.Free())); err != nil {
				return err
			}
			if e.Bytes() != nil {
				return errors.New("an element has memory after a reset")
			}
			// New arrays use the new ranks.
			if a, _, err = twoRows(p); err != nil {
				return err
			}
			if size, err := a.Size(gp.Section{Lo: []int{0, 0}, Hi: []int{n - 1, 2}}); size != int64(80*n) || err != nil {
				return fmt.Errorf("%d bytes, want %d: %v", size, 80*n, err)
			}
			return p.sync()
		})
	})
}

// useless checks that nothing can be done with an array.
func useless(a *gp.Array, n int) error {
	_, get := a.Get(gp.One(0, 0))
	_, gather := a.Gather([][]int{{n - 1, 0}})
	_, element := a.Element(0, 0)
	if a.Dims() != nil || a.Owner(0, 0) != -1 {
		return errors.New("an array has places that has been destroyed")
	}
	for range a.Local() {
		return errors.New("an array has elements that has been destroyed")
	}
	return errors.Join(expect(gp.ErrDestroyed, get), expect(gp.ErrDestroyed, gather), expect(gp.ErrDestroyed, element),
		expect(gp.ErrDestroyed, a.Put(gp.One(0, 0), buffers(1))))
}

// TestLostRun: the end of the run ends all waiting.
func TestLostRun(t *testing.T) {
	forEach(t, []int{3}, func(t *testing.T, mode bridge.Mode, n int) {
		var ready sync.WaitGroup
		ready.Add(n)
		run(t, mode, n, func(p *member) error {
			a, _, err := twoRows(p)
			ready.Done()
			if err != nil {
				return err
			}
			if p.Rank() == 0 {
				ready.Wait()
				p.Abort("a test wants it")
			}
			for err == nil {
				_, err = a.Get(gp.Section{Lo: []int{0, 0}, Hi: []int{n - 1, 2}})
			}
			return errors.Join(expect(acp.ErrPeerDead, err), expect(acp.ErrPeerDead, a.Destroy()))
		})
	})
}

// TestContext: a get ends with its context.
func TestContext(t *testing.T) {
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	run(t, bridge.ModeTCP, 2, func(p *member) error {
		a, _, err := twoRows(p)
		if err != nil {
			return err
		}
		other := 1 - int(p.Rank())
		late, live := a.WithContext(ended), a.WithContext(t.Context())
		_, get := late.Get(gp.One(other, 0))
		_, gather := late.Gather([][]int{{other, 0}})
		_, sizes := late.Sizes(gp.One(other, 0))
		put, into := late.Put(gp.One(other, 0), buffers(1)), late.GetInto(gp.One(other, 0), buffers(1))
		for _, err := range []error{get, gather, sizes, put, into} {
			if err := expect(context.Canceled, err); err != nil {
				return err
			}
		}
		src, dst := [][]byte{[]byte("live")}, buffers(4)
		if err := errors.Join(live.Put(gp.One(other, 0), src), live.GetInto(gp.One(other, 0), dst)); err != nil || string(dst[0]) != "live" {
			return fmt.Errorf("a context that has not ended: %q, %v", dst[0], err)
		}
		patch, err := live.Get(gp.One(other, 0))
		if err != nil || string(patch.Bytes()[:4]) != "live" {
			return fmt.Errorf("a context that has not ended: %v", err)
		}
		return p.sync()
	})
}
