package segbuf

import (
	"fmt"

	"github.com/goacp/goacp/internal/access/global"
	"github.com/goacp/goacp/internal/fabric"
	"github.com/goacp/goacp/internal/ground/activity"
	"github.com/goacp/goacp/internal/ground/wait"
	"github.com/goacp/goacp/internal/network/am"
	"github.com/goacp/goacp/internal/network/router"
)

// Buffers are the ends of segmented buffers that a process has. Their methods may be called by
// several goroutines at once.
type Buffers struct {
	pairing
	cond *wait.Cond // where goroutines wait for other processes

	mem     *global.Memory
	router  *router.Router
	publish Publish
}

// Publish makes memory of the program accessible to other ranks, and returns its address.
// withdraw undoes that.
type Publish func(b []byte) (at uint64, withdraw func() error, err error)

// New returns the Buffers of a process, whose goroutines wait on cond.
func New(mem *global.Memory, routes *router.Router, cond *wait.Cond, publish Publish) *Buffers {
	return &Buffers{pairing: pairing{ranks: mem.Ranks()}, cond: cond, mem: mem, router: routes, publish: publish}
}

// Operations returns the operations that the agent of this process serves for segmented buffers.
func (s *Buffers) Operations() []am.Operation {
	return []am.Operation{{Op: am.OpSegbuf, Name: "message about a segmented buffer", Serve: s.serve}}
}

// serve handles a message of another end.
func (s *Buffers) serve(r fabric.Request) (int, error) {
	n, ok := decode(r.Body)
	if !ok {
		return 0, fmt.Errorf("%w: %d bytes are no message about a segmented buffer", global.ErrProtocol, len(r.Body))
	}
	err := s.take(r.From, n)
	s.wake()
	return 0, err
}

// wake makes waiting goroutines check their conditions.
func (s *Buffers) wake() {
	s.cond.Lock()
	defer s.cond.Unlock()
	s.cond.Broadcast()
}

// Gone ends the segmented buffers with a member that has left the run or is lost: their functions fail with global.ErrRankGone, and
// they can be closed. Does not block.
func (s *Buffers) Gone(member int) {
	for _, e := range s.all() {
		if e.peer == member {
			e.fail(global.Cause(s.mem.CheckMember(member)))
		}
	}
	s.wake()
}

// Settle waits until no copy or message of the ends of this process is in flight, or the run is over.
func (s *Buffers) Settle() {
	for _, e := range s.all() {
		// The next wait reports that the run is over.
		_ = s.cond.Wait(activity.On(activity.Complete, e.peer), e.quiet)
	}
}

// Forget removes all ends, since the memory of all ranks is new. No copy or message is in flight.
func (s *Buffers) Forget() { s.forget() }
