package session

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/bridge"
	"github.com/goacp/goacp/internal/acptest/extensiontest"
	"github.com/goacp/goacp/internal/system/dmi/node"
	"github.com/goacp/goacp/internal/system/dmi/thread"
)

// elasticMain runs main on process 0 of an elastic run with DMI. The threads of a phase execute unit.
func elasticMain(t *testing.T, mode bridge.Mode, n, limit int, unit func(s *Session, t *thread.Thread) error, main func(s *Session, r *extensiontest.Elastic) error) {
	t.Helper()
	cfg := acp.Config{Mode: mode, HeapSize: acp.MinHeapSize}
	extensiontest.RunElastic(t, n, limit, cfg, func(r *extensiontest.Elastic, p *acp.Process) error {
		s := New(p)
		err := s.Threads.Begin(thread.Config{Run: Run[acp.Epoch, acp.Rank](p), Memory: s.Node, Units: true, Threads: true, Start: func(t *thread.Thread) error {
			go func() {
				if t.Begin() {
					if err := unit(s, t); err != nil {
						p.Abort(err.Error())
					}
					t.End(0)
				}
			}()
			return nil
		}})
		if err != nil || s.Threads.ID() != 0 {
			return errors.Join(err, s.Threads.Serve())
		}
		if err := main(s, r); err != nil {
			return err
		}
		_, err = s.Threads.End()
		return err
	})
}

// TestJoinAndLeave: processes join and leave between the phases of a computation, and the pages of those that leave are kept.
func TestJoinAndLeave(t *testing.T) {
	const limit, pages, pageSize = 12, 40, 1000
	unit := func(s *Session, t *thread.Thread) error { return addToPages(s, t, pages, pageSize) }
	extensiontest.EachMode(t, func(t *testing.T, mode bridge.Mode) {
		elasticMain(t, mode, 1, limit, unit, func(s *Session, r *extensiontest.Elastic) error {
			at, err := s.Node.Map(pageSize, pages+1)
			if err != nil {
				return err
			}
			for phase := uint64(1); phase <= limit; phase++ {
				nodes := 1
				if phase > 1 && phase < limit {
					i, err := s.Threads.Fork(0, 0)
					if err != nil {
						return err
					}
					nodes = 2
					if phase%3 == 0 { // three processes, of which one goes before the next phase
						nodes = 3
						if err := s.Threads.Kill(int(i.ID)); err != nil {
							return err
						}
					}
				}
				if err := s.Threads.Rescale(nil, at, nodes, 2); err != nil {
					return fmt.Errorf("phase %d on %d processes: %w", phase, nodes, err)
				}
				if err := checkPhase(s, at, phase, pages, pageSize); err != nil {
					return fmt.Errorf("phase %d: %w", phase, err)
				}
				if phase == limit/2 {
					if err := allButOneGo(s); err != nil {
						return err
					}
				}
			}
			return allButOneGo(s)
		})
	})
}

// TestRescaleBesideGoodbye: a process that is about to leave while the next phase begins takes part in it, or the phase has another one.
func TestRescaleBesideGoodbye(t *testing.T) {
	const phases = 60
	unit := func(s *Session, t *thread.Thread) error {
		_, err := s.Node.FetchAdd(t.Addr, 1, node.Put)
		return err
	}
	extensiontest.EachMode(t, func(t *testing.T, mode bridge.Mode) {
		elasticMain(t, mode, 1, 3*phases+1, unit, func(s *Session, r *extensiontest.Elastic) error {
			at, err := s.Node.Map(8, 1)
			if err != nil {
				return err
			}
			for phase := 1; phase <= phases; phase++ {
				i, err := s.Threads.Fork(0, 0)
				if err != nil {
					return err
				}
				if err := s.Threads.Kill(int(i.ID)); err != nil {
					return err
				}
				done := make(chan error)
				go func() {
					for spin := rand.IntN(30_000); spin > 0; spin-- { // up to the time in which the phase begins
						runtime.Gosched()
					}
					var err error
					if s.Threads.Goodbye(int(i.ID)) == nil { // not if it has threads of the phase
						_, err = s.Threads.Fork(0, 0)
					}
					done <- err
				}()
				err = s.Threads.Rescale(nil, at, 2, 1)
				if err := errors.Join(err, <-done); err != nil {
					return fmt.Errorf("phase %d: %w", phase, err)
				}
				var b [8]byte
				if err := s.Node.Read(at, b[:], node.Get); err != nil {
					return err
				}
				if got := binary.LittleEndian.Uint64(b[:]); got != uint64(2*phase) {
					return fmt.Errorf("%d threads have run in %d phases", got, phase)
				}
				if err := allButOneGo(s); err != nil {
					return err
				}
			}
			return nil
		})
	})
}

