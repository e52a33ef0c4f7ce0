package couple_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/couple"
)

// pair is two ranks of which rank 0 sends to rank 1, each a model of its own: a.out and b.in.
type pair struct {
	p     *acp.Process
	model *couple.Model
}

func newPair(p *acp.Process) (*pair, error) {
	m, err := couple.NewModel(p, string(rune('a'+p.Rank())), []acp.Rank{p.Rank()})
	return &pair{p, m}, err
}

// end is the common interface of both ends of a link.
type end interface {
	Ready() (bool, error)
	Close(ctx context.Context) error
}

// open opens the end of this rank of the link from a.out to b.in. move is Send or Receive.
func open[T couple.Value](ctx context.Context, x *pair, data []T, points couple.Points, perPoint int, o couple.Options) (e end, move func(context.Context, int) error, err error) {
	if x.p.Rank() == 0 {
		f, err := couple.NewField(x.model, "out", data, points, perPoint)
		if err != nil {
			return nil, nil, err
		}
		s, err := f.SendTo(ctx, "b.in", o)
		if err != nil {
			return nil, nil, err
		}
		return s, s.Send, nil
	}
	f, err := couple.NewField(x.model, "in", data, points, perPoint)
	if err != nil {
		return nil, nil, err
	}
	r, err := f.ReceiveFrom(ctx, "a.out", o)
	if err != nil {
		return nil, nil, err
	}
	return r, r.Receive, nil
}

// refused checks that a link could not be opened because of want, and that the error names the
// cause.
func refused(err, want error, texts ...string) error {
	if err := expect(want, err); err != nil {
		return err
	}
	for _, s := range texts {
		if !strings.Contains(err.Error(), s) {
			return fmt.Errorf("%q does not say %q", err, s)
		}
	}
	return nil
}

// TestMistakes: every wrong declaration has its error, on both sides, and the link can be opened
// afterwards.
func TestMistakes(t *testing.T) {
	forEach(t, []int{2}, func(ctx context.Context, p *acp.Process) error {
		x, err := newPair(p)
		if err != nil {
			return err
		}
		side := p.Rank()
		e, _, err := open(ctx, x, make([]float64, 4), couple.Ranges{{First: 0, N: 4}}, 1, couple.Options{})
		if err == nil {
			err = e.Close(ctx)
		}
		if err != nil {
			return fmt.Errorf("a link without faults: %w", err)
		}
		missing := []couple.List{{1, 2, 5, 9}, {9, 5, 4, 3}}[side]
		_, _, err = open(ctx, x, make([]float64, 4), missing, 1, couple.Options{})
		if err := refused(err, couple.ErrMissing, "a.out>b.in", "point 3 of a.out", "b.in wants"); err != nil {
			return err
		}
		_, _, err = open(ctx, x, make([]float64, 4), couple.Ranges{{First: 0, N: 4 / int(side+1)}}, int(side+1), couple.Options{})
		if err := refused(err, couple.ErrTypes, "a.out>b.in", "1 float64 per point", "2 float64 per point"); err != nil {
			return err
		}
		if side == 0 {
			_, _, err = open(ctx, x, make([]float64, 4), couple.Ranges{{First: 0, N: 4}}, 1, couple.Options{})
		} else {
			_, _, err = open(ctx, x, make([]int32, 4), couple.Ranges{{First: 0, N: 4}}, 1, couple.Options{})
		}
		return refused(err, couple.ErrTypes, "1 float64 per point", "1 int32 per point")
	})
}

// TestHeldTwice: two senders with the same point are found by all ranks.
func TestHeldTwice(t *testing.T) {
	forEach(t, []int{3}, func(ctx context.Context, p *acp.Process) error {
		var err error
		if p.Rank() < 2 {
			m, err1 := couple.NewModel(p, "a", []acp.Rank{1, 0})
			points := couple.List{7, 5, 20, 30 + int(p.Rank())}
			f, err2 := couple.NewField(m, "out", make([]int8, 4), points, 1)
			if err := errors.Join(err1, err2); err != nil {
				return err
			}
			_, err = f.SendTo(ctx, "b.in", couple.Options{})
		} else {
			m, err1 := couple.NewModel(p, "b", []acp.Rank{2})
			f, err2 := couple.NewField(m, "in", make([]int8, 1), couple.List{20}, 1)
			if err := errors.Join(err1, err2); err != nil {
				return err
			}
			_, err = f.ReceiveFrom(ctx, "a.out", couple.Options{})
		}
		return refused(err, couple.ErrTwice, "ranks 1 and 0", "point 5 of a.out")
	})
}

