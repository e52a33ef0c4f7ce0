package acp_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/bridge"
)

// longest is the length of the longest message that tests of many messages send.
const longest = 1 << 20

// pattern contains the bytes of all messages.
var pattern = sync.OnceValue(func() []byte {
	b := make([]byte, 4*longest)
	random := rand.NewChaCha8([32]byte{})
	_, _ = random.Read(b)
	return b
})

// message returns the i-th message from one rank to another, which is not to be changed. Its bytes depend on
// its sender and its length.
func message(from, to, i, size int) []byte {
	random := rand.New(rand.NewPCG(uint64(from)<<32|uint64(to), uint64(i)<<32|uint64(size)))
	at := random.IntN(longest)
	return pattern()[at : at+size : at+size]
}

// length returns the size of a message: mostly small, now and then up to most.
func length(r *rand.Rand, most int) int {
	switch n := r.IntN(1000); {
	case n < 50:
		return 0
	case n < 900:
		return r.IntN(64)
	case n < 997:
		return r.IntN(4096)
	}
	return r.IntN(most + 1)
}

// wait waits for a request and checks its result.
func wait(r acp.Request, err error, want int) error {
	if err != nil {
		return err
	}
	got, err := r.Wait()
	if err == nil && got != want {
		err = fmt.Errorf("result %d, expected %d", got, want)
	}
	return err
}

func send(c *acp.Channel, b []byte) error {
	r, err := c.Send(b)
	return wait(r, err, 0)
}

func recv(c *acp.Channel, b []byte, want int) error {
	r, err := c.Recv(b)
	return wait(r, err, want)
}

// receive checks that the next message is want.
func receive(c *acp.Channel, want []byte) error {
	buf := make([]byte, len(want)+1)
	if err := recv(c, buf, len(want)); err != nil {
		return err
	}
	if !bytes.Equal(buf[:len(want)], want) {
		return fmt.Errorf("%d bytes are not as they were sent", len(want))
	}
	return nil
}

// both runs body at the two ends of a channel from rank 0 to rank 1, in every mode.
func both(t *testing.T, opt acp.ChannelOptions, sender, receiver func(p *member, c *acp.Channel) error) {
	forEachMode(t, []int{2}, func(t *testing.T, mode bridge.Mode, n int) {
		run(t, n, acp.Config{Mode: mode}, func(p *member) error {
			c, err := p.NewChannel(0, 1, opt)
			if err != nil {
				return err
			}
			if p.Rank() == 0 {
				err = sender(p, c)
			} else {
				err = receiver(p, c)
			}
			if err != nil {
				return err
			}
			return c.Close()
		})
	})
}
