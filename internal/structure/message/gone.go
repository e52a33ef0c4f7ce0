package message

import (
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/goacp/goacp/internal/access/global"
	"github.com/goacp/goacp/internal/ground/activity"
)

// A member that leaves waits until its records have been delivered. When it is gone, other processes take what it has sent, and then fail
// to receive from it. If a member is gone before a function of a team has ended, a process that waits for this member fails, and sends an
// end to each process that waits for a message from it in turn. A process that knows of the loss when the function begins does so at once,
// and sends an end also to the process whose message it does not take.

// GoneError is an error about a member that is gone. It wraps global.ErrRankGone.
type GoneError struct{ Member, Rank int }

// Error names the rank.
func (e *GoneError) Error() string { return fmt.Sprintf("rank %d: %v", e.Rank, global.ErrRankGone) }

// Unwrap returns global.ErrRankGone.
func (e *GoneError) Unwrap() error { return global.ErrRankGone }

// gone returns the error about a member that is gone.
func (h *Engine) gone(member int) error {
	ranks := h.cfg.Memory.Ranks()
	if member >= ranks.Seats() {
		return fmt.Errorf("%w: a rank is gone that the run does not have", global.ErrProtocol)
	}
	return &GoneError{member, ranks.Rank(member)}
}

// orGone returns err, or the error about a member that is gone if err is one.
func (h *Engine) orGone(member int, err error) error {
	if errors.Is(err, global.ErrRankGone) {
		return h.gone(member)
	}
	return err
}

// absence waits until a member whose process has died is gone, or the run is over, and returns the error. The kernel may notice the end
// of a process before this one knows what it means for the run.
func (h *Engine) absence(member int) error {
	if err := h.park(activity.Receive, member, func() bool { return h.checkGone(member) != nil }); err != nil {
		return err
	}
	return h.checkGone(member)
}

// checkGone fails if a member is gone. It may be anyMember.
func (h *Engine) checkGone(member int) error {
	if member == anyMember {
		return nil
	}
	if gone := h.lost.Load(member); gone != nil {
		return gone
	}
	return nil
}

// memberGone ends what waits for a member that has left the run or is lost. Does not block.
func (h *Engine) memberGone(member int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	_ = h.drain(member, nil) // it may have taken messages; if that fails, nothing comes any more
	gone := &GoneError{member, h.cfg.Memory.Ranks().Rank(member)}
	h.lost.Store(member, gone)
	for _, d := range h.direct {
		if d.to == member {
			d.err = gone
			h.drop(d)
			d.done.Store(true)
		}
	}
	h.changed()
}

// sendEnd tells a member that this process neither sends nor takes a message with the label, if failed is about a member that is gone, or
// that it does not send the rest of a message, if failed is a CopyError.
func (h *Engine) sendEnd(l Label, to int, failed error) error {
	gone, lacking := (*GoneError)(nil), (*CopyError)(nil)
	end := &record{label: l}
	switch {
	case errors.As(failed, &gone):
		end.kind, end.size = kindEnded, uint64(gone.Member)
	case errors.As(failed, &lacking):
		end.kind, end.size = kindLacking, uint64(lacking.Member)
	}
	if end.kind == 0 || h.checkGone(to) != nil || to == h.self {
		return nil
	}
	s, err := h.streamTo(to)
	if err == nil {
		err = h.send(s, end, nil)
	}
	if errors.Is(err, global.ErrRankGone) {
		return nil
	}
	return err
}

// flow counts the records that are on the way to agents.
type flow struct {
	under   atomic.Int64
	waiting atomic.Bool // settle waits for the last of them
	leaving atomic.Bool // this process leaves while the run goes on
}

func (f *flow) begin() { f.under.Add(1) }

// end counts the arrival of a record, and reports whether settle waits for it.
func (f *flow) end() bool { return f.under.Add(-1) == 0 && f.waiting.Load() }

func (f *flow) idle() bool { return f.under.Load() == 0 }

// leaves notes that this process leaves its epoch.
func (h *Engine) leaves() error {
	h.flow.leaving.Store(true)
	return nil
}

// settle waits until all records have been delivered, if this process leaves while the run goes on, as guests do. Otherwise the run ends
// after the last message. No function of the program is under way.
func (h *Engine) settle() {
	if !h.flow.leaving.Load() && h.cfg.Memory.Cohort(h.self) == 0 {
		return
	}
	h.flow.waiting.Store(true)
	defer h.flow.waiting.Store(false)
	if !h.flow.idle() {
		_ = h.park(activity.Send, anyMember, h.flow.idle) // if it fails, the run is over
	}
}
