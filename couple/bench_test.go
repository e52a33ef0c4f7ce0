package couple_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/couple"
	"github.com/goacp/goacp/internal/acptest/extensiontest"
)

// divisions give a half of the points below n to each of two ranks.
var divisions = map[string]func(rank, n int) couple.Points{
	"block": func(rank, n int) couple.Points { return couple.Ranges{{First: rank * (n / 2), N: n / 2}} },
	"cyclic": func(rank, n int) couple.Points {
		var l couple.List
		for x := rank; x < n; x += 2 {
			l = append(l, x)
		}
		return l
	},
	"shuffled": func(rank, n int) couple.Points {
		return couple.List(rand.New(rand.NewPCG(1, 2)).Perm(n)[rank*(n/2):][:n/2])
	},
}

// ends are the two ends of a link between ranks 0, 1 and 2, 3.
type ends struct {
	sender   *couple.Sender
	receiver *couple.Receiver
}

func (e *ends) move(ctx context.Context, step int) error {
	if e.sender != nil {
		return e.sender.Send(ctx, step)
	}
	return e.receiver.Receive(ctx, step)
}

func (e *ends) close(ctx context.Context) error {
	if e.sender != nil {
		return e.sender.Close(ctx)
	}
	return e.receiver.Close(ctx)
}

// declare returns the field of a rank, and opens its end.
func declare(p *acp.Process, n int, division [2]string) (func(ctx context.Context) (*ends, error), error) {
	side, index := int(p.Rank())/2, int(p.Rank())%2
	first := acp.Rank(2 * side)
	m, err := couple.NewModel(p, []string{"a", "b"}[side], []acp.Rank{first, first + 1})
	if err != nil {
		return nil, err
	}
	f, err := couple.NewField(m, "f", make([]float64, n/2), divisions[division[side]](index, n), 1)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context) (e *ends, err error) {
		e = new(ends)
		if side == 0 {
			e.sender, err = f.SendTo(ctx, "b.f", couple.Options{})
		} else {
			e.receiver, err = f.ReceiveFrom(ctx, "a.f", couple.Options{})
		}
		return e, err
	}, nil
}

var pairsOfDivisions = [][2]string{{"block", "block"}, {"cyclic", "block"}, {"shuffled", "block"}, {"shuffled", "cyclic"}}

// BenchmarkOpen opens and closes links of 10^7 points from two ranks to two other ranks.
func BenchmarkOpen(b *testing.B) {
	for _, d := range pairsOfDivisions {
		b.Run(d[0]+"-"+d[1], func(b *testing.B) {
			benchmark(b, 1e7, d, func(ctx context.Context, p *acp.Process, open func(context.Context) (*ends, error)) error {
				for range b.N {
					e, err := open(ctx)
					if err != nil {
						return err
					}
					if err := e.close(ctx); err != nil {
						return err
					}
				}
				return nil
			})
		})
	}
}

// BenchmarkStep moves 10^6 values from two ranks to two other ranks.
func BenchmarkStep(b *testing.B) {
	for _, d := range pairsOfDivisions {
		b.Run(d[0]+"-"+d[1], func(b *testing.B) {
			benchmark(b, 1e6, d, func(ctx context.Context, p *acp.Process, open func(context.Context) (*ends, error)) error {
				e, err := open(ctx)
				if err != nil {
					return err
				}
				for step := range b.N {
					if err := e.move(ctx, step); err != nil {
						return err
					}
				}
				return e.close(ctx)
			})
		})
	}
}

// benchmark runs body on four ranks, which have declared n points with a value each.
func benchmark(b *testing.B, n int, d [2]string, body func(ctx context.Context, p *acp.Process, open func(context.Context) (*ends, error)) error) {
	ctx := b.Context()
	extensiontest.Run(b, 4, acp.Config{HeapSize: 1 << 30}, func(p *acp.Process) error {
		open, err := declare(p, n, d)
		if err == nil {
			err = p.Sync()
		}
		if err != nil {
			return err
		}
		if p.Rank() == 0 {
			b.ResetTimer()
		}
		err = body(ctx, p, open)
		return errors.Join(err, p.Sync())
	})
}
