package router

import (
	"github.com/goacp/goacp/internal/memory/mailbox"
	"github.com/goacp/goacp/internal/memory/segment"
)

// Mailbox returns what posts a request of a kind for unmapped memory of a member in its mailbox. It returns nil if this
// process does not map memory of the member, and while the member does not poll. In the latter case it may wake
// the agent of the member, for operations that follow. Does not block.
func (r *Router) Mailbox(member int, kind mailbox.Kind) *mailbox.Sender {
	if !r.Shares(member) || r.allAtomics {
		return nil
	}
	v, err := r.mapper.View(member)
	if err != nil {
		return nil
	}
	mail := v.Mail()
	if mail.Open(kind) {
		return mail
	}
	if mail.Missed() {
		r.wakeAgent(member, mail)
	}
	return nil
}

// wakeAgent sends the agent of a member a request that does nothing, behind which it polls if it may. If the
// member is gone, the run is about to end. Does not block.
func (r *Router) wakeAgent(member int, mail *mailbox.Sender) {
	r.env.Messenger.Get(member, segment.StarterOffset, nil, 0, (*woken)(mail))
}

// woken is the Completion of a request that wakes an agent.
type woken mailbox.Sender

// Complete implements fabric.Completion.
func (k *woken) Complete(uint64, error) { (*mailbox.Sender)(k).Answered() }
