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

// TestOppositeOrder: if two models open two links in opposite order, a call whose context ends names both links. When they
// open both at once, the order is no matter.
func TestOppositeOrder(t *testing.T) {
	forEach(t, []int{2}, func(ctx context.Context, p *acp.Process) error {
		mine, other := string(rune('a'+p.Rank())), string(rune('b'-p.Rank()))
		m, err := couple.NewModel(p, mine, []acp.Rank{p.Rank()})
		if err != nil {
			return err
		}
		f, err1 := couple.NewField(m, "f", make([]float64, 1), couple.List{0}, 1)
		g, err2 := couple.NewField(m, "g", make([]float64, 1), couple.List{0}, 1)
		if err := errors.Join(err1, err2); err != nil {
			return err
		}
		// Model a waits for a.f>b.g, and model b for b.f>a.g.
		want := fmt.Sprintf("model %s waits for the other side of link %s.f>%s.g meanwhile", other, other, mine)
		for text := ""; !strings.Contains(text, want+"; models open the links between them in the same order, or all at once"); {
			limited, cancel := context.WithTimeout(ctx, 20*time.Millisecond)
			_, err := f.SendTo(limited, other+".g", couple.Options{})
			cancel()
			if !errors.Is(err, context.DeadlineExceeded) {
				return fmt.Errorf("the wait ended with %w", err)
			}
			text = err.Error()
		}
		// This model has to wait until the other model has seen the same.
		if _, err := p.PutValue("seen "+mine, nil); err != nil {
			return err
		}
		for seen := uint64(0); seen == 0; {
			limited, cancel := context.WithTimeout(ctx, 20*time.Millisecond)
			_, err := f.SendTo(limited, other+".g", couple.Options{})
			cancel()
			if !errors.Is(err, context.DeadlineExceeded) {
				return fmt.Errorf("the second wait ended with %w", err)
			}
			if _, seen, err = p.GetValue("seen " + other); err != nil {
				return err
			}
		}
		if err := p.Sync(); err != nil {
			return err
		}
		opened := make(chan error, 1)
		go func() {
			_, err := f.SendTo(ctx, other+".g", couple.Options{})
			opened <- err
		}()
		_, err = g.ReceiveFrom(ctx, other+".f", couple.Options{})
		return errors.Join(err, <-opened)
	})
}
