package link

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"testing"
	"unsafe"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/internal/acptest/extensiontest"
	"github.com/goacp/goacp/internal/ground/datatype"
	"github.com/goacp/goacp/internal/system/couple/element"
	"github.com/goacp/goacp/internal/system/couple/flow"
	"github.com/goacp/goacp/internal/system/couple/points"
)

// crew is one rank of a link from ranks 0 and 1 to rank 2.
type crew struct {
	ctx      context.Context
	rank     int
	data     []float64
	sender   *Sender
	receiver *Receiver
	turn     [3]chan struct{} // a rank waits for its turn
}

// parts are how many points ranks 0 and 1 have.
type parts [2]int64

// sent is the value of a sender at one of its positions.
func sent(rank, i int) float64 { return float64(1000*(rank+1) + i) }

// play opens the link and lets each rank play its part. The array of the receiver is in memory that the senders map if mapped is set.
func play(t *testing.T, n parts, mapped bool, part func(c *crew) error) {
	t.Helper()
	playOnHosts(t, 1, flow.Limits{}, n, mapped, part)
}

// playOnHosts is play with rank 1 on another host than the other ranks if there are two hosts.
func playOnHosts(t *testing.T, hosts int, limits flow.Limits, n parts, mapped bool, part func(c *crew) error) {
	t.Helper()
	var turn [3]chan struct{}
	for i := range turn {
		turn[i] = make(chan struct{}, 10)
	}
	extensiontest.RunOnHosts(t, 3, hosts, acp.Config{}, func(p *acp.Process) error {
		c := &crew{ctx: t.Context(), rank: int(p.Rank()), turn: turn}
		first, size := int64(0), n[0]+n[1]
		model, members := "to", []int{2}
		if c.rank < 2 {
			first, size, model, members = int64(c.rank)*n[0], n[c.rank], "from", []int{0, 1}
		}
		if err := c.allocate(p, size, mapped); err != nil {
			return err
		}
		m, err := Of(p).NewModel(model, members)
		if err != nil {
			return err
		}
		layout, _, err := points.Ranges(func(yield func(int64, int64) bool) { yield(first, size) })
		if err != nil {
			return err
		}
		f, err := m.NewField("f", element.Type{Kind: datatype.Float64, Values: 1}, Data{Base: unsafe.Pointer(&c.data[0]), Owner: c.data}, layout, layout)
		if err != nil {
			return err
		}
		if c.rank < 2 {
			c.sender, err = f.SendTo(c.ctx, "to.f", Options{Levels: 2, Limits: limits})
		} else {
			c.receiver, err = f.ReceiveFrom(c.ctx, "from.f", Options{Levels: 2, Limits: limits})
		}
		if err != nil {
			return err
		}
		if err := part(c); err != nil {
			return err
		}
		if c.rank < 2 {
			return c.sender.Close(c.ctx)
		}
		return c.receiver.Close(c.ctx)
	})
}

// allocate makes the values of a rank.
func (c *crew) allocate(p *acp.Process, n int64, mapped bool) error {
	c.data = make([]float64, n)
	if mapped {
		ga, err := p.Malloc(uint64(n)*8, p.Rank())
		if err != nil {
			return err
		}
		at, err := p.QueryAddress(ga)
		if err != nil {
			return err
		}
		c.data = unsafe.Slice((*float64)(at), n)
	}
	for i := range c.data {
		c.data[i] = -1
		if c.rank < 2 {
			c.data[i] = sent(c.rank, i)
		}
	}
	return nil
}

// shown reports whether the receiver shows its array.
func (c *crew) shown() bool {
	epoch, _ := c.sender.flows[0].to.Ready.Missing()
	return epoch != 0
}

// stillMissing returns how many flows are missing.
func (c *crew) stillMissing() uint64 {
	_, missing := c.sender.flows[0].to.Ready.Missing()
	return missing
}

// awaitReady waits until the receiver shows its array.
func (c *crew) awaitReady() {
	for !c.shown() {
		runtime.Gosched()
	}
}

