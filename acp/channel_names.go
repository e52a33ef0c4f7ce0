package acp

import (
	"fmt"
	"sync/atomic"

	"github.com/goacp/goacp/internal/channel"
)

// How bindings of other languages, whose hot path works on the same endpoints, name
// channels and requests.

// number is RequestNumber of package binding.
func (r *Request) number() uint64 {
	if r.Done() && r.err == nil {
		return channel.Finished(uint64(r.n))
	}
	s := r.c.p.channels
	s.mu.Lock()
	defer s.mu.Unlock()
	s.names++
	name := channel.Counted(s.names)
	s.posted[name] = r
	return name
}

// channelNumbered is Channel of package binding.
func (p *Process) channelNumbered(name uint64) (*Channel, error) {
	if c := p.channels.find(channel.Name(name)); c != nil && uint64(c.name) == name {
		return c, nil
	}
	return nil, p.lifeError("channel", ErrChannelFreed)
}

// requestNumbered is Request of package binding.
func (p *Process) requestNumbered(name uint64) (*Request, error) {
	s := p.channels
	if i, ok := channel.Sent(name); ok {
		if r := s.sentByC(i, name); r != nil {
			return r, nil
		}
	}
	if i, ok := channel.Owner(name); ok {
		if c := s.at(i); c != nil && c.lock() {
			c.adopt()
			c.unlock()
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.posted[name]
	if r == nil {
		return nil, p.lifeError("wait", fmt.Errorf("%w: %#x", ErrNoRequest, name))
	}
	delete(s.posted, name)
	return r, nil
}

// wakeOther is Wake of package binding.
func (c *Channel) wakeOther() {
	if !c.lock() {
		return
	}
	if e := c.end(); e.Has(channel.Sender) {
		c.callReceiver(e)
	} else {
		c.callSender(e)
	}
	c.unlock()
}

// adopt makes a receive that C has posted one like all others. The caller holds the lock.
func (c *Channel) adopt() {
	e := c.end()
	if e.Has(channel.Sender) || e.Request == 0 {
		return
	}
	r := &Request{c: c, kind: requestRecv, buf: e.TakePosted(), name: e.Request}
	e.Request = 0
	atomic.StoreUint32(&e.Ring.Looking, 0) // this side looks for records after that
	c.p.channels.remember(r)
	c.need().queue(r) // C posts only if nothing is queued
}

// sentByC returns the request of a long message that C has sent from the endpoint at a
// place, or nil if no message can have been sent from there.
func (s *channels) sentByC(index int, name uint64) *Request {
	c := s.at(index)
	if c == nil || !c.lock() {
		return s.sentBefore(index, name)
	}
	defer c.unlock()
	e := c.end()
	if !e.Has(channel.Sender) {
		return s.sentBefore(index, name)
	}
	end, fate := e.Ends(name)
	switch {
	case fate == channel.NeverSent:
		return nil
	case fate == channel.Taken:
		return s.sent
	case !c.mayEnd(e, end):
		return nil
	}
	r := &Request{c: c, kind: requestSend, size: int(e.Room), end: end}
	c.need().expect(r) // finished at once if the message has been taken
	return r
}

// mayEnd reports whether the record of a long message may end at a place of the ring. It
// may unless the record is still there and is another.
func (c *Channel) mayEnd(e *channel.Endpoint, end uint64) bool {
	if e.Ring == nil || end <= atomic.LoadUint64(&e.Ring.Head) {
		return true
	}
	rec, ok := e.Before(end)
	return ok && rec.Kind() == channel.Direct
}

// sentBefore is sentByC for a place where no sender is.
func (s *channels) sentBefore(index int, name uint64) *Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	if index >= len(s.all) || s.table.Fate(index, name) == channel.NeverSent {
		return nil
	}
	return s.sent // it was taken before the channel was freed
}

// remember makes a request known by its name.
func (s *channels) remember(r *Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.posted[r.name] = r
}

// at returns the channel at a place of the table, or nil.
func (s *channels) at(index int) *Channel {
	s.mu.Lock()
	defer s.mu.Unlock()
	if index >= len(s.all) {
		return nil
	}
	return s.all[index]
}
