//go:build mpi

package network

import (
	"encoding/binary"
	"fmt"
	"unsafe"

	"github.com/goacp/goacp/bridge"
	"github.com/goacp/goacp/internal/fabric/rma"
	"github.com/goacp/goacp/internal/fabric/segment"
)

// windows is the Remote of ranks that share a communicator of MPI.
type windows struct {
	*rma.Transport
	n    *Network
	pure bool // the memory of the library is MPI's
}

// openWindows makes the windows of this process's universe, if it has one. Where all its
// members use nothing but MPI, the library's memory is MPI's as well, because MPI serves
// that best. Otherwise it is the memory that members on one host share.
//
// Atomics are MPI's only if no rank of the run is outside of the universe: such a rank is
// served by agents, whose atomics are the CPU's, and between both kinds some get lost.
func openWindows(n *Network) (Remote, error) {
	if n.cfg.Universe == nil {
		return nil, nil
	}
	w := &windows{n: n, pure: n.onlyMPI()}
	cfg := rma.Config{
		Comm: n.cfg.Universe.Comm(), Self: n.cfg.Self, Size: n.cfg.Size,
		Rank:    n.rankInUniverse,
		Library: func(member int, pos, size uint64) bool { return n.Layout(member).Contains(pos, size) },
		Shared:  func(member int) bool { return n.cfg.Members.SameHost(n.cfg.Self, member) },
		Ask:     w.ask,
		Wake:    func(member int) { n.tell(member, noticeWake, 0) },
		Tell:    func(member int, ticket uint64) { n.tell(member, noticeForget, ticket) },
		Over:    n.cfg.Over,
		Beyond:  n.agents,
		Atomics: n.onlyMPI() && n.alone(),
	}
	if w.pure {
		cfg.Bytes = int(n.space.Layout().MapSize())
	} else {
		cfg.Memory = n.space.Memory()
	}
	f, err := rma.Open(cfg)
	if err != nil {
		return nil, err
	}
	w.Transport = f
	if w.pure {
		if err := n.moveTo(f.Memory()); err != nil {
			return nil, err
		}
	}
	n.space.Observe(f)
	return w, nil
}

// moveTo makes the library use other memory for what this process publishes. Nothing uses
// the one before yet.
func (n *Network) moveTo(memory []byte) error {
	space, err := segment.NewIn(memory, n.cfg.Run, n.cfg.Self, n.space.Layout())
	if err != nil {
		return err
	}
	before := n.space
	n.space = space
	return before.Close()
}

// onlyMPI reports whether all members of the universe use nothing but MPI, among
// themselves, and no other rank insists on shared memory, which MPI's own memory is not.
func (n *Network) onlyMPI() bool {
	for m := range n.cfg.Size {
		mode := n.cfg.Members.At(m).Mode
		if n.rankInUniverse(m) >= 0 && mode != bridge.ModeRMA || mode == bridge.ModeSHM {
			return false
		}
	}
	return true
}

// alone reports whether all ranks are members of the universe.
func (n *Network) alone() bool {
	for m := range n.cfg.Size {
		if n.rankInUniverse(m) < 0 {
			return false
		}
	}
	return true
}

// rankInUniverse returns the rank of a member in the communicator, or -1.
func (n *Network) rankInUniverse(member int) int {
	rank, in := n.cfg.Members.InUniverse(n.cfg.Self, member)
	if !in {
		return -1
	}
	return int(rank)
}

// Carries implements Remote.
func (w *windows) Carries(member int) bool { return w.n.routes[member] == bridge.RMA }

// Calls implements Remote.
func (w *windows) Calls() unsafe.Pointer {
	if !w.pure {
		return nil
	}
	return w.Transport.Calls()
}

// Renumber implements Remote.
func (w *windows) Renumber() {
	if !w.pure {
		return
	}
	for m := range w.n.cfg.Size {
		w.Enter(w.n.cfg.Ranks.Of(m), m, w.n.Layout(m))
	}
}

// What members notify each other of.
const (
	noticeWake   = NoticeRemote + iota // the sender needs this process to call MPI
	noticeForget                       // registered memory of the sender is gone
	noticeForgot                       // the answer to that: the sender does not use it any more
)

// tell notifies a member. If it is gone, the run is about to end.
func (n *Network) tell(member int, kind uint32, value uint64) {
	_ = n.agents.Notify(member, kind, value)
}

// Notice implements Remote.
func (w *windows) Notice(from int, kind uint32, value uint64) {
	switch kind {
	case noticeWake:
		w.Progress()
	case noticeForget:
		// It may wait for an operation of this process.
		w.n.cfg.Go(func() {
			if w.Forget(from) == nil {
				w.n.tell(from, noticeForgot, value)
			}
		})
	case noticeForgot:
		w.Forgotten(from, value)
	}
}

// A question is the member that asks and a position, an answer the words of an rma.Region.
const (
	questionBytes = 2 * 8
	answerBytes   = 4 * 8
)

// ask asks a member where its registered memory around pos lies.
func (w *windows) ask(member int, pos uint64) (rma.Region, error) {
	request := binary.LittleEndian.AppendUint64(nil, uint64(w.n.cfg.Self))
	request = binary.LittleEndian.AppendUint64(request, pos)
	answer := make([]byte, answerBytes)
	size, err := w.n.cfg.Call(member, ServiceRemote, request, answer)
	if err != nil {
		return rma.Region{}, err
	}
	if size != len(answer) {
		return rma.Region{}, fmt.Errorf("rank %d answers with %d bytes, expected %d", w.n.cfg.Ranks.Of(member), size, len(answer))
	}
	word := func(i int) uint64 { return binary.LittleEndian.Uint64(answer[8*i:]) }
	return rma.Region{Pos: word(0), Size: word(1), Addr: word(2), Window: int(int64(word(3)))}, nil
}

// Serve implements Remote: it answers ask of another member.
func (w *windows) Serve(request, answer []byte) (int, error) {
	if len(request) != questionBytes || len(answer) < answerBytes {
		return 0, fmt.Errorf("a question about windows of %d bytes, expected %d", len(request), questionBytes)
	}
	r, err := w.Region(int(binary.LittleEndian.Uint64(request)), binary.LittleEndian.Uint64(request[8:]))
	if err != nil {
		return 0, err
	}
	for i, v := range []uint64{r.Pos, r.Size, r.Addr, uint64(int64(r.Window))} {
		binary.LittleEndian.PutUint64(answer[8*i:], v)
	}
	return answerBytes, nil
}