// awaitMissing lets the first sender send, and waits until only this sender is missing.
func (c *crew) awaitMissing(first int) {
	if c.sender.flows[0].to.Ready == nil {
		<-c.turn[1-first]
		return
	}
	c.awaitReady()
	c.turn[first] <- struct{}{}
	<-c.turn[1-first]
	for c.stillMissing() != 1 {
		runtime.Gosched()
	}
}

// unchanged returns an error if a receiver has got values.
func (c *crew) unchanged() error {
	for i, x := range c.data {
		if x != -1 {
			return fmt.Errorf("a call that failed has changed value %d to %v", i, x)
		}
	}
	if c.receiver.epoch != 0 || !c.receiver.ready.Withdraw() {
		return errors.New("a call that failed leaves its array shown")
	}
	return nil
}

// complete returns an error unless a receiver has got the values of n, and so many bytes of them by zero copy.
func (c *crew) complete(n parts, zeroCopied uint64) error {
	for i, x := range c.data {
		want := sent(0, i)
		if int64(i) >= n[0] {
			want = sent(1, i-int(n[0]))
		}
		if x != want {
			return fmt.Errorf("value %d is %v, expected %v", i, x, want)
		}
	}
	if c.receiver.zeroCopied != zeroCopied {
		return fmt.Errorf("%d bytes have come by zero copy, expected %d", c.receiver.zeroCopied, zeroCopied)
	}
	return nil
}

var both = parts{30000, 50000}

// TestLocal: the last sender of a message that a receiver waits for uses local zero copy, whichever it is. A sender
// that sends before the other senders does not wait for them.
func TestLocal(t *testing.T) {
	for _, n := range []parts{both, {3, 50000}, {50000, 3}} {
		for _, first := range []int{0, 1} {
			t.Run(fmt.Sprint(n, first), func(t *testing.T) {
				play(t, n, true, func(c *crew) error {
					switch {
					case c.rank == 2:
						if err := c.receiver.Receive(c.ctx, 0); err != nil {
							return err
						}
						zeroCopied := uint64(n[1-first]) * 8
						if n[1-first] == 3 {
							zeroCopied = 0
						}
						return c.complete(n, zeroCopied)
					case c.rank == first && c.sender.flows[0].to.Ready != nil:
						c.awaitReady()
					case c.rank == first:
						<-c.turn[first] // the other sender has seen the array
					default:
						c.awaitMissing(first)
					}
					err := c.sender.Send(c.ctx, 0)
					c.turn[1-first] <- struct{}{}
					return err
				})
			})
		}
	}
}

// TestLocalBesideSockets: a sender on the host of the receiver uses local zero copy, and one on another host packs.
func TestLocalBesideSockets(t *testing.T) {
	playOnHosts(t, 2, flow.Limits{}, both, true, func(c *crew) error {
		switch c.rank {
		case 0:
			c.awaitReady()
			c.turn[1] <- struct{}{}
			for c.stillMissing() != 1 {
				runtime.Gosched()
			}
		case 1:
			<-c.turn[1]
		case 2:
			if err := c.receiver.Receive(c.ctx, 0); err != nil {
				return err
			}
			return c.complete(both, uint64(both[0])*8)
		}
		return c.sender.Send(c.ctx, 0)
	})
}

// TestLocalNeedsMappedMemory: values in memory that the senders do not map are packed.
func TestLocalNeedsMappedMemory(t *testing.T) {
	play(t, both, false, func(c *crew) error {
		if c.rank < 2 {
			return c.sender.Send(c.ctx, 0)
		}
		if err := c.receiver.Receive(c.ctx, 0); err != nil {
			return err
		}
		return c.complete(both, 0)
	})
}

