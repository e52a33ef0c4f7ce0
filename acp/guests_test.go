package acp_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/bridge"
)

// hosting is a run whose residents compute while guests come and go.
type hosting struct {
	*world
	ctx       context.Context
	residents sync.WaitGroup
	done      atomic.Bool  // rank 0 chooses last
	last      atomic.Int64 // step in which they leave; -1: not yet
	steps     atomic.Int64 // of all of them
	errs      []error      // of residents
}

// host starts n residents, which synchronise in steps until leave is called. Each calls serve in each step.
func host(t *testing.T, mode bridge.Mode, n, guests int, serve func(p *acp.Process, step int) error) *hosting {
	t.Helper()
	server, env, err := rendezvousFor(bridge.ServerConfig{Jobs: []bridge.Job{{Name: "ocean", Size: n}}, Guests: guests})
	if err != nil {
		t.Fatal(err)
	}
	h := &hosting{world: &world{t: t, server: server, env: env, jobs: []bridge.Job{{Name: "ocean", Size: n}}}, errs: make([]error, n)}
	ctx, cancel := context.WithTimeout(context.Background(), deadline)
	t.Cleanup(cancel)
	t.Cleanup(func() { server.Close() })
	h.ctx = ctx
	h.last.Store(-1)
	var ready sync.WaitGroup
	ready.Add(n)
	for rank := range n {
		h.residents.Go(func() {
			h.errs[rank] = h.resident(rank, mode, ready.Done, serve)
		})
	}
	ready.Wait()
	return h
}

// resident is one of the residents.
func (h *hosting) resident(rank int, mode bridge.Mode, ready func(), serve func(p *acp.Process, step int) error) error {
	p, err := h.open(h.ctx, rank, acp.Config{Mode: mode})
	ready()
	if err != nil {
		return err
	}
	for step := 0; ; step++ {
		if err := serve(p, step); err != nil {
			p.Abort(err.Error())
			return fmt.Errorf("rank %d: %w", rank, err)
		}
		if rank == 0 && h.done.Load() {
			h.last.Store(int64(step)) // in which all leave
		}
		if err := p.Sync(); err != nil {
			return err
		}
		h.steps.Add(1)
		if h.last.Load() == int64(step) {
			return p.Finalize()
		}
	}
}

// leave ends the run.
func (h *hosting) leave() {
	h.t.Helper()
	h.done.Store(true)
	h.residents.Wait()
	if err := errors.Join(h.errs...); err != nil {
		h.t.Error(err)
	}
}

// guests are the processes of one job that has attached.
type guests struct {
	*bridge.Guests
	boots     []bridge.Bootstrap
	processes []*acp.Process
}

// attach lets n processes join as guests.
func (h *hosting) attach(mode bridge.Mode, n int) (*guests, error) {
	g := &guests{boots: make([]bridge.Bootstrap, n), processes: make([]*acp.Process, n)}
	var err error
	for {
		g.Guests, err = h.server.Attach([]bridge.GuestJob{{Job: bridge.Job{Size: n}}}, nil)
		if !errors.Is(err, bridge.ErrStarting) || h.ctx.Err() != nil {
			break
		}
		time.Sleep(time.Millisecond)
	}
	if err != nil {
		return nil, err
	}
	return g, g.each(func(i int) error {
		env := h.env
		env.Job, env.JobName, env.JobRank = g.Job(), "viewer", i
		boot, err := bridge.Dial(h.ctx, env, bridge.Identity{PID: os.Getpid(), Host: "test"})
		if err != nil {
			return err
		}
		g.boots[i] = boot
		g.processes[i], err = acp.Open(h.ctx, acp.Config{Bootstrap: boot, Mode: mode})
		return err
	})
}

// each calls f for each guest at the same time.
func (g *guests) each(f func(i int) error) error {
	errs := make([]error, len(g.processes))
	var all sync.WaitGroup
	for i := range g.processes {
		all.Go(func() { errs[i] = f(i) })
	}
	all.Wait()
	return errors.Join(errs...)
}

// finalize lets all guests leave.
func (g *guests) finalize() error {
	return g.each(func(i int) error { return g.processes[i].Finalize() })
}

