package couple_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/couple"
)

// maskedCase is a link between fields with random masks. The first ranks send.
type maskedCase struct {
	number   int
	senders  int
	perPoint int
	shares   [2][]share
	valid    [2][][]bool // by side, rank and position
	sent     map[int]bool
	weighted int // the side that has the matrix, or -1
	matrix   []couple.Weight
}

// newMaskedCase returns the case with a number, which is the same on all ranks. Integers have no weights.
func newMaskedCase(number, ranks int, integers bool) *maskedCase {
	r := rand.New(rand.NewPCG(31, uint64(number)))
	c := &maskedCase{number: number, senders: 1 + r.IntN(ranks-1), perPoint: 1 + r.IntN(3), sent: make(map[int]bool), weighted: r.IntN(3) - 1}
	if integers {
		c.weighted = -1
	}
	fortran, numbers := r.IntN(2) == 0, func(x int) int { return x }
	if c.weighted < 0 {
		numbers = numbering(r)
	}
	var grid [2][]int
	grid[0] = []int{1 + r.IntN(12), 1 + r.IntN(12)}
	if grid[1] = grid[0]; c.weighted >= 0 {
		grid[1] = []int{1 + r.IntN(12), 1 + r.IntN(12)}
	}
	var points [2]int
	for s, n := range []int{c.senders, ranks - c.senders} {
		points[s] = grid[s][0] * grid[s][1]
		c.shares[s] = divide(r, grid[s], fortran, points[s], n, numbers, s == 1)
		often := r.IntN(5)
		for _, x := range c.shares[s] {
			valid := make([]bool, len(x.at))
			for i := range valid {
				valid[i] = r.IntN(1+often) != 0
				if s == 0 && valid[i] {
					c.sent[x.sends[i]] = true
				}
			}
			c.valid[s] = append(c.valid[s], valid)
		}
	}
	for range r.IntN(300) {
		c.matrix = append(c.matrix, couple.Weight{Row: r.IntN(points[1]), Column: r.IntN(points[0]), Value: float64(r.IntN(9)-4) / 2})
	}
	return c
}

// points returns the point at each position of a rank of a side, or -1.
func (c *maskedCase) points(side, index int) []int {
	if side == 0 {
		return c.shares[0][index].sends
	}
	return c.shares[1][index].at
}

// mine returns the entries of the matrix that a rank of a side passes, also entries of points that it masks.
func (c *maskedCase) mine(side, index int) (mine []couple.Weight) {
	held := make(map[int]bool)
	for _, x := range c.points(side, index) {
		held[x] = true
	}
	for _, w := range c.matrix {
		if held[[2]int{w.Column, w.Row}[side]] {
			mine = append(mine, w)
		}
	}
	return mine
}

// want returns the value that a point gets in a message, or false if it keeps its own.
func (c *maskedCase) want(message, point, k int) (sum float64, gets bool) {
	if c.weighted < 0 {
		return maskedValue(message, point, k), c.sent[point]
	}
	for _, w := range c.matrix {
		if w.Row != point {
			continue
		}
		if gets = true; c.sent[w.Column] {
			sum += w.Value * maskedValue(message, w.Column, k)
		}
	}
	return sum, gets
}

// maskedValue is the value of a point in a message.
func maskedValue(message, point, k int) float64 { return float64(message*10 + point%30*3 + k + 1) }

// maskedType is a type of values. bad returns values that spoil every sum.
type maskedType[T couple.Value] struct {
	number func(float64) T
	bad    func(i int) T
}

func badReal(i int) float64 { return []float64{math.NaN(), math.Inf(1), math.Inf(-1)}[i%3] }

