package message

import (
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/goacp/goacp/internal/access/global"
	"github.com/goacp/goacp/internal/ground/activity"
)

// A member that leaves waits until its messages have been delivered. When it is gone, the others take those messages, and then fail to
// receive from it. If a member is gone before a function of a team has ended, processes that wait for it fail, and send an end to those
// that wait for them. So do processes that know it when the function begins, also to those whose message they do not take.

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
		return fmt.Errorf("%w: member %d is gone", global.ErrProtocol, member)
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

// sendEnd sends a member of a team that this process sends and takes no message with the label, if failed is about a member that is gone.
func (h *Engine) sendEnd(l Label, to int, failed error) error {
	gone := (*GoneError)(nil)
	if !errors.As(failed, &gone) || h.checkGone(to) != nil || to == h.self {
		return nil
	}
	s, err := h.streamTo(to)
	if err == nil {
		err = h.send(s, &record{kind: kindEnded, label: l, size: uint64(gone.Member)}, nil)
	}
	if errors.Is(err, global.ErrRankGone) {
		return nil
	}
	return err
}

// flow counts the records that are on the way to agents.
type flow struct {
	under   atomic.Int64
	waiting atomic.Bool // for the last of them
}

func (f *flow) begin() { f.under.Add(1) }

// end counts the arrival of a record, and reports whether flush waits for it.
func (f *flow) end() bool { return f.under.Add(-1) == 0 && f.waiting.Load() }

func (f *flow) idle() bool { return f.under.Load() == 0 }

// flush waits until all records have been delivered. No function of the program is under way.
func (h *Engine) flush() error {
	h.flow.waiting.Store(true)
	defer h.flow.waiting.Store(false)
	if h.flow.idle() {
		return nil
	}
	return h.park(activity.Send, anyMember, h.flow.idle)
}

// settle is flush for a guest, which ends while the run goes on. The run ends after the last message otherwise.
func (h *Engine) settle() {
	if h.cfg.Memory.Cohort(h.self) != 0 {
		_ = h.flush() // if it fails, the run is over
	}
}
