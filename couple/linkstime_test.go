package couple_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/couple"
)

// cyclic is one of two models that need values of each other in each step, which the description gives a lag.
type cyclic struct {
	p       *acp.Process
	model   *couple.Model
	out, in []float64
}

func newCyclic(p *acp.Process) (*cyclic, error) {
	c := &cyclic{p: p, out: make([]float64, 3), in: make([]float64, 3)}
	var err error
	if c.model, err = couple.NewModel(p, string(rune('a'+p.Rank())), []acp.Rank{p.Rank()}); err != nil {
		return nil, err
	}
	for name, data := range map[string][]float64{"out": c.out, "in": c.in} {
		if _, err := couple.NewField(c.model, name, data, couple.Ranges{{First: 0, N: 3}}, 1); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// run opens the links and runs some steps. It returns the received values of each step, and writes the state after step 5.
func (c *cyclic) run(ctx context.Context, from, to int, folder string) (got [][]float64, err error) {
	links, err := c.model.Open(ctx)
	if err != nil {
		return nil, err
	}
	if from > 0 {
		step, err := links.Load(ctx, folder)
		if err != nil || step != from-1 {
			return nil, fmt.Errorf("loaded step %d, expected %d: %w", step, from-1, err)
		}
	}
	for i := range c.out {
		c.out[i] = float64(-1 - i)
	}
	for step := from; step < to; step++ {
		if err := links.Receive(ctx, step); err != nil {
			return nil, err
		}
		got = append(got, slices.Clone(c.in))
		for i := range c.out {
			c.out[i] = float64(step*step + i + 100*int(c.p.Rank()))
		}
		if err := links.Send(ctx, step); err != nil {
			return nil, err
		}
		if step == 5 && from == 0 {
			if err := links.Save(folder); err != nil {
				return nil, err
			}
		}
	}
	return got, errors.Join(c.p.Sync(), links.Close(ctx))
}

// TestCyclicDescription: models that receive before they send do not wait for each other if the description has lags: they
// start with the values before the first step or with those of a file, and a restart continues with the same values.
func TestCyclicDescription(t *testing.T) {
	folder := t.TempDir()
	initial := filepath.Join(folder, "initial")
	var content []byte
	for i := range 3 {
		content = binary.LittleEndian.AppendUint64(content, math.Float64bits(float64(50+i)))
	}
	if err := os.WriteFile(initial, content, 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("ACP_COUPLE", "a.out:b.in,every=4,lag=1,reduce=average,interpolate=false,factor=2,offset=1 b.out:a.in,lag=2,conserve=add,initial="+initial)
	forEach(t, []int{2}, func(ctx context.Context, p *acp.Process) error {
		c, err := newCyclic(p)
		if err != nil {
			return err
		}
		got, err := c.run(ctx, 0, 12, folder)
		if err != nil {
			return err
		}
		for step, values := range got {
			for i, value := range values {
				want := 0.0
				switch first := step - step%4 - 4; {
				case p.Rank() == 0 && step < 2:
					want = float64(50 + i)
				case p.Rank() == 0:
					want = float64((step-2)*(step-2) + i + 100)
				case first < 0:
					want = 2*float64(-1-i) + 1
				default:
					for s := first; s < first+4; s++ {
						want += float64(s*s+i) / 4
					}
					want = 2*want + 1
				}
				if value != want {
					return fmt.Errorf("step %d: %v, expected %v at %d", step, values, want, i)
				}
			}
		}
		c.in[0], c.in[1], c.in[2] = got[5][0], got[5][1], got[5][2]
		again, err := c.run(ctx, 6, 12, folder)
		if err == nil && fmt.Sprint(again) != fmt.Sprint(got[6:]) {
			err = fmt.Errorf("after the restart %v, expected %v", again, got[6:])
		}
		return err
	})
}

// TestBadTimeOfDescription: all ranks of a model that has a field of integers get the error before they open links, and states
// of different steps are refused.
func TestBadTimeOfDescription(t *testing.T) {
	t.Setenv("ACP_COUPLE", "a.out:b.in,reduce=sum")
	run(t, 0, 2, func(ctx context.Context, p *acp.Process) error {
		d, err := newDescribed(p, "a", "b")
		if err != nil {
			return err
		}
		_, err = d.model.Open(ctx)
		return refused(err, couple.ErrOptions, "link a.out>b.in: bad options: field", "1 int32 per point; expected real or complex values")
	})
	folder := t.TempDir()
	t.Setenv("ACP_COUPLE", "a.out:b.in,reduce=sum,factor=2 b.out:a.in,factor=3,reduce=sum")
	run(t, 0, 2, func(ctx context.Context, p *acp.Process) error {
		c, err := newCyclic(p)
		if err != nil {
			return err
		}
		links, err := c.model.Open(ctx)
		if err != nil {
			return err
		}
		err = errors.Join(links.Send(ctx, 0), links.Receive(ctx, 0), links.Send(ctx, 1), links.Save(folder), links.Receive(ctx, 1), links.Close(ctx), p.Sync())
		if err != nil {
			return err
		}
		if links, err = c.model.Open(ctx); err != nil {
			return err
		}
		_, err = links.Load(ctx, folder)
		return errors.Join(refused(err, couple.ErrFile, "receiving is of step 0, and", "sending of step 1; expected the same step"), links.Close(ctx))
	})
}
