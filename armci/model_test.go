package armci_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/goacp/goacp/armci"
)

// area is the number of elements in the memory of each process that belong to each process. Only this
// process changes them, so its model has their values.
const area = 3000

// modelTurns is how many transfers each process makes with each type.
const modelTurns = 120

type half float32 // a named type

// TestModel: random transfers of all kinds, shapes and types change memory, and return values, as a
// model of the memory does.
func TestModel(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	forEach(t, []int{1, 3}, func(w *armci.World) error {
		return errors.Join(
			modelOf(w, seed, func(x int) int32 { return int32(x) }),
			modelOf(w, seed, func(x int) int64 { return int64(x) }),
			modelOf(w, seed, func(x int) int { return x }),
			modelOf(w, seed, func(x int) half { return half(x) }),
			modelOf(w, seed, func(x int) float64 { return float64(x) }),
			modelOf(w, seed, func(x int) complex64 { return complex(float32(x), float32(-2*x+1)) }),
			modelOf(w, seed, func(x int) complex128 { return complex(float64(x), float64(3-x)) }),
		)
	})
}

// model is the model of the areas of a process in the memory of all processes.
type model[T armci.Number] struct {
	w      *armci.World
	rng    *rand.Rand
	memory *armci.Memory[T]
	number func(int) T
	remote [][]T // by process
	local  []T   // the memory of the caller
}

// modelOf runs the model for one type, whose values number makes of small numbers.
func modelOf[T armci.Number](w *armci.World, seed uint64, number func(int) T) error {
	memory, err := armci.Malloc[T](w, area*w.Procs())
	if err != nil {
		return err
	}
	m := &model[T]{
		w: w, rng: rand.New(rand.NewPCG(seed, uint64(w.Proc()))), memory: memory, number: number,
		remote: make([][]T, w.Procs()), local: make([]T, area),
	}
	for p := range m.remote {
		m.remote[p] = make([]T, area)
	}
	for turn := range modelTurns {
		if err := m.turn(); err != nil {
			return fmt.Errorf("%T, seed %d, turn %d: %w", number(0), seed, turn, err)
		}
	}
	return errors.Join(m.compare(), memory.Free())
}

// on returns the area of this process in the memory of a process.
func (m *model[T]) on(proc int) armci.Remote[T] {
	return m.memory.On(proc).Slice(m.w.Proc()*area, (m.w.Proc()+1)*area)
}

// value returns a small number.
func (m *model[T]) value() T { return m.number(m.rng.IntN(7) - 3) }

// kind is the kind of a transfer.
type kind int

const (
	put kind = iota
	get
	accumulate
)

// turn makes a random transfer, and the same on the model.
func (m *model[T]) turn() error {
	k, proc, scale := kind(m.rng.IntN(3)), m.rng.IntN(m.w.Procs()), m.value()
	for i := range m.local {
		m.local[i] = m.value()
	}
	mirror := slices.Clone(m.local)
	is, wait := m.issuer(proc)
	here, there, err := m.transfer(is, k, proc, scale)
	if err := errors.Join(err, wait()); err != nil {
		return err
	}
	for i := range here {
		switch remote := m.remote[proc]; k {
		case put:
			remote[there[i]] = mirror[here[i]]
		case get:
			mirror[here[i]] = remote[there[i]]
		case accumulate:
			remote[there[i]] += scale * mirror[here[i]]
		}
	}
	if !slices.Equal(m.local, mirror) {
		return fmt.Errorf("transfer %d with process %d has left other elements here", k, proc)
	}
	return nil
}

// issuer returns an Issuer, and the function that waits for its transfers.
func (m *model[T]) issuer(proc int) (armci.Issuer, func() error) {
	nothing := func() error { return nil }
	switch m.rng.IntN(5) {
	case 0:
		h := m.w.NewHandle()
		return h, func() error {
			for {
				if done, err := h.Test(); done || err != nil {
					return errors.Join(err, h.Wait())
				}
			}
		}
	case 1:
		h := m.w.NewHandle()
		return h, h.Wait
	case 2:
		return m.w.NonBlocking(), func() error { return m.w.WaitProc(proc) }
	case 3:
		ctx, cancel := context.WithCancel(context.Background())
		return m.w.WithContext(ctx), func() error { cancel(); return nil }
	}
	return m.w, nothing
}

// transfer makes a transfer of a random shape. It returns the numbers of the elements on both sides.
func (m *model[T]) transfer(is armci.Issuer, k kind, proc int, scale T) (here, there []int, err error) {
	switch m.rng.IntN(5) {
	case 0:
		return m.contiguous(is, k, proc, scale)
	case 1:
		return m.vector(is, k, proc, scale)
	case 2:
		return m.scattered(is, k, proc, scale)
	}
	return m.section(is, k, proc, scale)
}

func (m *model[T]) contiguous(is armci.Issuer, k kind, proc int, scale T) (here, there []int, err error) {
	n := m.rng.IntN(area / 2)
	from, to := m.rng.IntN(area-n+1), m.rng.IntN(area-n+1)
	local, remote := m.local[from:from+n], m.on(proc).At(to)
	switch k {
	case put:
		err = armci.Put(is, remote, local)
	case get:
		err = armci.Get(is, local, remote)
	case accumulate:
		err = armci.Acc(is, scale, remote, local)
	}
	return count(from, n), count(to, n), err
}