// TestWithdrawn: a receiver that gives up while one sender has sent leaves its array as it was, and gets the
// message with the next call.
func TestWithdrawn(t *testing.T) {
	play(t, both, true, func(c *crew) error {
		switch c.rank {
		case 0:
			c.awaitReady()
			err := c.sender.Send(c.ctx, 0)
			c.turn[2] <- struct{}{}
			return err
		case 1:
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

// TestEpochsDiffer: a sender that has reserved its part in an epoch that is withdrawn reserves it in the next one.
func TestEpochsDiffer(t *testing.T) {
	play(t, both, true, func(c *crew) error {
		switch c.rank {
		case 0:
			c.awaitReady()
			f := c.sender.flows[0]
			f.to.Reserve(1, 0, f.find)
			c.turn[2] <- struct{}{}
			<-c.turn[0]
			c.awaitReady()
			err := c.sender.Send(c.ctx, 0)
			c.turn[1] <- struct{}{}
			return err
		case 1:
			<-c.turn[1]
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
		c.turn[0] <- struct{}{}
		if err := c.receiver.Receive(c.ctx, 0); err != nil {
			return err
		}
		return c.complete(both, uint64(both[1])*8)
	})
}

// TestCommittedStays: when all senders have reserved their parts, the receiver gets the message though its time is up.
func TestCommittedStays(t *testing.T) {
	short, cancel := context.WithCancel(t.Context())
	play(t, both, true, func(c *crew) error {
		if c.rank == 2 {
			if err := c.receiver.Receive(short, 0); err != nil {
				return err
			}
			return c.complete(both, uint64(both[0]+both[1])*8)
		}
		f := c.sender.flows[0]
		c.awaitReady()
		f.to.Reserve(1, 0, f.find)
		c.turn[c.rank] <- struct{}{}
		for c.stillMissing() > 0 {
			runtime.Gosched()
		}
		if c.rank == 0 {
			cancel()
		}
		return c.sender.Send(c.ctx, 0)
	})
}

// TestSenderAhead: a sender that has reserved its part for one message packs the next one, though zero copy is committed by now.
func TestSenderAhead(t *testing.T) {
	play(t, both, true, func(c *crew) error {
		if c.rank == 2 {
			if err := c.receiver.Receive(c.ctx, 0); err != nil {
				return err
			}
			if err := c.complete(both, uint64(both[1])*8); err != nil {
				return err
			}
			return c.receiver.Receive(c.ctx, 1)
		}
		c.awaitReady()
		if c.rank == 1 {
			<-c.turn[1]
			f := c.sender.flows[0]
			if !f.to.Reserve(1, 0, f.find) {
				return errors.New("the last sender does not commit zero copy")
			}
			c.turn[0] <- struct{}{}
			<-c.turn[1]
			return errors.Join(c.sender.Send(c.ctx, 0), c.sender.Send(c.ctx, 1))
		}
		if err := c.sender.Send(c.ctx, 0); err != nil {
			return err
		}
		c.turn[1] <- struct{}{}
		<-c.turn[0]
		for i := range c.data {
			c.data[i]++
		}
		err := c.sender.Send(c.ctx, 1)
		c.turn[1] <- struct{}{}
		return err
	})
}

// TestReadyForAnEndedLink: if one sender closes the link and another sender has sent, the values do not change.
func TestReadyForAnEndedLink(t *testing.T) {
	play(t, both, true, func(c *crew) error {
		switch c.rank {
		case 0:
			c.awaitReady()
			err := c.sender.Send(c.ctx, 0)
			c.turn[1] <- struct{}{}
			return err
		case 1:
			<-c.turn[1]
			return nil // and closes its end
		}
		if err := c.receiver.Receive(c.ctx, 0); !errors.Is(err, ErrEnded) {
			return fmt.Errorf("error %v, expected %v", err, ErrEnded)
		}
		return c.unchanged()
	})
}

// TestReadyForAnotherStep: if one sender sends another step, the values are as before.
func TestReadyForAnotherStep(t *testing.T) {
	play(t, both, true, func(c *crew) error {
		if c.rank < 2 {
			c.awaitReady()
			return c.sender.Send(c.ctx, int64(5*c.rank))
		}
		if err := c.receiver.Receive(c.ctx, 0); !errors.Is(err, ErrStep) {
			return fmt.Errorf("error %v, expected %v", err, ErrStep)
		}
		return c.unchanged()
	})
}
