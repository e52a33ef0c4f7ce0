package armci_test

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/armci"
	"github.com/goacp/goacp/bridge"
	"github.com/goacp/goacp/internal/acptest/extensiontest"
)

// TestMistakes: every wrong call has its error, and changes nothing.
func TestMistakes(t *testing.T) {
	forEach(t, []int{2}, func(w *armci.World) error {
		m, err := armci.Malloc[float64](w, 100)
		if err != nil {
			return err
		}
		other := 1 - w.Proc()
		there, here := m.On(other), make([]float64, 200)
		for i := range here {
			here[i] = 1
		}
		section := func(l armci.Layout) error {
			return armci.PutSection(w, armci.RemoteSection[float64]{Data: there, Layout: l}, armci.Section[float64]{Data: here, Layout: l})
		}
		value := func(_ any, err error) error { return err }
		for name, c := range map[string]struct{ want, got error }{
			"a long put":              {armci.ErrBounds, armci.Put(w, there, here)},
			"a long get":              {armci.ErrBounds, armci.Get(w, here, there)},
			"a long accumulate":       {armci.ErrBounds, armci.Acc(w, 1, there, here)},
			"a put behind the end":    {armci.ErrBounds, armci.Put(w, there.At(101), nil)},
			"a slice from -1":         {armci.ErrBounds, armci.Put(w, there.Slice(-1, 3), nil)},
			"a slice of a bad slice":  {armci.ErrBounds, armci.Put(w, there.At(101).Slice(0, 0), nil)},
			"memory of no process":    {armci.ErrBounds, armci.Put(w, m.On(2), here[:1])},
			"a value beyond the end":  {armci.ErrBounds, armci.PutValue(w, there.At(100), 1)},
			"9 dimensions":            {armci.ErrShape, section(armci.Dense(1, 1, 1, 1, 1, 1, 1, 1, 1))},
			"a negative dimension":    {armci.ErrShape, section(armci.Layout{Shape: []int{-1}})},
			"too many strides":        {armci.ErrShape, section(armci.Layout{Shape: []int{1}, Strides: []int{1, 1}})},
			"too many elements":       {armci.ErrShape, section(armci.Layout{Shape: []int{math.MaxInt, math.MaxInt}, Strides: []int{0, 0}})},
			"a section too long":      {armci.ErrBounds, section(armci.Dense(10, 11))},
			"an offset of -1":         {armci.ErrBounds, section(armci.Layout{Offset: -1, Shape: []int{2}})},
			"a stride to before":      {armci.ErrBounds, section(armci.Layout{Offset: 3, Shape: []int{5}, Strides: []int{-1}})},
			"a huge stride":           {armci.ErrBounds, section(armci.Layout{Shape: []int{3}, Strides: []int{math.MaxInt}})},
			"a huge negative stride":  {armci.ErrBounds, section(armci.Layout{Shape: []int{3}, Strides: []int{math.MinInt}})},
			"an offset of MaxInt":     {armci.ErrBounds, section(armci.Layout{Offset: math.MaxInt, Shape: []int{1}})},
			"no dimensions, no data":  {armci.ErrBounds, section(armci.Layout{Offset: 100})},
			"two shapes":              {armci.ErrShape, armci.GetSection(w, armci.Section[float64]{Data: here, Layout: armci.Dense(2, 3)}, armci.RemoteSection[float64]{Data: there, Layout: armci.Dense(3, 2)})},
			"segments of two":         {armci.ErrProc, armci.PutVector(w, []armci.Segment[float64]{{Remote: there, Local: here[:1]}, {Remote: m.On(w.Proc()), Local: here[:1]}})},
			"a long segment":          {armci.ErrBounds, armci.PutVector(w, []armci.Segment[float64]{{Remote: there, Local: here}})},
			"an index beyond the end": {armci.ErrBounds, armci.Scatter(w, there, []int{0, 100}, here[:2])},
			"an index of -1":          {armci.ErrBounds, armci.Gather(w, here[:1], there, []int{-1})},
			"too few indices":         {armci.ErrBounds, armci.Scatter(w, there, []int{0}, here[:2])},
			"an address of nothing":   {armci.ErrAddress, value(armci.RemoteAt[int64](w, other, 8, 1))},
			"an odd address":          {armci.ErrAddress, value(armci.RemoteAt[int64](w, other, there.Addr()+1, 1))},
			"own memory, not shared":  {armci.ErrAddress, value(armci.RemoteAt[int64](w, w.Proc(), 4096, 1))},
			"an address of process 2": {armci.ErrProc, value(armci.RemoteAt[int64](w, 2, there.Addr(), 1))},
			"-1 elements":             {armci.ErrCount, value(armci.RemoteAt[int64](w, other, there.Addr(), -1))},
			"pointers":                {armci.ErrBadType, value(armci.Alloc[*int](w, 1))},
			"strings":                 {armci.ErrBadType, value(armci.Malloc[struct{ s string }](w, 1))},
			"nothing":                 {armci.ErrBadType, value(armci.RemoteAt[struct{}](w, other, there.Addr(), 1))},
			"no elements":             {armci.ErrCount, value(armci.Alloc[int](w, 0))},
			"more than there is":      {armci.ErrMemory, value(armci.Alloc[int64](w, 1<<50))},
			"fence to process 2":      {armci.ErrProc, w.Fence(2)},
			"wait for process -1":     {armci.ErrProc, w.WaitProc(-1)},
			"notify process 2":        {armci.ErrProc, value(w.Notify(2))},
		} {
			var op *armci.OpError
			if !errors.Is(c.got, c.want) || !errors.As(c.got, &op) || !strings.Contains(c.got.Error(), fmt.Sprintf("by process %d", w.Proc())) {
				return fmt.Errorf("%s: %v, expected %w", name, c.got, c.want)
			}
		}
		if err := w.Barrier(); err != nil {
			return err
		}
		for i, x := range m.Local() {
			if x != 0 {
				return fmt.Errorf("element %d has changed", i)
			}
		}
		return m.Free()
	})
}

