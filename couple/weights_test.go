package couple_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/couple"
)

// regridding is a link with a random matrix between random decompositions. Ranks 0 and 1 send, the other ranks
// receive.
type regridding struct {
	owners  [2][]int // of each point of both fields, by rank
	matrix  []couple.Weight
	values  int     // per point
	at      [2]bool // the sides that multiply with the matrix
	options [2]couple.Options
}

// newRegridding returns the regridding with a number, which is the same on all ranks.
func newRegridding(number uint64, ranks int) *regridding {
	r := rand.New(rand.NewPCG(7, number))
	c := &regridding{values: 1 + r.IntN(3)}
	c.at[r.IntN(2)] = true
	for s := range c.options {
		c.options[s] = couple.Options{Levels: r.IntN(4), Every: r.IntN(3)}
		c.owners[s] = make([]int, 1+r.IntN(40))
		for x := range c.owners[s] {
			c.owners[s][x] = []int{r.IntN(2), 2 + r.IntN(ranks-2)}[s]
		}
	}
	for range r.IntN(200) {
		// Halves of small numbers, so that sums in any order are exact.
		w := couple.Weight{Row: r.IntN(len(c.owners[1])), Column: r.IntN(len(c.owners[0])), Value: float64(r.IntN(17)-8) / 2}
		c.matrix = append(c.matrix, w)
	}
	return c
}

// sent is the value of a point of the sending field in a message.
func sent(message, point, k int) float64 { return float64(message*100 + point*3 + k) }

// want is the value of a point of the receiving field, or before if the point has no row.
func (c *regridding) want(message, point, k int, before float64) float64 {
	sum, has := 0.0, false
	for _, w := range c.matrix {
		if w.Row == point {
			sum, has = sum+w.Value*sent(message, w.Column, k), true
		}
	}
	if !has {
		return before
	}
	return sum
}

// mine returns the entries that a rank of a side gives.
func (c *regridding) mine(side int, rank acp.Rank) (mine []couple.Weight) {
	for _, w := range c.matrix {
		if point := []int{w.Column, w.Row}[side]; c.owners[side][point] == int(rank) {
			mine = append(mine, w)
		}
	}
	return mine
}

// playRegridding plays the part of one rank.
func playRegridding[T couple.Value](ctx context.Context, p *acp.Process, number uint64, to func(float64) T) error {
	c, side := newRegridding(number, p.Procs()), min(1, int(p.Rank())/2)
	name := fmt.Sprintf("%c%d", 'a'+side, number)
	ranks := []acp.Rank{0, 1}
	if side == 1 {
		ranks = nil
		for r := 2; r < p.Procs(); r++ {
			ranks = append(ranks, acp.Rank(r))
		}
	}
	var held couple.List
	for x, owner := range c.owners[side] {
		if owner == int(p.Rank()) {
			held = append(held, x)
		}
	}
	rand.New(rand.NewPCG(8, number)).Shuffle(len(held), func(i, j int) { held[i], held[j] = held[j], held[i] })
	data := make([]T, len(held)*c.values)
	m, err := couple.NewModel(p, name, ranks)
	if err != nil {
		return err
	}
	f, err := couple.NewField(m, "f", data, held, c.values)
	if err != nil {
		return err
	}
	const messages = 3
	n := every(c.options[side])
	if side == 0 {
		partner := fmt.Sprintf("b%d.f", number)
		open := func() (*couple.Sender, error) { return f.SendTo(ctx, partner, c.options[0]) }
		if c.at[0] {
			open = func() (*couple.Sender, error) { return f.SendWeighted(ctx, partner, c.mine(0, p.Rank()), c.options[0]) }
		}
		out, err := open()
		if err != nil {
			return err
		}
		for message := range messages {
			for i := range data {
				data[i] = to(sent(message, held[i/c.values], i%c.values))
			}
			if err := out.Send(ctx, message*n); err != nil {
				return err
			}
		}
		return out.Close(ctx)
	}
	from := fmt.Sprintf("a%d.f", number)
	open := func() (*couple.Receiver, error) { return f.ReceiveFrom(ctx, from, c.options[1]) }
	if c.at[1] {
		open = func() (*couple.Receiver, error) {
			return f.ReceiveWeighted(ctx, from, c.mine(1, p.Rank()), c.options[1])
		}
	}
	in, err := open()
	if err != nil {
		return err
	}
	for step := range messages * n {
		const before = -1e6
		for i := range data {
			data[i] = to(before)
		}
		if err := in.Receive(ctx, step); err != nil {
			return err
		}
		for i := range data {
			want := to(before)
			if step%n == 0 {
				want = to(c.want(step/n, held[i/c.values], i%c.values, before))
			}
			if data[i] != want {
				return fmt.Errorf("case %d, step %d: point %d has %v, want %v", number, step, held[i/c.values], data[i], want)
			}
		}
	}
	return in.Close(ctx)
}

