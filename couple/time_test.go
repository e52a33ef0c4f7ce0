package couple_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/couple"
)

// timeCase is a link with random operations in time between random decompositions, and its serial model.
type timeCase struct {
	seed, number uint64
	single       bool // float32, not float64
	perPoint     int
	owners       [2][]int  // of each point of both fields, by index of the rank on its side
	masked       [2][]bool // points
	ranks        [2][]acp.Rank
	matrix       []couple.Weight // nil: none
	at           int             // the side that has it
	conserve     couple.Conservation
	areas        [2][]float64

	every                  [2]int
	lag, windows           int
	reduction              couple.Reduction
	interpolate            bool
	factor, offset         [2]float64 // of each side; factor 0: no call
	recorded               [2]int     // which messages each side records
	saved                  [2]int     // steps after which each side saves its state
	sentSteps, receivedEnd int
}

// newTimeCase returns the case with a number, which is the same on all ranks.
func newTimeCase(seed, number uint64, ranks int) *timeCase {
	r := rand.New(rand.NewPCG(seed, number))
	c := &timeCase{seed: seed, number: number, single: r.IntN(3) == 0, perPoint: 1 + r.IntN(2), at: r.IntN(2)}
	senders := 1 + r.IntN(ranks-1)
	for rank := range ranks {
		side := 0
		if rank >= senders {
			side = 1
		}
		c.ranks[side] = append(c.ranks[side], acp.Rank(rank))
	}
	points := 1 + r.IntN(60)
	weighted := r.IntN(2) == 0
	for side := range c.owners {
		if side == 1 && weighted {
			points = 1 + r.IntN(60)
		}
		for range points {
			c.owners[side] = append(c.owners[side], r.IntN(len(c.ranks[side])))
			c.masked[side] = append(c.masked[side], r.IntN(8) == 0)
			c.areas[side] = append(c.areas[side], float64(1+r.IntN(5)))
		}
	}
	if weighted {
		c.matrix = []couple.Weight{}
		for range r.IntN(200) {
			c.matrix = append(c.matrix, couple.Weight{Row: r.IntN(len(c.owners[1])), Column: r.IntN(len(c.owners[0])), Value: r.Float64()})
		}
	}
	if r.IntN(3) == 0 {
		c.conserve = couple.ConserveAdd + couple.Conservation(r.IntN(2))
	}
	c.every = [2]int{1 + r.IntN(4), 1 + r.IntN(4)}
	c.lag, c.windows = r.IntN(2*c.every[0]+1), 2+r.IntN(4)
	c.reduction = couple.Reduction(r.IntN(5))
	c.interpolate = r.IntN(2) == 0
	for side := range 2 {
		if r.IntN(2) == 0 {
			c.factor[side], c.offset[side] = r.Float64()*4-2, r.Float64()*10
		}
	}
	c.recorded = [2]int{1 + r.IntN(3), 1 + r.IntN(3)}
	c.receivedEnd = c.windows * c.every[1]
	c.sentSteps = c.windows * c.every[0]
	if c.interpolate && c.lag == 0 {
		c.sentSteps++ // the last steps of the receiver need the next message
	}
	for {
		steps := 1 + r.IntN(c.receivedEnd-1)
		if c.receivedEnd == 1 || steps*c.every[0]%c.every[1] == 0 {
			c.saved = [2]int{steps * c.every[0] / c.every[1], steps}
			return c
		}
	}
}

// String tells how to run the case again.
func (c *timeCase) String() string {
	return fmt.Sprintf("seed %d case %d: every %v lag %d %v interpolate %v weights %d at %d conserve %v single %v ranks %v saved %v", c.seed, c.number, c.every, c.lag, c.reduction, c.interpolate, len(c.matrix), c.at, c.conserve, c.single, c.ranks, c.saved)
}

// value is the value of a point of the sending field in a step; in step -1, the initial value.
func (c *timeCase) value(step, point, k int) float64 {
	r := rand.New(rand.NewPCG(c.number, uint64(step+1)<<32|uint64(point)<<8|uint64(k)))
	return c.round(r.Float64()*100 - 30)
}

