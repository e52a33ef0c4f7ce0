package thread

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/bridge"
	"github.com/goacp/goacp/internal/acptest/extensiontest"
)

// program is a program for tests, whose threads are goroutines.
type program struct {
	unit   func(s *System, t *Thread)
	thread func(s *System, t *Thread) int64
	start  func(s *System, t *Thread) error // fails instead of making a thread; may be nil
	before func()                           // called before each run; may be nil
}

// run runs main on process 0 of n, which share memory or use sockets.
func (p program) run(t *testing.T, n int, main func(s *System) error) {
	t.Helper()
	extensiontest.EachMode(t, func(t *testing.T, mode bridge.Mode) {
		if p.before != nil {
			p.before()
		}
		extensiontest.Run(t, n, acp.Config{Mode: mode, HeapSize: acp.MinHeapSize}, func(process *acp.Process) error {
			s := Of(process)
			if err := s.Begin(p.config(s)); err != nil {
				return err
			}
			if s.ID() != 0 {
				return s.Serve()
			}
			if err := main(s); err != nil {
				return err
			}
			running, err := s.End()
			if running != 0 {
				err = fmt.Errorf("%d threads run at the end: %w", running, err)
			}
			return err
		})
	})
}

func (p program) config(s *System) Config {
	return Config{
		Units: p.unit != nil, Threads: p.thread != nil, Cores: 3, Pool: int64(1000 + s.ID()), Host: fmt.Sprintf("host%d", s.ID()),
		Start: func(t *Thread) error {
			if p.start != nil {
				if err := p.start(s, t); err != nil {
					return err
				}
			}
			go func() {
				switch {
				case !t.Begin():
				case t.Kind() == Unit:
					p.unit(s, t)
					t.End(0)
				default:
					t.End(p.thread(s, t))
				}
			}()
			return nil
		},
	}
}

// fails returns an error unless err is one with these words.
func fails(err error, words string) error {
	if err == nil || !strings.Contains(err.Error(), words) {
		return fmt.Errorf("the error is %v, want one with %q", err, words)
	}
	return nil
}

// TestRescale: the threads of a phase have consecutive ranks in order of processes, and all have ended when it returns.
func TestRescale(t *testing.T) {
	const threads = 4
	var mu sync.Mutex
	var seen []string
	p := program{unit: func(s *System, t *Thread) {
		mu.Lock()
		defer mu.Unlock()
		seen = append(seen, fmt.Sprintf("%02d of %d on %d, %d", t.Rank, t.Size, s.ID(), t.Addr))
	}}
	p.run(t, 3, func(s *System) error {
		for nodes := 1; nodes <= 3; nodes++ {
			mu.Lock()
			seen = nil
			mu.Unlock()
			if err := s.Rescale(s.Main(), int64(-nodes), nodes, threads); err != nil {
				return err
			}
			var want []string
			for rank := range nodes * threads {
				want = append(want, fmt.Sprintf("%02d of %d on %d, %d", rank, nodes*threads, rank/threads, -nodes))
			}
			mu.Lock()
			slices.Sort(seen)
			ok := slices.Equal(seen, want)
			mu.Unlock()
			if !ok {
				return fmt.Errorf("threads %q, want %q", seen, want)
			}
		}
		return nil
	})
}

// TestRescaleRefused: a phase that cannot be has no thread, and the next one runs.
func TestRescaleRefused(t *testing.T) {
	var nested, concurrent error
	var ran, most atomic.Int64
	p := program{
		unit: func(s *System, t *Thread) {
			ran.Add(1)
			if t.Rank == 0 {
				nested = s.Rescale(t, 0, 1, 1)
				concurrent = s.Rescale(nil, 0, 1, 1)
			}
		},
		start: func(s *System, t *Thread) error {
			if s.ID() == 1 && t.Rank >= int(most.Load()) {
				return errors.New("no more threads")
			}
			return nil
		},
	}
	p.run(t, 2, func(s *System) error {
		ran.Store(0)
		most.Store(100)
		for _, c := range []struct {
			nodes, threads int
			words          string
		}{
			{0, 1, "0 processes"}, {-1, 1, "-1 processes"}, {1, 0, "0 threads"}, {3, 1, "3 processes, and the run has 2"}, {2, 1 << 30, "threads on each of 2"},
		} {
			if err := fails(s.Rescale(s.Main(), 0, c.nodes, c.threads), c.words); err != nil {
				return err
			}
		}
		most.Store(5)
		if err := fails(s.Rescale(s.Main(), 0, 2, 4), "process 1 makes no thread: no more threads"); err != nil {
			return err
		}
		if ran.Load() != 0 {
			return fmt.Errorf("%d threads have run of a phase that failed", ran.Load())
		}
		most.Store(100)
		if err := s.Rescale(s.Main(), 0, 2, 4); err != nil || ran.Load() != 8 {
			return fmt.Errorf("%d threads have run, want 8: %w", ran.Load(), err)
		}
		return errors.Join(fails(nested, "DMI_scaleunit calls DMI_rescale"), fails(concurrent, "another DMI_rescale"))
	})
	none := program{}
	none.run(t, 2, func(s *System) error {
		return errors.Join(
			fails(s.Rescale(s.Main(), 0, 2, 1), "DMI_scaleunit"),
			func() error { _, err := s.Create(1, 0, 0); return fails(err, "DMI_thread") }())
	})
}

