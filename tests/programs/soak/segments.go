package main

import (
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/goacp/goacp/acp"
)

// nap is the time that an end of a segmented buffer sleeps between polls.
const nap = 100 * time.Microsecond

// stream is one end of a segmented buffer. The seed of the segments comes from the
// source.
type stream struct {
	choices *rand.Rand // the same at both ends
	buf     *acp.SegBuf
	memory  []byte
	segment int
	number  int
}

// source fills segments for one rank, destination reads the segments of one rank.
type (
	source      struct{ stream }
	destination struct{ stream }
)

func newSource(w *world, _ *rand.Rand) (actor, error) {
	d := w.distance(forSegments)
	if d == 0 {
		return idle{}, nil
	}
	s := newStream(w, w.rank)
	var err error
	s.buf, err = w.p.NewSegBufSource(acp.Rank((w.rank+d)%w.procs), s.memory, s.segment)
	return &source{s}, err
}

func newDestination(w *world, _ *rand.Rand) (actor, error) {
	d := w.distance(forSegments)
	if d == 0 {
		return idle{}, nil
	}
	from := (w.rank + w.procs - d) % w.procs
	s := newStream(w, from)
	var err error
	s.buf, err = w.p.NewSegBufDestination(acp.Rank(from), s.memory, s.segment)
	return &destination{s}, err
}

// newStream chooses the shape of the buffer whose source is rank from.
func newStream(w *world, from int) stream {
	choices := w.random(forSegments, from)
	segment := 8 + choices.IntN(40000>>choices.IntN(10))
	return stream{choices: choices, segment: segment, memory: make([]byte, segment*(1+choices.IntN(8)))}
}

// await polls until done reports true.
func (s *stream) await(done func() (bool, error)) error {
	if s.number == 0 {
		if err := s.buf.Connect(); err != nil {
			return err
		}
	}
	for {
		if ok, err := done(); ok || err != nil {
			return err
		}
		time.Sleep(nap)
	}
}

// slice returns segment i.
func (s *stream) slice(i int) []byte { return s.memory[i*s.segment : (i+1)*s.segment] }

func (s *source) step() error {
	if err := s.await(s.buf.IsReady); err != nil {
		return err
	}
	i, err := s.buf.Tail()
	if err != nil {
		return err
	}
	pattern(s.slice(i), s.choices.Uint64())
	s.number++
	return s.buf.Ack()
}

func (d *destination) step() error {
	if err := d.await(d.buf.IsAcked); err != nil {
		return err
	}
	i, err := d.buf.Head()
	if err != nil {
		return err
	}
	want := make([]byte, d.segment)
	pattern(want, d.choices.Uint64())
	if err := differ(d.slice(i), want); err != nil {
		return fmt.Errorf("segment %d: %w", d.number, err)
	}
	d.number++
	return d.buf.Ready()
}

func (s *stream) settle() error { return nil }
func (s *stream) check() error  { return nil }

func (s *stream) close() error {
	if err := s.buf.Connect(); err != nil {
		return err
	}
	if err := s.buf.Disconnect(); err != nil {
		return err
	}
	return s.buf.Close()
}
