package couple_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/couple"
)

// described is a model of one rank with two fields, whose links the description of the run has.
type described struct {
	p       *acp.Process
	model   *couple.Model
	out, in []int32
}

func newDescribed(p *acp.Process, names ...string) (*described, error) {
	d := &described{p: p, out: make([]int32, 3), in: make([]int32, 3)}
	var err error
	if d.model, err = couple.NewModel(p, names[p.Rank()], []acp.Rank{p.Rank()}); err != nil {
		return nil, err
	}
	points := couple.Ranges{{First: 5, N: 3}}
	_, err1 := couple.NewField(d.model, "out", d.out, points, 1)
	_, err2 := couple.NewField(d.model, "in", d.in, points, 1)
	return d, errors.Join(err1, err2)
}

// TestDescription: models open the links of the description, without the names of their partners.
func TestDescription(t *testing.T) {
	t.Setenv("ACP_COUPLE", "a.out:b.in,send-every=2,receive-every=3,levels=2 b.out:a.in d.out:c.in,watch x.y:y.x")
	forEach(t, []int{4}, func(ctx context.Context, p *acp.Process) error {
		d, err := newDescribed(p, "a", "b", "c", "d")
		if err != nil {
			return err
		}
		links, err := d.model.Open(ctx)
		if err != nil {
			return err
		}
		switch p.Rank() {
		case 2:
			err = d.watch(ctx, links)
		case 3:
			err = d.publish(ctx, links)
		default:
			err = d.exchange(ctx, links)
		}
		return errors.Join(err, links.Close(ctx))
	})
}

// exchange runs ranks 0 and 1: they send and receive, rank 0 in every second step and rank 1 in every third step, and
// in the other direction in every step.
func (d *described) exchange(ctx context.Context, links *couple.Links) error {
	for step := range 12 {
		d.out[0], d.in[0] = int32(step), -1
		if err := errors.Join(links.Send(ctx, step), links.Receive(ctx, step)); err != nil {
			return err
		}
		want := step
		if d.p.Rank() == 1 {
			if want = -1; step%3 == 0 {
				want = step / 3 * 2
			}
		}
		if d.in[0] != int32(want) {
			return fmt.Errorf("step %d brings %d, want %d", step, d.in[0], want)
		}
	}
	return nil
}

// publish runs rank 3 until the watcher has seen a step.
func (d *described) publish(ctx context.Context, links *couple.Links) error {
	for step := 0; ; step++ {
		d.out[0] = int32(step)
		if err := links.Send(ctx, step); err != nil {
			return err
		}
		if _, seen, err := d.p.GetValue("seen"); err != nil || seen > 0 {
			return err
		}
	}
}

// watch runs rank 2.
func (d *described) watch(ctx context.Context, links *couple.Links) error {
	w := links.Watcher("in")
	if w == nil || links.Watcher("out") != nil {
		return errors.New("the watched link is not there")
	}
	step, err := w.Next(ctx)
	if err != nil || d.in[0] != int32(step) {
		return fmt.Errorf("step %d has value %d: %v", step, d.in[0], err)
	}
	_, err = d.p.PutValue("seen", nil)
	return err
}

// TestNoDescription: without a description there are no links.
func TestNoDescription(t *testing.T) {
	forEach(t, []int{1}, func(ctx context.Context, p *acp.Process) error {
		d, err := newDescribed(p, "a")
		if err != nil {
			return err
		}
		links, err := d.model.Open(ctx)
		if err != nil {
			return err
		}
		return errors.Join(links.Send(ctx, 0), links.Receive(ctx, 0), links.Close(ctx))
	})
}

// TestBadDescription: a model without a field of the description gets an error, and so do its partners. None of them
// has a link afterwards.
func TestBadDescription(t *testing.T) {
	t.Setenv("ACP_COUPLE", "a.out:b.in b.missing:a.in")
	forEach(t, []int{2}, func(ctx context.Context, p *acp.Process) error {
		d, err := newDescribed(p, "a", "b")
		if err != nil {
			return err
		}
		_, err = d.model.Open(ctx)
		if p.Rank() == 1 {
			err = refused(err, couple.ErrField, "the description of the run couples b.missing, and model b has no field missing; it has ")
		} else {
			err = refused(err, couple.ErrField, "link b.missing>a.in", "model b has no field missing")
		}
		return errors.Join(err, p.Sync())
	})
	t.Setenv("ACP_COUPLE", "a.out:b.in,levels=none")
	forEach(t, []int{1}, func(ctx context.Context, p *acp.Process) error {
		d, err := newDescribed(p, "a")
		if err != nil {
			return err
		}
		_, err = d.model.Open(ctx)
		return refused(err, couple.ErrOptions, "ACP_COUPLE", `levels is "none"`)
	})
}
