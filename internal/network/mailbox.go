package network

import "github.com/goacp/goacp/internal/fabric/mailbox"

// Mailbox returns what posts requests for unmapped memory of a member in its mailbox. It returns nil if this
// process does not map memory of the member, and while the member does not poll. Does not block.
func (n *Network) Mailbox(member int) *mailbox.Sender {
	if !n.Shares(member) || n.allAtomics {
		return nil
	}
	v, err := n.mapper.View(member)
	if err != nil || !v.Mail().Open() {
		return nil
	}
	return v.Mail()
}
