package couple_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/bridge"
	"github.com/goacp/goacp/couple"
	"github.com/goacp/goacp/internal/acptest/extensiontest"
)

// twoWay opens a link from model m0 to m1 and one back.
func twoWay(ctx context.Context, p *acp.Process) (*player, error) {
	x, err := newPlayer(p, 2, []edge{{0, 1}, {1, 0}})
	if err != nil {
		return nil, err
	}
	return x, x.open(ctx, []int{0, 1}, true)
}

// TestCloseOrder: models close the links of both directions in any order, one after the other: both the link that they send
// by first, both the same link first.
func TestCloseOrder(t *testing.T) {
	forEach(t, []int{2, 5}, func(ctx context.Context, p *acp.Process) error {
		for way := range 4 {
			x, err := twoWay(ctx, p)
			if err != nil {
				return err
			}
			if err := x.move(ctx); err != nil {
				return err
			}
			var first, second end
			for i := range x.links {
				if s := x.out[i]; s != nil {
					first = s
				} else {
					second = x.in[i]
				}
			}
			if x.number == 0 && way&1 != 0 || x.number == 1 && way&2 != 0 {
				first, second = second, first
			}
			if err := errors.Join(first.Close(ctx), second.Close(ctx)); err != nil {
				return fmt.Errorf("way %d: %w", way, err)
			}
		}
		return nil
	})
}

// TestCloseAlone: Close returns while the partner calls nothing. The partner gets the messages sent before, and then
// ErrEnded.
func TestCloseAlone(t *testing.T) {
	forEach(t, []int{2}, func(ctx context.Context, p *acp.Process) error {
		for closer := range 2 {
			x, err := newPair(p)
			if err != nil {
				return err
			}
			data, _, err := acp.Alloc[float64](p, long)
			if err != nil {
				return err
			}
			e, move, err := open(ctx, x, data, couple.Ranges{{First: 0, N: long}}, 1, couple.Options{Levels: 3})
			if err != nil {
				return err
			}
			messages := 3 * (1 - closer)
			for step := 0; p.Rank() == 0 && step < messages; step++ {
				data[long-1] = float64(step)
				if err := move(ctx, step); err != nil {
					return err
				}
			}
			if int(p.Rank()) == closer {
				if err := e.Close(ctx); err != nil {
					return err
				}
				clear(data)
			}
			if err := p.Sync(); err != nil {
				return err
			}
			if int(p.Rank()) == closer {
				continue
			}
			for step := 0; p.Rank() == 1 && step < messages; step++ {
				if err := move(ctx, step); err != nil || data[long-1] != float64(step) {
					return fmt.Errorf("step %d brings %v: %v", step, data[long-1], err)
				}
			}
			if err := errors.Join(expect(couple.ErrEnded, move(ctx, messages)), e.Close(ctx)); err != nil {
				return err
			}
		}
		return nil
	})
}

