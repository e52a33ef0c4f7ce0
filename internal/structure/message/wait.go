package message

import (
	"github.com/goacp/goacp/internal/ground/activity"
	"github.com/goacp/goacp/internal/ground/wait"
)

// wait waits for what a member, or anyMember, sends. It returns when ready holds, or fails if the
// run is over first. A change of what ready depends on notifies the event count. Readers of the
// activity page see the kind of the wait.
func (h *Engine) wait(kind activity.Kind, peer int, ready func() bool) error {
	if peer != anyMember && peer != h.self && h.in.Load(peer) == nil {
		return h.waitForAgent(kind, peer, ready)
	}
	wait.Spin(h.cfg.Budget.Spin(), func() bool { return ready() || h.over.Load() != nil })
	return h.park(kind, peer, ready)
}

// waitForAgent is wait for what comes by the agent of another member.
func (h *Engine) waitForAgent(kind activity.Kind, peer int, ready func() bool) error {
	h.cfg.Messenger.PollInline(peer, h.cfg.Budget.Spin(), func() bool { return ready() || h.over.Load() != nil })
	return h.park(kind, peer, ready)
}

// park is wait without spinning.
func (h *Engine) park(kind activity.Kind, peer int, ready func() bool) error {
	if ready() {
		return nil
	}
	defer h.cfg.Budget.Unpark(h.cfg.Budget.Park(activity.On(kind, peer)))
	return h.events.Load().Park(func() (bool, error) {
		if ready() {
			return true, nil
		}
		return false, h.alive()
	})
}
