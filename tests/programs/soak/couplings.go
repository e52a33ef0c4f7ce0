package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/couple"
)

// couplings are the links between the models of a round. Each rank is in one model. In a step it sends and
// receives a message of each link, or it closes a link if its model has done all its steps.
type couplings struct {
	w       *world
	rnd     *rand.Rand
	model   int
	ends    []int // for each model, how many steps it does
	number  int   // the next step
	strands []*strand
}

// strand is an end of a link.
type strand struct {
	name          string
	from, to      int // models
	levels        int
	points        []int   // numbers of the points that this rank has
	data          []int64 // their values
	memory        acp.GA  // of data, null if it is memory of Go
	key           uint64  // of the values
	out           *couple.Sender
	in            *couple.Receiver
	ended, closed bool
}

func newCouplings(w *world, rnd *rand.Rand) (actor, error) {
	if w.procs == 1 {
		return idle{}, nil
	}
	choices := w.random(forCouplings)
	c := &couplings{w: w, rnd: rnd}
	models := c.divide(choices)
	m, err := couple.NewModel(w.p, c.modelName(c.model), models[c.model])
	if err != nil {
		return nil, err
	}
	g := couple.Begin(context.Background())
	links := make([]func() error, 1+choices.IntN(4))
	for i := range links {
		from := choices.IntN(len(models))
		to := (from + 1 + choices.IntN(len(models)-1)) % len(models)
		s := &strand{name: fmt.Sprint("f", i), from: from, to: to, levels: 1 + choices.IntN(3), key: choices.Uint64()}
		points := 1 + choices.IntN(20000>>choices.IntN(14))
		chunk := map[int]int{from: 1 + choices.IntN(points), to: 1 + choices.IntN(points)}[c.model]
		links[i] = func() error {
			if c.model != from && c.model != to {
				return nil
			}
			return c.open(g, m, s, points, chunk, models[c.model])
		}
	}
	for _, i := range rnd.Perm(len(links)) {
		if err := links[i](); err != nil {
			return nil, err
		}
	}
	return c, g.Wait()
}

// divide chooses the models of all ranks and how many steps each model does.
func (c *couplings) divide(choices *rand.Rand) [][]acp.Rank {
	models := make([][]acp.Rank, 2+choices.IntN(min(c.w.procs, 3)-1))
	for i, rank := range choices.Perm(c.w.procs) {
		of := i
		if i >= len(models) {
			of = choices.IntN(len(models))
		}
		models[of] = append(models[of], acp.Rank(rank))
		if rank == c.w.rank {
			c.model = of
		}
	}
	for range models {
		c.ends = append(c.ends, 1+choices.IntN(256>>choices.IntN(6)))
	}
	return models
}

// modelName returns the name of a model, which is unique among all rounds.
func (c *couplings) modelName(model int) string { return fmt.Sprintf("soak%d-%d", c.w.round, model) }

// open declares the points that this rank has of a link, and begins to open it. The points go to the ranks of
// the model in turns, chunk by chunk.
func (c *couplings) open(g *couple.Group, m *couple.Model, s *strand, points, chunk int, ranks []acp.Rank) error {
	own := slices.Index(ranks, acp.Rank(c.w.rank))
	for point := range points {
		if point/chunk%len(ranks) == own {
			s.points = append(s.points, point)
		}
	}
	s.data = make([]int64, len(s.points))
	if len(s.points) > 0 && c.rnd.IntN(2) == 0 {
		var err error
		if s.data, s.memory, err = acp.Alloc[int64](c.w.p, len(s.points)); err != nil {
			return err
		}
	}
	f, err := couple.NewField(m, s.name, s.data, couple.List(s.points), 1)
	if err != nil {
		return err
	}
	if c.model == s.from {
		s.out = g.SendTo(f, c.modelName(s.to)+"."+s.name, couple.Options{Levels: s.levels})
	} else {
		s.in = g.ReceiveFrom(f, c.modelName(s.from)+"."+s.name, couple.Options{})
	}
	c.strands = append(c.strands, s)
	return nil
}

func (c *couplings) step() error {
	if c.number >= c.ends[c.model] {
		if len(c.strands) == 0 {
			return nil
		}
		return c.strands[c.rnd.IntN(len(c.strands))].close()
	}
	for _, s := range c.strands {
		if err := c.send(s); err != nil {
			return fmt.Errorf("link %s, sending in step %d: %w", s.name, c.number, err)
		}
	}
	for _, s := range c.strands {
		if err := c.receive(s); err != nil {
			return fmt.Errorf("link %s, receiving in step %d: %w", s.name, c.number, err)
		}
	}
	c.number++
	return nil
}

// value returns the value of a point in a step.
func (s *strand) value(step, point int) int64 {
	return int64(mix(s.key ^ uint64(step)<<32 ^ uint64(point)))
}

// send sends a message. The receivers take one in each step of their model and then close the link. From then on
// the link may end at any time. It has ended when the slots of the receivers are full.
func (c *couplings) send(s *strand) error {
	if s.out == nil || s.ended {
		return nil
	}
	for i, point := range s.points {
		s.data[i] = s.value(c.number, point)
	}
	err := s.out.Send(context.Background(), c.number)
	s.ended = errors.Is(err, couple.ErrEnded)
	received := c.ends[s.to]
	switch {
	case s.ended && c.number < received:
		return fmt.Errorf("%w, though model %d receives %d messages", err, s.to, received)
	case err == nil && len(s.points) > 0 && c.number >= received+s.levels:
		return fmt.Errorf("done, though model %d receives only %d messages", s.to, received)
	case s.ended:
		return nil
	}
	return err
}

// receive receives a message and compares it. The senders send one message for each step of their model.
func (c *couplings) receive(s *strand) error {
	if s.in == nil || s.ended {
		return nil
	}
	err := s.in.Receive(context.Background(), c.number)
	s.ended = errors.Is(err, couple.ErrEnded)
	sent := c.ends[s.from]
	switch {
	case s.ended && c.number != sent:
		return fmt.Errorf("%w, though model %d sends %d messages", err, s.from, sent)
	case err == nil && len(s.points) > 0 && c.number >= sent:
		return fmt.Errorf("done, though model %d sends only %d messages", s.from, sent)
	case s.ended:
		return nil
	case err != nil:
		return err
	}
	for i, point := range s.points {
		if want := s.value(c.number, point); s.data[i] != want {
			return fmt.Errorf("point %d is %#x, expected %#x", point, s.data[i], want)
		}
	}
	return nil
}

// close closes the link. It does not wait for the other side.
func (s *strand) close() error {
	if s.closed {
		return nil
	}
	s.closed = true
	var err error
	if s.out != nil {
		err = s.out.Close(context.Background())
	} else {
		err = s.in.Close(context.Background())
	}
	if err != nil {
		return fmt.Errorf("closing link %s: %w", s.name, err)
	}
	return nil
}

// settle closes all links that are open, in any order.
func (c *couplings) settle() error {
	for _, i := range c.rnd.Perm(len(c.strands)) {
		if err := c.strands[i].close(); err != nil {
			return err
		}
	}
	return nil
}

func (c *couplings) check() error { return nil }

func (c *couplings) close() error {
	for _, s := range c.strands {
		if s.memory == acp.NullGA {
			continue
		}
		if err := c.w.p.Free(s.memory); err != nil {
			return err
		}
	}
	return nil
}
