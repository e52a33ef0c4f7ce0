//go:build mpi

package acp

import (
	"encoding/binary"
	"errors"
	"fmt"
	"unsafe"

	"github.com/goacp/goacp/bridge"
	"github.com/goacp/goacp/internal/fabric"
	"github.com/goacp/goacp/internal/fabric/rma"
	"github.com/goacp/goacp/internal/fabric/segment"
	"github.com/goacp/goacp/mpi"
)

// windows is what this process has of windows of MPI.
type windows struct {
	rma  *rma.Fabric
	pure bool // the memory of the library is MPI's

	ignore func() error // ends the watching for MPI_Finalize; nil if there is none
}

func (w *windows) fabric() fabric.Fabric { return w.rma }

// calls returns the functions by which C carries out operations on windows, or nil if
// Go is to do it.
func (w *windows) calls() unsafe.Pointer {
	if !w.pure {
		return nil
	}
	return w.rma.Calls()
}

// renumber tells those functions the rank of every member.
func (w *windows) renumber(p *Process) {
	if !w.pure {
		return
	}
	for m := range p.procs {
		w.rma.Enter(int(p.rankOf(m)), m, p.layoutOf(m))
	}
}

// openWindows makes the windows of this process's universe, if it has one. Where all its
// members use nothing but MPI, the library's memory is MPI's as well, because MPI serves
// that best. Otherwise it is the memory that members on one host share.
//
// Atomics are MPI's only if no rank of the run is outside of the universe: such a rank is
// served by agents, whose atomics are the CPU's, and between both kinds some get lost.
func (p *Process) openWindows(run segment.Run) error {
	if p.universe == nil {
		return nil
	}
	cfg := rma.Config{
		Comm: p.universe.Comm(), Self: p.self, Size: p.procs,
		Rank:    p.rankInUniverse,
		Library: p.isLibrary,
		Shared:  func(member int) bool { return p.members.SameHost(p.self, member) },
		Ask:     p.askRegion,
		Wake:    func(member int) { p.tell(member, noticeWake, 0) },
		Tell:    func(member int, ticket uint64) { p.tell(member, noticeForget, ticket) },
		Over:    p.alive,
		Beyond:  p.tcp,
	}
	pure := p.onlyMPI()
	cfg.Atomics = pure && p.alone()
	if pure {
		cfg.Bytes = int(p.space.Layout().MapSize())
	} else {
		cfg.Memory = p.space.Memory()
	}
	f, err := rma.Open(cfg)
	if err != nil {
		return err
	}
	p.windows.rma, p.windows.pure = f, pure
	if pure {
		space, err := segment.NewIn(f.Memory(), run, p.self, p.space.Layout())
		if err != nil {
			return err
		}
		err = p.space.Close()
		p.space = space
		if err != nil {
			return err
		}
	}
	p.space.Observe(f)
	return nil
}

// spin says that there are enough processors for looking without a pause.
func (w *windows) spin() {
	if w.rma != nil {
		w.rma.Spin()
	}
}

// onlyMPI reports whether all members of the universe use nothing but MPI, among
// themselves, and no other rank insists on shared memory, which MPI's own memory is not.
func (p *Process) onlyMPI() bool {
	for m := range p.procs {
		mode := p.members.At(m).Mode
		if _, in := p.members.InUniverse(p.self, m); in && mode != bridge.ModeRMA || mode == bridge.ModeSHM {
			return false
		}
	}
	return true
}

// alone reports whether all ranks are members of the universe.
func (p *Process) alone() bool {
	for m := range p.procs {
		if _, in := p.members.InUniverse(p.self, m); !in {
			return false
		}
	}
	return true
}

func (p *Process) rankInUniverse(member int) int {
	rank, in := p.members.InUniverse(p.self, member)
	if !in {
		return -1
	}
	return int(rank)
}

// isLibrary reports whether n bytes at pos are starter memory or heap of member.
func (p *Process) isLibrary(member int, pos, n uint64) bool {
	return p.layoutOf(member).Contains(pos, n)
}

// What members notify each other of. Smaller numbers belong to the barrier.
const (
	noticeWake   = 1<<16 + iota // the sender needs this process to call MPI
	noticeForget                // registered memory of the sender is gone
	noticeForgot                // the answer to that: the sender does not use it any more
)

// tell notifies a member. If it is gone, the run is about to end.
func (p *Process) tell(member int, kind uint32, value uint64) { _ = p.tcp.Notify(member, kind, value) }

// notice is called by the agent for a notification.
func (w *windows) notice(p *Process, from int, kind uint32, value uint64) {
	switch {
	case w.rma == nil:
	case kind == noticeWake:
		w.rma.Progress()
	case kind == noticeForget:
		// It may wait for an operation of this process.
		p.engine.starters.Go(func() {
			if w.rma.Forget(from) == nil {
				p.tell(from, noticeForgot, value)
			}
		})
	case kind == noticeForgot:
		w.rma.Forgotten(from, value)
	}
}

// settle returns when no rank uses memory by windows that was withdrawn.
func (w *windows) settle(over func() error) error {
	if w.rma == nil {
		return nil
	}
	return w.rma.Settle(over)
}

// askRegion asks a member where its registered memory around pos lies.
func (p *Process) askRegion(member int, pos uint64) (rma.Region, error) {
	request := binary.LittleEndian.AppendUint64(nil, uint64(p.self))
	request = binary.LittleEndian.AppendUint64(request, pos)
	answer := make([]byte, 32)
	n, err := p.call(member, serviceRegion, request, answer)
	if err != nil {
		return rma.Region{}, err
	}
	if n != len(answer) {
		return rma.Region{}, fmt.Errorf("rank %d answers with %d bytes, expected %d", p.rankOf(member), n, len(answer))
	}
	word := func(i int) uint64 { return binary.LittleEndian.Uint64(answer[8*i:]) }
	return rma.Region{Pos: word(0), Size: word(1), Addr: word(2), Window: int(int64(word(3)))}, nil
}

// serve answers askRegion of another member.
func (w *windows) serve(request, answer []byte) (int, error) {
	if w.rma == nil || len(request) != 16 || len(answer) < 32 {
		return 0, errors.New("a question about windows that are not there")
	}
	r, err := w.rma.Region(int(binary.LittleEndian.Uint64(request)), binary.LittleEndian.Uint64(request[8:]))
	if err != nil {
		return 0, err
	}
	for i, v := range []uint64{r.Pos, r.Size, r.Addr, uint64(int64(r.Window))} {
		binary.LittleEndian.PutUint64(answer[8*i:], v)
	}
	return 32, nil
}

// watchMPI has this process notice that MPI_Finalize is called too early.
func (p *Process) watchMPI() error {
	if p.procs == 1 || !mpi.Initialized() || mpi.Finalized() {
		return nil
	}
	// Open MPI says that it is finalized while MPI_Finalize still waits for other ranks.
	early := mpi.Vendor().Name == "Open MPI"
	cancel, err := mpi.BeforeFinalize(func() {
		p.mpiFinalizes(func() bool { return !early && mpi.Finalized() })
	})
	p.windows.ignore = cancel
	return err
}

// ignoreMPI undoes watchMPI.
func (p *Process) ignoreMPI() error {
	if p.windows.ignore == nil || mpi.Finalized() {
		return nil
	}
	return p.windows.ignore()
}

// close frees the windows, together with the other members unless the run is lost.
func (w *windows) close(lost bool) error {
	switch {
	case w.rma == nil:
		return nil
	case lost:
		w.rma.Abandon()
		return nil
	}
	return w.rma.Close()
}
