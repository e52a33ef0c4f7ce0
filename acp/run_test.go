package acp_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/bridge"
	"golang.org/x/sys/unix"
)

// modes are the fabrics that every test of this package runs over.
var modes = []bridge.Mode{bridge.ModeSHM, bridge.ModeTCP}

// forEachMode runs f as a subtest for each mode and number of ranks.
func forEachMode(t *testing.T, ranks []int, f func(t *testing.T, mode bridge.Mode, n int)) {
	for _, mode := range modes {
		for _, n := range ranks {
			t.Run(fmt.Sprintf("%v/%d", mode, n), func(t *testing.T) { f(t, mode, n) })
		}
	}
}

// deadline bounds every run of several ranks.
const deadline = 120 * time.Second

// world is a run whose ranks all live in this OS process.
type world struct {
	t      *testing.T
	server *bridge.Server
	env    bridge.Env
	jobs   []bridge.Job
}

// newWorld returns the world of a run of one job of n ranks.
func newWorld(t *testing.T, n int) *world {
	t.Helper()
	return newWorldOf(t, bridge.Job{Name: "test", Size: n})
}

// newWorldOf returns the world of a run of several jobs.
func newWorldOf(t *testing.T, jobs ...bridge.Job) *world {
	t.Helper()
	server, env, err := rendezvousOf(jobs)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { server.Close() })
	return &world{t: t, server: server, env: env, jobs: jobs}
}

// rendezvous starts the server of a run of n ranks, and returns it with what ranks need to reach
// it.
func rendezvous(n int) (*bridge.Server, bridge.Env, error) {
	return rendezvousOf([]bridge.Job{{Name: "test", Size: n}})
}

// rendezvousOf is rendezvous for a run of several jobs.
func rendezvousOf(jobs []bridge.Job) (*bridge.Server, bridge.Env, error) {
	return rendezvousFor(bridge.ServerConfig{Jobs: jobs})
}

// rendezvousFor starts a server with the jobs and options of cfg.
func rendezvousFor(cfg bridge.ServerConfig) (*bridge.Server, bridge.Env, error) {
	token, err := bridge.NewToken()
	if err != nil {
		return nil, bridge.Env{}, err
	}
	cfg.Token, cfg.Listen = token, []string{"127.0.0.1:0"}
	server, err := bridge.Listen(cfg)
	if err != nil {
		return nil, bridge.Env{}, err
	}
	env := bridge.Env{Token: token}
	for _, a := range server.Addrs() {
		env.Rendezvous = append(env.Rendezvous, a.String())
	}
	return server, env, nil
}

// open makes rank of the world.
func (w *world) open(ctx context.Context, rank int, cfg acp.Config) (*acp.Process, error) {
	env := w.env
	env.JobRank = rank
	for j, job := range w.jobs {
		if env.Job, env.JobName = j, job.Name; env.JobRank < job.Size {
			break
		}
		env.JobRank -= job.Size
	}
	boot, err := bridge.Dial(ctx, env, bridge.Identity{PID: os.Getpid(), Host: "test"})
	if err != nil {
		return nil, err
	}
	cfg.Bootstrap = boot
	return acp.Open(ctx, cfg)
}

// member is one rank of a test. Its Sync also synchronises the ranks for the race detector, which does not
// see the barrier in shared memory.
type member struct {
	*acp.Process
	met *sync.Mutex
}

func (m *member) Sync() error {
	m.meet()
	defer m.meet()
	return m.Process.Sync()
}

func (m *member) meet() {
	m.met.Lock()
	defer m.met.Unlock()
}

// run gives every one of n ranks a goroutine that executes body between Open and
// Finalize, and fails the test if one of them returns an error.
func run(t *testing.T, n int, cfg acp.Config, body func(p *member) error) {
	t.Helper()
	runEach(t, n, func(int) acp.Config { return cfg }, body)
}

// besideIdle is run with two ranks, of which rank 0 executes body. Rank 1 calls nothing meanwhile: the first call that parks at a
// line of the program looks for that line, and so allocates memory, which tests that count allocations would count.
func besideIdle(t *testing.T, cfg acp.Config, body func(p *member) error) {
	t.Helper()
	done := make(chan struct{})
	run(t, 2, cfg, func(p *member) error {
		if p.Rank() == 1 {
			<-done
			return nil
		}
		defer close(done)
		return body(p)
	})
}

// runEach is run with a separate configuration for every rank.
func runEach(t *testing.T, n int, config func(rank int) acp.Config, body func(p *member) error) {
	t.Helper()
	newWorld(t, n).run(n, config, body)
}

// run is runEach in this world, which has n ranks.
func (w *world) run(n int, config func(rank int) acp.Config, body func(p *member) error) {
	t := w.t
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), deadline)
	defer cancel()
	stuck := time.AfterFunc(deadline, func() { panic("ranks are stuck: " + t.Name()) })
	defer stuck.Stop()
	var met sync.Mutex
	errs := make([]error, n)
	var wg sync.WaitGroup
	for rank := range n {
		wg.Go(func() {
			p, err := w.open(ctx, rank, config(rank))
			if err != nil {
				errs[rank] = err
				return
			}
			if err := body(&member{p, &met}); err != nil {
				errs[rank] = fmt.Errorf("rank %d: %w", rank, err)
				p.Abort(err.Error())
				return
			}
			errs[rank] = p.Finalize()
		})
	}
	wg.Wait()
	w.server.Close()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
}

// foreign returns n bytes of memory that the Go runtime does not manage.
func foreign(t testing.TB, n int) []byte {
	t.Helper()
	b, err := unix.Mmap(-1, 0, n, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { unix.Munmap(b) })
	return b
}

// must returns v, and ends the test binary if there is an error.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// expect returns nil if err is want.
func expect(want, err error) error {
	if errors.Is(err, want) {
		return nil
	}
	return fmt.Errorf("%v, expected %v", err, want)
}

// wholeHeap checks that the heap of the next rank is empty.
func wholeHeap(p *member) error {
	if err := p.Sync(); err != nil {
		return err
	}
	next := acp.Rank((int(p.Rank()) + 1) % p.Procs())
	all, err := p.Malloc(acp.DefaultHeapSize, next)
	if err != nil {
		return fmt.Errorf("the heap of rank %d is not whole: %w", next, err)
	}
	return p.Free(all)
}
