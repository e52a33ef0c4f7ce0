package link

import (
	"context"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/goacp/goacp/internal/access/global"
	"github.com/goacp/goacp/internal/fabric"
	"github.com/goacp/goacp/internal/system/couple/points"
)

// Values cross when the messenger puts them from the array of the sender straight into that of a receiver on another host.
// Nothing is packed then, but Send lasts until they have left the array. So values cross only if the program sends one message after the
// other: a program that computes in between loses less by packing, since the packed values travel while it computes.

// Crossing bounds the messages whose values cross. Tests change it while there are no links.
var Crossing = struct {
	Least  uint64 // bytes of a message
	PerRun uint64 // bytes of a message for each run of positions, on either side
	Always bool   // values cross however long the program computes in between
}{Least: 256 << 10, PerRun: 16 << 10}

// Crossed counts the messages of this process whose values have crossed, for tests.
var Crossed atomic.Uint64

// long reports whether the values of a flow, of size bytes each, lie in few runs of positions that follow each other.
func (f *flow) long(positions *points.List, size uint64) bool {
	if f.size < max(Crossing.Least, leastStraight) {
		return false
	}
	most := f.size / Crossing.PerRun
	for it := positions.All(); ; {
		r, ok := it.Next()
		if !ok {
			return true
		}
		if most == 0 || r.Count > 1 && r.Stride != 1 {
			return false
		}
		most--
	}
}

// crossing is the values of one message that are on the way. It implements fabric.Completion.
type crossing struct {
	bell  *bellTower
	parts atomic.Int64 // that are on the way
	fault atomic.Pointer[error]
}

// Complete implements fabric.Completion.
func (c *crossing) Complete(_ uint64, err error) {
	if err != nil {
		c.fault.CompareAndSwap(nil, &err)
	}
	if c.parts.Add(-1) == 0 {
		c.bell.ring()
	}
}

var _ fabric.Completion = (*crossing)(nil)

// pace is how fast the program sends one message after the other.
type pace struct {
	steady       bool      // hardly any time passes between two calls of Send
	began, ended time.Time // when the values of the last message began to cross, and when they had; zero: they were packed
}

// begin is called when Send begins. The program is fast if the last message is still on the way, or if it has computed
// for less than a quarter of the time that the values of that message have taken to cross.
func (p *pace) begin(flows []*flow) {
	p.steady = false
	for _, f := range flows {
		if f.to.far && (Crossing.Always || !f.idle() || time.Since(p.ended) < p.ended.Sub(p.began)/4) {
			p.steady = true
			break
		}
	}
	p.began, p.ended = time.Time{}, time.Time{}
}

// cross is called when values begin to cross.
func (p *pace) cross() {
	if !p.crosses() {
		p.began = time.Now()
	}
}

// crosses reports whether values of the present message cross.
func (p *pace) crosses() bool { return !p.began.IsZero() }

// patience is how a sender waits for the receiver to show its array.
type patience struct {
	misses uint64 // how often it has waited in vain since the last time that it has not
	pause  uint64 // for how many messages it does not wait
}

// mostMisses bounds how many messages a sender sends before it waits again: 2 to that power.
const mostMisses = 6

// waits reports whether to wait for the receiver, to which count messages have been sent: whether it has waited for one of the last.
func (f *flow) waits(count, levels uint64) bool {
	shown := atomic.LoadUint64(&f.to.post.number)
	if shown == 0 || shown+levels < count {
		return false
	}
	if f.patience.pause > 0 {
		f.patience.pause--
		return false
	}
	return true
}

// waited notes whether the receiver has shown its array in time.
func (p *patience) waited(shown bool) {
	if shown {
		*p = patience{}
		return
	}
	p.misses = min(p.misses+1, mostMisses)
	p.pause = 1<<p.misses - 1
}

// grace is how long a sender waits for the array of a receiver whose last message has arrived: a round trip, and
// the time to unpack that message.
func (f *flow) grace() time.Duration {
	return 200*time.Microsecond + time.Duration(f.size/4)
}

// expect waits for the arrays of far receivers that wait for their messages: first until the last message has arrived,
// and then not much longer than it takes to unpack that.
func (s *Sender) expect(ctx context.Context, message int64) {
	for _, f := range s.flows {
		if !f.to.far || !f.waits(s.count, s.levels) {
			continue
		}
		ready := func() bool {
			_, over := f.told()
			return over || f.to.shows(s.count+1, message)
		}
		// An error says that the time is over, or the run, which the next wait finds.
		_ = s.await(ctx, func() *flow {
			if ready() || f.idle() {
				return nil
			}
			return f
		})
		short, cancel := context.WithTimeout(ctx, f.grace())
		_ = s.await(short, func() *flow {
			if ready() {
				return nil
			}
			return f
		})
		cancel()
		f.patience.waited(ready())
	}
}

// shows reports whether a post is for a message.
func (t *destination) shows(number uint64, step int64) bool {
	word, shown := t.post.read()
	return word&mostMissing > 0 && shown.number == number && shown.step == step
}

// cross lets the values of a message cross if the receiver waits, and packs them otherwise.
func (s *Sender) cross(f *flow, h *slotHead, count uint64) {
	data, size, d := s.field.data.Base, uintptr(s.field.element.Size()), h.division()
	crosses := s.pace.steady && f.to.claim(count+1, h.step, nil)
	d.claim, d.packed = f.to.claimed, f.size
	if !crosses {
		pack(f.values(h), data, &f.positions, size)
		return
	}
	d.packed = 0
	s.pace.cross()
	Crossed.Add(1)
	f.crossing.parts.Add(1)
	for p := (pairs{f.positions.All(), f.to.runs.All(), f.positions.Len()}); p.left > 0; {
		from, to := p.take(p.left)
		f.crossing.parts.Add(1)
		f.s.p.Messenger.Put(f.member, f.to.data+uint64(to.Start)*uint64(size), unsafe.Add(data, uintptr(from.Start)*size),
			uint64(from.Count)*uint64(size), &f.crossing)
	}
	f.crossing.Complete(0, nil)
}

// leave waits until the values that cross have left the array. The agents of the receivers see to that, whatever their programs do.
func (s *Sender) leave() error {
	err := s.await(context.Background(), func() *flow {
		for _, f := range s.flows {
			if f.crossing.parts.Load() > 0 {
				return f
			}
		}
		return nil
	})
	if err != nil {
		return s.wrap(nil, err)
	}
	for _, f := range s.flows {
		if fault := f.crossing.fault.Load(); fault != nil {
			return s.wrap(f, global.Cause(*fault))
		}
	}
	s.pace.ended = time.Now()
	return nil
}
