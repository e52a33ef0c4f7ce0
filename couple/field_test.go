package couple_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/couple"
)

// twoAndOne declares a model a of ranks 0 and 1 with a field f, and a model b of rank 2 with some fields.
func twoAndOne(p *acp.Process, fields ...string) (m *couple.Model, first *couple.Field, err error) {
	if p.Rank() == 2 {
		m, err = couple.NewModel(p, "b", []acp.Rank{2})
	} else {
		m, err = couple.NewModel(p, "a", []acp.Rank{0, 1})
		fields = []string{"f"}
	}
	if err != nil {
		return nil, nil, err
	}
	points := couple.List{int(p.Rank())}
	if p.Rank() == 2 {
		points = couple.List{0}
	}
	for _, name := range fields {
		f, err := couple.NewField(m, name, make([]float64, 1), points, 1)
		if err != nil {
			return nil, nil, err
		}
		if first == nil {
			first = f
		}
	}
	return m, first, nil
}

// TestUnknownField: a link to a field that a sealed model does not have fails on all ranks, whenever they come.
// The error of a call that gives up names the fields of the other model.
func TestUnknownField(t *testing.T) {
	forEach(t, []int{3}, func(ctx context.Context, p *acp.Process) error {
		m, f, err := twoAndOne(p, "surface", "wind", "rain")
		if err := errors.Join(err, p.Sync()); err != nil {
			return err
		}
		if p.Rank() == 0 {
			// The declarations may be in flight.
			for problem := errors.New("not called"); problem != nil; {
				short, cancel := soon(ctx)
				_, err := f.SendTo(short, "b.surfce", couple.Options{})
				cancel()
				if err := expect(context.DeadlineExceeded, err); err != nil {
					return err
				}
				problem = refused(err, context.DeadlineExceeded, "a.f>b.surfce", "no field surfce so far", "rain, surface, wind; did you mean surface?")
			}
			short, cancel := soon(ctx)
			_, err := f.SendTo(short, "c.surface", couple.Options{})
			cancel()
			if err := refused(err, context.DeadlineExceeded, "no rank has declared model c"); err != nil {
				return err
			}
		}
		if err := p.Sync(); err != nil {
			return err
		}
		if p.Rank() == 2 {
			m.Seal()
			if _, err := couple.NewField(m, "late", []int8{1}, couple.List{1}, 1); !errors.Is(err, couple.ErrModel) {
				return fmt.Errorf("a field after Seal: %v", err)
			}
		}
		if p.Rank() == 1 { // comes after rank 0 has got the error
			if err := p.Sync(); err != nil {
				return err
			}
		}
		if p.Rank() != 2 {
			_, err := f.SendTo(ctx, "b.surfce", couple.Options{})
			if err := refused(err, couple.ErrField, "model b has no field surfce; it has rain, surface, wind; did you mean surface?"); err != nil {
				return err
			}
			_, err = f.Watch(ctx, "b.ran")
			if err := refused(err, couple.ErrField, "did you mean rain?"); err != nil {
				return err
			}
		}
		if p.Rank() != 1 {
			if err := p.Sync(); err != nil {
				return err
			}
		}
		// The link that both sides mean can be opened.
		if p.Rank() == 2 {
			in, err := f.ReceiveFrom(ctx, "a.f", couple.Options{})
			if err != nil {
				return err
			}
			return errors.Join(in.Receive(ctx, 0), in.Close(ctx))
		}
		out, err := f.SendTo(ctx, "b.surface", couple.Options{})
		if err != nil {
			return err
		}
		return errors.Join(out.Send(ctx, 0), out.Close(ctx))
	})
}

// TestModelEnds: links to a model whose rank ends fail, also links that already wait.
func TestModelEnds(t *testing.T) {
	forEach(t, []int{3}, func(ctx context.Context, p *acp.Process) error {
		_, f, err := twoAndOne(p, "surface")
		if err := errors.Join(err, p.Sync()); err != nil || p.Rank() == 2 {
			return err // and finalizes
		}
		_, err = f.SendTo(ctx, "b.surface", couple.Options{})
		if err := refused(err, couple.ErrEnded, "a.f>b.surface", "rank 2 of model b has ended"); err != nil {
			return err
		}
		_, err = f.ReceiveFrom(ctx, "b.wind", couple.Options{})
		return refused(err, couple.ErrField, "rank 2 of model b has ended", "not declared field wind")
	})
}

// TestPartnerNames: a name that no field can have is refused at once.
func TestPartnerNames(t *testing.T) {
	forEach(t, []int{1}, func(ctx context.Context, p *acp.Process) error {
		m, err1 := couple.NewModel(p, "m", nil)
		f, err2 := couple.NewField(m, "f", make([]float64, 1), couple.List{1}, 1)
		if err := errors.Join(err1, err2); err != nil {
			return err
		}
		for _, name := range []string{"", "surface", "b.", ".f", "a.b.c", "a>b.c", "a.b>c"} {
			_, err1 := f.SendTo(ctx, name, couple.Options{})
			_, err2 := f.ReceiveFrom(ctx, name, couple.Options{})
			_, err3 := f.PublishTo(name, 1)
			_, err4 := f.Watch(ctx, name)
			for _, err := range []error{err1, err2, err3, err4} {
				if err := expect(couple.ErrModel, err); err != nil {
					return fmt.Errorf("%q: %w", name, err)
				}
			}
		}
		return nil
	})
}
