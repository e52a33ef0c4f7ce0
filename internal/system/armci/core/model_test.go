package core_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/goacp/goacp/internal/system/armci/core"
	"github.com/goacp/goacp/internal/system/armci/element"
	"github.com/goacp/goacp/internal/system/armci/shape"
	"github.com/goacp/goacp/internal/system/armci/transfer"
	"github.com/goacp/goacp/internal/system/armci/world"
)

// A slice is the bytes of the block of each process that belong to one process. Only this process
// changes them, so its model has their values. It has two areas for the numbers of each type, with
// which all arithmetic is exact, and two areas for bytes. In one of the two areas, numbers are not
// aligned.
const (
	area  = 200 << 10
	slice = 2*7*area + 16
)

// modelTurns is how many transfers each process makes.
const modelTurns = 150

// TestModel: random transfers of all kinds, shapes and types change memory, and return values, as a
// model of the memory does.
func TestModel(t *testing.T) {
	const procs = 3
	forEachMode(t, procs, func(t *testing.T) func(s *core.System) error {
		seed := rand.Uint64()
		t.Logf("seed %d", seed)
		return func(s *core.System) error {
			session := s.Session()
			bases, err := s.Local().Malloc(session.Everyone, procs*slice)
			if err != nil {
				return err
			}
			self := session.World.Self()
			m := &model{
				session: session, rng: rand.New(rand.NewPCG(seed, uint64(self))), bases: bases,
				remote: make([][]byte, procs), local: make([]byte, 3+area)[3:], // not aligned
			}
			for p := range m.remote {
				m.remote[p] = make([]byte, slice)
			}
			for turn := range modelTurns {
				if err := m.turn(); err != nil {
					return fmt.Errorf("seed %d, turn %d: %w", seed, turn, err)
				}
			}
			return m.compare()
		}
	})
}

// model is the model of the slices of one process in the blocks of all processes.
type model struct {
	session *core.Session
	rng     *rand.Rand
	bases   []uintptr
	remote  [][]byte // by process: the slice of this process in its block
	local   []byte   // the caller's side of all transfers
	first   int      // where the area of this turn begins
}

// at returns the address of this process's slice in the block of a process.
func (m *model) at(proc int) uintptr {
	return m.bases[proc] + uintptr(m.session.World.Self()*slice)
}

// areaAt returns the address of the area of this turn.
func (m *model) areaAt(proc int) uintptr { return m.at(proc) + uintptr(m.first) }

// turn makes a random transfer, and the same on the model.
func (m *model) turn() error {
	kind := m.rng.IntN(7)
	unaligned := m.rng.IntN(2)
	m.first = (2*kind+unaligned)*area + unaligned*[...]int{1, 4, 7, 2, 5, 4, 3}[kind]
	r := transfer.Request{Kind: transfer.Kind(m.rng.IntN(3)), Proc: m.rng.IntN(len(m.bases)), Type: element.Type(kind)}
	unit := int64(1)
	if r.Type.Valid() {
		unit = r.Type.Size()
		m.numbers(r.Scale[:], r.Type)
	} else {
		r.Kind = transfer.Kind(m.rng.IntN(2)) // bytes
	}
	m.numbers(m.local, r.Type)
	mirror := bytes.Clone(m.local)
	if m.rng.IntN(3) == 0 {
		m.vector(&r, unit)
	} else {
		m.strided(&r, unit)
	}
	m.apply(&r, mirror)
	if err := m.session.Transfer.Do(&r); err != nil {
		return fmt.Errorf("kind %d of type %d to process %d: %w", r.Kind, r.Type, r.Proc, err)
	}
	if r.Kind == transfer.Get && !bytes.Equal(m.local, mirror) {
		return fmt.Errorf("a get of type %d from process %d, of %d segments or %+v, returned other bytes", r.Type, r.Proc, len(r.Vector), r.Shape)
	}
	return nil
}

