package couple_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/couple"
)

// whole is a block with all points of a grid.
func whole(fortran bool, sizes ...int) couple.Block {
	return couple.Block{Grid: sizes, First: make([]int, len(sizes)), Extent: sizes, Fortran: fortran}
}

// numbersOnly returns a block whose grid no link compares.
func numbersOnly(b couple.Block) couple.Block {
	b.SameNumbers = true
	return b
}

// sizeOf returns how many points there are.
func sizeOf(p couple.Points) (n int) {
	switch x := p.(type) {
	case couple.Block:
		n = 1
		for _, extent := range x.Extent {
			n *= extent
		}
	case couple.List:
		n = len(x)
	case couple.Ranges:
		for _, r := range x {
			n += r.N
		}
	}
	return n
}

// TestGrids: fields on grids of different shapes cannot be coupled by the numbers of their points, unless one side
// has SameNumbers, or no grid.
func TestGrids(t *testing.T) {
	same := couple.Options{SameNumbers: true}
	for _, c := range []struct {
		points  [2]couple.Points // of a.out and b.in
		options [2]couple.Options
		grids   string // in the error; "": the link can be opened
	}{
		{points: [2]couple.Points{whole(false, 48, 36), whole(false, 20, 15)}, grids: "a.out has a grid of 48 x 36 points, and b.in one of 20 x 15 points; "},
		{points: [2]couple.Points{whole(false, 6, 4), whole(false, 4, 6)}, grids: "a.out has a grid of 6 x 4 points, and b.in one of 4 x 6 points; "},
		{points: [2]couple.Points{whole(true, 6, 4), whole(false, 6, 4)}, grids: "a.out has a grid of 6 x 4 points in the order of Fortran, and b.in one of 6 x 4 points; "},
		{points: [2]couple.Points{whole(false, 24), whole(false, 4, 6)}, grids: "a.out has a grid of 24 points, and b.in one of 4 x 6 points; "},
		{points: [2]couple.Points{whole(true, 6, 4), whole(false, 4, 6)}},
		{points: [2]couple.Points{whole(false, 1, 6, 4, 1), whole(false, 6, 4)}},
		{points: [2]couple.Points{whole(false, 6, 4), couple.Block{Grid: []int{6, 4}, First: []int{2, 1}, Extent: []int{3, 2}}}},
		{points: [2]couple.Points{whole(false, 6, 4), couple.List{3, 7, 5}}},
		{points: [2]couple.Points{couple.Ranges{{First: 0, N: 24}}, whole(false, 3, 5)}},
		{points: [2]couple.Points{whole(false, 6, 4), whole(false, 4, 6)}, options: [2]couple.Options{same, {}}},
		{points: [2]couple.Points{whole(false, 6, 4), whole(false, 4, 6)}, options: [2]couple.Options{{}, same}},
		{points: [2]couple.Points{numbersOnly(whole(false, 6, 4)), whole(false, 3, 2)}},
		{points: [2]couple.Points{whole(false, 6, 4), numbersOnly(whole(true, 3, 2))}},
	} {
		t.Run(fmt.Sprint(c.points), func(t *testing.T) {
			run(t, 0, 2, func(ctx context.Context, p *acp.Process) error {
				x, err := newPair(p)
				if err != nil {
					return err
				}
				side := p.Rank()
				e, move, err := open(ctx, x, make([]float64, sizeOf(c.points[side])), c.points[side], 1, c.options[side])
				if c.grids != "" {
					return refused(err, couple.ErrGrids, "link a.out>b.in: grids differ: "+c.grids)
				}
				if err != nil {
					return err
				}
				return errors.Join(move(ctx, 0), e.Close(ctx))
			})
		})
	}
}

