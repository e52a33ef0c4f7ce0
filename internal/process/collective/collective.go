package collective

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/goacp/goacp/bridge"
	"github.com/goacp/goacp/internal/fabric"
	"github.com/goacp/goacp/internal/ground/activity"
	"github.com/goacp/goacp/internal/memory/ga"
	"github.com/goacp/goacp/internal/process/barrier"
)

// ErrDisagree says that the ranks have called different collective functions, or one of them
// with arguments that do not fit together.
var ErrDisagree = errors.New("the ranks disagree")

// Config is what a Caller needs of its process. All fields but Page are required.
type Config struct {
	Ranks   *ga.Ranks // the members that call collective functions together
	Boot    bridge.Bootstrap
	Barrier *barrier.Barrier // its Over says why the run is over
	Page    *activity.Page   // where exchanges say that they wait; may be nil
	Running context.Context  // ends with the run

	// Ask lets another member answer with its Serve. It returns the length of the answer.
	Ask func(member int, answer []byte) (int, error)
	// Reason returns why the run is over. Its argument says only that another rank cannot be
	// reached. It may wait until the launcher says more.
	Reason func(error) error
	// Abort ends the run for a reason that this process has found.
	Abort func(reason string)
	// Lose ends all waiting of this process: the run is over.
	Lose func(err error)
}

// Caller calls collective functions, on one goroutine at a time. Serve, Ask and Finalizing may
// be called at any time.
type Caller struct {
	cfg        Config
	called     atomic.Pointer[Call] // in which this process waits; nil stands for acp_sync
	finalizing atomic.Bool          // MPI_Finalize has begun
}

// New returns a Caller.
func New(cfg Config) *Caller { return &Caller{cfg: cfg} }

// Begin waits until every rank has called a collective function. If they are not all c, the
// run is over and the error wraps ErrDisagree.
func (p *Caller) Begin(c Call) error {
	if c.Function != Sync {
		called := c // so that a Sync allocates nothing
		p.called.Store(&called)
	}
	agreed, err := p.cfg.Barrier.Wait(c.Mark())
	switch {
	case err != nil:
		return p.cfg.Reason(err)
	case !agreed:
		return p.disagree(c)
	}
	if c.Function != Sync {
		p.called.Store(nil)
	}
	return nil
}

// Unanimous is a further barrier of the collective function that has begun on every rank. It reports whether all ranks have passed
// true. If they have not, the barrier has to be formed anew before its next use.
func (p *Caller) Unanimous(yes bool) (all bool, err error) {
	mark := uint64(1)
	if yes {
		mark = 0
	}
	agreed, err := p.cfg.Barrier.Wait(mark)
	if err != nil {
		return false, p.cfg.Reason(err)
	}
	return agreed && yes, nil
}

// FinishSync is Begin of acp_sync for a process that has counted itself in the barrier.
func (p *Caller) FinishSync() error {
	agreed, err := p.cfg.Barrier.Finish(Call{}.Mark())
	if err == nil && !agreed {
		err = p.disagree(Call{})
	}
	return err
}

// disagreeLimit is how long a rank waits for the end of a run whose ranks have called
// different functions.
const disagreeLimit = 10 * time.Second

// disagree ends the run because not every rank has called c. Every rank does this. The first member
// finds out which rank has called what, and tells the launcher.
func (p *Caller) disagree(c Call) error {
	if p.cfg.Ranks.Self() == p.cfg.Ranks.First() {
		reason := p.difference(c)
		p.cfg.Abort(reason)
		return fmt.Errorf("%w: %s", ErrDisagree, reason)
	}
	select {
	case <-p.cfg.Boot.Lost():
		return fmt.Errorf("%w: %w", ErrDisagree, p.cfg.Boot.Err())
	case <-time.After(disagreeLimit):
	}
	p.cfg.Lose(ErrDisagree)
	return fmt.Errorf("%w: this one has called %v", ErrDisagree, c)
}

// difference says which other rank has called what in place of c.
func (p *Caller) difference(c Call) string {
	ranks := p.cfg.Ranks
	own := ranks.Own()
	var failed error
	for _, m := range ranks.Members() {
		if m == ranks.Self() {
			continue
		}
		other, err := p.Ask(m)
		if err == nil && other.Call != c {
			return fmt.Sprintf("rank %d called %v while rank %d called %v", ranks.Rank(m), other.Call, own, c)
		}
		failed = errors.Join(failed, err)
	}
	if failed != nil {
		return fmt.Sprintf("not every rank called %v as rank %d did: %v", c, own, failed)
	}
	return fmt.Sprintf("not every rank called %v as rank %d did", c, own)
}

// Ask asks another member for its Progress. It waits for the answer.
func (p *Caller) Ask(member int) (Progress, error) {
	answer := make([]byte, ProgressBytes)
	n, err := p.cfg.Ask(member, answer)
	if err != nil {
		return Progress{}, err
	}
	return decodeProgress(answer[:n])
}

// Serve answers Ask of another member. It does not block.
func (p *Caller) Serve(answer []byte) (int, error) {
	if len(answer) < ProgressBytes {
		return 0, fmt.Errorf("room for %d bytes, but an answer about collective functions has %d", len(answer), ProgressBytes)
	}
	g := Progress{Barriers: p.cfg.Barrier.Count(), Finalizing: p.finalizing.Load()}
	if called := p.called.Load(); called != nil {
		g.Call = *called
	}
	return copy(answer, g.encode()), nil
}

// Finalizing notes that MPI_Finalize has begun. It reports whether that was known.
func (p *Caller) Finalizing() (known bool) { return p.finalizing.Swap(true) }

// Gather begins the collective function f and gives every rank the blobs of all, in order
// of members.
func (p *Caller) Gather(f Function, blob []byte) ([][]byte, error) {
	if err := p.Begin(Call{Function: f}); err != nil {
		return nil, err
	}
	return p.Exchange(f, blob)
}

// Exchange gives every rank the blobs of all, in order of members, or fails because the
// run is over. It is a part of the collective function f, which has begun on every rank.
func (p *Caller) Exchange(f Function, blob []byte) ([][]byte, error) {
	defer p.cfg.Page.Wake(p.cfg.Page.Sleep(activity.For(activity.Exchange)))
	blobs, err := p.cfg.Boot.Exchange(p.cfg.Running, append([]byte{byte(f)}, blob...))
	if err != nil {
		if over := p.cfg.Barrier.Over(); over != nil {
			return nil, over
		}
		return nil, fmt.Errorf("%w: %w", fabric.ErrPeerDead, err)
	}
	for i, b := range blobs {
		if len(b) == 0 || Function(b[0]) != f {
			return nil, fmt.Errorf("%w: rank %d takes no part in %v", ErrDisagree, p.cfg.Ranks.Rank(p.cfg.Ranks.Members()[i]), f)
		}
		blobs[i] = b[1:]
	}
	return blobs, nil
}
