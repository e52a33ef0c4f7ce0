package coupler

import (
	"context"
	"fmt"
	"os"
	"sync"
	"testing"
	"time"
	"unsafe"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/bridge"
	"github.com/goacp/goacp/examples/mixed/coupled/heat"
)

const deadline = 2 * time.Minute

// TestLayout pins what the programs in C and in Go must agree on; directory.h asserts
// the same numbers.
func TestLayout(t *testing.T) {
	var s starter
	for _, c := range []struct {
		name      string
		got, want uintptr
	}{
		{"size of an entry", unsafe.Sizeof(s.mine), 64},
		{"mine", unsafe.Offsetof(s.mine), 4096},
		{"ready", unsafe.Offsetof(s.ready), 4160},
		{"board", unsafe.Offsetof(s.board), 4184},
		{"heat in a board", unsafe.Offsetof(s.board.heat), 8},
		{"size of starter memory", unsafe.Sizeof(s), 4280},
	} {
		if c.got != c.want {
			t.Errorf("%s: %d, expected %d", c.name, c.got, c.want)
		}
	}
}

// team is the ranks of one model, all in this OS process. It takes the place of MPI:
// parts exchange columns in each other's memory, between two meetings.
type team struct {
	parts []*heat.Part
	door  sync.Cond
	here  int
	round int
}

func newTeam(size int) *team {
	return &team{parts: make([]*heat.Part, size), door: sync.Cond{L: new(sync.Mutex)}}
}

// meet waits until the whole team has called it.
func (m *team) meet() {
	m.door.L.Lock()
	defer m.door.L.Unlock()
	round := m.round
	if m.here++; m.here == len(m.parts) {
		m.here, m.round = 0, m.round+1
		m.door.Broadcast()
	}
	for m.round == round {
		m.door.Wait()
	}
}

// halo fills the ghost columns of part number i.
func (m *team) halo(i int) {
	m.meet()
	p := m.parts[i]
	column := make([]float64, p.Medium.Rows)
	if i > 0 {
		m.parts[i-1].Column(column, m.parts[i-1].Own.Count-1)
		p.SetColumn(-1, column)
	}
	if i < len(m.parts)-1 {
		m.parts[i+1].Column(column, 0)
		p.SetColumn(p.Own.Count, column)
	}
	p.Walls()
	m.meet()
}

// side is one of the two models.
type side struct {
	kind, other Kind
	medium      heat.Medium
	needs       func(heat.Span) heat.Span
	flux        func(*heat.Part, []float64)
	team        *team
}

// member runs part number i of a model.
func (s *side) member(p *acp.Process, i int, reference *heat.Part) error {
	part, err := heat.NewPart(s.medium, heat.Share(s.medium.Columns, i, len(s.team.parts)))
	if err != nil {
		return err
	}
	s.team.parts[i] = part
	c, err := New(p, part, s.kind, s.other, s.needs(part.Own))
	if err != nil {
		return err
	}
	for step := range heat.Steps {
		if err := c.Send(step); err != nil {
			return err
		}
		s.team.halo(i)
		s.flux(part, c.Receive(step))
		part.Step()
		if err := c.Sent(); err != nil {
			return err
		}
		part.Advance()
	}
	if d := part.Difference(reference); !(d <= 1e-12) {
		return fmt.Errorf("%s %d differs from the serial run by %g", s.medium.Name, i, d)
	}
	return c.Close()
}

// open makes one of n ranks that meet at the server of env.
func open(ctx context.Context, env bridge.Env, rank int) (*acp.Process, error) {
	env.JobRank = rank
	boot, err := bridge.Dial(ctx, env, bridge.Identity{PID: os.Getpid(), Host: "test"})
	if err != nil {
		return nil, err
	}
	return acp.Open(ctx, acp.Config{Bootstrap: boot})
}

// runRanks executes body for n ranks of one run and fails the test if one returns an
// error.
func runRanks(t *testing.T, n int, body func(p *acp.Process) error) {
	t.Helper()
	token, err := bridge.NewToken()
	if err != nil {
		t.Fatal(err)
	}
	server, err := bridge.Listen(bridge.ServerConfig{
		Jobs: []bridge.Job{{Name: "test", Size: n}}, Token: token, Listen: []string{"127.0.0.1:0"},
		Events: func(bridge.Event) {},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	env := bridge.Env{Token: token}
	for _, a := range server.Addrs() {
		env.Rendezvous = append(env.Rendezvous, a.String())
	}
	ctx, cancel := context.WithTimeout(context.Background(), deadline)
	defer cancel()
	stuck := time.AfterFunc(deadline, func() { panic("ranks are stuck: " + t.Name()) })
	defer stuck.Stop()
	errs := make([]error, n)
	var wg sync.WaitGroup
	for rank := range n {
		wg.Go(func() {
			p, err := open(ctx, env, rank)
			if err == nil {
				if err = body(p); err == nil {
					err = p.Finalize()
				}
			}
			errs[rank] = err
		})
	}
	wg.Wait()
	for rank, err := range errs {
		if err != nil {
			t.Errorf("rank %d: %v", rank, err)
		}
	}
}

func TestCoupledModelsGiveTheSerialResult(t *testing.T) {
	refOcean, refAir, err := heat.Serial()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ oceans, airs int }{{1, 1}, {2, 3}, {3, 2}} {
		t.Run(fmt.Sprintf("%d+%d", c.oceans, c.airs), func(t *testing.T) {
			ocean := &side{Ocean, Atmosphere, heat.Ocean(), heat.NeedsOfOcean, (*heat.Part).FluxOcean, newTeam(c.oceans)}
			air := &side{Atmosphere, Ocean, heat.Atmosphere(), heat.NeedsOfAtmosphere, (*heat.Part).FluxAtmosphere, newTeam(c.airs)}
			runRanks(t, c.oceans+c.airs, func(p *acp.Process) error {
				if r := int(p.Rank()); r >= c.oceans {
					return air.member(p, r-c.oceans, refAir)
				}
				return ocean.member(p, int(p.Rank()), refOcean)
			})
		})
	}
}

func TestAModelAloneIsAnError(t *testing.T) {
	runRanks(t, 1, func(p *acp.Process) error {
		part, err := heat.NewPart(heat.Ocean(), heat.Share(heat.OceanColumns, 0, 1))
		if err != nil {
			return err
		}
		if _, err := New(p, part, Ocean, Atmosphere, heat.NeedsOfOcean(part.Own)); err == nil {
			return fmt.Errorf("an ocean found an atmosphere where there is none")
		}
		return nil
	})
}