// TestGuests lets guests attach in two cohorts, reach residents and each other in both directions, and leave.
func TestGuests(t *testing.T) {
	forEachMode(t, []int{1, 2}, func(t *testing.T, mode bridge.Mode, n int) {
		h := host(t, mode, 2, 2*n+3, func(*acp.Process, int) error { return nil })
		var cohorts []*guests
		for c := range 2 {
			g, err := h.attach(mode, n)
			if err != nil {
				t.Fatal(err)
			}
			cohorts = append(cohorts, g)
			first := acp.Rank(2 + c*n)
			for i, p := range g.processes {
				if p.Rank() != first+acp.Rank(i) || p.Procs() != int(first)+n {
					t.Errorf("guest %d of cohort %d: rank %d of %d", i, c, p.Rank(), p.Procs())
				}
			}
		}
		for c, g := range cohorts {
			other := cohorts[1-c].processes[0].Rank()
			err := g.each(func(i int) error { return visit(g.processes[i], other) })
			if err != nil {
				t.Errorf("cohort %d: %v", c, err)
			}
		}
		gone := cohorts[0].processes[0].Rank()
		if err := cohorts[0].processes[0].Reset(gone); !errors.Is(err, acp.ErrNotPermutation) {
			t.Errorf("reset of a guest: %v", err)
		}
		_, err := cohorts[0].processes[0].Adopt(false)
		for _, err := range []error{err, cohorts[0].processes[0].AskLeave(gone), cohorts[0].processes[0].AskJoin(1)} {
			if !errors.Is(err, acp.ErrFixed) || !strings.Contains(err.Error(), "guests do not join or leave the epochs") {
				t.Errorf("a guest of a run that cannot grow: %v", err)
			}
		}
		if err := cohorts[0].finalize(); err != nil {
			t.Error(err)
		}
		p := cohorts[1].processes[0]
		for {
			_, err := p.Malloc(8, gone)
			if errors.Is(err, acp.ErrRankGone) {
				break
			}
			if err != nil && !errors.Is(err, acp.ErrFinalized) || h.ctx.Err() != nil {
				t.Fatalf("memory of a guest that has left: %v", err)
			}
		}
		if _, err := p.Malloc(8, p.Rank()+acp.Rank(n)); !errors.Is(err, acp.ErrBadRank) {
			t.Errorf("memory of a guest that has never attached: %v", err)
		}
		if err := cohorts[1].finalize(); err != nil {
			t.Error(err)
		}
		h.leave()
	})
}

// visit uses the memory of the residents and of a guest of another cohort.
func visit(p *acp.Process, other acp.Rank) error {
	for _, rank := range []acp.Rank{0, 1, other} {
		block, err := p.Malloc(64, rank)
		if err != nil {
			return fmt.Errorf("memory of rank %d: %w", rank, err)
		}
		own, err := p.StarterGA(p.Rank())
		if err != nil {
			return err
		}
		want := fmt.Sprintf("%-64d", p.Rank())
		copy(p.Starter(), want)
		there, err := p.Copy(block, own, 64, acp.HandleNull)
		if err == nil {
			_, err = p.Copy(own+64, block, 64, there)
		}
		if err = errors.Join(err, p.Complete(acp.HandleAll)); err != nil {
			return err
		}
		if got := string(p.Starter()[64:128]); got != want {
			return fmt.Errorf("read %q from rank %d, expected %q", got, rank, want)
		}
		if err := p.Free(block); err != nil {
			return err
		}
	}
	return p.Sync()
}

// TestGuestHistories lets guests attach, add to counters of all residents and of each other, and leave or be
// ended at random, 1000 times in one run, while the residents compute. No addition is lost, and no resident
// fails.
func TestGuestHistories(t *testing.T) {
	const hosts, visits = 4, 1000
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	var added atomic.Uint64
	counters := make([]acp.GA, 2) // in the heaps of the residents
	h := host(t, bridge.ModeAuto, 2, 4*visits, func(p *acp.Process, step int) (err error) {
		if step == 0 {
			counters[p.Rank()], err = p.Malloc(8, p.Rank())
		}
		return err
	})
	for h.steps.Load() < 2 && h.ctx.Err() == nil {
		time.Sleep(time.Millisecond)
	}
	errs := make([]error, hosts)
	var all sync.WaitGroup
	for i := range hosts {
		all.Go(func() {
			r := rand.New(rand.NewPCG(seed, uint64(i)))
			for range visits / hosts {
				if errs[i] = h.call(r, counters, &added); errs[i] != nil {
					return
				}
			}
		})
	}
	all.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Error(err)
	}
	g, err := h.attach(bridge.ModeAuto, 1)
	if err != nil {
		t.Fatal(err)
	}
	sum, err := read(g.processes[0], counters)
	if err != nil || sum != added.Load() {
		t.Errorf("the counters are %d, expected %d, %v", sum, added.Load(), err)
	}
	if err := g.finalize(); err != nil {
		t.Error(err)
	}
	h.leave()
}

