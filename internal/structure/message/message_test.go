package message_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/goacp/goacp/internal/structure/message"
	"github.com/goacp/goacp/internal/structure/message/messagetest"
)

// contents is what messages are parts of.
var contents = sync.OnceValue(func() []byte {
	b := make([]byte, 2<<20)
	_, _ = rand.NewChaCha8([32]byte{}).Read(b)
	return b
})

// sizes are lengths of messages around the limits.
var sizes = []int{0, 1, 7, 8, 1000, message.EagerMax - 1, message.EagerMax, message.EagerMax + 1, 40_000, message.Buffered - 40, message.Buffered, message.Buffered + 1, 3*message.PieceMax + 5, 10*message.PieceMax + 1}

// letter is a message of a plan.
type letter struct {
	from, to int
	label    message.Label
	size     int
	at       int // where its bytes begin in contents
}

func (l letter) bytes() []byte { return contents()[l.at : l.at+l.size] }

// plan returns random messages among n members, which are sent in this order, and for each member
// the order in which it receives its own. Messages of one pair and label keep their order.
func plan(rnd *rand.Rand, n, count int) (all []letter, received [][]letter) {
	received = make([][]letter, n)
	for range count {
		l := letter{
			from: rnd.IntN(n), to: rnd.IntN(n), size: sizes[rnd.IntN(len(sizes))],
			label: message.Label{World: uint64(rnd.IntN(2)), Group: uint64(rnd.IntN(2)), Use: message.Use(rnd.IntN(2)), Tag: int32(rnd.IntN(3) - 1)},
		}
		if rnd.IntN(2) == 0 {
			l.size = rnd.IntN(100)
		}
		l.at = rnd.IntN(len(contents()) - l.size)
		all = append(all, l)
		received[l.to] = append(received[l.to], l)
	}
	for _, list := range received {
		shuffle(rnd, list)
	}
	return all, received
}

// shuffle changes the order of messages of different senders or labels. It moves none past one for
// which the sender waits: then senders and receivers could wait for each other.
func shuffle(rnd *rand.Rand, list []letter) {
	for range 3 * len(list) {
		if len(list) < 2 {
			return
		}
		i := rnd.IntN(len(list) - 1)
		a, b := list[i], list[i+1]
		if (a.from != b.from || a.label != b.label) && max(a.size, b.size) <= message.Buffered {
			list[i], list[i+1] = b, a
		}
	}
}

// TestModel sends random messages among three members. Each member receives in an order of its own,
// on a second goroutine: the messages are as a serial queue for each pair and label has them.
func TestModel(t *testing.T) {
	const members, count = 3, 600
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	messagetest.ForEachWay(t, members, func(t *testing.T, w *messagetest.Run) {
		all, received := plan(rand.New(rand.NewPCG(seed, 0)), members, count)
		w.Together(t, func(h *message.Engine, self int) error {
			sent := make(chan error, 1)
			go func() { sent <- sendAll(h, self, all) }()
			return errors.Join(receiveAll(h, received[self]), <-sent)
		})
		checkEmpty(t, w)
	})
}

// sendAll sends the messages of a member, and wipes each one when Send has returned.
func sendAll(h *message.Engine, self int, all []letter) error {
	for _, l := range all {
		if l.from != self {
			continue
		}
		b := bytes.Clone(l.bytes())
		if err := h.Send(l.label, l.to, b); err != nil {
			return err
		}
		clear(b)
	}
	return nil
}

// receiveAll receives messages in an order, and checks their bytes and those behind them.
func receiveAll(h *message.Engine, list []letter) error {
	for i, l := range list {
		buf := bytes.Repeat([]byte{0xee}, l.size+3)
		n, err := h.Receive(l.label, l.from, buf[:l.size+i%3])
		if err != nil || n != l.size {
			return fmt.Errorf("message %d, of %d bytes from %d: %d, %w", i, l.size, l.from, n, err)
		}
		if want := append(bytes.Clone(l.bytes()), 0xee, 0xee, 0xee); !bytes.Equal(buf, want) {
			return fmt.Errorf("message %d, of %d bytes from %d, is not as it was sent", i, l.size, l.from)
		}
	}
	return nil
}

