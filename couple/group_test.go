package couple_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/couple"
)

// edge is a link of a test with groups.
type edge struct{ from, to int } // models

// player is a rank of one of several models, which have links with each other. Link i goes from field si to field ri of
// its models, and has one point for each rank of the run.
type player struct {
	p      *acp.Process
	links  []edge
	number int // of its model
	data   [][]int64
	out    map[int]*couple.Sender
	in     map[int]*couple.Receiver
	fields map[int]*couple.Field
}

func modelName(number int) string { return fmt.Sprintf("m%d", number) }

// newPlayer declares the fields of the links. Rank r is in model r modulo models.
func newPlayer(p *acp.Process, models int, links []edge) (*player, error) {
	x := &player{p: p, links: links, number: int(p.Rank()) % models, out: make(map[int]*couple.Sender), in: make(map[int]*couple.Receiver), fields: make(map[int]*couple.Field)}
	var ranks []acp.Rank
	for r := x.number; r < p.Procs(); r += models {
		ranks = append(ranks, acp.Rank(r))
	}
	m, err := couple.NewModel(p, modelName(x.number), ranks)
	if err != nil {
		return nil, err
	}
	index, own := int(p.Rank())/models, couple.List{}
	for point := index; point < p.Procs(); point += len(ranks) {
		own = append(own, point)
	}
	for i, l := range links {
		x.data = append(x.data, make([]int64, len(own)))
		side := "s"
		if l.to == x.number {
			side = "r"
		}
		if l.from == x.number || l.to == x.number {
			f, err := couple.NewField(m, fmt.Sprint(side, i), x.data[i], own, 1)
			if err != nil {
				return nil, err
			}
			x.fields[i] = f
		}
	}
	return x, nil
}

// partner returns the name of the field at the other side of a link.
func (x *player) partner(i int) string {
	if l := x.links[i]; l.from == x.number {
		return fmt.Sprintf("%s.r%d", modelName(l.to), i)
	}
	return fmt.Sprintf("%s.s%d", modelName(x.links[i].from), i)
}

// open opens the links of the model, in an order, at once or one after the other.
func (x *player) open(ctx context.Context, order []int, atOnce bool) error {
	g := couple.Begin(ctx)
	for _, i := range order {
		f := x.fields[i]
		if f == nil {
			continue
		}
		var err error
		switch sends := x.links[i].from == x.number; {
		case sends && atOnce:
			x.out[i] = g.SendTo(f, x.partner(i), couple.Options{})
		case sends:
			x.out[i], err = f.SendTo(ctx, x.partner(i), couple.Options{})
		case atOnce:
			x.in[i] = g.ReceiveFrom(f, x.partner(i), couple.Options{})
		default:
			x.in[i], err = f.ReceiveFrom(ctx, x.partner(i), couple.Options{})
		}
		if err != nil {
			return err
		}
	}
	return g.Wait()
}

// move moves two steps over all links, and checks the values that arrive.
func (x *player) move(ctx context.Context) error {
	for step := range 2 {
		for i, out := range x.out {
			for k := range x.data[i] {
				x.data[i][k] = int64(100*step + i)
			}
			if err := out.Send(ctx, step); err != nil {
				return err
			}
		}
		for i, in := range x.in {
			if err := in.Receive(ctx, step); err != nil {
				return err
			}
			for _, v := range x.data[i] {
				if v != int64(100*step+i) {
					return fmt.Errorf("step %d of link %d brings %d", step, i, v)
				}
			}
		}
	}
	return nil
}

// close closes all links.
func (x *player) close(ctx context.Context) error {
	var errs []error
	for _, e := range x.out {
		errs = append(errs, e.Close(ctx))
	}
	for _, e := range x.in {
		errs = append(errs, e.Close(ctx))
	}
	return errors.Join(errs...)
}

// TestGroup: two models open links between each other at once, each rank in an order of its own. One of the models may
// open them one after the other.
func TestGroup(t *testing.T) {
	forEach(t, []int{2, 5}, func(ctx context.Context, p *acp.Process) error {
		for seed := range uint64(20) {
			same, own := rand.New(rand.NewPCG(seed, 0)), rand.New(rand.NewPCG(seed, 1+uint64(p.Rank())))
			var links []edge
			for range 1 + same.IntN(6) {
				from := same.IntN(2)
				links = append(links, edge{from, 1 - from})
			}
			sequential, order := same.IntN(3), same.Perm(len(links))
			x, err := newPlayer(p, 2, links)
			if err != nil {
				return err
			}
			atOnce := x.number != sequential
			if atOnce {
				order = own.Perm(len(links))
			}
			if err := errors.Join(x.open(ctx, order, atOnce), x.move(ctx), x.close(ctx)); err != nil {
				return fmt.Errorf("seed %d: %w", seed, err)
			}
		}
		return nil
	})
}