// TestKillTakesEffect: when Kill returns, the process has the state Close, is reported, and makes no threads.
func TestKillTakesEffect(t *testing.T) {
	const turns = 20
	unit := func(*Session, *thread.Thread) error { return nil }
	extensiontest.EachMode(t, func(t *testing.T, mode bridge.Mode) {
		elasticMain(t, mode, 1, turns+1, unit, func(s *Session, _ *extensiontest.Elastic) error {
			for range turns {
				i, err := s.Threads.Fork(0, 0)
				if err != nil {
					return err
				}
				id := int(i.ID)
				if _, _, err := s.Threads.Request(true); err != nil { // that to join
					return err
				}
				if err := errors.Join(s.Threads.Welcome(id), s.Threads.Kill(id), s.Threads.Kill(id)); err != nil {
					return err
				}
				asks, found, err := s.Threads.Request(false)
				if err != nil || !found || asks.ID != i.ID || asks.State != thread.Close {
					return fmt.Errorf("process %d is killed, and the request is %v, %v, %v", id, asks, found, err)
				}
				if _, err := s.Threads.Create(id, 1, 0); !errors.Is(err, thread.ErrState) && (err == nil || !strings.Contains(err.Error(), thread.Close.String())) {
					return fmt.Errorf("a thread on process %d, which asks to leave: %v", id, err)
				}
				if err := s.Threads.Goodbye(id); err != nil {
					return err
				}
			}
			return nil
		})
	})
}

// addToPages is what a thread of a phase does: it adds the number of each of its pages to the page, and 1 to the last page.
func addToPages(s *Session, t *thread.Thread, pages, pageSize int64) error {
	for page := int64(t.Rank); page < pages; page += int64(t.Size) {
		at := t.Addr + page*pageSize
		var b [8]byte
		if err := s.Node.Read(at, b[:], node.Update); err != nil {
			return err
		}
		binary.LittleEndian.PutUint64(b[:], binary.LittleEndian.Uint64(b[:])+uint64(page))
		if err := s.Node.Write(at, b[:], node.Exclusive); err != nil {
			return err
		}
		if _, err := s.Node.FetchAdd(t.Addr+pages*pageSize, 1, node.Put); err != nil {
			return err
		}
	}
	return nil
}

// checkPhase checks the numbers after some phases.
func checkPhase(s *Session, at int64, phase uint64, pages, pageSize int64) error {
	var b [8]byte
	for page := range pages + 1 {
		if err := s.Node.Read(at+page*pageSize, b[:], node.Get); err != nil {
			return err
		}
		want := phase * uint64(page)
		if page == pages {
			want = phase * uint64(pages)
		}
		if got := binary.LittleEndian.Uint64(b[:]); got != want {
			return fmt.Errorf("page %d has %d, want %d", page, got, want)
		}
	}
	return nil
}

// allButOneGo lets all processes but process 0 leave.
func allButOneGo(s *Session) error {
	list, err := s.Threads.Nodes(100)
	if err != nil {
		return err
	}
	for _, i := range list {
		if i.ID == 0 {
			continue
		}
		if err := s.Threads.Goodbye(int(i.ID)); err != nil {
			return fmt.Errorf("goodbye of process %d: %w", i.ID, err)
		}
	}
	if list, err = s.Threads.Nodes(100); err == nil && len(list) != 1 {
		err = fmt.Errorf("%d processes are left", len(list))
	}
	return err
}