// round rounds to the type of the field.
func (c *timeCase) round(x float64) float64 {
	if c.single {
		return float64(float32(x))
	}
	return x
}

func scaled(x, factor, offset float64) float64 {
	if factor == 0 {
		return x
	}
	return float64(x*factor) + offset
}

// reduced is the value of a point in a message.
func (c *timeCase) reduced(message, point, k int) float64 {
	last := message*c.every[0] - c.lag
	if last < 0 {
		return c.value(-1, point, k)
	}
	if c.reduction == couple.Last {
		return c.value(last, point, k)
	}
	var values []float64
	for step := max(0, last-c.every[0]+1); step <= last; step++ {
		values = append(values, c.value(step, point, k))
	}
	switch c.reduction {
	case couple.Minimum:
		return slices.Min(values)
	case couple.Maximum:
		return slices.Max(values)
	}
	sum := 0.0
	for _, x := range values {
		sum += x
	}
	if c.reduction == couple.Average {
		sum /= float64(len(values))
	}
	return sum
}

// message returns the values of all points of the receiving field after a message, NaN at those that get none.
func (c *timeCase) message(number, k int) []float64 {
	sent := make([]float64, len(c.owners[0]))
	for x := range sent {
		sent[x] = c.round(scaled(c.reduced(number, x, k), c.factor[0], c.offset[0]))
	}
	got := make([]float64, len(c.owners[1]))
	for x := range got {
		got[x] = math.NaN()
	}
	if c.matrix == nil {
		for x, value := range sent {
			if !c.masked[0][x] && !c.masked[1][x] {
				got[x] = value
			}
		}
	}
	for _, w := range c.matrix {
		if c.masked[1][w.Row] {
			continue
		}
		if math.IsNaN(got[w.Row]) {
			got[w.Row] = 0
		}
		if !c.masked[0][w.Column] {
			got[w.Row] += w.Value * sent[w.Column]
		}
	}
	if c.conserve != couple.ConserveNothing {
		c.correct(sent, got)
	}
	for x := range got {
		got[x] = scaled(got[x], c.factor[1], c.offset[1])
	}
	return got
}

// correct makes the integral of got that of sent.
func (c *timeCase) correct(sent, got []float64) {
	var from, to, area float64
	for x, value := range sent {
		if !c.masked[0][x] {
			from += value * c.areas[0][x]
		}
	}
	for x, value := range got {
		if !math.IsNaN(value) {
			to, area = to+value*c.areas[1][x], area+c.areas[1][x]
		}
	}
	for x := range got {
		if c.conserve == couple.ConserveMultiply && to != 0 {
			got[x] *= from / to
		} else if area != 0 {
			got[x] += (from - to) / area
		}
	}
}

// want returns the values of a step of the receiver.
func (c *timeCase) want(step, k int) []float64 {
	number, rest := step/c.every[1], step%c.every[1]
	values := c.message(number, k)
	if c.interpolate && rest > 0 {
		part := float64(rest) / float64(c.every[1])
		for x, after := range c.message(number+1, k) {
			values[x] += part * (after - values[x])
		}
	}
	return values
}

// timeRank is one rank of a case.
type timeRank[T float32 | float64] struct {
	*timeCase
	ctx      context.Context
	process  *acp.Process
	side     int
	index    int
	points   []int
	data     []T
	field    *couple.Field
	folder   string
	received [][]T // after each step
}