// TestRing: three models in a ring, each of which opens the link to the next one first.
func TestRing(t *testing.T) {
	forEach(t, []int{3, 7}, func(ctx context.Context, p *acp.Process) error {
		x, err := newPlayer(p, 3, []edge{{0, 1}, {1, 2}, {2, 0}})
		if err != nil {
			return err
		}
		order := []int{x.number, (x.number + 1) % 3, (x.number + 2) % 3}
		return errors.Join(x.open(ctx, order, true), x.move(ctx), x.close(ctx))
	})
}

// TestGroupFails: if one link of a group cannot be opened, the rank has none of them. The error names the link. The other
// sides of the other links get the error that they have ended, and nothing stays in the heaps.
func TestGroupFails(t *testing.T) {
	forEach(t, []int{3}, func(ctx context.Context, p *acp.Process) error {
		if err := failOnce(ctx, p, 0); err != nil {
			return err
		}
		first, err := freeBlock(p)
		if err != nil {
			return err
		}
		least, block := first, first
		for round := range 5 {
			if err := failOnce(ctx, p, 1+round); err != nil {
				return err
			}
			if block, err = freeBlock(p); err != nil {
				return err
			}
			least = min(least, block)
		}
		// The memory of a link that was open is freed when both sides have seen its end.
		for block > least {
			if block, err = freeBlock(p); err != nil {
				return err
			}
		}
		return p.Sync()
	})
}

// freeBlock returns the first free place in the heap for some memory.
func freeBlock(p *acp.Process) (acp.GA, error) {
	block, err := p.Malloc(1<<10, p.Rank())
	if err != nil {
		return block, err
	}
	return block, p.Free(block)
}

// failOnce lets model 0 open a link with model 1, which is opened, and at the same time one with model 2, whose values
// have another type.
func failOnce(ctx context.Context, p *acp.Process, round int) error {
	x, err := newPlayer(p, 3, []edge{{0, 1}, {0, 2}})
	if err != nil {
		return err
	}
	opened := fmt.Sprint("opened ", round)
	switch x.number {
	case 0:
		err = refused(x.open(ctx, []int{0, 1}, true), couple.ErrTypes, "link m0.s1>m2.r1: ", "int64", "int32")
	case 1:
		if err := x.open(ctx, []int{0}, false); err != nil {
			return err
		}
		if _, err := p.PutValue(opened, nil); err != nil {
			return err
		}
		err = errors.Join(expect(couple.ErrEnded, x.in[0].Receive(ctx, 0)), x.in[0].Close(ctx))
	default:
		if _, _, err := p.WaitValue(opened, 0); err != nil {
			return err
		}
		m, err1 := couple.NewModel(p, modelName(2), []acp.Rank{p.Rank()})
		f, err2 := couple.NewField(m, "r1", []int32{0, 0, 0}, couple.List{0, 1, 2}, 1)
		if err := errors.Join(err1, err2); err != nil {
			return err
		}
		_, err = f.ReceiveFrom(ctx, "m0.s1", couple.Options{})
		err = refused(err, couple.ErrTypes, "link m0.s1>m2.r1: ")
	}
	return errors.Join(err, p.Sync())
}

// TestGroupGivesUp: if the context of a group ends, no link is open, and the ranks may begin again.
func TestGroupGivesUp(t *testing.T) {
	forEach(t, []int{2}, func(ctx context.Context, p *acp.Process) error {
		x, err := newPlayer(p, 2, []edge{{0, 1}, {1, 0}})
		if err != nil {
			return err
		}
		if p.Rank() == 0 {
			short, cancel := soon(ctx)
			defer cancel()
			if err := refused(x.open(short, []int{0, 1}, true), context.DeadlineExceeded, "link m"); err != nil {
				return err
			}
		}
		if err := p.Sync(); err != nil {
			return err
		}
		return errors.Join(x.open(ctx, []int{int(p.Rank()), 1 - int(p.Rank())}, true), x.move(ctx), x.close(ctx))
	})
}
