package collarea

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"github.com/goacp/goacp/internal/ground/wait"
	"github.com/goacp/goacp/internal/structure/reduction"
)

// errOver is why a run is over.
var errOver = errors.New("over")

// team is a team whose processes are all in this one.
type team struct {
	areas  []*Area
	blocks []unsafe.Pointer
	over   atomic.Bool
}

// newTeam makes a team of 2^levels processes, which meet in steps of a butterfly.
func newTeam(t *testing.T, levels int, spin bool) *team {
	t.Helper()
	m := new(team)
	for range 1 << levels {
		block := make([]uint64, Size(levels)/8)
		m.blocks = append(m.blocks, unsafe.Pointer(unsafe.SliceData(block)))
	}
	budget := new(wait.Budget)
	if spin {
		budget.Permit(1)
	}
	for rank := range m.blocks {
		cfg := Config{Block: m.blocks[rank], Budget: budget, Over: func() error {
			if m.over.Load() {
				return errOver
			}
			return nil
		}}
		for k := range levels {
			other := rank ^ 1<<k
			cfg.Steps = append(cfg.Steps, Step{Number: k, Read: true, Theirs: m.blocks[other], First: rank < other})
		}
		b, err := New(cfg)
		if err != nil {
			t.Fatal(err)
		}
		m.areas = append(m.areas, b)
	}
	return m
}

// together runs body for each process at the same time, and returns the errors.
func (m *team) together(body func(b *Area, rank int) error) []error {
	stuck := time.AfterFunc(time.Minute, func() { panic("processes are stuck") })
	defer stuck.Stop()
	errs := make([]error, len(m.areas))
	var all sync.WaitGroup
	for rank, b := range m.areas {
		all.Go(func() { errs[rank] = body(b, rank) })
	}
	all.Wait()
	return errs
}

// forEachTeam runs f for teams of several sizes, which spin or not.
func forEachTeam(t *testing.T, f func(t *testing.T, m *team)) {
	for levels := range 4 {
		for _, spin := range []bool{false, true} {
			t.Run(fmt.Sprintf("%d processes, spin %t", 1<<levels, spin), func(t *testing.T) { f(t, newTeam(t, levels, spin)) })
		}
	}
}

// array returns n random numbers.
func array(seed uint64, turn, rank, n int) []byte {
	rnd := rand.New(rand.NewPCG(seed, uint64(turn*100+rank)))
	b := make([]byte, 0, 8*n)
	for range n {
		b = binary.NativeEndian.AppendUint64(b, math.Float64bits(rnd.NormFloat64()))
	}
	return b
}

// TestModel mixes barriers and sums of random length. Every process gets the bits of a serial sum of
// neighbours, and none leaves a barrier before all have come.
func TestModel(t *testing.T) {
	const turns = 60
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	f, err := reduction.For(reduction.Sum, reduction.Double)
	if err != nil {
		t.Fatal(err)
	}
	forEachTeam(t, func(t *testing.T, m *team) {
		var come atomic.Int64
		errs := m.together(func(b *Area, rank int) error {
			rnd := rand.New(rand.NewPCG(seed, 0)) // the same in all
			for turn := range turns {
				come.Add(1)
				n := rnd.IntN(3 * SlotBytes / 8)
				if rnd.IntN(2) == 0 {
					n = rnd.IntN(4)
				}
				x := array(seed, turn, rank, n)
				if err := errors.Join(b.Barrier(), b.Combine(x, f.Combine)); err != nil {
					return err
				}
				if all := come.Load(); all < int64((turn+1)*len(m.areas)) {
					return fmt.Errorf("%d have come to barrier %d", all, turn)
				}
				if want := serial(m, seed, turn, n, f); !bytes.Equal(x, want) {
					return fmt.Errorf("turn %d: the sum of %d numbers is not the serial one", turn, n)
				}
			}
			return nil
		})
		if err := errors.Join(errs...); err != nil {
			t.Fatal(err)
		}
	})
}

// serial joins the arrays of neighbours until one is left.
func serial(m *team, seed uint64, turn, n int, f reduction.Functions) []byte {
	var list [][]byte
	for rank := range m.areas {
		list = append(list, array(seed, turn, rank, n))
	}
	for ; len(list) > 1; list = list[:len(list)/2] {
		for i := range len(list) / 2 {
			f.Combine(list[2*i], list[2*i], list[2*i+1])
			list[i] = list[2*i]
		}
	}
	return list[0]
}

// TestUnequal: if one process brings another amount of data, all find out, and the collective area can be used
// on.
func TestUnequal(t *testing.T) {
	f, err := reduction.For(reduction.Sum, reduction.Double)
	if err != nil {
		t.Fatal(err)
	}
	for other, own := range map[int]int{0: 8, 8: 16, SlotBytes + 8: SlotBytes + 16} {
		m := newTeam(t, 3, true)
		for i, err := range m.together(func(b *Area, rank int) error {
			x := make([]byte, other)
			if rank == 5 {
				x = make([]byte, own)
			}
			var err error
			if len(x) == 0 {
				err = b.Barrier()
			} else {
				err = b.Combine(x, f.Combine)
			}
			return errors.Join(err, b.Barrier())
		}) {
			if !errors.Is(err, ErrUnequal) {
				t.Errorf("%d bytes among %d: process %d: %v", own, other, i, err)
			}
		}
	}
}

// TestOver: the end of the run ends all waiting.
func TestOver(t *testing.T) {
	m := newTeam(t, 2, false)
	errs := m.together(func(b *Area, rank int) error {
		if rank == 3 {
			m.over.Store(true)
			return errOver
		}
		return b.Barrier()
	})
	for rank, err := range errs {
		if !errors.Is(err, errOver) {
			t.Errorf("process %d: %v", rank, err)
		}
	}
}

// TestClose: a block is unread when all processes that read in it have closed their areas.
func TestClose(t *testing.T) {
	const levels = 2
	m := newTeam(t, levels, true)
	for _, rank := range rand.Perm(len(m.areas)) {
		if Unread(m.blocks[rank], levels) {
			t.Errorf("the block of process %d is unread already", rank)
		}
	}
	closed := 0
	for rank, b := range m.areas {
		b.Close()
		closed |= 1 << rank
		for other, block := range m.blocks {
			readers := 0
			for k := range levels {
				readers += closed >> (other ^ 1<<k) & 1
			}
			if Unread(block, levels) != (readers == levels) {
				t.Errorf("the block of process %d after %d areas were closed", other, bits.OnesCount(uint(closed)))
			}
		}
	}
}

// TestSize: blocks of a team hold the slots of all steps.
func TestSize(t *testing.T) {
	for levels := range 5 {
		m := make([]byte, Size(levels))
		base := unsafe.Pointer(unsafe.SliceData(m))
		var ends []uintptr
		for k := range levels {
			for number := range uint64(2) {
				ends = append(ends, uintptr(unsafe.Pointer(slots(base, k).of(number)))+slotBytes-uintptr(base))
			}
		}
		if levels > 0 && (!slices.IsSorted(ends) || ends[len(ends)-1] != uintptr(Size(levels))) {
			t.Errorf("%d steps: the slots end at %d of %d", levels, ends, Size(levels))
		}
	}
}
