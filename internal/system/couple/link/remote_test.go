package link

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/goacp/goacp/internal/system/couple/flow"
	"github.com/goacp/goacp/internal/system/couple/wire"
)

// small lets all messages go by remote zero copy that may go by zero copy, however long a program computes.
var small = flow.Limits{Least: 4 << 10, PerRun: 64, Always: true}

// playFar is play with each rank on a host of its own.
func playFar(t *testing.T, n parts, mapped bool, part func(c *crew) error) {
	t.Helper()
	playOnHosts(t, 3, small, n, mapped, part)
}

// TestRemote: the values of the last sender of a message that a receiver waits for go by remote zero copy, whichever it is.
func TestRemote(t *testing.T) {
	for _, n := range []parts{both, {3, 50000}, {50000, 3}} {
		for _, first := range []int{0, 1} {
			t.Run(fmt.Sprint(n, first), func(t *testing.T) {
				playFar(t, n, true, func(c *crew) error {
					zeroCopied := uint64(n[1-first]) * 8
					if n[1-first] == 3 {
						zeroCopied = 0
					}
					if c.rank == 2 {
						if err := c.receiver.Receive(c.ctx, 0); err != nil {
							return err
						}
						return c.complete(n, zeroCopied)
					}
					switch {
					case c.rank == first:
					case zeroCopied > 0:
						c.awaitReady() // the other message has come
					default:
						<-c.turn[c.rank]
					}
					err := c.sender.Send(c.ctx, 0)
					c.turn[1-c.rank] <- struct{}{}
					return err
				})
			})
		}
	}
}

// TestRemoteBesideLocal: a sender on the host of the receiver has reserved its part, and a sender on another host
// sends its values by remote zero copy. Then the first sender continues.
func TestRemoteBesideLocal(t *testing.T) {
	playOnHosts(t, 2, small, both, true, func(c *crew) error {
		switch c.rank {
		case 0:
			c.awaitReady()
			f := c.sender.flows[0]
			f.to.Reserve(1, 0, f.find)
			for c.stillMissing() > 0 {
				runtime.Gosched()
			}
			return c.sender.Send(c.ctx, 0)
		case 1:
			c.awaitReady()
			return c.sender.Send(c.ctx, 0)
		}
		if err := c.receiver.Receive(c.ctx, 0); err != nil {
			return err
		}
		return c.complete(both, uint64(both[0]+both[1])*8)
	})
}

// TestRemoteNeedsPublishedMemory: values for memory of the receiver that other hosts do not reach are packed.
func TestRemoteNeedsPublishedMemory(t *testing.T) {
	playFar(t, both, false, func(c *crew) error {
		if c.rank < 2 {
			return c.sender.Send(c.ctx, 0)
		}
		if err := c.receiver.Receive(c.ctx, 0); err != nil {
			return err
		}
		return c.complete(both, 0)
	})
}

// TestRecall: a receiver that gives up withdraws its request to a sender, leaves its array unchanged, and gets the
// message with the next call.
func TestRecall(t *testing.T) {
	playFar(t, both, true, func(c *crew) error {
		switch c.rank {
		case 0:
			return c.sender.Send(c.ctx, 0)
		case 1:
			c.awaitReady()
			c.turn[2] <- struct{}{}
			<-c.turn[1]
			c.awaitReady()
			return c.sender.Send(c.ctx, 0)
		}
		short, cancel := context.WithCancel(c.ctx)
		go func() {
			<-c.turn[2]
			cancel()
		}()
		if err := c.receiver.Receive(short, 0); !errors.Is(err, context.Canceled) {
			return fmt.Errorf("error %v of a call whose context has ended", err)
		}
		if err := c.unchanged(); err != nil {
			return err
		}
		c.turn[1] <- struct{}{}
		if err := c.receiver.Receive(c.ctx, 0); err != nil {
			return err
		}
		return c.complete(both, uint64(both[1])*8)
	})
}

// TestRecallTooLate: when the sender that has been asked has reserved its part, the receiver gets the message though its time is up.
func TestRecallTooLate(t *testing.T) {
	short, cancel := context.WithCancel(t.Context())
	playFar(t, both, true, func(c *crew) error {
		switch c.rank {
		case 1:
			c.awaitReady()
			f := c.sender.flows[0]
			if !f.to.Reserve(1, 0, f.find) {
				return errors.New("the sender that has been asked does not commit zero copy")
			}
			cancel()
			time.Sleep(5 * time.Millisecond) // the receiver is refused during that time
			return c.sender.Send(c.ctx, 0)
		case 2:
			if err := c.receiver.Receive(short, 0); err != nil {
				return err
			}
			return c.complete(both, uint64(both[1])*8)
		}
		return c.sender.Send(c.ctx, 0)
	})
}

// TestAskedSenderEnds: if the sender that has been asked closes the link or sends another step, the values are as before.
func TestAskedSenderEnds(t *testing.T) {
	for _, want := range []error{ErrEnded, ErrStep} {
		t.Run(want.Error(), func(t *testing.T) {
			playFar(t, both, true, func(c *crew) error {
				switch {
				case c.rank == 0:
					return c.sender.Send(c.ctx, 0)
				case c.rank == 1:
					c.awaitReady()
					if want == ErrStep {
						return c.sender.Send(c.ctx, 5)
					}
					return nil // and closes its end
				}
				if err := c.receiver.Receive(c.ctx, 0); !errors.Is(err, want) {
					return fmt.Errorf("error %v, expected %v", err, want)
				}
				return c.unchanged()
			})
		})
	}
}

