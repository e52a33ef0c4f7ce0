package thread

import (
	"sync"

	"github.com/goacp/goacp/internal/fabric"
)

// phaseCall identifies a call of Rescale.
type phaseCall struct {
	from   int // the member
	number int64
}

// gathering is a phase at process 0.
type gathering struct {
	call    phaseCall
	givenUp chan struct{} // closed when the caller has given up
	settled chan struct{} // closed when the threads of the phase run, or it has ended
	giveUp  func()        // closes givenUp
	settle  func()        // closes settled
}

func newGathering(c phaseCall) *gathering {
	g := &gathering{call: c, givenUp: make(chan struct{}), settled: make(chan struct{})}
	g.giveUp = sync.OnceFunc(func() { close(g.givenUp) })
	g.settle = sync.OnceFunc(func() { close(g.settled) })
	return g
}

// NewCall returns a number for a call of RescaleAs of this process. Does not block.
func (s *System) NewCall() int64 { return s.calls.Add(1) }

// GiveUp ends a call of RescaleAs if it waits for processes. Then it fails, and the next phase can begin when GiveUp returns. Threads that
// run already run on. Blocks for a round trip, and until processes that are about to join or leave have done so.
func (s *System) GiveUp(number int64) error {
	_, err := s.ask(0, opGiveUp, appendInt64(nil, number), 0)
	return err
}

func (s *System) serveGiveUp(r fabric.Request) (int, error) {
	in := reader{b: r.Body}
	call := phaseCall{r.From, in.int64()}
	if err := in.end(); err != nil {
		return 0, err
	}
	h := &s.hosting
	h.mu.Lock()
	defer h.mu.Unlock()
	g := h.phase
	if g == nil || g.call != call {
		h.givenUp[call.from] = call.number // it may be on the way
		return done(r.Reply, nil)
	}
	g.giveUp()
	l := defers(r)
	go func() {
		select {
		case <-g.settled:
			l.answer(nil, nil)
		case <-s.over:
		}
	}()
	return 0, nil
}
