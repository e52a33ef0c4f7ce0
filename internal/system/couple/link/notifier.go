package link

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/goacp/goacp/internal/ground/activity"
	"github.com/goacp/goacp/internal/ground/wait"
	"github.com/goacp/goacp/internal/memory/ga"
	"github.com/goacp/goacp/internal/memory/heapview"
	"github.com/goacp/goacp/internal/system/couple/meet"
)

// notifier has the event count of this process, which stays in place until Reset: partners may notify it
// after a link has ended.
type notifier struct {
	mu     sync.Mutex
	at     uint64 // address; ga.Null if there is none
	events atomic.Pointer[wait.EventCount]
}

// makeNotifier returns the address of the event count of this process, and makes it if there is none. Fails with
// global.ErrFull.
func (s *System) makeNotifier() (uint64, error) {
	t := &s.notifier
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.at != ga.Null {
		return t.at, nil
	}
	at, err := s.mem.Alloc(s.p.Ranks.Self(), wait.EventCountBytes)
	if err != nil {
		return 0, err
	}
	events, err := heapview.At[wait.EventCount](s.mem.Own(), at)
	if err != nil {
		return 0, err
	}
	*events = wait.EventCount{}
	t.at = at
	t.events.Store(events)
	return at, nil
}

// forget is called when the memory of the event count is gone.
func (t *notifier) forget() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.at = ga.Null
	t.events.Store(nil)
}

// notify wakes the threads that wait, if there is an event count.
func (t *notifier) notify() {
	if events := t.events.Load(); events != nil {
		events.Notify()
	}
}

// await waits until blocked returns nil; otherwise blocked returns a flow for which the caller waits.
// Fails with the error of ctx, and if the run is over. Changes of the state that blocked reads notify the
// event count.
func (e *end) await(ctx context.Context, blocked func() *stream) error {
	if blocked() == nil {
		return nil
	}
	defer e.noteWait(time.Now())
	spin := e.s.p.Budget.Spin()
	var first *stream
	over := func() bool { return blocked() != first || e.s.p.Lifecycle.Alive() != nil || ctx.Err() != nil }
	for first = blocked(); first != nil; first = blocked() {
		if first.toWord == nil {
			e.s.p.Messenger.PollInline(first.member, wait.SpinFor(spin, first.size), over)
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
	events := e.s.notifier.events.Load()
	notified := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		events.Notify()
		close(notified)
	})
	defer func() {
		if !stop() {
			<-notified // the memory of the event count may go away when the caller returns
		}
	}()
	defer e.s.p.Budget.Unpark(e.s.p.Budget.Park(activity.On(activity.Link, first.member).About(meet.Partner(e.name, e.side))))
	return events.Park(func() (bool, error) {
		if blocked() == nil {
			return true, nil
		}
		if err := e.s.p.Lifecycle.Alive(); err != nil {
			return false, err
		}
		return false, ctx.Err()
	})
}
