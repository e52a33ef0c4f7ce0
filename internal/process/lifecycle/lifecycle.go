package lifecycle

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/goacp/goacp/bridge"
	"github.com/goacp/goacp/internal/access/global"
	"github.com/goacp/goacp/internal/fabric"
	"github.com/goacp/goacp/internal/ground/debuglog"
)

// Config is what a Lifecycle needs of its process. All fields but OnLost are required.
type Config struct {
	Boot bridge.Bootstrap

	// Fail ends all waiting of the process with an error: the run is over. It does not block.
	Fail func(err error)

	// OnLost is called once, on a goroutine of its own, when the run is over before the
	// process has finalized. May be nil.
	OnLost func(err error)
}

// Lifecycle is the life of one process. Its methods may be called by several goroutines at once.
type Lifecycle struct {
	cfg       Config
	ending    atomic.Pointer[ending] // nil while the process is open
	peerLost  atomic.Bool            // this process cannot reach another one, or has seen it end
	suspected atomic.Int32           // losses that are not certain yet, see SuspectPeer
	leaving   atomic.Bool            // see BeginLeave
	running   context.Context        // ends with the run, and when the process finalizes
	stop      context.CancelFunc
	watchers  sync.WaitGroup
}

// ending says why a process is not open any more.
type ending struct {
	why  error // why it cannot be used
	over error // why the run was over before the process finalized, or nil
	left bool  // the process leaves its epoch
}

// New returns the Lifecycle of a process that is open.
func New(cfg Config) *Lifecycle {
	l := &Lifecycle{cfg: cfg}
	l.running, l.stop = context.WithCancel(context.Background())
	return l
}

// Begin starts to watch for the end of the run.
func (l *Lifecycle) Begin() {
	l.Watch(func() {
		select {
		case <-l.running.Done():
		case <-l.cfg.Boot.Lost():
			l.Lose(l.cfg.Boot.Err())
		}
	})
}

// Watch runs f on a goroutine. f returns when Running ends, and Finalize waits for that.
func (l *Lifecycle) Watch(f func()) { l.watchers.Go(f) }

// Running ends when the run is over, or the process finalizes.
func (l *Lifecycle) Running() context.Context { return l.running }

// Alive returns nil while the process can be used, and otherwise why not. Does not block.
func (l *Lifecycle) Alive() error {
	if e := l.ending.Load(); e != nil {
		return e.why
	}
	return nil
}

// Over returns why the run was over before the process finalized, or nil.
func (l *Lifecycle) Over() error {
	if e := l.ending.Load(); e != nil {
		return e.over
	}
	return nil
}

// Lose ends all waiting of the process because the run is over, for the reason err. Further
// calls do nothing, nor do calls after Finalize.
func (l *Lifecycle) Lose(err error) {
	over := fmt.Errorf("%w: %w", fabric.ErrPeerDead, err)
	if !l.ending.CompareAndSwap(nil, &ending{why: over, over: over}) {
		return
	}
	debuglog.Liveness.Printf("the run is over for this rank: %v", err)
	l.cfg.Fail(over)
	l.stop()
	if l.cfg.OnLost != nil {
		go l.cfg.OnLost(err)
	}
}

// Exit is for a process that ends the run by its own exit: from then on Lose does nothing, so
// that OnLost does not end the process first.
func (l *Lifecycle) Exit() {
	l.ending.CompareAndSwap(nil, &ending{why: fabric.ErrPeerDead, over: fabric.ErrPeerDead})
}

// BeginLeave is for a process that leaves its epoch, and whose structures settle next.
func (l *Lifecycle) BeginLeave() { l.leaving.Store(true) }

// Leaving reports whether the process leaves its epoch while others go on. Otherwise a process that settles finalizes or resets.
func (l *Lifecycle) Leaving() bool { return l.leaving.Load() }

// Leave is for a process that is about to leave its epoch: from then on Alive returns why, and Lose does nothing, since
// other processes give up the connections to this one.
func (l *Lifecycle) Leave(why error) { l.ending.CompareAndSwap(nil, &ending{why: why, left: true}) }

// Stop ends Running, and with it the functions of Watch, for a process that has left its epoch.
func (l *Lifecycle) Stop() { l.stop() }

// Finalize ends the use of the process, and returns when all functions of Watch have.
func (l *Lifecycle) Finalize() {
	for e := l.ending.Load(); ; e = l.ending.Load() {
		last := &ending{why: global.ErrFinalized}
		if e != nil {
			last.over = e.over
		}
		if l.ending.CompareAndSwap(e, last) {
			break
		}
	}
	l.stop()
	l.watchers.Wait()
}