// newTimeRank declares the field of a rank.
func newTimeRank[T float32 | float64](ctx context.Context, p *acp.Process, c *timeCase, folder string) (*timeRank[T], error) {
	x := &timeRank[T]{timeCase: c, ctx: ctx, process: p, folder: folder}
	if !slices.Contains(c.ranks[0], p.Rank()) {
		x.side = 1
	}
	x.index = slices.Index(c.ranks[x.side], p.Rank())
	var valid []bool
	var areas []float64
	for point, owner := range c.owners[x.side] {
		if owner == x.index {
			x.points = append(x.points, point)
			valid, areas = append(valid, !c.masked[x.side][point]), append(areas, c.areas[x.side][point])
		}
	}
	r := rand.New(rand.NewPCG(c.number, uint64(p.Rank())))
	r.Shuffle(len(x.points), func(i, j int) {
		x.points[i], x.points[j] = x.points[j], x.points[i]
		valid[i], valid[j] = valid[j], valid[i]
		areas[i], areas[j] = areas[j], areas[i]
	})
	m, err := couple.NewModel(p, fmt.Sprintf("%c%d", 'a'+x.side, c.number), c.ranks[x.side])
	if err != nil {
		return nil, err
	}
	x.data = make([]T, len(x.points)*c.perPoint)
	if x.field, err = couple.NewField(m, "f", x.data, couple.List(x.points), c.perPoint); err != nil {
		return nil, err
	}
	return x, errors.Join(x.field.Mask(valid), x.field.Conserve(c.conserve, areas))
}

// partner is the name of the field at the other side.
func (x *timeRank[T]) partner() string { return fmt.Sprintf("%c%d.f", 'b'-x.side, x.number) }

// weights returns the entries of this rank, if it is on the side with the matrix.
func (x *timeRank[T]) weights() (own []couple.Weight) {
	for _, w := range x.matrix {
		if slices.Contains(x.points, []int{w.Column, w.Row}[x.side]) {
			own = append(own, w)
		}
	}
	return own
}

// send runs the steps of a sender from a step on. It loads its state unless it begins.
func (x *timeRank[T]) send(from int) error {
	o := couple.Options{Levels: max(1, (x.lag+x.every[0]-1)/x.every[0]), Every: x.every[0]}
	var s *couple.Sender
	var err error
	if x.matrix != nil && x.at == 0 {
		s, err = x.field.SendWeighted(x.ctx, x.partner(), x.weights(), o)
	} else {
		s, err = x.field.SendTo(x.ctx, x.partner(), o)
	}
	if err != nil {
		return err
	}
	err = errors.Join(s.Reduce(x.reduction), s.Lag(x.lag))
	if x.factor[0] != 0 {
		err = errors.Join(err, s.Scale(x.factor[0], x.offset[0]))
	}
	err = errors.Join(err, x.record(from, s.Record))
	if err != nil {
		return err
	}
	if from == 0 {
		x.fill(-1)
		err = s.Initialize(x.ctx, 0)
	} else {
		err = x.loaded(s.Load, from)
	}
	for step := from; step < x.sentSteps && err == nil; step++ {
		x.fill(step)
		if err = s.Send(x.ctx, step); err == nil && from == 0 && step == x.saved[0]-1 {
			err = s.Save(x.file())
		}
	}
	if err != nil {
		return err
	}
	return errors.Join(x.process.Sync(), s.Close(x.ctx), x.checkRecord(from)) // with a lag the receivers do not get the last messages
}

// file is the file of the state.
func (x *timeRank[T]) file() string {
	return filepath.Join(x.folder, fmt.Sprintf("%d-%d-%d", x.process.Procs(), x.number, x.side))
}

// loaded calls Load and compares the step.
func (x *timeRank[T]) loaded(load func(context.Context, string) (int, error), next int) error {
	step, err := load(x.ctx, x.file())
	if err == nil && step != next-1 {
		err = fmt.Errorf("Load returned step %d, expected %d", step, next-1)
	}
	return err
}

// fill sets the values of a step. Masked points are NaN.
func (x *timeRank[T]) fill(step int) {
	for i, point := range x.points {
		for k := range x.perPoint {
			x.data[i*x.perPoint+k] = T(x.value(step, point, k))
			if x.masked[0][point] {
				x.data[i*x.perPoint+k] = T(math.NaN())
			}
		}
	}
}

// timedReceiver reports whether the receiver has operations in time.
func (x *timeRank[T]) timedReceiver() bool {
	return x.interpolate || x.factor[1] != 0 || x.conserve != couple.ConserveNothing
}

