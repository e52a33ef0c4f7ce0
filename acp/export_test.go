package acp

import (
	"net/netip"

	"github.com/goacp/goacp/internal/fabric/segment"
)

// RefuseMapping makes a rank with this configuration fail with the error of refuse when it
// maps the memory of a member for which that is not nil.
func (c *Config) RefuseMapping(refuse func(member int) error) {
	c.attach = func(p segment.Place) (*segment.View, error) {
		if err := refuse(p.Member); err != nil {
			return nil, err
		}
		return segment.Attach(p)
	}
}

// AgentOf returns the addresses at which the agent of a member listens.
func (p *Process) AgentOf(member int) []netip.AddrPort { return p.members.Agent(member) }