// TestTogether: a collective function that fails on one process fails on all.
func TestTogether(t *testing.T) {
	forEach(t, []int{3}, func(w *armci.World) error {
		n := 10
		if w.Proc() == 1 {
			n = -1
		}
		_, err := armci.Malloc[int32](w, n)
		_, many := armci.Malloc[int64](w, map[bool]int{true: math.MaxInt / 4, false: 1}[w.Proc() == 2])
		_, large := armci.Malloc[int64](w, map[bool]int{true: 1 << 40, false: 1}[w.Proc() == 0])
		_, locks := armci.NewMutexes(w, n)
		if _, alone := armci.Alloc[int64](w, 1<<40); !strings.HasSuffix(fmt.Sprint(alone), " bytes; -startermemsize-dl (ACP_STARTER_MEMSIZE_DL) raises the limit") {
			return fmt.Errorf("%v: expected the limit and the option", alone)
		}
		return errors.Join(expect(armci.ErrCount, err), expect(armci.ErrCount, many), expect(armci.ErrMemory, large),
			func() error {
				if locks == nil {
					return errors.New("a negative number of mutexes")
				}
				return nil
			}())
	})
}

// TestLife: a world is made once at a time, of ranks that there are, and is of no use when it has been
// closed.
func TestLife(t *testing.T) {
	extensiontest.EachMode(t, func(t *testing.T, mode bridge.Mode) {
		extensiontest.Run(t, 3, config(mode), func(p *acp.Process) error {
			for _, ranks := range [][]acp.Rank{{0, 1, 2, 3}, {-1}, {0, 1, 2, 1}, {(p.Rank() + 1) % 3}, {}} {
				if _, err := armci.Open(p, armci.Config{Ranks: ranks}); !errors.Is(err, armci.ErrProc) {
					return fmt.Errorf("a world of %v: %w", ranks, err)
				}
			}
			for round := range 2 {
				order := []acp.Rank{2, 0, 1}
				w, err := armci.Open(p, armci.Config{Ranks: order, ProcessDomains: true})
				if err != nil {
					return err
				}
				if order[w.Proc()] != p.Rank() || w.Procs() != 3 || w.Rank(1) != 0 || w.Rank(3) != -1 {
					return fmt.Errorf("rank %d is process %d of %d", p.Rank(), w.Proc(), w.Procs())
				}
				if w.Domains() != 3 || w.Domain(w.Proc()) != w.Proc() || len(w.DomainProcs(1)) != 1 || w.DomainProcs(3) != nil || w.SameDomain((w.Proc()+1)%3) {
					return fmt.Errorf("%d domains, that of the process is %d", w.Domains(), w.Domain(w.Proc()))
				}
				_, twice := armci.Open(p, armci.Config{})
				m, err := armci.Malloc[int64](w, 4)
				if err := errors.Join(expect(armci.ErrState, twice), err, w.Close()); err != nil {
					return fmt.Errorf("round %d: %w", round, err)
				}
				if err := uses(w, m); err != nil {
					return err
				}
			}
			return nil
		})
	})
}

// uses makes sure that a world that was closed is of no use.
func uses(w *armci.World, m *armci.Memory[int64]) error {
	value := func(_ any, err error) error { return err }
	h := w.NewHandle()
	_, _, await := w.AwaitNotify(0)
	_, _, recv := armci.RecvAny(w, 1, []int{0})
	g := w.Group()
	for i, err := range []error{
		armci.Put(w, m.On(0), []int64{1}), armci.Put(h, m.On(0), []int64{1}), armci.Put(w.NonBlocking(), m.On(0), []int64{1}),
		h.Wait(), value(h.Test()), w.WaitAll(), w.WaitProc(0), w.Fence(0), w.AllFence(), w.Barrier(), w.Close(), m.Free(),
		value(armci.Malloc[int](w, 1)), value(armci.Alloc[int](w, 1)), value(armci.NewMutexes(w, 1)),
		value(armci.FetchAdd(w, m.On(0), 1)), armci.SetFlag(w, armci.Remote[int32]{}, 1), value(w.Notify(0)), await,
		value(armci.RemoteAt[int](w, 0, m.On(0).Addr(), 1)), recv, value(armci.Recv(w, 0, 1, []int{0})), armci.Send(w, 0, 1, []int{0}),
		value(g.New([]int{0})), value(g.Split(0, 0)), g.Barrier(), g.Fence(), armci.Broadcast(g, []int{0}, 0),
		armci.Reduce(w, armci.Sum, []int{0}), value(armci.Select(w, armci.Max, 1, true, []int{0})), value(armci.Exchange(g, 1)),
	} {
		if err := expect(armci.ErrState, err); err != nil {
			return fmt.Errorf("call %d after Close: %w", i, err)
		}
	}
	if _, ok := armci.View(w, m.On(0)); ok || armci.Address(w, m.On(0)) != acp.NullGA {
		return errors.New("memory of a world that was closed")
	}
	return nil
}
