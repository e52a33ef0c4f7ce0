package acp

import (
	"net/netip"

	"github.com/goacp/goacp/internal/fabric"
	"github.com/goacp/goacp/internal/memory/maptable"
	"github.com/goacp/goacp/internal/memory/segment"
	"github.com/goacp/goacp/internal/process/extension"
	"github.com/goacp/goacp/internal/structure/channel"
)

// RefuseMapping makes a rank with this configuration fail with the error of refuse when it
// maps the memory of a member for which that is not nil.
func (c *Config) RefuseMapping(refuse func(member int) error) {
	c.attach = func(p segment.PeerInfo) (*segment.View, error) {
		if err := refuse(p.Member); err != nil {
			return nil, err
		}
		return segment.Attach(p)
	}
}

// Direct returns the table of memory that this process reaches by loads and stores.
func (p *Process) Direct() *maptable.Table { return p.direct }

// Request returns the request with a handle, as bindings get it.
func (p *Process) Request(handle uint64) (*channel.Request, error) { return p.requestByHandle(handle) }

// AgentOf returns the addresses at which the agent of a member listens.
func (p *Process) AgentOf(member int) []netip.AddrPort { return p.met.Members.Agent(member) }

// Forward carries out the part of this process's agent in the third-party copy of another rank.
func (p *Process) Forward(pos uint64, dst int, dstPos, n uint64, done fabric.Completion) {
	p.router.Forward(pos, dst, dstPos, n, done)
}

// LosePeer does what follows when a connection to a member breaks.
func (p *Process) LosePeer(member int, err error) { p.lifecycle.LostPeer(member, err) }

// LeaveOutExtensions makes a rank with this configuration open no extension.
func (c *Config) LeaveOutExtensions() { c.extensions = []extension.Entry{} }

// MaySpin reports whether a thread that waits now spins before it parks.
func (p *Process) MaySpin() bool { return p.budget.Spin() > 0 }
