package link

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/goacp/goacp/internal/ground/activity"
	"github.com/goacp/goacp/internal/ground/wait"
	"github.com/goacp/goacp/internal/memory/ga"
	"github.com/goacp/goacp/internal/memory/heapview"
	"github.com/goacp/goacp/internal/system/couple/meet"
)

// notifier has the bell of this process, which stays in place until Reset: partners may ring it
// after a link has ended.
type notifier struct {
	mu   sync.Mutex
	at   uint64 // address; ga.Null if there is none
	bell atomic.Pointer[wait.Bell]
}

// makeNotifier returns the address of the bell of this process, and makes it if there is none. Fails with
// global.ErrFull.
func (s *System) makeNotifier() (uint64, error) {
	t := &s.notifier
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.at != ga.Null {
		return t.at, nil
	}
	at, err := s.mem.Alloc(s.p.Ranks.Self(), wait.BellBytes)
	if err != nil {
		return 0, err
	}
	b, err := heapview.At[wait.Bell](s.mem.Own(), at)
	if err != nil {
		return 0, err
	}
	*b = wait.Bell{}
	t.at = at
	t.bell.Store(b)
	return at, nil
}

// forget is called when the memory of the bell is gone.
func (t *notifier) forget() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.at = ga.Null
	t.bell.Store(nil)
}

// notify wakes the threads that wait, if there is a bell.
func (t *notifier) notify() {
	if b := t.bell.Load(); b != nil {
		b.Ring()
	}
}

// await waits until blocked returns nil; otherwise blocked returns a flow for which the caller waits.
// Fails with the error of ctx, and if the run is over. Changes of the state that blocked reads ring the
// bell.
func (e *end) await(ctx context.Context, blocked func() *stream) error {
	if blocked() == nil {
		return nil
	}
	spin := e.s.p.Budget.Spin()
	var first *stream
	over := func() bool { return blocked() != first || e.s.p.Lifecycle.Alive() != nil || ctx.Err() != nil }
	for first = blocked(); first != nil; first = blocked() {
		if first.toWord == nil {
			e.s.p.Messenger.PollInline(first.member, wait.Patience(spin, first.size), over)
		} else {
			wait.Spin(spin, over)
		}
		if first == blocked() {
			break
		}
	}
	return e.park(ctx, blocked)
}

// park is await without spinning.
func (e *end) park(ctx context.Context, blocked func() *stream) error {
	first := blocked()
	if first == nil {
		return nil
	}
	b := e.s.notifier.bell.Load()
	rung := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		b.Ring()
		close(rung)
	})
	defer func() {
		if !stop() {
			<-rung // the memory of the bell may go away when the caller returns
		}
	}()
	defer e.s.p.Budget.Unpark(e.s.p.Budget.Park(activity.On(activity.Link, first.member).About(meet.Partner(e.name, e.side))))
	return b.Park(func() (bool, error) {
		if blocked() == nil {
			return true, nil
		}
		if err := e.s.p.Lifecycle.Alive(); err != nil {
			return false, err
		}
		return false, ctx.Err()
	})
}