// TestRemoteHurriedly: a receiver that gives up again and again, at any time, gets each message whole, and has none before.
func TestRemoteHurriedly(t *testing.T) {
	const steps = 300
	n := parts{600, 3000}
	zeroCopied := uint64(0)
	playFar(t, n, true, func(c *crew) error {
		r := rand.New(rand.NewPCG(1, uint64(c.rank)))
		for step := range int64(steps) {
			if c.rank < 2 {
				for i := range c.data {
					c.data[i] = float64(step*10000) + sent(c.rank, i)
				}
				time.Sleep(time.Duration(r.IntN(300)) * time.Microsecond)
				if err := c.sender.Send(c.ctx, step); err != nil {
					return err
				}
				continue
			}
			for i := range c.data {
				c.data[i] = -1
			}
			for {
				short, cancel := context.WithTimeout(c.ctx, time.Duration(r.IntN(400))*time.Microsecond)
				err := c.receiver.Receive(short, step)
				cancel()
				if err == nil {
					break
				}
				if err := errors.Join(c.unchanged(), c.ctx.Err()); !errors.Is(err, context.DeadlineExceeded) && err != nil {
					return err
				}
			}
			for i, x := range c.data {
				want := float64(step*10000) + sent(0, i)
				if int64(i) >= n[0] {
					want = float64(step*10000) + sent(1, i-int(n[0]))
				}
				if x != want {
					return fmt.Errorf("step %d: value %d is %v, expected %v", step, i, x, want)
				}
			}
		}
		if c.rank == 2 {
			zeroCopied = c.receiver.zeroCopied
		}
		return nil
	})
	if zeroCopied == 0 {
		t.Error("no message has gone by remote zero copy")
	}
}

// TestSteadySender: a program that sends large messages one after the other to a receiver that waits lets them go by remote zero copy.
func TestSteadySender(t *testing.T) {
	stop := atomic.Bool{}
	deadline, zeroCopied := time.Now().Add(20*time.Second), atomic.Uint64{}
	playOnHosts(t, 3, flow.Limits{}, parts{1000, 1 << 18}, true, func(c *crew) error {
		for step := int64(0); ; step++ {
			switch c.rank {
			case 0:
				// The last step is the same for all: the other ranks see it in the values.
				if zeroCopied.Load() > 3 || time.Now().After(deadline) {
					stop.Store(true)
				}
				c.data[0] = 0
				last := stop.Load()
				if last {
					c.data[0] = 1
				}
				c.turn[1] <- struct{}{}
				if err := c.sender.Send(c.ctx, step); err != nil || last {
					close(c.turn[1])
					return err
				}
			case 1:
				if _, more := <-c.turn[1]; !more {
					return nil
				}
				if err := c.sender.Send(c.ctx, step); err != nil {
					return err
				}
			case 2:
				before := c.receiver.zeroCopied
				if err := c.receiver.Receive(c.ctx, step); err != nil || c.data[0] == 1 {
					return err
				}
				if c.receiver.zeroCopied > before {
					zeroCopied.Add(1)
				}
			}
		}
	})
	if zeroCopied.Load() == 0 {
		t.Error("no message has gone by remote zero copy in 20 s")
	}
}

// TestServeReady: messages of other ranks about ready receivers change only flows that these ranks receive.
func TestServeReady(t *testing.T) {
	s := alone(t)
	e := &end{s: s, field: &Field{model: new(Model)}, shown: s.p.Page.ShowLink("a.x>b.y", false, 1)}
	e.begins()
	f := &stream{end: e, s: s, member: 0, to: flow.Destination{Way: flow.Remote, Ready: new(flow.Ready)}}
	e.flows = []*stream{f}
	f.shown.Store(f.to.Ready)
	s.flows.enter(f)
	var w wire.Writer
	for _, x := range []uint64{uint64(f.number), 3, 7, 64} {
		w.Number(x)
	}
	w.Signed(-5)
	recall := func(number uint32) byte {
		var w wire.Writer
		w.Number(uint64(number))
		answer, err := s.ask(t.Context(), 0, opRecall, w, 1)
		if err != nil || len(answer) != 1 {
			t.Fatalf("answer %v, %v", answer, err)
		}
		return answer[0]
	}
	for range 2 {
		if _, err := s.ask(t.Context(), 0, opReady, w, 0); err != nil {
			t.Fatal(err)
		}
		if !f.to.Ready.Shows(7, -5) || f.to.Ready.Shows(8, -5) || f.to.Ready.Shows(7, 5) {
			t.Fatal("the sender does not see what the receiver waits for")
		}
		if recall(f.number+1) != 1 || recall(f.number) != 1 || f.to.Reserve(7, -5, nil) {
			t.Fatal("an array that is recalled is reserved")
		}
	}
	if _, err := s.ask(t.Context(), 0, opReady, w, 0); err != nil {
		t.Fatal(err)
	}
	if !f.to.Reserve(7, -5, nil) || f.to.Data != 64 || recall(f.number) != 0 {
		t.Fatal("an array that is reserved is recalled")
	}
	if err := e.discard(true); err != nil {
		t.Fatal(err)
	}
}