// TestCreate: threads of any process return their results to joins of any other.
func TestCreate(t *testing.T) {
	p := program{thread: func(s *System, t *Thread) int64 {
		if t.Addr < 10 {
			return t.Addr + int64(s.ID())
		}
		// A thread that makes one on the next process, and joins it.
		id, err := s.Create((s.ID()+1)%3, t.Addr-10, 0)
		if err != nil {
			return -1
		}
		result, err := s.Join(t, id)
		if err != nil {
			return -2
		}
		return 100 * result
	}}
	p.run(t, 3, func(s *System) error {
		seen := make(map[ID]bool)
		for turn := range 20 {
			process := turn % 3
			id, err := s.Create(process, int64(5+turn%2*10), 1<<20)
			if err != nil || int(id.Process) != process || seen[id] {
				return fmt.Errorf("thread %v on process %d: %w", id, process, err)
			}
			seen[id] = true
			want := int64(5 + process)
			if turn%2 == 1 {
				want = int64(100 * (5 + (process+1)%3))
			}
			if result, err := s.Join(s.Main(), id); err != nil || result != want {
				return fmt.Errorf("thread %v has returned %d, want %d: %w", id, result, want, err)
			}
			if _, err := s.Join(s.Main(), id); fails(err, "no such thread") != nil {
				return fmt.Errorf("a second join: %w", err)
			}
		}
		return nil
	})
}

// TestThreadMistakes: wrong threads and processes are refused.
func TestThreadMistakes(t *testing.T) {
	var hold chan struct{}
	p := program{
		before: func() { hold = make(chan struct{}) },
		unit:   func(*System, *Thread) {},
		thread: func(s *System, t *Thread) int64 { _, err := s.Join(t, t.ID()); <-hold; return int64(len(err.Error())) },
	}
	p.run(t, 2, func(s *System) error {
		id, err := s.Create(1, 0, 0)
		if err != nil {
			return err
		}
		detached, err := s.Create(1, 0, 0)
		if err != nil {
			return err
		}
		if err := s.Detach(detached); err != nil {
			return err
		}
		join := func(id ID) error { _, err := s.Join(s.Main(), id); return err }
		create := func(process int, stack int64) error { _, err := s.Create(process, 0, stack); return err }
		fork := func(id int) error {
			_, err := s.Fork(id, 0)
			return err
		}
		all := []error{
			fails(join(ID{0, 0}), "a thread cannot join itself"),
			fails(join(ID{1, 77}), "no such thread"), fails(join(ID{2, 1}), "no such process"), fails(join(ID{-1, 1}), "no such process"),
			fails(join(detached), "is detached"), fails(s.Detach(detached), "is detached"),
			fails(s.Detach(ID{0, 0}), "not one of DMI_create"),
			fails(s.Wake(ID{1, 77}, nil), "no such thread"),
			fails(create(2, 0), "no such process: 2, and the run has the processes 0 to 1"), fails(create(1, -1), "a stack of -1 bytes"),
			fails(s.Welcome(1), "process 1 takes part"), fails(s.Welcome(9), "no such process"),
			fails(s.Goodbye(1), "the processes of this run are fixed"), fails(s.Kill(5), "no such process"), fails(fork(0), "fixed"),
		}
		close(hold)
		if n, err := s.Join(s.Main(), id); err != nil || n == 0 {
			all = append(all, fmt.Errorf("the thread that joined itself: %d, %w", n, err))
		}
		// The detached one ends by itself.
		for s.Wake(detached, nil) == nil {
		}
		return errors.Join(all...)
	})
}

