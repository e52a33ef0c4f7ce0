package link

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/goacp/goacp/internal/activity"
	"github.com/goacp/goacp/internal/arena"
	"github.com/goacp/goacp/internal/futex"
	"github.com/goacp/goacp/internal/ga"
	"github.com/goacp/goacp/internal/wait"
)

// bell is a word in the heap of a process at which its threads park.
type bell struct {
	Rings  uint32 // changes with every ring
	Parked uint32 // threads that are parked, or about to be
	_      [56]byte
}

const bellBytes = uint64(unsafe.Sizeof(bell{}))

// ring wakes the threads that are parked, which then look for what has changed before the call.
// A thread counts itself before it looks for the last time. So either that thread sees the
// change, or this one sees the count.
func (b *bell) ring() {
	if atomic.LoadUint32(&b.Parked) != 0 {
		atomic.AddUint32(&b.Rings, 1)
		futex.Wake(&b.Rings)
	}
}

// bellTower has the bell of this process, which stays in place until Reset: partners may ring it
// after a link has ended.
type bellTower struct {
	mu   sync.Mutex
	at   uint64 // address; ga.Null if there is none
	bell atomic.Pointer[bell]
}

// hang returns the address of the bell of this process, and makes it if there is none. Fails with
// global.ErrFull.
func (s *System) hang() (uint64, error) {
	t := &s.bell
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.at != ga.Null {
		return t.at, nil
	}
	at, err := s.mem.Alloc(s.p.Ranks.Self(), bellBytes)
	if err != nil {
		return 0, err
	}
	b, err := arena.At[bell](s.mem.Own(), at)
	if err != nil {
		return 0, err
	}
	*b = bell{}
	t.at = at
	t.bell.Store(b)
	return at, nil
}

// forget is called when the memory of the bell is gone.
func (t *bellTower) forget() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.at = ga.Null
	t.bell.Store(nil)
}

// ring rings the bell, if there is one.
func (t *bellTower) ring() {
	if b := t.bell.Load(); b != nil {
		b.ring()
	}
}

// await waits until blocked returns nil, which otherwise returns a flow that the caller waits for. Fails
// with the error of ctx, and if the run is over. What blocked depends on rings the bell.
func (s *System) await(ctx context.Context, blocked func() *flow) error {
	if blocked() == nil {
		return nil
	}
	wait.Spin(s.p.Budget.Spin(), func() bool {
		f := blocked()
		if f != nil && f.toWord == nil {
			s.p.Messenger.PollPeer(f.member)
		}
		return f == nil || s.p.Life.Alive() != nil
	})
	return s.park(ctx, blocked)
}

// park is await without spinning.
func (s *System) park(ctx context.Context, blocked func() *flow) error {
	first := blocked()
	if first == nil {
		return nil
	}
	b := s.bell.bell.Load()
	defer context.AfterFunc(ctx, b.ring)()
	defer s.p.Budget.Unpark(s.p.Budget.Park(activity.On(activity.Link, first.member)))
	atomic.AddUint32(&b.Parked, 1)
	defer atomic.AddUint32(&b.Parked, ^uint32(0))
	for {
		rings := atomic.LoadUint32(&b.Rings)
		if blocked() == nil {
			return nil
		}
		if err := s.p.Life.Alive(); err != nil {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		futex.Wait(&b.Rings, rings, s.patience(ctx))
	}
}

// patience returns how long to sleep at most.
func (s *System) patience(ctx context.Context) time.Duration {
	if end, ok := ctx.Deadline(); ok {
		return min(max(time.Until(end), time.Millisecond), wait.LongestPark)
	}
	return wait.LongestPark
}