// receive runs the steps of a receiver from a step on.
func (x *timeRank[T]) receive(from int) error {
	o := couple.Options{Every: x.every[1]}
	var r *couple.Receiver
	var err error
	if x.matrix != nil && x.at == 1 {
		r, err = x.field.ReceiveWeighted(x.ctx, x.partner(), x.weights(), o)
	} else {
		r, err = x.field.ReceiveFrom(x.ctx, x.partner(), o)
	}
	if err != nil {
		return err
	}
	if x.interpolate {
		err = r.Interpolate()
	}
	if x.factor[1] != 0 {
		err = errors.Join(err, r.Scale(x.factor[1], x.offset[1]))
	}
	err = errors.Join(err, x.record(from, r.Record))
	if err == nil && from > 0 && x.timedReceiver() {
		err = x.loaded(r.Load, from)
	}
	if from > 0 {
		copy(x.data, x.received[from-1])
	}
	for step := from; step < x.receivedEnd && err == nil; step++ {
		if err = r.Receive(x.ctx, step); err != nil {
			break
		}
		if from == 0 {
			x.received = append(x.received, slices.Clone(x.data))
			err = x.compare(step)
		} else {
			err = x.same(step)
		}
		if err == nil && from == 0 && step == x.saved[1]-1 && x.timedReceiver() {
			err = r.Save(x.file())
		}
	}
	if err != nil {
		return err
	}
	return errors.Join(x.process.Sync(), r.Close(x.ctx), x.checkRecord(from))
}

// compare compares the values after a step with the model.
func (x *timeRank[T]) compare(step int) error {
	if !x.interpolate {
		step -= step % x.every[1]
	}
	for k := range x.perPoint {
		want := x.want(step, k)
		for i, point := range x.points {
			value, have := x.round(want[point]), float64(x.data[i*x.perPoint+k])
			if math.IsNaN(value) {
				value = 0 // it gets no value
			}
			if math.Abs(have-value) > x.tolerance()*max(100, math.Abs(value)) || math.IsNaN(have) {
				return fmt.Errorf("step %d, point %d: %v, expected %v", step, point, have, value)
			}
		}
	}
	return nil
}

// tolerance is by how much of a value the result may differ from the model. Without weights and conservation the operations are the
// same in the same order.
func (x *timeRank[T]) tolerance() float64 {
	switch {
	case x.matrix == nil && x.conserve == couple.ConserveNothing:
		return 0
	case x.single:
		return 1e-4
	}
	return 1e-11
}

// same compares the values after a step bit by bit with those of the run without an interruption.
func (x *timeRank[T]) same(step int) error {
	for i, have := range x.data {
		if want := x.received[step][i]; math.Float64bits(float64(have)) != math.Float64bits(float64(want)) {
			return fmt.Errorf("step %d after the restart, position %d: %v, expected %v", step, i, have, want)
		}
	}
	return nil
}

// playTime runs a case, and a second time from the saved state on.
func playTime[T float32 | float64](ctx context.Context, p *acp.Process, c *timeCase, folder string) error {
	x, err := newTimeRank[T](ctx, p, c, folder)
	if err != nil {
		return err
	}
	play := [2]func(int) error{x.send, x.receive}[x.side]
	if err := play(0); err != nil {
		return err
	}
	return play(c.saved[x.side])
}

// TestTimeAtRandom compares links with random operations in time with a serial model, and a restart in the middle with the run
// without an interruption.
func TestTimeAtRandom(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	folder := t.TempDir()
	forEach(t, []int{2, 3, 5}, func(ctx context.Context, p *acp.Process) error {
		for number := range uint64(60) {
			c := newTimeCase(seed, number, p.Procs())
			play := playTime[float64]
			if c.single {
				play = playTime[float32]
			}
			if err := play(ctx, p, c, folder); err != nil {
				return fmt.Errorf("%v: %w", c, err)
			}
		}
		return nil
	})
}
