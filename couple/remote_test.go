package couple_test

import (
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/bridge"
	"github.com/goacp/goacp/couple"
	"github.com/goacp/goacp/internal/acptest/extensiontest"
	"github.com/goacp/goacp/internal/acptest/race"
	"github.com/goacp/goacp/internal/system/couple/flow"
)

// small lets small messages go by remote zero copy, however long a program computes.
var small = flow.Limits{Least: 4 << 10, PerRun: 512, Always: true}

// TestModelRemote is TestModel with larger messages between ranks that share no memory, or share it with some of the
// other ranks: many messages are sent by remote zero copy.
func TestModelRemote(t *testing.T) {
	var remote atomic.Uint64
	larger := func(c *testCase) {
		c.mapped, c.remote = true, &remote
		for i, o := range c.options {
			c.options[i] = couple.WithLimits(o, small)
		}
		if c.number%3 > 0 {
			c.perPoint *= 300
			c.messages += 3
		}
	}
	for _, hosts := range []int{1, 2, 5} { // over sockets alone, or with some ranks on one host
		for ranks, all := range map[int]int{2: 60, 3: 60, 5: 40} {
			cases := race.Cases(all, all/4)
			t.Run(fmt.Sprint(hosts, ranks), func(t *testing.T) {
				ctx := t.Context()
				remote.Store(0)
				mode := bridge.ModeAuto
				if hosts == 1 {
					mode = bridge.ModeTCP
				}
				cfg := acp.Config{Mode: mode, HeapSize: 4 * heapSize}
				extensiontest.RunOnHosts(t, ranks, hosts, cfg, func(p *acp.Process) error {
					return playSome(ctx, p, cases, larger)
				})
				n := remote.Load()
				t.Logf("%d steps have come by remote zero copy", n)
				if n < uint64(cases)/10 {
					t.Errorf("%d steps have come by remote zero copy in %d cases", n, cases)
				}
			})
		}
	}
}

// TestDeadRemote: when a rank ends the run during remote zero copy, the other rank does not wait.
func TestDeadRemote(t *testing.T) {
	const points = 1 << 18
	for dying := range 2 {
		t.Run(fmt.Sprint(dying), func(t *testing.T) {
			cfg := acp.Config{Mode: bridge.ModeTCP, HeapSize: 4 << 20}
			died := errors.New("the rank that dies")
			err := extensiontest.Ranks(t.Context(), 2, cfg, func(p *acp.Process) error {
				block, err := p.Malloc(8*points, p.Rank())
				if err != nil {
					return err
				}
				at, err := p.QueryAddress(block)
				if err != nil {
					return err
				}
				m, err := couple.NewModel(p, []string{"a", "b"}[p.Rank()], []acp.Rank{p.Rank()})
				if err != nil {
					return err
				}
				f, err := couple.NewField(m, "f", unsafe.Slice((*float64)(at), points), couple.Ranges{{First: 0, N: points}}, 1)
				if err != nil {
					return err
				}
				var move func(step int) error
				if p.Rank() == 0 {
					out, err := f.SendTo(t.Context(), "b.f", couple.WithLimits(couple.Options{Levels: 2}, small))
					if err != nil {
						return err
					}
					move = func(step int) error { return out.Send(t.Context(), step) }
				} else {
					in, err := f.ReceiveFrom(t.Context(), "a.f", couple.WithLimits(couple.Options{Levels: 2}, small))
					if err != nil {
						return err
					}
					move = func(step int) error { return in.Receive(t.Context(), step) }
				}
				if int(p.Rank()) == dying {
					time.AfterFunc(30*time.Millisecond, func() { p.Abort("this rank dies") })
				}
				for step := 0; ; step++ {
					if err := move(step); err != nil {
						return fmt.Errorf("%w: %w", died, err)
					}
				}
			})
			if !errors.Is(err, died) {
				t.Error(err)
			}
		})
	}
}