// TestFinalizeCloses: Finalize closes links that are open. A partner that waits in Receive, in Send for a full link,
// or in Next gets ErrEnded. Reset does the same.
func TestFinalizeCloses(t *testing.T) {
	forEach(t, []int{2, 4}, func(ctx context.Context, p *acp.Process) error {
		for round := range 2 { // Reset ends the first, Finalize the second
			x, err := twoWay(ctx, p)
			if err != nil {
				return err
			}
			m, err := couple.NewModel(p, fmt.Sprint("w", p.Rank()%2), ranksOf(p, int(p.Rank())%2))
			if err != nil {
				return err
			}
			f, err := couple.NewField(m, "f", []int8{1}, couple.List{int(p.Rank()) / 2}, 1)
			if err != nil {
				return err
			}
			var w *couple.Watcher
			if x.number == 0 {
				_, err = f.PublishTo("w1.f", 1)
			} else {
				w, err = f.Watch(ctx, "w0.f")
			}
			if err := errors.Join(err, p.Sync()); err != nil {
				return err
			}
			if x.number == 1 {
				for step := 0; err == nil; step++ {
					err = x.out[1].Send(ctx, step)
				}
				err = errors.Join(expect(couple.ErrEnded, err), expect(couple.ErrEnded, x.in[0].Receive(ctx, 0)))
				_, ended := w.Next(ctx)
				err = errors.Join(err, expect(couple.ErrEnded, ended))
			}
			if err != nil {
				return err
			}
			if round == 0 {
				if err := p.Reset(p.Rank()); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// ranksOf returns the ranks that are number modulo 2.
func ranksOf(p *acp.Process, number int) (ranks []acp.Rank) {
	for r := number; r < p.Procs(); r += 2 {
		ranks = append(ranks, acp.Rank(r))
	}
	return ranks
}

// TestOneThread: one goroutine has both ends of links in both directions, and closes them in any order.
func TestOneThread(t *testing.T) {
	forEach(t, []int{1}, func(ctx context.Context, p *acp.Process) error {
		var fields [2]*couple.Field
		data := [2][]float64{make([]float64, long), make([]float64, long)}
		for i, name := range []string{"a", "b"} {
			m, err := couple.NewModel(p, name, []acp.Rank{0})
			if err != nil {
				return err
			}
			if fields[i], err = couple.NewField(m, "f", data[i], couple.Ranges{{First: 0, N: long}}, 1); err != nil {
				return err
			}
		}
		for order := range 2 {
			g := couple.Begin(ctx)
			out, in := g.SendTo(fields[0], "b.f", couple.Options{}), g.ReceiveFrom(fields[1], "a.f", couple.Options{})
			if err := g.Wait(); err != nil {
				return err
			}
			data[0][long-1] = float64(1 + order)
			if err := out.Send(ctx, 0); err != nil {
				return err
			}
			var err error
			if order == 0 {
				err = errors.Join(out.Close(ctx), in.Receive(ctx, 0), expect(couple.ErrEnded, in.Receive(ctx, 1)), in.Close(ctx))
			} else {
				err = errors.Join(in.Receive(ctx, 0), in.Close(ctx), expect(couple.ErrEnded, out.Send(ctx, 1)), out.Close(ctx))
			}
			if err != nil || data[1][long-1] != float64(1+order) {
				return fmt.Errorf("value %v: %v", data[1][long-1], err)
			}
		}
		return nil
	})
}

// TestCloseAtRandom: ranks on one host and on several ones close many links at random times and in random orders, or leave that
// to Finalize. No rank waits forever, and each message that was sent before Close arrives whole.
func TestCloseAtRandom(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	for _, hosts := range []int{1, 2} {
		for _, mode := range []bridge.Mode{bridge.ModeAuto, bridge.ModeTCP} {
			t.Run(fmt.Sprint(hosts, mode), func(t *testing.T) {
				extensiontest.RunOnHosts(t, 4, hosts, acp.Config{Mode: mode, HeapSize: 64 << 20}, func(p *acp.Process) error {
					for round := range uint64(8) {
						if err := closeAtRandom(t.Context(), p, seed+round); err != nil {
							return fmt.Errorf("seed %d, round %d: %w", seed, round, err)
						}
						if round < 7 { // Finalize closes the links that the last round leaves open
							if err := p.Reset(p.Rank()); err != nil {
								return err
							}
						}
					}
					return nil
				})
			})
		}
	}
}

// closeAtRandom opens links between the ranks of two models in both directions, and lets each rank move steps and close until it has
// closed all of them but for some that it leaves open.
func closeAtRandom(ctx context.Context, p *acp.Process, seed uint64) error {
	same, own := rand.New(rand.NewPCG(seed, 0)), rand.New(rand.NewPCG(seed, 1+uint64(p.Rank())))
	model := int(p.Rank()) % 2
	ranks := ranksOf(p, model)
	m, err := couple.NewModel(p, fmt.Sprint("m", model), ranks)
	if err != nil {
		return err
	}
	// Each rank has one part of each field, so that it has one partner on its host or on the other host, or two.
	g := couple.Begin(ctx)
	var all []*strand
	for i := range 6 {
		points := []int{1, 100, 6000, 70000}[same.IntN(4)]
		levels, from, across := 1+same.IntN(3), same.IntN(2), same.IntN(2)
		part := (int(p.Rank())/2 + across*model) % len(ranks)
		first := part * points
		data, _, err := acp.Alloc[float64](p, points) // which senders on the host of a receiver write into
		if err != nil {
			return err
		}
		x := &strand{data: data, first: first}
		f, err := couple.NewField(m, fmt.Sprint("f", i), x.data, couple.Ranges{{First: first, N: points}}, 1)
		if err != nil {
			return err
		}
		other := fmt.Sprintf("m%d.f%d", 1-model, i)
		if from == model {
			x.out = g.SendTo(f, other, couple.Options{Levels: levels})
		} else {
			x.in = g.ReceiveFrom(f, other, couple.Options{})
		}
		all = append(all, x)
	}
	if err := g.Wait(); err != nil {
		return err
	}
	open := len(all)
	for open > 0 {
		x := all[own.IntN(len(all))]
		if x.closed {
			continue
		}
		if !x.ended && own.IntN(3) > 0 {
			if err := x.move(ctx); err != nil {
				return err
			}
			continue
		}
		if own.IntN(6) > 0 {
			if err := x.end().Close(ctx); err != nil {
				return err
			}
			clear(x.data)
		}
		x.closed = true
		open--
	}
	return nil
}

// strand is one end of a link, and how far it has come.
type strand struct {
	data          []float64
	first, step   int
	out           *couple.Sender
	in            *couple.Receiver
	ended, closed bool
}

func (x *strand) end() end {
	if x.out != nil {
		return x.out
	}
	return x.in
}

// move moves a step if that needs no wait, and checks the values that arrive.
func (x *strand) move(ctx context.Context) error {
	if ready, err := x.end().Ready(); !ready || err != nil {
		return err
	}
	var err error
	if x.out != nil {
		for i := range x.data {
			x.data[i] = float64(x.step*1000000 + x.first + i)
		}
		err = x.out.Send(ctx, x.step)
	} else {
		err = x.in.Receive(ctx, x.step)
	}
	if errors.Is(err, couple.ErrEnded) {
		x.ended = true
		return nil
	}
	if err != nil {
		return err
	}
	for i := 0; x.in != nil && i < len(x.data); i++ {
		if want := float64(x.step*1000000 + x.first + i); x.data[i] != want {
			return fmt.Errorf("step %d: value %d is %v, expected %v", x.step, i, x.data[i], want)
		}
	}
	x.step++
	return nil
}