// checkEmpty checks that no message is left anywhere.
func checkEmpty(t *testing.T, w *messagetest.Run) {
	t.Helper()
	for _, h := range w.Engines {
		h.CheckEmpty(t)
	}
}

// TestAny: messages from any member arrive once each, those of one member in order.
func TestAny(t *testing.T) {
	const members, count = 4, 200
	messagetest.ForEachWay(t, members, func(t *testing.T, w *messagetest.Run) {
		l := message.Label{Tag: 5}
		w.Together(t, func(h *message.Engine, self int) error {
			if self > 0 {
				for i := range count {
					size := sizes[i%len(sizes)]
					b := contents()[self+i : self+i+size]
					if err := h.Send(l, 0, append([]byte{byte(i), byte(self)}, b...)); err != nil {
						return err
					}
				}
				return nil
			}
			next := make([]int, members)
			buf := make([]byte, 2+slices.Max(sizes))
			for range count * (members - 1) {
				from, n, err := h.ReceiveAny(l, buf)
				if err != nil {
					return err
				}
				i := next[from]
				next[from]++
				size := sizes[i%len(sizes)]
				want := append([]byte{byte(i), byte(from)}, contents()[from+i:from+i+size]...)
				if !bytes.Equal(buf[:n], want) {
					return fmt.Errorf("message %d of member %d is not as it was sent", i, from)
				}
			}
			return nil
		})
	})
}

// TestBuffered: a sender does not wait for the receiver of messages of up to Buffered bytes, however
// many there are, nor for itself.
func TestBuffered(t *testing.T) {
	messagetest.ForEachWay(t, 2, func(t *testing.T, w *messagetest.Run) {
		l := message.Label{World: 1}
		for range 3 {
			for _, size := range sizes {
				if size <= message.Buffered {
					if err := w.Engines[0].Send(l, 1, contents()[:size]); err != nil {
						t.Fatal(err)
					}
				}
				if err := w.Engines[1].Send(l, 1, contents()[:size]); err != nil {
					t.Fatal(err)
				}
			}
		}
		for range 3 {
			for _, size := range sizes {
				if size <= message.Buffered {
					receiveWant(t, w.Engines[1], l, 0, size)
				}
				receiveWant(t, w.Engines[1], l, 1, size)
			}
		}
	})
}

// receiveWant receives the first bytes of contents.
func receiveWant(t *testing.T, h *message.Engine, l message.Label, from, size int) {
	t.Helper()
	buf := make([]byte, slices.Max(sizes))
	if n, err := h.Receive(l, from, buf); err != nil || !bytes.Equal(buf[:n], contents()[:size]) {
		t.Fatalf("%d bytes instead of %d: %v", n, size, err)
	}
}

// TestTooLong: a message that is longer than the buffer is an error, changes nothing and holds up
// neither its sender nor the next
func TestTooLong(t *testing.T) {
	messagetest.ForEachWay(t, 2, func(t *testing.T, w *messagetest.Run) {
		l := message.Label{World: 1}
		w.Together(t, func(h *message.Engine, self int) error {
			for _, size := range sizes[1:] {
				if self == 0 {
					if err := errors.Join(h.Send(l, 1, contents()[:size]), h.Send(l, 1, []byte{42})); err != nil {
						return err
					}
					continue
				}
				buf := make([]byte, size)
				if _, err := h.Receive(l, 0, buf[:size-1]); !errors.Is(err, message.ErrTooLong) {
					return fmt.Errorf("%d bytes for a buffer of %d: %v", size, size-1, err)
				}
				if !bytes.Equal(buf, make([]byte, size)) {
					return fmt.Errorf("a message of %d bytes was stored in part", size)
				}
				if n, err := h.Receive(l, 0, buf); err != nil || n != 1 || buf[0] != 42 {
					return fmt.Errorf("the message after one of %d bytes: %d bytes, %w", size, n, err)
				}
			}
			return nil
		})
	})
}