// TestWeights sends random fields through random sparse matrices.
func TestWeights(t *testing.T) {
	forEach(t, []int{3, 5}, func(ctx context.Context, p *acp.Process) error {
		for number := uint64(0); number < 100; number += 4 {
			err := errors.Join(
				playRegridding(ctx, p, number, func(x float64) float64 { return x }),
				playRegridding(ctx, p, number+1, func(x float64) float32 { return float32(x) }),
				playRegridding(ctx, p, number+2, func(x float64) complex64 { return complex(float32(x), -float32(x)) }),
				playRegridding(ctx, p, number+3, func(x float64) complex128 { return complex(x, -x) }),
			)
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// edges returns the edges of the cells of an interval of length 1 in random cells.
func edges(seed uint64, cells int) []float64 {
	r := rand.New(rand.NewPCG(9, seed))
	e := make([]float64, cells+1)
	for i := range cells {
		e[i+1] = e[i] + 0.1 + r.Float64()
	}
	for i := range e {
		e[i] /= e[cells]
	}
	return e
}

// overlaps returns the weights by which cells get the means of other cells, each with the part of the cell that it
// covers, for the cells from first to end.
func overlaps(to, from []float64, first, end int) (all []couple.Weight) {
	for i := first; i < end; i++ {
		for j := range len(from) - 1 {
			if common := min(to[i+1], from[j+1]) - max(to[i], from[j]); common > 0 {
				all = append(all, couple.Weight{Row: i, Column: j, Value: common / (to[i+1] - to[i])})
			}
		}
	}
	return all
}

// total returns the integral of a field over the cells from first on.
func total(e, values []float64, first int) (sum float64) {
	for i, v := range values {
		sum += v * (e[first+i+1] - e[first+i])
	}
	return sum
}

// TestConservative: weights that are the common parts of cells keep the integral, from a fine grid to a coarse one and
// the other way round.
func TestConservative(t *testing.T) {
	forEach(t, []int{5}, func(ctx context.Context, p *acp.Process) error {
		for round, cells := range [][2]int{{300, 37}, {37, 300}, {64, 64}, {300, 37}, {37, 300}} {
			atSender := round >= 3
			grids := [2][]float64{edges(uint64(2*round), cells[0]), edges(uint64(2*round+1), cells[1])}
			side := min(1, int(p.Rank())/2)
			ranks := [][]acp.Rank{{0, 1}, {2, 3, 4}}[side]
			index := int(p.Rank() - ranks[0])
			first, end := index*cells[side]/len(ranks), (index+1)*cells[side]/len(ranks)
			data := make([]float64, end-first)
			m, err := couple.NewModel(p, []string{"a", "b"}[side], ranks)
			if err != nil {
				return err
			}
			f, err := couple.NewField(m, "f", data, couple.Ranges{{First: first, N: end - first}}, 1)
			if err != nil {
				return err
			}
			if side == 0 {
				for i := range data {
					data[i] = 1 + math.Sin(float64(first+i))
				}
				var mine []couple.Weight
				for _, w := range overlaps(grids[1], grids[0], 0, cells[1]) {
					if w.Column >= first && w.Column < end {
						mine = append(mine, w)
					}
				}
				open := func() (*couple.Sender, error) { return f.SendTo(ctx, "b.f", couple.Options{}) }
				if atSender {
					open = func() (*couple.Sender, error) { return f.SendWeighted(ctx, "b.f", mine, couple.Options{}) }
				}
				out, err := open()
				if err == nil {
					err = errors.Join(out.Send(ctx, 0), out.Close(ctx))
				}
				if err != nil {
					return err
				}
			} else {
				open := func() (*couple.Receiver, error) { return f.ReceiveFrom(ctx, "a.f", couple.Options{}) }
				if !atSender {
					open = func() (*couple.Receiver, error) {
						return f.ReceiveWeighted(ctx, "a.f", overlaps(grids[1], grids[0], first, end), couple.Options{})
					}
				}
				in, err := open()
				if err == nil {
					err = errors.Join(in.Receive(ctx, 0), in.Close(ctx))
				}
				if err != nil {
					return err
				}
			}
			key := fmt.Sprintf("%d %d", round, p.Rank())
			if _, err := p.PutValue(key, fmt.Append(nil, total(grids[side], data, first))); err != nil {
				return err
			}
			var sums [2]float64
			for r := range p.Procs() {
				text, _, err := p.WaitValue(fmt.Sprintf("%d %d", round, r), 1)
				if err != nil {
					return err
				}
				var x float64
				if _, err := fmt.Sscan(string(text), &x); err != nil {
					return err
				}
				sums[min(1, r/2)] += x
			}
			if difference := math.Abs(sums[1] - sums[0]); difference > 1e-12*math.Abs(sums[0]) {
				return fmt.Errorf("%d cells have the integral %v, and %d cells %v", cells[0], sums[0], cells[1], sums[1])
			}
		}
		return nil
	})
}

// TestWeightMistakes: the rank with wrong weights detects them, and the other ranks get the error.
func TestWeightMistakes(t *testing.T) {
	forEach(t, []int{3}, func(ctx context.Context, p *acp.Process) error {
		if p.Rank() == 0 {
			m, err1 := couple.NewModel(p, "a", []acp.Rank{0})
			f, err2 := couple.NewField(m, "f", make([]float64, 3), couple.List{0, 1, 2}, 1)
			if err := errors.Join(err1, err2); err != nil {
				return err
			}
			_, err := f.SendTo(ctx, "b.f", couple.Options{})
			if err := refused(err, couple.ErrPartner, "process 1 of the receiving side", "does not hold point 6, which has a row"); err != nil {
				return err
			}
			_, err = f.SendTo(ctx, "b.f", couple.Options{})
			return refused(err, couple.ErrMissing, "point 3 of a.f")
		}
		m, err1 := couple.NewModel(p, "b", []acp.Rank{1, 2})
		f, err2 := couple.NewField(m, "f", make([]float64, 2), couple.Ranges{{First: 2 * int(p.Rank()), N: 2}}, 1)
		if err := errors.Join(err1, err2); err != nil {
			return err
		}
		weights := []couple.Weight{{Row: 3, Column: 1, Value: 1}, {Row: 2, Column: 2, Value: 1}}
		want := couple.ErrPartner
		if p.Rank() == 2 {
			// Rank 2 holds points 4 and 5.
			weights = []couple.Weight{{Row: 5, Column: 1}, {Row: 7, Column: 0}, {Row: 4, Column: 0}, {Row: 6, Column: 1}}
			want = couple.ErrWeights
		}
		_, err := f.ReceiveWeighted(ctx, "a.f", weights, couple.Options{})
		if err := refused(err, want, "does not hold point 6, which has a row"); err != nil {
			return err
		}
		_, err = f.ReceiveWeighted(ctx, "a.f", []couple.Weight{{Row: 2 * int(p.Rank()), Column: 3, Value: 1}}, couple.Options{})
		if err := refused(err, couple.ErrMissing, "point 3 of a.f"); err != nil {
			return err
		}
		return nil
	})
	forEach(t, []int{1}, func(ctx context.Context, p *acp.Process) error {
		m, err1 := couple.NewModel(p, "a", nil)
		f, err2 := couple.NewField(m, "f", make([]int64, 1), couple.List{0}, 1)
		g, err3 := couple.NewField(m, "g", make([]int64, 1), couple.List{0}, 1)
		if err := errors.Join(err1, err2, err3); err != nil {
			return err
		}
		sent := make(chan error, 1)
		go func() {
			_, err := f.SendTo(ctx, "a.g", couple.Options{})
			sent <- err
		}()
		_, err := g.ReceiveWeighted(ctx, "a.f", []couple.Weight{{Value: 1}}, couple.Options{})
		return errors.Join(refused(err, couple.ErrWeights, "1 int64 per point", "real or complex"), refused(<-sent, couple.ErrPartner, "real or complex"))
	})
}