// call is the visit of one cohort of guests. It counts the additions that are complete.
func (h *hosting) call(r *rand.Rand, counters []acp.GA, added *atomic.Uint64) error {
	g, err := h.attach(bridge.ModeAuto, 1+r.IntN(2))
	if err != nil {
		return err
	}
	n, ended := 1+r.IntN(20), r.IntN(3) == 0
	err = g.each(func(i int) error {
		p := g.processes[i]
		own, err := p.StarterGA(p.Rank())
		if err != nil {
			return err
		}
		for k := range n {
			if _, err := p.Add8(own, counters[k%len(counters)], 1, acp.HandleNull); err != nil {
				return err
			}
			if err := p.Complete(acp.HandleAll); err != nil {
				return err
			}
			added.Add(1)
			if k%4 == 0 {
				if err := p.Sync(); err != nil {
					return err
				}
			}
		}
		return nil
	})
	if err != nil || !ended {
		return errors.Join(err, g.finalize())
	}
	g.Close()
	_ = g.finalize() // no error if Finalize was complete before the guest was ended
	return nil
}

// read returns the sum of counters.
func read(p *acp.Process, counters []acp.GA) (sum uint64, err error) {
	own, err := p.StarterGA(p.Rank())
	if err != nil {
		return 0, err
	}
	for _, counter := range counters {
		if _, err := p.Copy(own, counter, 8, acp.HandleNull); err != nil {
			return 0, err
		}
		if err := p.Complete(acp.HandleAll); err != nil {
			return 0, err
		}
		sum += binary.LittleEndian.Uint64(p.Starter())
	}
	return sum, nil
}

// TestResidentReachesGuest lets a resident use the memory of a guest until the guest is ended, with operations under
// way. They fail with ErrRankGone, and the run goes on.
func TestResidentReachesGuest(t *testing.T) {
	forEachMode(t, []int{1}, func(t *testing.T, mode bridge.Mode, _ int) {
		var target, reached atomic.Int64
		gone := make(chan error, 1)
		h := host(t, mode, 2, 1, func(p *acp.Process, _ int) error {
			guest := acp.Rank(target.Load())
			if p.Rank() != 0 || guest == 0 {
				return nil
			}
			block, err := p.Malloc(1<<20, guest)
			if err == nil {
				own, _ := p.StarterGA(0)
				for range 50 {
					_, _ = p.Copy(block, own, 4096, acp.HandleNull)
				}
				err = errors.Join(p.Complete(acp.HandleAll), p.Free(block))
			}
			if err == nil {
				reached.Add(1)
				return nil
			}
			target.Store(0)
			gone <- err
			return nil
		})
		g, err := h.attach(mode, 1)
		if err != nil {
			t.Fatal(err)
		}
		target.Store(int64(g.processes[0].Rank()))
		for reached.Load() < 3 && h.ctx.Err() == nil {
			time.Sleep(time.Millisecond)
		}
		g.Close()
		_ = g.finalize()
		if err := <-gone; !errors.Is(err, acp.ErrRankGone) || errors.Is(err, acp.ErrPeerDead) {
			t.Errorf("the last operations of the resident: %v", err)
		}
		h.leave()
	})
}

// TestResetWithGuests: residents keep their ranks and memory while guests are present.
func TestResetWithGuests(t *testing.T) {
	results := make(chan error, 2)
	var at atomic.Int64 // step in which both residents reset
	at.Store(-1)
	h := host(t, bridge.ModeAuto, 2, 1, func(p *acp.Process, step int) error {
		if at.Load() != int64(step) {
			return nil
		}
		for seen := int64(-1); ; { // until this rank knows of the guest
			if state, err := p.State(2); err != nil || state != acp.StateNone {
				break
			}
			var err error
			if seen, err = p.AwaitChange(seen); err != nil {
				return err
			}
		}
		results <- p.Reset(p.Rank())
		return nil
	})
	reset := func(want error) {
		t.Helper()
		at.Store(h.steps.Load()/2 + 100) // neither has come so far
		for range 2 {
			if err := <-results; !errors.Is(err, want) {
				t.Errorf("reset: %v, expected %v", err, want)
			}
		}
	}
	g, err := h.attach(bridge.ModeAuto, 1)
	if err != nil {
		t.Fatal(err)
	}
	reset(acp.ErrGuests)
	rank := g.processes[0].Rank()
	if err := g.finalize(); err != nil {
		t.Error(err)
	}
	for {
		at.Store(h.steps.Load()/2 + 100)
		first, second := <-results, <-results
		if first == nil && second == nil {
			break
		}
		if !errors.Is(first, acp.ErrGuests) || !errors.Is(second, acp.ErrGuests) || h.ctx.Err() != nil {
			t.Fatalf("reset when rank %d has left: %v, %v", rank, first, second)
		}
	}
	h.leave()
}