// TestGridsOfOneSide: ranks of a model that hold points have the same grid. Ranks without points may have any grid.
func TestGridsOfOneSide(t *testing.T) {
	for _, differ := range []bool{false, true} {
		forEach(t, []int{3}, func(ctx context.Context, p *acp.Process) error {
			var own couple.Points = couple.Block{Grid: []int{4, 6}, First: []int{2 * int(p.Rank()%2), 0}, Extent: []int{2, 6}}
			switch {
			case p.Rank() == 1 && differ:
				own = couple.Block{Grid: []int{6, 4}, First: []int{3, 0}, Extent: []int{3, 4}}
			case p.Rank() == 2:
				own = couple.Block{Grid: []int{0}, First: []int{0}, Extent: []int{0}}
			}
			m, err1 := couple.NewModel(p, "m", nil)
			f, err2 := couple.NewField(m, "f", make([]float64, sizeOf(own)), own, 1)
			g, err3 := couple.NewField(m, "g", make([]float64, sizeOf(own)), own, 1)
			if err := errors.Join(err1, err2, err3); err != nil {
				return err
			}
			group := couple.Begin(ctx)
			out, in := group.SendTo(f, "m.g", couple.Options{}), group.ReceiveFrom(g, "m.f", couple.Options{})
			err := group.Wait()
			if differ {
				return refused(err, couple.ErrGrids, "m.f has a grid of 4 x 6 points at process 0 of the model, and one of 6 x 4 points at process 1")
			}
			if err != nil {
				return err
			}
			return errors.Join(out.Send(ctx, 0), in.Receive(ctx, 0), out.Close(ctx), in.Close(ctx))
		})
	}
}

// TestGridsWithWeights: weights couple different grids, on either side, and the description of the run may have
// same-numbers.
func TestGridsWithWeights(t *testing.T) {
	grids := [2]couple.Block{whole(false, 6, 4), whole(false, 2, 3)}
	weights := []couple.Weight{{Row: 5, Column: 23, Value: 1}}
	for weighted := range 2 {
		forEach(t, []int{2}, func(ctx context.Context, p *acp.Process) error {
			x, err := newPair(p)
			if err != nil {
				return err
			}
			side := int(p.Rank())
			data := make([]float64, sizeOf(grids[side]))
			f, err := couple.NewField(x.model, [2]string{"out", "in"}[side], data, grids[side], 1)
			if err != nil {
				return err
			}
			if side == 0 {
				data[23] = 7
				send := func() (*couple.Sender, error) { return f.SendTo(ctx, "b.in", couple.Options{}) }
				if weighted == 0 {
					send = func() (*couple.Sender, error) { return f.SendWeighted(ctx, "b.in", weights, couple.Options{}) }
				}
				out, err := send()
				if err != nil {
					return err
				}
				return errors.Join(out.Send(ctx, 0), out.Close(ctx))
			}
			receive := func() (*couple.Receiver, error) { return f.ReceiveFrom(ctx, "a.out", couple.Options{}) }
			if weighted == 1 {
				receive = func() (*couple.Receiver, error) {
					return f.ReceiveWeighted(ctx, "a.out", weights, couple.Options{})
				}
			}
			in, err := receive()
			if err != nil {
				return err
			}
			if err := errors.Join(in.Receive(ctx, 0), in.Close(ctx)); err != nil || data[5] != 7 {
				return fmt.Errorf("%v: %w", data, err)
			}
			return nil
		})
	}
}

// TestDescribedGrids: a link of the description, watched or not, compares the grids unless it has the key
// same-numbers. A Publisher continues when a Watcher has another grid.
func TestDescribedGrids(t *testing.T) {
	for _, watch := range []string{"", ",watch"} {
		for _, same := range []bool{false, true} {
			description := "a.f:b.f" + watch
			if same {
				description += ",same-numbers"
			}
			t.Setenv("ACP_COUPLE", description)
			run(t, 0, 2, func(ctx context.Context, p *acp.Process) error {
				x, err := newPair(p)
				if err != nil {
					return err
				}
				grid := [2]couple.Block{whole(false, 6, 4), whole(false, 2, 3)}[p.Rank()]
				if _, err := couple.NewField(x.model, "f", make([]float64, sizeOf(grid)), grid, 1); err != nil {
					return err
				}
				links, err := x.model.Open(ctx)
				switch {
				case same && err != nil:
					return err
				case !same && (watch == "" || p.Rank() == 1):
					err = refused(err, couple.ErrGrids, "a.f has a grid of 6 x 4 points, and b.f one of 2 x 3 points")
				}
				if err := errors.Join(err, p.Sync()); err != nil || links == nil {
					return err
				}
				return errors.Join(links.Send(ctx, 0), links.Receive(ctx, 0), links.Close(ctx))
			})
		}
	}
}