// TestForgetWorld: messages that no receive has taken go with their world, those of other worlds
// stay, and long ones leave nothing with their senders.
func TestForgetWorld(t *testing.T) {
	messagetest.ForEachWay(t, 2, func(t *testing.T, w *messagetest.Run) {
		w.Together(t, func(h *message.Engine, self int) error {
			gone, stays := message.Label{World: 1}, message.Label{World: 2}
			for _, size := range sizes {
				if size > message.Buffered {
					continue
				}
				if err := errors.Join(h.Send(gone, 1-self, contents()[:size]), h.Send(stays, 1-self, contents()[:size])); err != nil {
					return err
				}
			}
			team := &message.Team{Label: message.Label{World: 1, Use: message.All}, Members: []int{0, 1}, Rank: self}
			if err := h.Barrier(team); err != nil {
				return err
			}
			h.ForgetWorld(1)
			for _, size := range sizes {
				if size <= message.Buffered {
					buf := make([]byte, message.Buffered)
					if n, err := h.Receive(stays, 1-self, buf); err != nil || n != size {
						return fmt.Errorf("%d bytes instead of %d: %w", n, size, err)
					}
				}
			}
			team.Label.World = 2
			return h.Barrier(team)
		})
		checkEmpty(t, w)
	})
}

// TestThreads has several goroutines of two members exchange messages at once, each with a tag
// of its own.
func TestThreads(t *testing.T) {
	const threads, turns = 4, 100
	messagetest.ForEachWay(t, 2, func(t *testing.T, w *messagetest.Run) {
		w.Together(t, func(h *message.Engine, self int) error {
			errs := make([]error, threads)
			var all sync.WaitGroup
			for i := range threads {
				all.Go(func() { errs[i] = pingPong(h, message.Label{Tag: int32(i)}, 1-self, turns) })
			}
			all.Wait()
			return errors.Join(errs...)
		})
	})
}

// pingPong exchanges messages of all sizes with a member that does the same.
func pingPong(h *message.Engine, l message.Label, other, turns int) error {
	buf := make([]byte, slices.Max(sizes))
	for i := range turns {
		size := sizes[(i+int(l.Tag))%len(sizes)]
		sent := make(chan error, 1)
		go func() { sent <- h.Send(l, other, contents()[i:i+size]) }()
		n, err := h.Receive(l, other, buf)
		if err = errors.Join(err, <-sent); err != nil {
			return err
		}
		if !bytes.Equal(buf[:n], contents()[i:i+size]) {
			return fmt.Errorf("thread %d, turn %d: %d bytes are not as they were sent", l.Tag, i, n)
		}
	}
	return nil
}

// TestEnd: the end of the run ends every wait: for a message, for any message, for the receiver of a
// long one.
func TestEnd(t *testing.T) {
	over := errors.New("the run is over")
	messagetest.ForEachWay(t, 2, func(t *testing.T, w *messagetest.Run) {
		errs := make(chan error, 3)
		go func() {
			_, err := w.Engines[0].Receive(message.Label{}, 1, nil)
			errs <- err
		}()
		go func() {
			_, _, err := w.Engines[0].ReceiveAny(message.Label{Tag: 1}, nil)
			errs <- err
		}()
		go func() { errs <- w.Engines[0].Send(message.Label{}, 1, make([]byte, message.Buffered+1)) }()
		w.Engines[0].AwaitCalls(int64(cap(errs)))
		w.Lose(over)
		for range cap(errs) {
			if err := <-errs; !errors.Is(err, over) {
				t.Errorf("a wait ended with %v", err)
			}
		}
	})
}
