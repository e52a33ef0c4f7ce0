package couple_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/couple"
)

// implicitCase is a random problem: two fields go through a random matrix, with another right side in each step. It has a serial model.
type implicitCase struct {
	seed, number uint64
	leaders      []acp.Rank
	followers    []acp.Rank
	owners       []int // of each value, by index of the rank of the leading side
	split        int   // values before it belong to the first field
	matrix       [][]float64
	acceleration couple.Acceleration
	most, steps  int
	callLimit    time.Duration // of each call that begins a step or ends an iteration; 0 means no limit
}

func newImplicitCase(seed, number uint64, ranks int) *implicitCase {
	r := rand.New(rand.NewPCG(seed, number))
	c := &implicitCase{seed: seed, number: number, most: 25, steps: 3}
	leaders := 1 + r.IntN(ranks-1)
	for rank := range ranks {
		if rank < leaders {
			c.leaders = append(c.leaders, acp.Rank(rank))
		} else {
			c.followers = append(c.followers, acp.Rank(rank))
		}
	}
	n := 2 + r.IntN(30)
	c.split = 1 + r.IntN(n-1)
	for range n {
		c.owners = append(c.owners, r.IntN(leaders))
		row := make([]float64, n)
		for j := range row {
			row[j] = (r.Float64()*2 - 1) * 1.5 / math.Sqrt(float64(n))
		}
		c.matrix = append(c.matrix, row)
	}
	c.acceleration = couple.Acceleration{
		Method: couple.Method(r.IntN(3)), Relaxation: 0.1 + r.Float64()*0.8, Reuse: r.IntN(3), Columns: 1 + r.IntN(40),
	}
	if r.IntN(2) == 0 {
		c.callLimit = time.Duration(1 + r.IntN(200_000))
	}
	return c
}

func (c *implicitCase) String() string {
	return fmt.Sprintf("seed %d case %d: %d values, %v, ranks %v and %v, limit %v", c.seed, c.number, len(c.owners), c.acceleration,
		c.leaders, c.followers, c.callLimit)
}

// through returns what both models make of some values in a step.
func (c *implicitCase) through(step int, x []float64) []float64 {
	y := make([]float64, len(x))
	for i, row := range c.matrix {
		y[i] = math.Sin(float64(7*i+step)) * float64(1+step)
		for j, a := range row {
			y[i] += a * x[j]
		}
	}
	return y
}

// serialColumn is a change of the residual and of the result.
type serialColumn struct {
	step int
	v, w []float64
}

// serial computes the values at the beginning of each iteration of each step until the residual is small, as the definition of the methods says: with the normal
// equations of all values at once in place of triangles of parts.
func (c *implicitCase) serial() (all [][][]float64) {
	x := make([]float64, len(c.owners))
	var columns []serialColumn
	factor := c.acceleration.Relaxation
	for step := range c.steps {
		all = append(all, nil)
		columns = slices.DeleteFunc(columns, func(col serialColumn) bool {
			return c.acceleration.Method != couple.IQNILS || step-col.step > c.acceleration.Reuse
		})
		var before, old []float64
		var weights []float64
		accurate := true
		for iteration := 1; ; iteration++ {
			y := c.through(step, x)
			r := sub(y, x)
			if iteration == 1 {
				weights = c.weights(r)
			}
			accurate = accurate && weighted(weights, r, r) > 1e-10 // later iterations have the errors of rounding
			if accurate {
				all[step] = append(all[step], slices.Clone(x))
			}
			if iteration > 1 {
				columns = append([]serialColumn{{step, sub(r, before), sub(y, old)}}, columns...)
			}
			most := c.acceleration.Columns
			if c.acceleration.Method == couple.Aitken {
				most = 1
			}
			columns = columns[:min(len(columns), most)]
			if iteration == c.most {
				x = y
				break
			}
			switch {
			case c.acceleration.Method == couple.IQNILS && len(columns) > 0:
				x = slices.Clone(y)
				for j, a := range leastSquares(columns, r, weights) {
					for i := range x {
						x[i] += a * columns[j].w[i]
					}
				}
			case c.acceleration.Method == couple.Aitken && iteration > 1:
				factor *= -weighted(weights, before, columns[0].v) / weighted(weights, columns[0].v, columns[0].v)
				x = along(x, factor, r)
			case c.acceleration.Method == couple.Aitken:
				factor = math.Copysign(min(math.Abs(factor), math.Abs(c.acceleration.Relaxation)), factor)
				x = along(x, factor, r)
			default:
				x = along(x, c.acceleration.Relaxation, r)
			}
			before, old = r, y
		}
	}
	return all
}

