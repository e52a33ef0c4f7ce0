package acp

import (
	"math/bits"
	"sync/atomic"

	"github.com/goacp/goacp/internal/fabric/segment"
	"github.com/goacp/goacp/internal/futex"
	"github.com/goacp/goacp/internal/wait"
)

// How channels go on while their process computes. Who does something for which the
// other end waits, and finds that nobody is looking there, rings the bell of that
// process. A goroutine sleeps until then. It is started with the first request that
// waits; a process whose requests never wait does not have it.

// answerCalls starts that goroutine unless it runs.
func (s *channels) answerCalls() {
	if s.running.Load() {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.running.Load() || s.stopping.Load() {
		return
	}
	s.runner.Add(1)
	go s.answer()
	s.running.Store(true)
	atomic.StoreUint32(&s.table.Running, 1)
}

// answer serves the channels for which the bell rings, until the process ends.
func (s *channels) answer() {
	defer s.runner.Done()
	bell := s.p.space.Doorbell()
	for !s.stopping.Load() {
		seen := atomic.LoadUint32(bell.Rung)
		letters := s.drain()
		hot := atomic.SwapUint64(bell.Hot, 0)
		for _, c := range s.meantBy(hot) {
			if c.lock() {
				c.unlock()
			}
		}
		if !letters && hot == 0 {
			futex.Wait(bell.Rung, seen, wait.LongestPark)
		}
	}
}

// meantBy returns the channels that the bits of a bell stand for.
func (s *channels) meantBy(hot uint64) []*Channel {
	if hot == 0 {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	var list []*Channel
	for ; hot != 0; hot &= hot - 1 {
		for i := bits.TrailingZeros64(hot); i < len(s.all); i += 64 {
			if s.all[i] != nil {
				list = append(list, s.all[i])
			}
		}
	}
	return list
}

// doorbell returns the bell of a member, or false if it cannot be rung from here.
func (p *Process) doorbell(member int) (segment.Doorbell, bool) {
	if !p.net.Shares(member) {
		return segment.Doorbell{}, false
	}
	v, err := p.net.View(member)
	if err != nil {
		return segment.Doorbell{}, false
	}
	return v.Doorbell(), true
}

// stop ends the answering of calls, for good.
func (s *channels) stop() {
	s.mu.Lock()
	s.stopping.Store(true)
	s.mu.Unlock()
	s.p.space.Doorbell().Wake()
	s.runner.Wait()
}

// dispose ends the life of all channels. Their requests fail with err. When it returns,
// nothing of this process is on its way to the channels of others.
func (s *channels) dispose(err error) {
	s.mu.Lock()
	all := s.all
	s.all = make([]*Channel, len(all))
	clear(s.posted)
	s.mu.Unlock()
	for _, c := range all {
		if c != nil && c.lock() {
			c.dispose(err)
		}
	}
	s.calls.Wait()
}

// renumber begins the numbering of the channels between two processes anew. All have
// disposed of theirs.
func (s *channels) renumber() {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.pairs)
}

// dispose ends the life of the channel. The caller holds the lock, which is given back.
func (c *Channel) dispose(err error) {
	e := c.end()
	c.adopt()
	c.need()
	c.finishAll(err)
	c.dead = true
	e.Cease()
	e.Drop()
	c.p.channels.forget(c)
	c.mu.Unlock()
}
