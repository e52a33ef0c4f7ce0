//go:build mpi

package rma

import (
	"encoding/binary"
	"fmt"
	"unsafe"

	"github.com/goacp/goacp/bridge"
	"github.com/goacp/goacp/internal/fabric"
	"github.com/goacp/goacp/internal/ground/debuglog"
	"github.com/goacp/goacp/internal/memory/segment"
	"github.com/goacp/goacp/internal/network/driver"
	"github.com/goacp/goacp/mpi"
)

// Driver opens the fabric rma, for ranks that share a communicator of MPI.
var Driver = driver.Driver{Route: bridge.RMA, Open: open}

// windows is the transport of a process, with the messages that it exchanges with those of other
// processes.
type windows struct {
	*Transport
	env  *driver.Env
	pure bool // the memory of the library is MPI's
}

// open makes the windows of this process's universe, if it has one. If all its members use
// nothing but MPI, MPI allocates the library's memory, because it serves such memory best.
// Otherwise it is the memory that members on one host share.
//
// MPI does the atomics only if all ranks of the run are in the universe. Agents would serve a
// rank outside, by atomics of the CPU. Atomics of MPI and of the CPU on one integer lose changes.
func open(e *driver.Env) (fabric.Transport, error) {
	if e.Universe == nil {
		return nil, nil
	}
	w := &windows{env: e, pure: onlyMPI(e)}
	cfg := Config{
		Comm: e.Universe.Comm(), Self: e.Self, Size: e.Members.Len(),
		Rank:    func(member int) int { return rankInUniverse(e, member) },
		Library: func(member int, pos, size uint64) bool { return e.Layout(member).Contains(pos, size) },
		Shared:  func(member int) bool { return e.Members.SameHost(e.Self, member) },
		Ask:     w.ask,
		// The space may become another one below.
		Registered: func(pos uint64) (first, size, addr uint64, ok bool) { return e.Space.Region(pos) },
		Wake:       func(member int) { w.tell(member, noticeWake, 0) },
		Tell:       func(member int, ticket uint64) { w.tell(member, noticeForget, ticket) },
		Over:       e.Over,
		Fallback:   e.Messenger,
		Atomics:    w.pure && alone(e),
		MaySpin:    e.MaySpin,
	}
	cfg.log(w.pure)
	if w.pure {
		cfg.Bytes = int(e.Space.Layout().MapSize())
	} else {
		cfg.Memory = e.Space.Memory()
	}
	t, err := Open(cfg)
	if err != nil {
		return nil, err
	}
	w.Transport = t
	if w.pure {
		if err := moveTo(e, t.Memory()); err != nil {
			return nil, err
		}
	}
	e.Space.Observe(t)
	return w, nil
}

// log says which memory the windows serve, and why.
func (c *Config) log(pure bool) {
	memory := "memory that ranks on one host share: some use shared memory besides"
	if pure {
		memory = "memory that MPI allocates: all ranks of the universe use nothing but windows"
	}
	debuglog.RMA.Printf("windows of %v over %s; atomics by MPI: %v", mpi.Vendor(), memory, c.Atomics)
}

// moveTo makes the library use other memory for what this process publishes.
func moveTo(e *driver.Env, memory []byte) error {
	space, err := segment.NewIn(memory, e.Run, e.Self, e.Space.Layout())
	if err != nil {
		return err
	}
	before := e.Space
	e.Space = space
	return before.Close()
}

// onlyMPI reports whether all members of the universe use nothing but MPI among themselves, and
// no other rank needs shared memory (-net shm). Memory that MPI allocates is not shared.
func onlyMPI(e *driver.Env) bool {
	for m := range e.Members.Len() {
		mode := e.Members.At(m).Mode
		if rankInUniverse(e, m) >= 0 && mode != bridge.ModeRMA || mode == bridge.ModeSHM {
			return false
		}
	}
	return true
}

// alone reports whether all ranks are members of the universe.
func alone(e *driver.Env) bool {
	for m := range e.Members.Len() {
		if rankInUniverse(e, m) < 0 {
			return false
		}
	}
	return true
}

// rankInUniverse returns the rank of a member in the communicator, or -1.
func rankInUniverse(e *driver.Env, member int) int {
	rank, in := e.Members.InUniverse(e.Self, member)
	if !in {
		return -1
	}
	return int(rank)
}

// Calls implements driver.CTransport.
func (w *windows) Calls() unsafe.Pointer {
	if !w.pure {
		return nil
	}
	return w.Transport.Calls()
}

// Renumber implements driver.CTransport.
func (w *windows) Renumber() {
	if !w.pure {
		return
	}
	for m := range w.env.Members.Len() {
		w.Enter(w.env.Ranks.Of(m), m, w.env.Layout(m))
	}
}

// The notices between members.
const (
	noticeWake   = iota // the sender needs this process to call MPI
	noticeForget        // registered memory of the sender is withdrawn: this process forgets it
	noticeForgot        // the answer to noticeForget: the sender does not use the memory any more
)

// tell notifies a member.
func (w *windows) tell(member int, kind uint8, value uint64) {
	w.env.Tell(bridge.RMA, member, kind, value)
}

// Notice implements driver.Peer.
func (w *windows) Notice(from int, kind uint8, value uint64) {
	switch kind {
	case noticeWake:
		w.Progress()
	case noticeForget:
		// It may wait for an operation of this process.
		w.env.Go(func() {
			if w.Forget(from) == nil {
				w.tell(from, noticeForgot, value)
			}
		})
	case noticeForgot:
		w.Forgotten(from, value)
	}
}

// A question has the member that asks and a position. An answer has the words of a Region.
const (
	questionBytes = 2 * 8
	answerBytes   = 4 * 8
)

// ask asks a member where its registered memory around pos lies.
func (w *windows) ask(member int, pos uint64) (Region, error) {
	request := binary.LittleEndian.AppendUint64(nil, uint64(w.env.Self))
	request = binary.LittleEndian.AppendUint64(request, pos)
	answer := make([]byte, answerBytes)
	size, err := w.env.Ask(bridge.RMA, member, request, answer)
	if err != nil {
		return Region{}, err
	}
	if size != len(answer) {
		return Region{}, fmt.Errorf("rank %d answers with %d bytes, expected %d", w.env.Ranks.Of(member), size, len(answer))
	}
	word := func(i int) uint64 { return binary.LittleEndian.Uint64(answer[8*i:]) }
	return Region{Pos: word(0), Size: word(1), Addr: word(2), Window: int(int64(word(3)))}, nil
}

// Serve implements driver.Peer: it answers ask of another member.
func (w *windows) Serve(request, answer []byte) (int, error) {
	if len(request) != questionBytes || len(answer) < answerBytes {
		return 0, fmt.Errorf("a question about registered memory has %d bytes, expected %d", len(request), questionBytes)
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

var (
	_ driver.Peer       = (*windows)(nil)
	_ driver.CTransport = (*windows)(nil)
	_ driver.Withdrawer = (*windows)(nil)
	_ driver.Abandoner  = (*windows)(nil)
)