// weights returns by how much each value counts: each field is divided by its first residual.
func (c *implicitCase) weights(r []float64) []float64 {
	w := make([]float64, len(r))
	for _, part := range [2][2]int{{0, c.split}, {c.split, len(r)}} {
		sum := 0.0
		for _, a := range r[part[0]:part[1]] {
			sum += a * a
		}
		if sum == 0 {
			sum = 1
		}
		for i := part[0]; i < part[1]; i++ {
			w[i] = 1 / sum
		}
	}
	return w
}

func sub(x, y []float64) []float64 { return along(x, -1, y) }

func along(x []float64, a float64, y []float64) []float64 {
	z := slices.Clone(x)
	for i := range z {
		z[i] += a * y[i]
	}
	return z
}

func weighted(w, x, y []float64) (sum float64) {
	for i := range x {
		sum += w[i] * x[i] * y[i]
	}
	return sum
}

// leastSquares minimizes |r + V c| by the normal equations, for columns that are far from dependent.
func leastSquares(columns []serialColumn, r, weights []float64) []float64 {
	k := len(columns)
	a := make([][]float64, k)
	for i := range a {
		a[i] = make([]float64, k+1)
		for j := range k {
			a[i][j] = weighted(weights, columns[i].v, columns[j].v)
		}
		a[i][k] = -weighted(weights, columns[i].v, r)
	}
	return eliminate(a)
}

// eliminate solves the equations whose right sides are the last column.
func eliminate(a [][]float64) []float64 {
	k := len(a)
	for i := range a {
		best := i
		for j := i; j < k; j++ {
			if math.Abs(a[j][i]) > math.Abs(a[best][i]) {
				best = j
			}
		}
		a[i], a[best] = a[best], a[i]
		for j := i + 1; j < k; j++ {
			f := a[j][i] / a[i][i]
			for m := i; m <= k; m++ {
				a[j][m] -= f * a[i][m]
			}
		}
	}
	x := make([]float64, k)
	for i := k - 1; i >= 0; i-- {
		x[i] = a[i][k]
		for j := i + 1; j < k; j++ {
			x[i] -= a[i][j] * x[j]
		}
		x[i] /= a[i][i]
	}
	return x
}

// implicitSide is a rank of a case.
type implicitSide struct {
	*implicitCase
	ctx     context.Context
	process *acp.Process
	leads   bool
	index   int
	model   *couple.Model
	both    *couple.Implicit
	out     *couple.Sender
	in      *couple.Receiver
	mine    []int     // numbers of values of this rank
	values  []float64 // those of both fields, the second one behind the first
	all     []float64 // at a follower
}

func newImplicitSide(ctx context.Context, p *acp.Process, c *implicitCase) (*implicitSide, error) {
	s := &implicitSide{implicitCase: c, ctx: ctx, process: p, index: slices.Index(c.leaders, p.Rank())}
	s.leads = s.index >= 0
	names, ranks := [2]string{"lead", "follow"}, c.leaders
	if !s.leads {
		s.index = slices.Index(c.followers, p.Rank())
		names, ranks = [2]string{"follow", "lead"}, c.followers
	}
	for i, owner := range c.owners {
		if s.leads && owner == s.index || !s.leads && i%len(c.followers) == s.index {
			s.mine = append(s.mine, i)
		}
	}
	s.values = make([]float64, len(s.mine))
	var err error
	if s.model, err = couple.NewModel(p, fmt.Sprintf("%s%d", names[0], c.number), ranks); err != nil {
		return nil, err
	}
	other := fmt.Sprintf("%s%d", names[1], c.number)
	if s.both, err = s.model.Implicit(other, s.leads); err != nil {
		return nil, err
	}
	send, err := couple.NewField(s.model, "out", s.values, couple.List(s.mine), 1)
	if err != nil {
		return nil, err
	}
	receive := send
	if !s.leads {
		s.all = make([]float64, len(c.owners))
		if receive, err = couple.NewField(s.model, "in", s.all, couple.Ranges{{First: 0, N: len(c.owners)}}, 1); err != nil {
			return nil, err
		}
	}
	s.model.Seal()
	g := couple.Begin(ctx)
	s.out = g.SendTo(send, other+map[bool]string{true: ".in", false: ".out"}[s.leads], couple.Options{})
	s.in = g.ReceiveFrom(receive, other+".out", couple.Options{})
	return s, g.Wait()
}

