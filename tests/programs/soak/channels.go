package main

import (
	"fmt"
	"math/rand/v2"

	"github.com/goacp/goacp/acp"
)

// maxMessage is the greatest number of bytes of a message; outstanding is how many
// requests an end makes before it waits.
const (
	maxMessage  = 80 << 10
	outstanding = 4
)

// distance returns the difference, modulo procs, to the rank at the other end of a channel or
// segmented buffer. It is the same on all ranks.
func (w *world) distance(purpose int) int {
	if w.procs == 1 {
		return 0
	}
	return 1 + w.random(purpose).IntN(w.procs-1)
}

// message is a message in flight.
type message struct {
	request acp.Request
	buf     []byte
	want    []byte // the expected bytes, nil at the sender
}

// end is one end of a channel. Both ends make the same choices, so the receiver has the
// expected messages.
type end struct {
	w       *world
	rnd     *rand.Rand
	choices *rand.Rand // the same at both ends
	channel *acp.Channel
	pending []message
	number  int
}

// sender sends to one rank, receiver receives from one rank.
type (
	sender   struct{ end }
	receiver struct{ end }
)

func newSender(w *world, rnd *rand.Rand) (actor, error) {
	d := w.distance(forChannels)
	if d == 0 {
		return idle{}, nil
	}
	c, err := w.p.NewChannel(w.p.Rank(), acp.Rank((w.rank+d)%w.procs), acp.ChannelOptions{})
	return &sender{end{w: w, rnd: rnd, choices: w.random(forChannels, w.rank), channel: c}}, err
}

func newReceiver(w *world, rnd *rand.Rand) (actor, error) {
	d := w.distance(forChannels)
	if d == 0 {
		return idle{}, nil
	}
	from := (w.rank + w.procs - d) % w.procs
	c, err := w.p.NewChannel(acp.Rank(from), w.p.Rank(), acp.ChannelOptions{BufferSize: 256 << rnd.IntN(10)})
	return &receiver{end{w: w, rnd: rnd, choices: w.random(forChannels, from), channel: c}}, err
}

// next makes the next message.
func (e *end) next() []byte {
	b := make([]byte, e.choices.IntN(maxMessage>>e.choices.IntN(16)))
	pattern(b, e.choices.Uint64())
	return b
}

func (s *sender) step() error {
	m := message{buf: s.next()}
	var err error
	if m.request, err = s.channel.Send(m.buf); err != nil {
		return err
	}
	s.pending = append(s.pending, m)
	return s.waitFor(s.rnd.IntN(outstanding))
}

func (r *receiver) step() error {
	m := message{want: r.next(), buf: make([]byte, maxMessage)}
	if r.rnd.IntN(8) == 0 {
		// A message that is longer is cut.
		m.buf = m.buf[:r.rnd.IntN(maxMessage)]
		m.want = m.want[:min(len(m.want), len(m.buf))]
	}
	var err error
	if m.request, err = r.channel.Recv(m.buf); err != nil {
		return err
	}
	r.pending = append(r.pending, m)
	return r.waitFor(r.rnd.IntN(outstanding))
}

// waitFor waits until at most n requests are pending.
func (e *end) waitFor(n int) error {
	for len(e.pending) > n {
		m := e.pending[0]
		e.pending = e.pending[1:]
		got, err := m.request.Wait()
		if err == nil && m.want != nil {
			err = differ(m.buf[:got], m.want)
		}
		if err != nil {
			return fmt.Errorf("message %d of at most %d bytes: %w", e.number, len(m.buf), err)
		}
		e.number++
	}
	return nil
}

func (e *end) settle() error { return e.waitFor(0) }
func (e *end) check() error  { return nil }
func (e *end) close() error  { return e.channel.Close() }
