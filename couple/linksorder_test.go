package couple_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/couple"
)

// TestManyConservingLinks: all ranks of a model receive the links of the description in its order. Those with conservation let the ranks
// of the model wait for each other.
func TestManyConservingLinks(t *testing.T) {
	const fields, opens, steps = 8, 4, 3
	var links []string
	for i := range fields {
		links = append(links, fmt.Sprintf("ocean.out%d:air.in%d,conserve=add", i, i))
	}
	t.Setenv("ACP_COUPLE", strings.Join(links, " "))
	forEach(t, []int{4}, func(ctx context.Context, p *acp.Process) error {
		name, field, ranks := "ocean", "out", []acp.Rank{0, 1}
		if p.Rank() > 1 {
			name, field, ranks = "air", "in", []acp.Rank{2, 3}
		}
		m, err := couple.NewModel(p, name, ranks)
		if err != nil {
			return err
		}
		data := make([][]float64, fields)
		for i := range data {
			data[i] = make([]float64, 2)
			points := couple.Ranges{{First: 2 * int(p.Rank()%2), N: 2}}
			if _, err := couple.NewField(m, fmt.Sprint(field, i), data[i], points, 1); err != nil {
				return err
			}
		}
		for range opens {
			links, err := m.Open(ctx)
			if err != nil {
				return err
			}
			for step := range steps {
				if err := conserving(ctx, links, name, data, step); err != nil {
					return err
				}
			}
			if err := errors.Join(p.Sync(), links.Close(ctx)); err != nil {
				return err
			}
		}
		return nil
	})
}

// conserving sends or receives one step of all fields.
func conserving(ctx context.Context, links *couple.Links, model string, data [][]float64, step int) error {
	if model == "ocean" {
		for i := range data {
			data[i][0], data[i][1] = float64(10*i+step), float64(10*i-step)
		}
		return links.Send(ctx, step)
	}
	if err := links.Receive(ctx, step); err != nil {
		return err
	}
	for i := range data {
		if data[i][0] != float64(10*i+step) || data[i][1] != float64(10*i-step) {
			return fmt.Errorf("step %d: field %d is %v", step, i, data[i])
		}
	}
	return nil
}

// TestLinksContinue: Send and Receive of all links whose context has ended continue with the same step when they are called again. Rank 0
// sends x to rank 1 and y to rank 2, which sends z to rank 1 and begins when the others have given up once.
func TestLinksContinue(t *testing.T) {
	t.Setenv("ACP_COUPLE", "a.x:b.x,levels=16 a.y:c.y,levels=2 c.z:b.z")
	forEach(t, []int{3}, func(ctx context.Context, p *acp.Process) error {
		m, err := couple.NewModel(p, string(rune('a'+p.Rank())), []acp.Rank{p.Rank()})
		if err != nil {
			return err
		}
		values := make(map[string][]int32)
		for _, name := range []string{"xy", "xz", "yz"}[p.Rank()] {
			values[string(name)] = make([]int32, 1)
			if _, err := couple.NewField(m, string(name), values[string(name)], couple.List{0}, 1); err != nil {
				return err
			}
		}
		links, err := m.Open(ctx)
		if err != nil {
			return err
		}
		const steps = 8
		for step := range steps {
			if err := continues(ctx, p, links, values, step); err != nil {
				return fmt.Errorf("step %d: %w", step, err)
			}
		}
		return errors.Join(p.Sync(), links.Close(ctx))
	})
}

// continues is a step of TestLinksContinue: rank 0 is alone in steps 0 and 1, which fill the link to rank 2.
func continues(ctx context.Context, p *acp.Process, links *couple.Links, values map[string][]int32, step int) error {
	switch p.Rank() {
	case 0:
		values["x"][0], values["y"][0] = int32(step), int32(step)
		if step == 2 {
			if err := givesUp(ctx, p, func(ctx context.Context) error { return links.Send(ctx, step) }); err != nil {
				return err
			}
		}
		return links.Send(ctx, step)
	case 1:
		if step == 0 {
			if err := givesUp(ctx, p, func(ctx context.Context) error { return links.Receive(ctx, step) }); err != nil {
				return err
			}
		}
	case 2:
		for rank := 0; step == 0 && rank < 2; {
			_, seen, err := p.GetValue(fmt.Sprint("gives up ", rank))
			if err != nil {
				return err
			}
			if seen > 0 {
				rank++
			}
		}
	}
	if err := links.Receive(ctx, step); err != nil {
		return err
	}
	for name, value := range values {
		if value[0] != int32(step) && (name != "z" || p.Rank() == 1) {
			return fmt.Errorf("%s is %d", name, value[0])
		}
	}
	if p.Rank() == 1 {
		return nil
	}
	values["z"][0] = int32(step)
	return links.Send(ctx, step)
}

// givesUp calls f with a short context twice, and notes that.
func givesUp(ctx context.Context, p *acp.Process, f func(ctx context.Context) error) error {
	for range 2 {
		short, cancel := soon(ctx)
		err := f(short)
		cancel()
		if !errors.Is(err, context.DeadlineExceeded) {
			return fmt.Errorf("%v, expected the end of the context", err)
		}
	}
	_, err := p.PutValue(fmt.Sprint("gives up ", p.Rank()), nil)
	return err
}
