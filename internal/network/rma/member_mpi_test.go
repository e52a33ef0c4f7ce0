//go:build mpi

package rma

import (
	"cmp"
	"encoding/binary"
	"errors"
	"slices"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/goacp/goacp/internal/fabric"
	"github.com/goacp/goacp/internal/network/fabrictest"
	"github.com/goacp/goacp/mpi"
)

// notice is what Tell was called with.
type notice struct {
	member int
	ticket uint64
}

// member is one process of a test. The members tell each other by messages of MPI what
// agents would.
type member struct {
	*Transport
	self, size int
	own        []Region   // registered memory, in order of position
	regions    [][]Region // by member, as announced
	fallback   *refuser
	informed   []notice // members that are to forget
}

// refuser is the fallback of the windows, which the tests do not have.
type refuser struct {
	fabric.Transport
	used int
}

var errRefused = errors.New("left to the fallback")

func (r *refuser) Put(_ int, _ uint64, _ unsafe.Pointer, _ uint64, done fabric.Completion) {
	r.used++
	done.Complete(0, errRefused)
}

func (r *refuser) Get(_ int, _ uint64, _ unsafe.Pointer, _ uint64, done fabric.Completion) {
	r.used++
	done.Complete(0, errRefused)
}

func (r *refuser) Atomic(_ int, _ uint64, _ fabric.Atomic, done fabric.Completion) {
	r.used++
	done.Complete(0, errRefused)
}

func openMember() (*member, error) {
	world := mpi.World()
	self, err := world.Rank()
	if err != nil {
		return nil, err
	}
	n, err := world.Size()
	if err != nil {
		return nil, err
	}
	m := &member{self: self, size: n, regions: make([][]Region, n), fallback: &refuser{}}
	m.Transport, err = Open(Config{
		Atomics: true,
		Comm:    world, Self: self, Size: n + 1, // the last member has no windows
		Rank: func(member int) int {
			if member == n {
				return -1
			}
			return member
		},
		Library: func(_ int, pos, n uint64) bool { return pos <= size && n <= size-pos },
		Registered: func(pos uint64) (first, size, addr uint64, ok bool) {
			r, err := around(m.own, pos)
			return r.Pos, r.Size, r.Addr, err == nil
		},
		Ask:      func(member int, pos uint64) (Region, error) { return around(m.regions[member], pos) },
		Wake:     func(int) {},
		Tell:     func(member int, ticket uint64) { m.informed = append(m.informed, notice{member, ticket}) },
		Over:     func() error { return nil },
		Fallback: m.fallback,
		Bytes:    size,
	})
	return m, err
}

// within runs a test between Open and Close, on processes that make progress.
func within(body func(m *member) error) func() error {
	return func() error {
		if _, err := mpi.InitThread(mpi.ThreadMultiple); err != nil {
			return err
		}
		m, err := openMember()
		if err != nil {
			return err
		}
		awake := time.NewTicker(lease / 4)
		defer awake.Stop()
		go func() {
			for range awake.C {
				m.Progress()
			}
		}()
		if err := body(m); err != nil {
			return err
		}
		if err := mpi.World().Barrier(); err != nil {
			return err
		}
		if err := m.Close(); err != nil {
			return err
		}
		return mpi.Finalize()
	}
}

// announce tells all members the registered memory of this one, of which there is the
// same number everywhere.
func (m *member) announce() error {
	var mine []byte
	for _, r := range m.own {
		r.Window = m.attached.window(r.Pos)
		for _, v := range []uint64{r.Pos, r.Size, r.Addr, uint64(r.Window)} {
			mine = binary.NativeEndian.AppendUint64(mine, v)
		}
	}
	all, err := mpi.World().Allgather(mine)
	if err != nil {
		return err
	}
	for i := range m.regions {
		m.regions[i] = nil
		for b := all[i*len(mine) : (i+1)*len(mine)]; len(b) > 0; b = b[32:] {
			v := func(i int) uint64 { return binary.NativeEndian.Uint64(b[8*i:]) }
			m.regions[i] = append(m.regions[i], Region{v(0), v(1), v(2), int(v(3))})
		}
	}
	return nil
}

func wait(start func(o fabric.Completion)) (uint64, error) {
	o := fabrictest.NewOutcome()
	start(o)
	return o.Wait()
}

func pages(n int) ([]byte, error) {
	return unix.Mmap(-1, 0, n, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS)
}

// Published registers memory as a space does.
func (m *member) Published(pos, size uint64, addr uintptr) {
	m.own = append(m.own, Region{Pos: pos, Size: size, Addr: uint64(addr)})
	slices.SortFunc(m.own, func(x, y Region) int { return cmp.Compare(x.Pos, y.Pos) })
	m.Transport.Published(pos, size, addr)
}

// Withdrawn unregisters memory as a space does.
func (m *member) Withdrawn(pos uint64) {
	m.own = slices.DeleteFunc(m.own, func(r Region) bool { return r.Pos == pos })
	m.Transport.Withdrawn(pos)
}

// register makes n bytes of new memory registered memory with position pos.
func (m *member) register(pos uint64, n int) ([]byte, error) {
	b, err := pages(n)
	if err != nil {
		return nil, err
	}
	m.Published(pos, uint64(n), uintptr(unsafe.Pointer(&b[0])))
	return b, nil
}
