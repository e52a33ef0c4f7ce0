package lifecycle

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/goacp/goacp/bridge"
	"github.com/goacp/goacp/internal/access/global"
	"github.com/goacp/goacp/internal/fabric"
)

// boot is a Bootstrap that notes what is reported to the launcher.
type boot struct {
	bridge.Bootstrap
	lost chan struct{}
	err  error // set before lost is closed

	mu       sync.Mutex
	reported []string
}

func newBoot() *boot { return &boot{lost: make(chan struct{})} }

func (b *boot) Lost() <-chan struct{} { return b.lost }
func (b *boot) Err() error            { return b.err }

func (b *boot) Abort(a bridge.Abort) { b.tell("abort: " + a.Reason) }

func (b *boot) ReportLost(member int, how bridge.Loss) {
	b.tell(fmt.Sprintf("lost %d: %d", member, how))
}

func (b *boot) tell(what string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.reported = append(b.reported, what)
}

// end ends the run, as a launcher does.
func (b *boot) end(err error) {
	b.err = err
	close(b.lost)
}

// check compares what was reported to the launcher.
func (b *boot) check(t *testing.T, want ...string) {
	t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	if !slices.Equal(b.reported, want) {
		t.Errorf("reported to the launcher: %q, want %q", b.reported, want)
	}
}

// process is a process with a Lifecycle, whose waiting ends.
type process struct {
	*Lifecycle
	boot   *boot
	failed atomic.Pointer[error]
	lost   chan error // what OnLost got
}

func newProcess() *process {
	p := &process{boot: newBoot(), lost: make(chan error, 2)}
	p.Lifecycle = New(Config{
		Boot: p.boot, OnLost: func(err error) { p.lost <- err },
		Fail: func(err error) {
			if !p.failed.CompareAndSwap(nil, &err) {
				panic("waiting ends twice")
			}
		},
	})
	return p
}

var errKilled = errors.New("rank 3 was killed")

// TestRunEnds: the end of the run, by the bootstrap, ends all waiting once.
func TestRunEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newProcess()
		p.Begin()
		synctest.Wait()
		if p.Alive() != nil || p.Over() != nil || p.Running().Err() != nil {
			t.Fatalf("a process that has begun: %v, %v", p.Alive(), p.Over())
		}
		p.boot.end(errKilled)
		synctest.Wait()
		p.Lose(errors.New("later"))
		for what, err := range map[string]error{"Alive": p.Alive(), "Over": p.Over(), "Fail": *p.failed.Load()} {
			if !errors.Is(err, fabric.ErrPeerDead) || !errors.Is(err, errKilled) {
				t.Errorf("%s: %v", what, err)
			}
		}
		if err := <-p.lost; err != errKilled {
			t.Errorf("OnLost: %v", err)
		}
		p.Finalize()
		if p.Alive() != global.ErrFinalized || !errors.Is(p.Over(), errKilled) {
			t.Errorf("finalized: %v, the run was over: %v", p.Alive(), p.Over())
		}
		if len(p.lost) != 0 {
			t.Error("OnLost was called twice")
		}
	})
}

// TestFinalize: a process that has finalized does not lose the run any more.
func TestFinalize(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newProcess()
		p.Begin()
		watched := false
		p.Watch(func() {
			<-p.Running().Done()
			watched = true
		})
		p.Finalize()
		if !watched {
			t.Error("Finalize did not wait for a function of Watch")
		}
		p.Lose(errKilled)
		if p.Alive() != global.ErrFinalized || p.Over() != nil || p.failed.Load() != nil || len(p.lost) != 0 {
			t.Errorf("after Finalize: %v, %v", p.Alive(), p.Over())
		}
	})
}

// TestExit: a process that ends the run by its exit is not ended by OnLost.
func TestExit(t *testing.T) {
	p := newProcess()
	p.Exit()
	p.Lose(errKilled)
	if p.failed.Load() != nil || len(p.lost) != 0 || !errors.Is(p.Alive(), fabric.ErrPeerDead) {
		t.Errorf("after Exit: %v", p.Alive())
	}
}