// TestDisagree: ranks of one side that open different links, or one link with different options, get an error.
func TestDisagree(t *testing.T) {
	forEach(t, []int{3}, func(ctx context.Context, p *acp.Process) error {
		if p.Rank() == 2 {
			m, err1 := couple.NewModel(p, "b", []acp.Rank{2})
			f, err2 := couple.NewField(m, "in", make([]int8, 1), couple.List{1}, 1)
			if err := errors.Join(err1, err2); err != nil {
				return err
			}
			_, err := f.ReceiveFrom(ctx, "a.out", couple.Options{})
			return refused(err, couple.ErrDisagree, "levels")
		}
		m, err1 := couple.NewModel(p, "a", []acp.Rank{0, 1})
		f, err2 := couple.NewField(m, "out", make([]int8, 1), couple.List{int(p.Rank())}, 1)
		if err := errors.Join(err1, err2); err != nil {
			return err
		}
		_, err := f.SendTo(ctx, "b.in", couple.Options{Levels: 1 + int(p.Rank())})
		return refused(err, couple.ErrDisagree, "levels")
	})
}

// TestFullHeap: a receiver without room for messages makes all fail, and nothing stays allocated.
func TestFullHeap(t *testing.T) {
	forEach(t, []int{2}, func(ctx context.Context, p *acp.Process) error {
		x, err := newPair(p)
		if err != nil {
			return err
		}
		const n = 1 << 16
		_, _, err = open(ctx, x, make([]float64, n), couple.Ranges{{First: 0, N: n}}, 1, couple.Options{Levels: couple.MaxLevels})
		if p.Rank() == 0 {
			return refused(err, couple.ErrPartner, "process 0 of the receiving side", "bytes for the messages of b.in")
		}
		return refused(err, acp.ErrHeapFull, "bytes for the messages of b.in")
	})
}

// TestLocalMistakes: errors that one rank can detect are refused there.
func TestLocalMistakes(t *testing.T) {
	forEach(t, []int{1}, func(ctx context.Context, p *acp.Process) error {
		for name, ranks := range map[string][]acp.Rank{strings.Repeat("a", 201): nil, "a.b": nil, "a>b": nil, "a": {}, "b": {0, 0}, "c": {0, 7}} {
			if _, err := couple.NewModel(p, name, ranks); !errors.Is(err, couple.ErrModel) {
				return fmt.Errorf("model %q of ranks %v: %v", name, ranks, err)
			}
		}
		m, err := couple.NewModel(p, "m", nil)
		if err != nil {
			return err
		}
		four := make([]float64, 4)
		for what, c := range map[string]struct {
			name     string
			points   couple.Points
			perPoint int
			want     error
		}{
			"name":         {"", couple.List{1, 2, 3, 4}, 1, couple.ErrModel},
			"few values":   {"f", couple.List{1, 2, 3, 4, 5}, 1, couple.ErrSize},
			"many values":  {"f", couple.List{1}, 1, couple.ErrSize},
			"no values":    {"f", couple.List{}, 0, couple.ErrSize},
			"twice":        {"f", couple.List{1, 2, 3, 1}, 1, couple.ErrTwice},
			"overlap":      {"f", couple.Ranges{{First: 3, N: 2}, {First: 2, N: 2}}, 1, couple.ErrTwice},
			"negative":     {"f", couple.List{1, 2, 3, -1}, 1, couple.ErrShape},
			"bad range":    {"f", couple.Ranges{{First: -1, N: 4}}, 1, couple.ErrShape},
			"bad block":    {"f", couple.Block{Grid: []int{2}, First: []int{0}, Extent: []int{4}}, 1, couple.ErrShape},
			"other values": {"f", couple.Block{Grid: []int{8}, First: []int{0}, Extent: []int{4}, Halo: []int{1}}, 1, couple.ErrSize},
		} {
			if _, err := couple.NewField(m, c.name, four, c.points, c.perPoint); !errors.Is(err, c.want) {
				return fmt.Errorf("%s: %v, want %v", what, err, c.want)
			}
		}
		f, err := couple.NewField(m, "f", four, couple.List{1, 2, 3, 4}, 1)
		if err != nil {
			return err
		}
		for _, o := range []couple.Options{{Levels: -1}, {Every: -1}, {Levels: couple.MaxLevels + 1}} {
			if _, err := f.SendTo(ctx, "m.g", o); !errors.Is(err, couple.ErrOptions) {
				return fmt.Errorf("options %v: %v", o, err)
			}
		}
		short, cancel := context.WithTimeout(ctx, time.Millisecond)
		defer cancel()
		_, err = f.SendTo(short, "m.g", couple.Options{})
		return refused(err, context.DeadlineExceeded, "m.f>m.g")
	})
}
