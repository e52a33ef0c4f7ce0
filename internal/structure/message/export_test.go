package message

import (
	"runtime"
	"testing"

	"github.com/goacp/goacp/internal/fabric"
)

// CheckEmpty checks that neither messages that have come nor direct messages that this member has sent are left.
func (h *Engine) CheckEmpty(t *testing.T) {
	t.Helper()
	h.mu.Lock()
	defer h.mu.Unlock()
	for from := range h.in.Size() {
		if err := h.drain(from, nil); err != nil {
			t.Error(err)
		}
	}
	if len(h.unexpected.byLabel) != 0 || len(h.direct) != 0 || h.copies.out != 0 {
		t.Errorf("member %d has messages of %d labels, %d direct messages, and %d copies", h.self, len(h.unexpected.byLabel), len(h.direct), h.copies.out)
	}
}

// SetMessenger makes wrap of the messenger carry what the Engine sends. Nothing is under way.
func (h *Engine) SetMessenger(wrap func(fabric.Messenger) fabric.Messenger) {
	h.cfg.Messenger = wrap(h.cfg.Messenger)
}

// Areas returns how many blocks of collective areas there are.
func (h *Engine) Areas() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.areas)
}

// AwaitCalls waits until so many calls are under way.
func (h *Engine) AwaitCalls(n int64) {
	for h.calls.active.Load() < n {
		runtime.Gosched()
	}
}

// MemberGone is memberGone.
func (h *Engine) MemberGone(member int) { h.memberGone(member) }

// Absence is absence.
func (h *Engine) Absence(member int) error { return h.absence(member) }

// Limits of package message that tests reach.
const (
	EagerMax = eagerMax

	BroadcastPiece = broadcastPiece
	PieceMax       = pieceMax
	Delivering     = maxDelivering
	ReducePiece    = reducePiece
	ReduceWindow   = reduceWindow
)

// Step is one step of a reduction.
type Step struct {
	To   []int
	From int
	Left bool
}

// Exchanges returns the steps of a rank in a reduction.
func Exchanges(size, rank int) (steps []Step) {
	for _, s := range exchanges(size, rank) {
		steps = append(steps, Step{s.to, s.from, s.left})
	}
	return steps
}
