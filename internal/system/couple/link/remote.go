package link

import (
	"context"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/goacp/goacp/internal/access/global"
	"github.com/goacp/goacp/internal/fabric"
	"github.com/goacp/goacp/internal/system/couple/flow"
)

// remote is the values of one message that are sent by remote zero copy. It implements fabric.Completion.
type remote struct {
	notifier *notifier
	parts    atomic.Int64 // that are in flight
	fault    atomic.Pointer[error]
}

// Complete implements fabric.Completion.
func (c *remote) Complete(_ uint64, err error) {
	if err != nil {
		c.fault.CompareAndSwap(nil, &err)
	}
	if c.parts.Add(-1) == 0 {
		c.notifier.notify()
	}
}

var _ fabric.Completion = (*remote)(nil)

// begin is called when Send begins.
func (s *Sender) begin() {
	remote, busy := false, false
	for _, f := range s.flows {
		if f.to.Way == flow.Remote {
			remote, busy = true, busy || !f.idle()
		}
	}
	s.pace.Begin(&s.limits, remote, busy, time.Now())
}

// expect waits until receivers on other hosts are ready for their messages: first until the last message has arrived,
// and then about as long as it takes to unpack it.
func (s *Sender) expect(ctx context.Context, message int64) {
	for _, f := range s.flows {
		if f.to.Way != flow.Remote || !f.backoff.Waits(f.to.Ready.Number(), s.Messages, s.levels) {
			continue
		}
		ready := func() bool {
			_, over := f.reported()
			return over || f.to.Ready.Shows(s.Messages+1, message)
		}
		// On an error the time or the run is over; the next wait returns it.
		_ = s.await(ctx, func() *stream {
			if ready() || f.idle() {
				return nil
			}
			return f
		})
		short, cancel := context.WithTimeout(ctx, flow.Grace(f.size))
		_ = s.await(short, func() *stream {
			if ready() {
				return nil
			}
			return f
		})
		cancel()
		f.backoff.Waited(ready())
	}
}

// putOrPack lets the transport put the values of a message into the array of the receiver if that is ready, and packs them otherwise.
func (s *Sender) putOrPack(f *stream, h *flow.Slot, number uint64) {
	data, size, d := s.field.data.Base, uintptr(s.field.element.Size()), h.Division()
	committed := s.pace.Steady && f.to.Reserve(number, h.Step, nil)
	d.Reserved, d.Packed = f.to.Reserved, f.size
	if !committed {
		flow.Pack(f.values(h), data, &f.positions, size)
		return
	}
	d.Packed = 0
	s.pace.Start(time.Now())
	f.remote.parts.Add(1)
	for p := f.to.PairsOf(&f.positions); p.Left > 0; {
		from, to := p.Take(p.Left)
		f.remote.parts.Add(1)
		f.s.p.Messenger.Put(f.member, f.to.Data+uint64(to.Start)*uint64(size), unsafe.Add(data, uintptr(from.Start)*size),
			uint64(from.Count)*uint64(size), &f.remote)
	}
	f.remote.Complete(0, nil)
}

// leave waits until the values of remote zero copies have left the array. The agents of the receivers see to that, whatever their programs do.
func (s *Sender) leave() error {
	err := s.await(context.Background(), func() *stream {
		for _, f := range s.flows {
			if f.remote.parts.Load() > 0 {
				return f
			}
		}
		return nil
	})
	if err != nil {
		return s.wrap(nil, err)
	}
	for _, f := range s.flows {
		if fault := f.remote.fault.Load(); fault != nil {
			return s.wrap(f, global.Cause(*fault))
		}
	}
	s.pace.End(time.Now())
	return nil
}