// TestLosers: of goroutines that lose the run and one that finalizes, the first one counts.
func TestLosers(t *testing.T) {
	for range 200 {
		p := newProcess()
		var all sync.WaitGroup
		for range 3 {
			all.Go(func() { p.Lose(errKilled) })
		}
		all.Go(p.Finalize)
		all.Wait()
		if p.Alive() != global.ErrFinalized {
			t.Fatalf("finalized: %v", p.Alive())
		}
		if lost := p.failed.Load() != nil; lost != (p.Over() != nil) {
			t.Fatalf("waiting has ended: %v, the run was over: %v", lost, p.Over())
		}
	}
}

// TestLostPeer: the launcher learns of a lost connection, and has time to say why the run is
// over.
func TestLostPeer(t *testing.T) {
	broken := errors.New("rank 3: connection reset")
	for _, reports := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			p := newProcess()
			p.Begin()
			p.LostPeer(3, broken)
			var reason error
			p.Watch(func() { reason = p.Reason(broken) })
			synctest.Wait()
			p.boot.check(t, "lost 3: 0")
			if p.Alive() != nil {
				t.Fatalf("the launcher had no time: %v", p.Alive())
			}
			want := broken
			if reports {
				want = errKilled
				p.boot.end(errKilled)
			} else {
				time.Sleep(reasonLimit)
			}
			synctest.Wait()
			if !errors.Is(p.Over(), want) || !errors.Is(reason, want) {
				t.Errorf("the run is over because %v, reason %v, want %v", p.Over(), reason, want)
			}
			p.Finalize()
		})
	}
}

// TestMissing: a process that has ended is reported once. If no launcher ends the run, this
// process does.
func TestMissing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newProcess()
		for range 3 {
			p.Missing(3, func() string { return "rank 3 ended" })
		}
		synctest.Wait()
		p.boot.check(t, "lost 3: 1")
		time.Sleep(reasonLimit)
		synctest.Wait()
		p.boot.check(t, "lost 3: 1", "abort: rank 3 ended")
		var abort *bridge.AbortError
		if !errors.As(p.Over(), &abort) || abort.Reason != "rank 3 ended" {
			t.Errorf("the run is over because %v", p.Over())
		}
	})
	synctest.Test(t, func(t *testing.T) {
		p := newProcess()
		p.Begin()
		p.Missing(3, func() string { return "rank 3 ended" })
		synctest.Wait()
		p.boot.end(errKilled)
		synctest.Wait()
		p.boot.check(t, "lost 3: 1")
		p.Finalize()
	})
}

// TestAbort: a rank that aborts because another one has died is not blamed.
func TestAbort(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newProcess()
		p.Abort(bridge.Abort{Reason: "the program wants it"})
		p.boot.check(t, "abort: the program wants it")

		p = newProcess()
		p.LostPeer(3, errKilled)
		synctest.Wait()
		p.boot.end(errKilled)
		p.Abort(bridge.Abort{Reason: "something is wrong"})
		p.boot.check(t, "lost 3: 0")

		p = newProcess()
		settled := p.SuspectPeer()
		p.boot.end(errKilled)
		p.Abort(bridge.Abort{Reason: "something is wrong"})
		settled()
		p.boot.check(t)

		p = newProcess()
		p.SuspectPeer()()
		p.Abort(bridge.Abort{Reason: "something is wrong"})
		p.boot.check(t, "abort: something is wrong")

		p = newProcess()
		p.LostPeer(3, errKilled)
		p.Abort(bridge.Abort{Reason: "something is wrong"}) // the launcher does not notice
		p.boot.check(t, "lost 3: 0", "abort: something is wrong")
		time.Sleep(reasonLimit)
	})
}