// numbers fills b with small numbers of a type, with which all arithmetic is exact.
func (m *model) numbers(b []byte, kind element.Type) {
	for i := 0; i+8 <= len(b); {
		x := m.rng.IntN(7) - 3
		switch kind {
		case element.Int32:
			binary.NativeEndian.PutUint32(b[i:], uint32(x))
			i += 4
		case element.Int64:
			binary.NativeEndian.PutUint64(b[i:], uint64(x))
			i += 8
		case element.Float32, element.Complex64:
			binary.NativeEndian.PutUint32(b[i:], math.Float32bits(float32(x)))
			i += 4
		default: // for bytes, too
			binary.NativeEndian.PutUint64(b[i:], math.Float64bits(float64(x)))
			i += 8
		}
	}
}

// strided makes a strided transfer of blocks of whole units. Blocks of the side that changes do not
// overlap, unless it is an accumulate.
func (m *model) strided(r *transfer.Request, unit int64) {
	s := &r.Shape
	for {
		*s = shape.Strided{Levels: m.rng.IntN(shape.MaxLevels + 1)}
		s.Block = unit * (1 + m.rng.Int64N(40))
		if m.rng.IntN(4) == 0 {
			s.Block = unit * (1 + m.rng.Int64N(80_000/unit))
		}
		for i := range s.Levels {
			s.Count[i] = 1 + m.rng.Int64N(4)
		}
		m.strides(&s.Local, s, unit)
		m.strides(&s.Remote, s, unit)
		if r.Kind == transfer.Accumulate && m.rng.IntN(4) == 0 {
			s.Remote[0] = 0 // all contributions count
		}
		local, ok := m.place(s, &s.Local, unit)
		remote, okay := m.place(s, &s.Remote, unit)
		if !ok || !okay {
			continue
		}
		r.Local, r.Remote = unsafe.Pointer(&m.local[local]), m.areaAt(r.Proc)+uintptr(remote)
		return
	}
}

// strides makes strides in which no blocks overlap: the levels are nested in any order, with gaps
// or without, in either direction.
func (m *model) strides(to *[shape.MaxLevels]int64, s *shape.Strided, unit int64) {
	extent := s.Block
	order := m.rng.Perm(s.Levels)
	if m.rng.IntN(2) == 0 {
		for i := range order {
			order[i] = i
		}
	}
	for _, i := range order {
		to[i] = extent
		if m.rng.IntN(2) == 0 {
			to[i] += unit * m.rng.Int64N(4)
		}
		extent = to[i]*(s.Count[i]-1) + extent
		if m.rng.IntN(4) == 0 {
			to[i] = -to[i]
		}
	}
}

// place returns where a side may begin, a multiple of align, so that it lies in a slice.
func (m *model) place(s *shape.Strided, stride *[shape.MaxLevels]int64, align int64) (int64, bool) {
	low, high := int64(0), s.Block
	for i := range s.Levels {
		if d := stride[i] * (s.Count[i] - 1); d < 0 {
			low += d
		} else {
			high += d
		}
	}
	if high-low > area {
		return 0, false
	}
	return m.rng.Int64N((area-(high-low))/align+1)*align - low, true
}

// vector makes a vector transfer whose segments do not overlap.
func (m *model) vector(r *transfer.Request, unit int64) {
	r.Vector = []transfer.Segment{}
	at, from := int64(0), int64(0)
	for range m.rng.IntN(60) {
		n := unit * m.rng.Int64N(30)
		if m.rng.IntN(20) == 0 {
			n = unit * m.rng.Int64N(70_000/unit)
		}
		at += unit * m.rng.Int64N(10)
		from += unit * m.rng.Int64N(20)
		if at+n > area || from+n > area {
			break
		}
		r.Vector = append(r.Vector, transfer.Segment{Local: unsafe.Add(unsafe.Pointer(&m.local[0]), from), Remote: m.areaAt(r.Proc) + uintptr(at), N: n})
		at, from = at+n, from+n
	}
	m.rng.Shuffle(len(r.Vector), func(i, j int) { r.Vector[i], r.Vector[j] = r.Vector[j], r.Vector[i] })
}