// choose adds the fields, which are parts of the values of this rank.
func (s *implicitSide) choose() error {
	if !s.leads {
		return errors.Join(expect(couple.ErrOptions, s.both.Add("x", nil)), expect(couple.ErrOptions, s.both.Limit(1)))
	}
	end := 0
	for end < len(s.mine) && s.mine[end] < s.split {
		end++
	}
	return errors.Join(
		s.both.Add("first", s.values[:end]), s.both.Add("second", s.values[end:]), s.both.Accelerate(s.acceleration), s.both.Limit(s.most),
		s.both.Measure("first", couple.Absolute, 1e-300), s.both.Measure("second", couple.Relative, 1e-300),
	)
}

// play runs the steps, and compares the values of each iteration with the serial model.
func (s *implicitSide) play() error {
	kept := []int32{-1}
	err := errors.Join(s.choose(), couple.Keep(s.both, kept))
	want := s.serial()
	for step := 0; step < s.steps && err == nil; step++ {
		kept[0] = int32(step)
		err = s.insist(s.both.Begin)
		for iteration, again := 0, true; again && err == nil; iteration++ {
			// In later steps the methods with a memory begin with rounded differences. The normal equations are accurate for a few columns.
			if alike := step == 0 && iteration <= 6 || s.acceleration.Method == couple.Constant; s.leads && alike && iteration < len(want[step]) {
				err = s.compare(step, iteration, want[step][iteration])
			}
			if kept[0] != int32(step) {
				err = errors.Join(err, fmt.Errorf("step %d begins an iteration with %d", step, kept[0]))
			}
			kept[0] = -2
			err = errors.Join(err, s.exchange(step))
			if err == nil {
				err = s.insist(func(ctx context.Context) (err error) {
					again, err = s.both.Iterate(ctx)
					return err
				})
			}
		}
		if last := s.both.Last(); err == nil && last.Iterations != s.most && !last.Converged {
			err = fmt.Errorf("step %d ended with %+v", step, last)
		}
	}
	return errors.Join(err, s.both.Close(s.ctx), s.out.Close(s.ctx), s.in.Close(s.ctx))
}

// insist makes a call again as long as its time is over before it ends.
func (s *implicitSide) insist(call func(context.Context) error) error {
	for s.callLimit != 0 {
		ctx, cancel := context.WithTimeout(s.ctx, s.callLimit)
		err := call(ctx)
		cancel()
		if !errors.Is(err, context.DeadlineExceeded) || s.ctx.Err() != nil {
			return err
		}
	}
	return call(s.ctx)
}

// exchange sends and receives the values of an iteration.
func (s *implicitSide) exchange(step int) error {
	round := s.both.Round()
	if s.leads {
		return errors.Join(s.out.Send(s.ctx, round), s.in.Receive(s.ctx, round))
	}
	if err := s.in.Receive(s.ctx, round); err != nil {
		return err
	}
	for k, y := range s.through(step, s.all) {
		if at := slices.Index(s.mine, k); at >= 0 {
			s.values[at] = y
		}
	}
	return s.out.Send(s.ctx, round)
}

// compare compares the values of this rank at the beginning of an iteration with the serial model.
func (s *implicitSide) compare(step, iteration int, want []float64) error {
	size := 1.0
	for _, x := range want {
		size = max(size, math.Abs(x))
	}
	for at, i := range s.mine {
		if d := math.Abs(s.values[at] - want[i]); !(d <= 1e-6*size) {
			return fmt.Errorf("step %d, iteration %d, value %d: %v, expected %v", step, iteration, i, s.values[at], want[i])
		}
	}
	return nil
}

// TestImplicitAtRandom compares iterations of random linear problems, with each method and any ranks, with a serial model.
func TestImplicitAtRandom(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	forEach(t, []int{2, 3, 5}, func(ctx context.Context, p *acp.Process) error {
		for number := range uint64(25) {
			c := newImplicitCase(seed, number, p.Procs())
			s, err := newImplicitSide(ctx, p, c)
			if err == nil {
				err = s.play()
			}
			if err != nil {
				return fmt.Errorf("%v: %w", c, err)
			}
		}
		return nil
	})
}