// TestWake: a thread that sleeps gets the bytes of the next wake, however many; earlier wakes are lost.
func TestWake(t *testing.T) {
	long := bytes.Repeat([]byte("0123456789abcdef"), 20_000)
	woken := [2]chan struct{}{}
	p := program{thread: func(s *System, t *Thread) int64 {
		defer close(woken[s.ID()])
		data, err := t.Suspend()
		if err != nil || !bytes.Equal(data, long) {
			return -1
		}
		return int64(len(data))
	}}
	p.before = func() { woken = [2]chan struct{}{make(chan struct{}), make(chan struct{})} }
	p.run(t, 2, func(s *System) error {
		for process := range 2 {
			id, err := s.Create(process, 0, 0)
			if err != nil {
				return err
			}
			for open := true; open; {
				if err := s.Wake(id, long); err != nil {
					return err
				}
				select {
				case <-woken[process]:
					open = false
				default:
				}
			}
			if n, err := s.Join(s.Main(), id); err != nil || n != int64(len(long)) {
				return fmt.Errorf("the thread got %d bytes, want %d: %w", n, len(long), err)
			}
		}
		return nil
	})
}

// TestNodes: every process sees all processes of the start with their states, and each request to take part is reported once.
func TestNodes(t *testing.T) {
	const n = 4
	p := program{unit: func(*System, *Thread) {}, thread: func(s *System, t *Thread) int64 {
		list, err := s.Nodes(100)
		if err != nil {
			return -1
		}
		return int64(len(list))
	}}
	p.run(t, n, func(s *System) error {
		states := func(want ...State) error {
			list, err := s.Nodes(n + 1)
			if err != nil || len(list) != len(want) {
				return fmt.Errorf("%d processes, want %d: %w", len(list), len(want), err)
			}
			for id, i := range list {
				if expected := (Info{ID: int32(id), Cores: 3, Memory: int64(1000 + id), State: want[id], Host: fmt.Sprintf("host%d", id)}); i != expected {
					return fmt.Errorf("process %d is %+v, want %+v", id, i, expected)
				}
			}
			return nil
		}
		if err := states(Opened, Open, Open, Open); err != nil {
			return err
		}
		if list, err := s.Nodes(2); err != nil || len(list) != 2 || list[1].ID != 1 {
			return fmt.Errorf("two processes: %v, %w", list, err)
		}
		if err := s.Welcome(1); err != nil {
			return err
		}
		if i, ok, err := s.Request(true); err != nil || !ok || i.ID != 2 || i.State != Open {
			return fmt.Errorf("the oldest request: %+v, %v, %w", i, ok, err)
		}
		id, err := s.Create(3, 0, 0)
		if err != nil {
			return err
		}
		if known, err := s.Join(nil, id); err != nil || known != n {
			return fmt.Errorf("a thread sees %d processes: %w", known, err)
		}
		if i, ok, err := s.Request(false); err != nil || ok {
			return fmt.Errorf("a request without process: %+v, %v, %w", i, ok, err)
		}
		if err := states(Opened, Opened, Open, Opened); err != nil {
			return err
		}
		if err := s.Rescale(nil, 0, 1, 1); err != nil {
			return err
		}
		return states(Opened, Opened, Opened, Opened)
	})
}

// TestEnd counts the threads that have not ended when the run does.
func TestEnd(t *testing.T) {
	p := program{thread: func(s *System, t *Thread) int64 {
		_, err := t.Suspend()
		if err == nil {
			return 1
		}
		return 0
	}}
	extensiontest.Run(t, 2, acp.Config{Mode: bridge.ModeSHM, HeapSize: acp.MinHeapSize}, func(process *acp.Process) error {
		s := Of(process)
		if err := s.Begin(p.config(s)); err != nil {
			return err
		}
		if s.ID() != 0 {
			return s.Serve()
		}
		for i := range 5 {
			if _, err := s.Create(i%2, 0, 0); err != nil {
				return err
			}
		}
		if running, err := s.End(); err != nil || running != 5 {
			return fmt.Errorf("%d threads run, want 5: %w", running, err)
		}
		return nil
	})
}
