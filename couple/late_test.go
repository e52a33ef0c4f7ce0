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

// untilError calls open with short contexts until its error has the wanted text, and checks each error: it wraps the
// error of a context that ended, does not have its text, and does not have a forbidden text.
func untilError(ctx context.Context, open func(ctx context.Context) error, text, never string) error {
	for {
		short, cancel := soon(ctx)
		err := open(short)
		cancel()
		switch {
		case !errors.Is(err, context.DeadlineExceeded):
			return fmt.Errorf("%v, expected the end of the context", err)
		case strings.Contains(err.Error(), "context") || strings.Contains(err.Error(), never):
			return fmt.Errorf("the error is %q", err)
		case strings.Contains(err.Error(), text):
			return ctx.Err()
		}
	}
}

// TestMisspeltModel: one model misspells the name of its partner. Its error names the models that exist. The partner's error names
// the rank that has not opened the link and the misspelt name. No error gives advice about an order.
func TestMisspeltModel(t *testing.T) {
	forEach(t, []int{3}, func(ctx context.Context, p *acp.Process) error {
		name, ranks := "ocean", []acp.Rank{0}
		if p.Rank() > 0 {
			name, ranks = "atmosphere", []acp.Rank{1, 2}
		}
		m, err1 := couple.NewModel(p, name, ranks)
		f, err2 := couple.NewField(m, "f", make([]float64, 1), couple.List{int(p.Rank())}, 1)
		if err := errors.Join(err1, err2, p.Sync()); err != nil {
			return err
		}
		open := func(ctx context.Context) error {
			_, err := f.SendTo(ctx, "atmosfere.f", couple.Options{})
			return err
		}
		text := " s: no rank has declared model atmosfere; models: atmosphere, ocean; did you mean atmosphere?"
		if p.Rank() > 0 {
			open = func(ctx context.Context) error {
				_, err := f.ReceiveFrom(ctx, "ocean.f", couple.Options{})
				return err
			}
			text = " s: rank 0 has not opened it; model ocean waits for the other side of link ocean.f>atmosfere.f meanwhile, and no rank has declared model atmosfere"
		}
		return untilErrorOnAll(ctx, p, open, text, "same order")
	})
}

// untilErrorOnAll is untilError for all ranks. Each rank calls open until all ranks have got the expected error.
func untilErrorOnAll(ctx context.Context, p *acp.Process, open func(ctx context.Context) error, text, never string) error {
	if err := untilError(ctx, open, text, never); err != nil {
		return err
	}
	if _, err := p.PutValue(fmt.Sprint("seen ", p.Rank()), nil); err != nil {
		return err
	}
	for rank := range p.Procs() {
		for seen := uint64(0); seen == 0; {
			if err := untilError(ctx, open, "", never); err != nil {
				return err
			}
			var err error
			if _, seen, err = p.GetValue(fmt.Sprint("seen ", rank)); err != nil {
				return err
			}
		}
	}
	return p.Sync()
}

// TestMissingRank: the error of a link that is not opened names the ranks that have not opened it, if some or no ranks of that model
// have.
func TestMissingRank(t *testing.T) {
	forEach(t, []int{4}, func(ctx context.Context, p *acp.Process) error {
		name, ranks := "ocean", []acp.Rank{0, 1}
		if p.Rank() > 1 {
			name, ranks = "air", []acp.Rank{2, 3}
		}
		m, err1 := couple.NewModel(p, name, ranks)
		f, err2 := couple.NewField(m, "f", make([]float64, 1), couple.List{int(p.Rank()) % 2}, 1)
		g, err3 := couple.NewField(m, "g", make([]float64, 1), couple.List{int(p.Rank()) % 2}, 1)
		if err := errors.Join(err1, err2, err3, p.Sync()); err != nil {
			return err
		}
		send := func(f *couple.Field, to string) func(ctx context.Context) error {
			return func(ctx context.Context) error {
				_, err := f.SendTo(ctx, to, couple.Options{})
				return err
			}
		}
		receive := func(ctx context.Context) error {
			_, err := f.ReceiveFrom(ctx, "ocean.f", couple.Options{})
			return err
		}
		switch p.Rank() {
		case 0, 1:
			if err := untilErrorOnAll(ctx, p, send(f, "air.f"), ": rank 3 has not opened it", "same order"); err != nil {
				return err
			}
			return errors.Join(untilError(ctx, send(g, "air.g"), ": ranks 2-3 have not opened it", "same order"), p.Sync())
		case 2:
			return errors.Join(untilErrorOnAll(ctx, p, receive, ": rank 3 has not opened it", "same order"), p.Sync())
		}
		if _, err := p.PutValue("seen 3", nil); err != nil {
			return err
		}
		return errors.Join(p.Sync(), p.Sync())
	})
}

// TestBothSidesByOneRank: a rank opens one side of a link with itself and waits. The error names the rank itself as
// the missing side.
func TestBothSidesByOneRank(t *testing.T) {
	forEach(t, []int{1}, func(ctx context.Context, p *acp.Process) error {
		m, err1 := couple.NewModel(p, "m", nil)
		f, err2 := couple.NewField(m, "f", make([]float64, 1), couple.List{1}, 1)
		_, err3 := couple.NewField(m, "g", make([]float64, 1), couple.List{1}, 1)
		if err := errors.Join(err1, err2, err3); err != nil {
			return err
		}
		return untilError(ctx, func(ctx context.Context) error {
			_, err := f.SendTo(ctx, "m.g", couple.Options{})
			return err
		}, ": rank 0 has not opened its receiving side", "same order")
	})
}

// TestGroupIsLate: the error of a Group whose context ends names the link that was not opened and the missing ranks.
func TestGroupIsLate(t *testing.T) {
	forEach(t, []int{2}, func(ctx context.Context, p *acp.Process) error {
		f, err := newNamed(p)
		if err := errors.Join(err, p.Sync()); err != nil {
			return err
		}
		if p.Rank() == 0 {
			err = untilError(ctx, func(ctx context.Context) error {
				g := couple.Begin(ctx)
				g.SendTo(f, "b.f", couple.Options{})
				return g.Wait()
			}, " s: rank 1 has not opened it", "same order")
		}
		return errors.Join(err, p.Sync())
	})
}

// TestGivenUp: if the caller ends a wait before its deadline, the error contains that the wait was given up.
func TestGivenUp(t *testing.T) {
	forEach(t, []int{1}, func(ctx context.Context, p *acp.Process) error {
		m, err1 := couple.NewModel(p, "m", nil)
		f, err2 := couple.NewField(m, "f", make([]float64, 1), couple.List{1}, 1)
		if err := errors.Join(err1, err2); err != nil {
			return err
		}
		ctx, cancel := context.WithCancel(ctx)
		time.AfterFunc(10*time.Millisecond, cancel)
		_, err := f.SendTo(ctx, "x.y", couple.Options{})
		return refused(err, context.Canceled, "when the wait was given up: no rank has declared model x; models: m")
	})
}