// apply carries a transfer out on the model, where mirror stands for the memory of the caller.
func (m *model) apply(r *transfer.Request, mirror []byte) {
	remote := m.remote[r.Proc][m.first:][:area]
	move := func(local, at, n int64) {
		switch r.Kind {
		case transfer.Put:
			copy(remote[at:at+n], mirror[local:])
		case transfer.Get:
			copy(mirror[local:local+n], remote[at:])
		case transfer.Accumulate:
			addModel(r.Type, r.Scale[:], remote[at:at+n], mirror[local:])
		}
	}
	local0 := func(p unsafe.Pointer) int64 { return int64(uintptr(p) - uintptr(unsafe.Pointer(&m.local[0]))) }
	for _, s := range r.Vector {
		move(local0(s.Local), int64(s.Remote-m.areaAt(r.Proc)), s.N)
	}
	if r.Vector != nil {
		return
	}
	blocks := int64(1)
	for i := range r.Shape.Levels {
		blocks *= r.Shape.Count[i]
	}
	for b := range blocks {
		local, at, rest := local0(r.Local), int64(r.Remote-m.areaAt(r.Proc)), b
		for i := range r.Shape.Levels {
			local += rest % r.Shape.Count[i] * r.Shape.Local[i]
			at += rest % r.Shape.Count[i] * r.Shape.Remote[i]
			rest /= r.Shape.Count[i]
		}
		move(local, at, r.Shape.Block)
	}
}

// addModel is the effect of an accumulate, computed in float64: all numbers are small.
func addModel(kind element.Type, scale, dst, src []byte) {
	width := int(kind.Component())
	get := func(b []byte) float64 {
		switch kind {
		case element.Int32:
			return float64(int32(binary.NativeEndian.Uint32(b)))
		case element.Int64:
			return float64(int64(binary.NativeEndian.Uint64(b)))
		case element.Float32, element.Complex64:
			return float64(math.Float32frombits(binary.NativeEndian.Uint32(b)))
		}
		return math.Float64frombits(binary.NativeEndian.Uint64(b))
	}
	add := func(b []byte, x float64) {
		switch x += get(b); kind {
		case element.Int32:
			binary.NativeEndian.PutUint32(b, uint32(int32(x)))
		case element.Int64:
			binary.NativeEndian.PutUint64(b, uint64(int64(x)))
		case element.Float32, element.Complex64:
			binary.NativeEndian.PutUint32(b, math.Float32bits(float32(x)))
		default:
			binary.NativeEndian.PutUint64(b, math.Float64bits(x))
		}
	}
	for i := 0; i < len(dst); i += int(kind.Size()) {
		if kind.Size() == kind.Component() {
			add(dst[i:], get(scale)*get(src[i:]))
			continue
		}
		a, b, x, y := get(scale), get(scale[width:]), get(src[i:]), get(src[i+width:])
		add(dst[i:], a*x-b*y)
		add(dst[i+width:], a*y+b*x)
	}
}

// compare compares the slices of all processes in the own block with their models, which they
// get by a fence and a barrier.
func (m *model) compare() error {
	e := m.session.Transfer
	if err := e.AllFence(); err != nil {
		return err
	}
	for proc, want := range m.remote {
		got := make([]byte, slice)
		r := transfer.Request{Kind: transfer.Get, Proc: proc, Local: unsafe.Pointer(&got[0]), Remote: m.at(proc), Shape: shape.Contiguous(slice)}
		if err := e.Do(&r); err != nil {
			return err
		}
		if !bytes.Equal(got, want) {
			return fmt.Errorf("the block of process %d differs from the model", proc)
		}
	}
	if err := m.session.Everyone.Barrier(); err != nil {
		return err
	}
	own := unsafe.Slice((*byte)(world.At(m.at(m.session.World.Self()))), slice)
	if !bytes.Equal(own, m.remote[m.session.World.Self()]) {
		return fmt.Errorf("the own block differs from the model")
	}
	return nil
}