// play plays the part of one rank.
func (v maskedType[T]) play(ctx context.Context, p *acp.Process, c *maskedCase) error {
	side, index, ranks := 0, int(p.Rank()), ranksFrom(0, c.senders)
	if index >= c.senders {
		side, index, ranks = 1, index-c.senders, ranksFrom(c.senders, p.Procs())
	}
	valid := c.valid[side][index]
	data := make([]T, len(valid)*c.perPoint)
	m, err := couple.NewModel(p, fmt.Sprintf("%c%d", 'a'+side, c.number), ranks)
	if err != nil {
		return err
	}
	f, err := couple.NewField(m, "f", data, c.shares[side][index].points, c.perPoint)
	if err == nil {
		err = errors.Join(f.Mask(make([]bool, len(valid))), f.Mask(valid)) // the second one counts
	}
	if err != nil {
		return err
	}
	if side == 0 {
		return v.send(ctx, c, f, index, data)
	}
	return v.receive(ctx, c, f, index, data)
}

const maskedMessages = 3

// send sends messages whose masked points spoil every sum.
func (v maskedType[T]) send(ctx context.Context, c *maskedCase, f *couple.Field, index int, data []T) error {
	open := func(to string) (*couple.Sender, error) { return f.SendTo(ctx, to, couple.Options{}) }
	if c.weighted == 0 {
		open = func(to string) (*couple.Sender, error) {
			return f.SendWeighted(ctx, to, c.mine(0, index), couple.Options{})
		}
	}
	out, err := open(fmt.Sprintf("b%d.f", c.number))
	if err != nil {
		return err
	}
	for message := range maskedMessages {
		for i := range data {
			point := c.points(0, index)[i/c.perPoint]
			if data[i] = v.bad(i + message); point >= 0 && c.valid[0][index][i/c.perPoint] {
				data[i] = v.number(maskedValue(message, point, i%c.perPoint))
			}
		}
		if err := out.Send(ctx, message); err != nil {
			return err
		}
	}
	return out.Close(ctx)
}

// receive receives the messages, and compares all of the memory.
func (v maskedType[T]) receive(ctx context.Context, c *maskedCase, f *couple.Field, index int, data []T) error {
	open := func(from string) (*couple.Receiver, error) { return f.ReceiveFrom(ctx, from, couple.Options{}) }
	if c.weighted == 1 {
		open = func(from string) (*couple.Receiver, error) {
			return f.ReceiveWeighted(ctx, from, c.mine(1, index), couple.Options{})
		}
	}
	in, err := open(fmt.Sprintf("a%d.f", c.number))
	if err != nil {
		return err
	}
	before := func(i int) T {
		if i%2 == 0 {
			return v.bad(i)
		}
		return v.number(-100)
	}
	for message := range maskedMessages {
		for i := range data {
			data[i] = before(i)
		}
		if err := in.Receive(ctx, message); err != nil {
			return err
		}
		for i, got := range data {
			want, point := before(i), c.points(1, index)[i/c.perPoint]
			if sum, gets := c.want(message, point, i%c.perPoint); gets && point >= 0 && c.valid[1][index][i/c.perPoint] {
				want = v.number(sum)
			}
			if got != want && fmt.Sprint(got) != fmt.Sprint(want) { // NaN differs from itself
				return fmt.Errorf("case %d, message %d: point %d, number %d, is %v, want %v (%d per point)", c.number, message, point, i, got, want, c.perPoint)
			}
		}
	}
	return in.Close(ctx)
}

// ranksFrom returns the ranks from first to less than last.
func ranksFrom(first, end int) (ranks []acp.Rank) {
	for r := first; r < end; r++ {
		ranks = append(ranks, acp.Rank(r))
	}
	return ranks
}