// count returns n numbers from first on.
func count(first, n int) []int {
	numbers := make([]int, n)
	for i := range numbers {
		numbers[i] = first + i
	}
	return numbers
}

func (m *model[T]) vector(is armci.Issuer, k kind, proc int, scale T) (here, there []int, err error) {
	var segments []armci.Segment[T]
	from, to := 0, 0
	for range m.rng.IntN(30) {
		from, to = from+m.rng.IntN(20), to+m.rng.IntN(20)
		n := m.rng.IntN(40)
		if max(from, to)+n > area {
			break
		}
		segments = append(segments, armci.Segment[T]{Remote: m.on(proc).Slice(to, to+n), Local: m.local[from : from+n]})
		here, there = append(here, count(from, n)...), append(there, count(to, n)...)
		from, to = from+n, to+n
	}
	m.rng.Shuffle(len(segments), func(i, j int) { segments[i], segments[j] = segments[j], segments[i] })
	switch k {
	case put:
		err = armci.PutVector(is, segments)
	case get:
		err = armci.GetVector(is, segments)
	case accumulate:
		err = armci.AccVector(is, scale, segments)
	}
	return here, there, err
}

func (m *model[T]) scattered(is armci.Issuer, k kind, proc int, scale T) (here, there []int, err error) {
	n := m.rng.IntN(100)
	from, index := m.rng.IntN(area-n+1), m.rng.Perm(area)[:n]
	if k == accumulate && n > 0 {
		index[n-1] = index[0] // both count
	}
	switch local := m.local[from : from+n]; k {
	case put:
		err = armci.Scatter(is, m.on(proc), index, local)
	case get:
		err = armci.Gather(is, local, m.on(proc), index)
	case accumulate:
		err = armci.ScatterAcc(is, scale, m.on(proc), index, local)
	}
	return count(from, n), index, err
}

func (m *model[T]) section(is armci.Issuer, k kind, proc int, scale T) (here, there []int, err error) {
	shape := make([]int, m.rng.IntN(armci.MaxDims+1))
	for i := range shape {
		shape[i] = 1 + m.rng.IntN(4)
		if m.rng.IntN(50) == 0 {
			shape[i] = 0
		}
	}
	local := armci.Section[T]{Data: m.local, Layout: m.layout(shape, k != get)}
	remote := armci.RemoteSection[T]{Data: m.on(proc), Layout: m.layout(local.Shape, k != put)}
	for len(remote.Shape) != len(local.Shape) {
		local.Layout = m.layout(remote.Shape, k != get)
		remote.Layout = m.layout(local.Shape, k != put)
	}
	switch k {
	case put:
		err = armci.PutSection(is, remote, local)
	case get:
		err = armci.GetSection(is, local, remote)
	case accumulate:
		err = armci.AccSection(is, scale, remote, local)
	}
	return numbers(local.Layout), numbers(remote.Layout), err
}

// layout returns a layout of elements in an area: dimensions are nested in any order, with gaps or
// without, in either direction. No two elements are the same one, unless they may be. If the shape
// does not fit, the layout has less of it.
func (m *model[T]) layout(shape []int, same bool) armci.Layout {
	l := armci.Layout{Shape: shape, Strides: make([]int, len(shape))}
	extent, low := 1, 0
	order := m.rng.Perm(len(shape))
	if m.rng.IntN(2) == 0 {
		slices.SortFunc(order, func(a, b int) int { return b - a })
	}
	for _, i := range order {
		stride := extent
		if m.rng.IntN(3) == 0 {
			stride += m.rng.IntN(3)
		}
		reach := stride * max(shape[i]-1, 0)
		if extent+reach > area {
			return m.layout(shape[:len(shape)-1], same)
		}
		switch {
		case same && m.rng.IntN(6) == 0:
			stride, reach = 0, 0
		case m.rng.IntN(3) == 0:
			stride, low = -stride, low+reach
		}
		l.Strides[i], extent = stride, extent+reach
	}
	l.Offset = low + m.rng.IntN(area-extent+1)
	if m.rng.IntN(8) == 0 && armci.Dense(shape...).Len() <= area {
		l = armci.Layout{Shape: shape}
	}
	return l
}

// numbers returns the numbers of the elements of a layout, the last dimension first.
func numbers(l armci.Layout) (all []int) {
	at := make([]int, len(l.Shape))
	if slices.Contains(l.Shape, 0) {
		return nil
	}
	for {
		all = append(all, l.Index(at...))
		i := len(at) - 1
		for ; i >= 0; i-- {
			if at[i]++; at[i] < l.Shape[i] {
				break
			}
			at[i] = 0
		}
		if i < 0 {
			return all
		}
	}
}

// compare compares the areas of this process with the model, and then its own memory.
func (m *model[T]) compare() error {
	for proc, want := range m.remote {
		got := make([]T, area)
		if err := armci.Get(m.w, got, m.on(proc)); err != nil || !slices.Equal(got, want) {
			return fmt.Errorf("the memory of process %d differs from the model: %v", proc, err)
		}
	}
	if err := m.w.Barrier(); err != nil {
		return err
	}
	own := m.memory.Local()[m.w.Proc()*area:][:area]
	if !slices.Equal(own, m.remote[m.w.Proc()]) {
		return fmt.Errorf("the own memory differs from the model")
	}
	return nil
}
