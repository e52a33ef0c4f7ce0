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

	"github.com/goacp/goacp/internal/system/couple/points"
)

// letCross lets the values of all messages cross that may travel straight, until the test ends.
func letCross(t *testing.T) {
	before := Crossing
	Crossing.Least, Crossing.PerRun, Crossing.Always = leastStraight, 64, true
	t.Cleanup(func() { Crossing = before })
}

// playFar is play with each rank on a host of its own.
func playFar(t *testing.T, n parts, mapped bool, part func(c *crew) error) {
	t.Helper()
	letCross(t)
	playOnHosts(t, 3, n, mapped, part)
}

// TestCross: the values of the last sender of a message that a receiver waits for cross, whichever it is.
func TestCross(t *testing.T) {
	for _, n := range []parts{both, {3, 50000}, {50000, 3}} {
		for _, first := range []int{0, 1} {
			t.Run(fmt.Sprint(n, first), func(t *testing.T) {
				playFar(t, n, true, func(c *crew) error {
					straight := uint64(n[1-first]) * 8
					if n[1-first] == 3 {
						straight = 0
					}
					if c.rank == 2 {
						if err := c.receiver.Receive(c.ctx, 0); err != nil {
							return err
						}
						return c.complete(n, straight)
					}
					switch {
					case c.rank == first:
					case straight > 0:
						c.awaitPost() // the other message has come
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

// TestCrossBesideStraight: a sender on the host of the receiver has claimed the post, and one on another host lets its values
// cross. Then the first one goes on.
func TestCrossBesideStraight(t *testing.T) {
	letCross(t)
	playOnHosts(t, 2, both, true, func(c *crew) error {
		switch c.rank {
		case 0:
			c.awaitPost()
			f := c.sender.flows[0]
			f.to.claim(1, 0, f.find)
			for atomic.LoadUint64(&f.to.post.word)&mostMissing > 0 {
				runtime.Gosched()
			}
			return c.sender.Send(c.ctx, 0)
		case 1:
			c.awaitPost()
			return c.sender.Send(c.ctx, 0)
		}
		if err := c.receiver.Receive(c.ctx, 0); err != nil {
			return err
		}
		return c.complete(both, uint64(both[0]+both[1])*8)
	})
}

// TestCrossNeedsPublishedMemory: values for memory of the receiver that other hosts do not reach are packed.
func TestCrossNeedsPublishedMemory(t *testing.T) {
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

// TestRecall: a receiver that gives up takes back what it has asked a sender, leaves its array as it was, and gets the message with
// the next call.
func TestRecall(t *testing.T) {
	playFar(t, both, true, func(c *crew) error {
		switch c.rank {
		case 0:
			return c.sender.Send(c.ctx, 0)
		case 1:
			c.awaitPost()
			c.turn[2] <- struct{}{}
			<-c.turn[1]
			c.awaitPost()
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

// TestRecallTooLate: when the sender that has been asked has claimed the post, the receiver gets the message though its time is up.
func TestRecallTooLate(t *testing.T) {
	short, cancel := context.WithCancel(t.Context())
	playFar(t, both, true, func(c *crew) error {
		switch c.rank {
		case 1:
			c.awaitPost()
			f := c.sender.flows[0]
			if !f.to.claim(1, 0, f.find) {
				return errors.New("the sender that has been asked does not settle the post")
			}
			cancel()
			time.Sleep(5 * time.Millisecond) // the receiver is refused meanwhile
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
					c.awaitPost()
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

// TestCrossHurriedly: a receiver that gives up again and again, at any time, gets each message whole, and has none before.
func TestCrossHurriedly(t *testing.T) {
	const steps = 300
	n := parts{600, 3000}
	before := Crossed.Load()
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
		return nil
	})
	if Crossed.Load() == before {
		t.Error("no message has crossed")
	}
}

// TestSteadySender: a program that sends large messages one after the other to a receiver that waits lets them cross.
func TestSteadySender(t *testing.T) {
	stop := atomic.Bool{}
	deadline, before := time.Now().Add(20*time.Second), Crossed.Load()
	playOnHosts(t, 3, parts{1000, 1 << 18}, true, func(c *crew) error {
		for step := int64(0); ; step++ {
			switch c.rank {
			case 0:
				// The last step is the same for all: the others see it in the values.
				if Crossed.Load() > before+3 || time.Now().After(deadline) {
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
				if err := c.receiver.Receive(c.ctx, step); err != nil || c.data[0] == 1 {
					return err
				}
			}
		}
	})
	if Crossed.Load() == before {
		t.Error("no message has crossed in 20 s")
	}
}

// TestPace: values cross if a program computes for less than a quarter of the time that they take.
func TestPace(t *testing.T) {
	far := []*flow{{to: destination{far: true}}}
	for _, c := range []struct {
		took, computed time.Duration
		steady         bool
	}{{0, 0, false}, {time.Hour, 0, true}, {time.Hour, 14 * time.Minute, true}, {time.Hour, 16 * time.Minute, false}} {
		ended := time.Now().Add(-c.computed)
		p := pace{ended: ended, began: ended.Add(-c.took)}
		if p.begin(far); p.steady != c.steady {
			t.Errorf("a program that computes for %v between messages of %v: steady is %v", c.computed, c.took, p.steady)
		}
		if p.begin(nil); p.steady {
			t.Error("a sender whose values never cross is steady")
		}
	}
}

// TestPatience: a sender that has waited in vain waits less and less often, until the receiver shows its array in time again.
func TestPatience(t *testing.T) {
	f := flow{to: destination{far: true, post: new(post)}}
	f.to.post.number = 100
	waited := func(n int) (times int) {
		for range n {
			if f.waits(100, 2) {
				times++
				f.patience.waited(false)
			}
		}
		return times
	}
	if n := waited(1000); n < 5 || n > 25 {
		t.Errorf("a sender waits in vain %d times for 1000 messages", n)
	}
	f.patience.waited(true)
	if !f.waits(102, 2) || f.waits(103, 2) {
		t.Error("a sender does not wait for a receiver that has waited for one of the last messages, or waits for another one")
	}
}

// TestLong: values cross if they lie in few runs.
func TestLong(t *testing.T) {
	list := func(run, apart, n int64) *points.List {
		var b points.Builder
		for i := range n {
			b.AddRun(points.Run{Start: i * apart, Stride: 1, Count: run})
		}
		l := b.List()
		return &l
	}
	var strided points.Builder
	strided.AddRun(points.Run{Start: 0, Stride: 2, Count: 1 << 17})
	every := strided.List()
	for _, c := range []struct {
		what  string
		at    *points.List
		wants bool
	}{
		{"one run", list(1<<17, 1<<17, 1), true}, {"rows of 16 KiB", list(2048, 2050, 64), true}, {"rows of 8 KiB", list(1024, 1026, 128), false},
		{"a small message", list(1<<14, 1<<14, 1), false}, {"every second value", &every, false},
	} {
		f := flow{size: uint64(c.at.Len()) * 8}
		if f.long(c.at, 8) != c.wants {
			t.Errorf("%s: long is %v", c.what, !c.wants)
		}
	}
}

// TestServeOffer: what others say of posts changes only those of flows that they receive.
func TestServeOffer(t *testing.T) {
	s := alone(t)
	e := &end{s: s}
	f := &flow{end: e, s: s, member: 0, to: destination{far: true, post: new(post)}}
	e.flows = []*flow{f}
	f.shown.Store(f.to.post)
	s.flows.enter(f)
	var w writer
	for _, x := range []uint64{uint64(f.number), 3, 7, 64} {
		w.number(x)
	}
	w.signed(-5)
	recall := func(number uint32) byte {
		var w writer
		w.number(uint64(number))
		answer, err := s.ask(t.Context(), 0, opRecall, w, 1)
		if err != nil || len(answer) != 1 {
			t.Fatalf("answer %v, %v", answer, err)
		}
		return answer[0]
	}
	for range 2 {
		if _, err := s.ask(t.Context(), 0, opOffer, w, 0); err != nil {
			t.Fatal(err)
		}
		if !f.to.shows(7, -5) || f.to.shows(8, -5) || f.to.shows(7, 5) {
			t.Fatal("the sender does not see what the receiver waits for")
		}
		if recall(f.number+1) != 1 || recall(f.number) != 1 || f.to.claim(7, -5, nil) {
			t.Fatal("a post that is recalled is claimed")
		}
	}
	if _, err := s.ask(t.Context(), 0, opOffer, w, 0); err != nil {
		t.Fatal(err)
	}
	if !f.to.claim(7, -5, nil) || f.to.data != 64 || recall(f.number) != 0 {
		t.Fatal("a post that is claimed is recalled")
	}
	if err := e.discard(); err != nil {
		t.Fatal(err)
	}
}