// TestMask masks random points on both sides of random links, with weights on either side and without. Masked points of
// senders are NaN and infinite.
func TestMask(t *testing.T) {
	forEach(t, []int{2, 5}, func(ctx context.Context, p *acp.Process) error {
		for number := 0; number < 200; number += 5 {
			of := func(i int, integers bool) *maskedCase { return newMaskedCase(number+i, p.Procs(), integers) }
			err := errors.Join(
				maskedType[float64]{func(x float64) float64 { return x }, badReal}.play(ctx, p, of(0, false)),
				maskedType[float32]{func(x float64) float32 { return float32(x) }, func(i int) float32 { return float32(badReal(i)) }}.play(ctx, p, of(1, false)),
				maskedType[complex64]{
					func(x float64) complex64 { return complex(float32(x), float32(-x)) },
					func(i int) complex64 { return complex(1, float32(badReal(i))) },
				}.play(ctx, p, of(2, false)),
				maskedType[complex128]{
					func(x float64) complex128 { return complex(x, -x) }, func(i int) complex128 { return complex(badReal(i), badReal(i+1)) },
				}.play(ctx, p, of(3, false)),
				maskedType[int16]{func(x float64) int16 { return int16(x) }, func(int) int16 { return -31000 }}.play(ctx, p, of(4, true)),
			)
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// TestMaskedTwice: a point that several senders hold is no error if all except one of them mask it, and a point that
// all of them mask is not missing.
func TestMaskedTwice(t *testing.T) {
	forEach(t, []int{3}, func(ctx context.Context, p *acp.Process) error {
		if p.Rank() == 2 {
			data := []float64{-1, -1, -1}
			m, err1 := couple.NewModel(p, "b", []acp.Rank{2})
			f, err2 := couple.NewField(m, "f", data, couple.List{9, 8, 7}, 1)
			if err := errors.Join(err1, err2); err != nil {
				return err
			}
			in, err := f.ReceiveFrom(ctx, "a.f", couple.Options{})
			if err == nil {
				err = errors.Join(in.Receive(ctx, 0), in.Close(ctx))
			}
			if want := [3]float64{-1, 1, 0}; err != nil || [3]float64(data) != want {
				return fmt.Errorf("%v, want %v: %w", data, want, err)
			}
			return nil
		}
		m, err1 := couple.NewModel(p, "a", []acp.Rank{0, 1})
		x := float64(p.Rank())
		f, err2 := couple.NewField(m, "f", []float64{x, x, x}, couple.Ranges{{First: 7, N: 3}}, 1)
		if err := errors.Join(err1, err2); err != nil {
			return err
		}
		if err := f.Mask([]bool{p.Rank() == 0, p.Rank() == 1, false}); err != nil {
			return err
		}
		out, err := f.SendTo(ctx, "b.f", couple.Options{})
		if err != nil {
			return err
		}
		return errors.Join(out.Send(ctx, 0), out.Close(ctx))
	})
}

// TestZeroWeightsByFile: columns of a file that have only the weight 0 need no sender, and columns may be masked. A column that several
// senders hold is refused, also if another one has no sender.
func TestZeroWeightsByFile(t *testing.T) {
	for text, want := range map[string]error{
		"3 12 5\n1 8 1\n1 9 10\n2 9 2\n3 10 3\n3 12 0\n": nil,
		"3 12 4\n1 8 1\n1 9 10\n3 7 2\n3 12 1\n":         couple.ErrWeights,
	} {
		file := filepath.Join(t.TempDir(), "w.mtx")
		if err := os.WriteFile(file, []byte("%%MatrixMarket matrix coordinate real general\n"+text), 0o600); err != nil {
			t.Fatal(err)
		}
		forEach(t, []int{3}, func(ctx context.Context, p *acp.Process) error {
			if p.Rank() == 2 {
				data := []float64{-1, -1, -1}
				m, err1 := couple.NewModel(p, "b", []acp.Rank{2})
				f, err2 := couple.NewField(m, "f", data, couple.Ranges{{N: 3}}, 1)
				if err := errors.Join(err1, err2); err != nil {
					return err
				}
				in, err := f.ReceiveFrom(ctx, "a.f", couple.Options{})
				if want != nil {
					return refused(err, want)
				}
				if err == nil {
					err = errors.Join(in.Receive(ctx, 0), in.Close(ctx))
				}
				if want := [3]float64{1, 0, 6}; err != nil || [3]float64(data) != want {
					return fmt.Errorf("%v, want %v: %w", data, want, err)
				}
				return nil
			}
			m, err1 := couple.NewModel(p, "a", []acp.Rank{0, 1})
			x := float64(p.Rank() + 1)
			// Rank 0 has the points 7 and 8, rank 1 has 9 and 10. Both have 6 in the second turn.
			points := couple.List{7 + 2*int(p.Rank()), 8 + 2*int(p.Rank()), 20 + int(p.Rank())}
			if want != nil {
				points[2] = 6
			}
			f, err2 := couple.NewField(m, "f", []float64{x, x, x}, points, 1)
			if err := errors.Join(err1, err2); err != nil {
				return err
			}
			if err := f.Mask([]bool{true, p.Rank() == 1, true}); err != nil {
				return err
			}
			out, err := f.SendByFile(ctx, "b.f", file, couple.Options{})
			if want != nil {
				return refused(err, want)
			}
			if err != nil {
				return err
			}
			return errors.Join(out.Send(ctx, 0), out.Close(ctx))
		})
	}
}

// TestMaskMistakes: a mask has one element for each point, and comes before links.
func TestMaskMistakes(t *testing.T) {
	forEach(t, []int{1}, func(ctx context.Context, p *acp.Process) error {
		m, err1 := couple.NewModel(p, "a", nil)
		f, err2 := couple.NewField(m, "f", make([]float64, 6), couple.List{0, 1}, 3)
		g, err3 := couple.NewField(m, "g", make([]float64, 6), couple.List{0, 1}, 3)
		if err := errors.Join(err1, err2, err3); err != nil {
			return err
		}
		if err := refused(f.Mask(make([]bool, 6)), couple.ErrSize, "field a.f", "6 elements of a mask for 2 points"); err != nil {
			return err
		}
		out, err := f.PublishTo("b.f", 1)
		if err != nil {
			return err
		}
		links := couple.Begin(ctx)
		begun := links.SendTo(g, "a.f", couple.Options{})
		in := links.ReceiveFrom(f, "a.g", couple.Options{})
		defer out.Close()
		return errors.Join(
			refused(f.Mask([]bool{true, true}), couple.ErrModel, "field a.f is masked after a link of it has been opened"),
			refused(g.Mask([]bool{true, true}), couple.ErrModel, "field a.g is masked after"),
			links.Wait(), begun.Close(ctx), in.Close(ctx),
		)
	})
}

// TestMaskedWatch: a mask holds for each watcher that comes.
func TestMaskedWatch(t *testing.T) {
	forEach(t, []int{2}, func(ctx context.Context, p *acp.Process) error {
		m, err1 := couple.NewModel(p, []string{"model", "viewer"}[p.Rank()], []acp.Rank{p.Rank()})
		data := []float64{math.NaN(), 2, 3, math.Inf(1)}
		f, err2 := couple.NewField(m, "f", data, couple.Ranges{{N: 4}}, 1)
		if err := errors.Join(err1, err2, f.Mask([][]bool{{false, true, true, false}, {true, true, false, true}}[p.Rank()])); err != nil {
			return err
		}
		if p.Rank() == 0 {
			out, err := f.PublishTo("viewer.f", 1)
			if err != nil {
				return err
			}
			defer out.Close()
			for step := 0; ; step++ {
				if _, version, err := p.GetValue("over"); version > 0 || err != nil {
					return err
				}
				if err := out.Send(step); err != nil {
					return err
				}
			}
		}
		weights := []couple.Weight{{Row: 0, Column: 0, Value: 5}, {Row: 0, Column: 1, Value: 2}, {Row: 1, Column: 3, Value: 1}, {Row: 2, Column: 1, Value: 1}}
		for range 3 {
			copy(data, []float64{-1, -2, -3, -4})
			for i, open := range []func() (*couple.Watcher, error){
				func() (*couple.Watcher, error) { return f.Watch(ctx, "model.f") },
				func() (*couple.Watcher, error) { return f.WatchWeighted(ctx, "model.f", weights) },
			} {
				in, err := open()
				if err != nil {
					return err
				}
				if _, err := in.Next(ctx); err != nil {
					return err
				}
				if want := [][4]float64{{-1, 2, -3, -4}, {4, 0, -3, -4}}[i]; [4]float64(data) != want {
					return fmt.Errorf("%v, want %v", data, want)
				}
				if err := in.Close(ctx); err != nil {
					return err
				}
			}
		}
		_, err := p.PutValue("over", []byte("1"))
		return err
	})
}

// zeroes has entries of weight 0 together with others in row 0, alone in row 1, and in column 9, which no rank has.
var zeroes = []couple.Weight{{Row: 0, Column: 0}, {Row: 0, Column: 1, Value: 2}, {Row: 1, Column: 0}, {Row: 1, Column: 2, Value: math.Copysign(0, -1)}}

// TestZeroWeights: an entry of weight 0 adds nothing to its row, whatever the value at its column.
func TestZeroWeights(t *testing.T) {
	for _, atSender := range []bool{false, true} {
		forEach(t, []int{2}, func(ctx context.Context, p *acp.Process) error {
			data := []float64{math.NaN(), 21, math.Inf(-1)}
			m, err1 := couple.NewModel(p, []string{"a", "b"}[p.Rank()], []acp.Rank{p.Rank()})
			f, err2 := couple.NewField(m, "f", data, couple.Ranges{{N: 3}}, 1)
			if err := errors.Join(err1, err2); err != nil {
				return err
			}
			if p.Rank() == 0 {
				open := func() (*couple.Sender, error) { return f.SendTo(ctx, "b.f", couple.Options{}) }
				if atSender {
					open = func() (*couple.Sender, error) { return f.SendWeighted(ctx, "b.f", zeroes, couple.Options{}) }
				}
				out, err := open()
				if err != nil {
					return err
				}
				return errors.Join(out.Send(ctx, 0), out.Close(ctx))
			}
			open := func() (*couple.Receiver, error) {
				return f.ReceiveWeighted(ctx, "a.f", append(zeroes, couple.Weight{Row: 1, Column: 9}), couple.Options{})
			}
			if atSender {
				open = func() (*couple.Receiver, error) { return f.ReceiveFrom(ctx, "a.f", couple.Options{}) }
			}
			copy(data, []float64{-1, -2, -3})
			in, err := open()
			if err == nil {
				err = errors.Join(in.Receive(ctx, 0), in.Close(ctx))
			}
			if want := [3]float64{42, 0, -3}; err != nil || [3]float64(data) != want {
				return fmt.Errorf("%v, want %v: %w", data, want, err)
			}
			return nil
		})
	}
}

// TestDescribedMask: links of the description have the masks of their fields, also with weights in a file, which have
// entries of masked points.
func TestDescribedMask(t *testing.T) {
	file := filepath.Join(t.TempDir(), "w.mtx")
	const text = "%%MatrixMarket matrix coordinate real general\n3 3 6\n1 1 0.5D+00\n1 2 2.0D+00\n2 1 1\n2 3 -4.0-100\n2 2 0.D0\n3 2 7\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for description, want := range map[string][3]float64{
		"from.f:to.f":                                   {-1, 10, -3},
		"from.f:to.f,weights=" + file:                   {20, -4e-100, -3},
		"from.f:to.f,weights-at=sender,weights=" + file: {20, -4e-100, -3},
	} {
		t.Setenv("ACP_COUPLE", description)
		forEach(t, []int{2}, func(ctx context.Context, p *acp.Process) error {
			data := []float64{math.Inf(1), 10, 1}
			m, err1 := couple.NewModel(p, []string{"from", "to"}[p.Rank()], []acp.Rank{p.Rank()})
			f, err2 := couple.NewField(m, "f", data, couple.Ranges{{N: 3}}, 1)
			mask := []bool{false, true, true}
			if p.Rank() == 1 {
				copy(data, []float64{-1, -2, -3})
				mask = []bool{true, true, false}
			}
			if err := errors.Join(err1, err2, f.Mask(mask)); err != nil {
				return err
			}
			links, err := m.Open(ctx)
			if err != nil {
				return err
			}
			if err := errors.Join(links.Send(ctx, 0), links.Receive(ctx, 0), links.Close(ctx)); err != nil {
				return err
			}
			if p.Rank() == 1 && [3]float64(data) != want {
				return fmt.Errorf("%s: %v, want %v", description, data, want)
			}
			return nil
		})
	}
}
