package extensiontest

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/bridge"
	"github.com/goacp/goacp/internal/fabric"
	"github.com/goacp/goacp/internal/memory/ga"
)

// run is Run over one fabric, with small heaps.
func run(t *testing.T, mode bridge.Mode, n int, body func(p *acp.Process) error) {
	t.Helper()
	Run(t, n, acp.Config{Mode: mode, HeapSize: acp.MinHeapSize}, body)
}

// TestLedger has each of three ranks add to the ledgers of all: by a notice, and by a request
// whose answer comes when all ranks have added.
func TestLedger(t *testing.T) {
	const ranks, noticed, asked = 3, 10, 1
	EachMode(t, func(t *testing.T, mode bridge.Mode) {
		run(t, mode, ranks, func(p *acp.Process) error {
			l := Of(p)
			want := uint64(ranks * (noticed + asked))
			for life := range 2 {
				for m := range ranks {
					if err := l.Send(m, noticed); err != nil {
						return err
					}
					// The notice has come before the request, of each rank.
					if sum, err := l.Add(m, asked, want); err != nil || sum != want {
						return fmt.Errorf("life %d: the ledger of rank %d has %d, want %d: %v", life, m, sum, want, err)
					}
				}
				if err := p.Reset((p.Rank() + 1) % ranks); err != nil {
					return err
				}
				if l.rank != int(p.Rank()) {
					return fmt.Errorf("life %d: the ledger forgot as rank %d, want %d", life, l.rank, p.Rank())
				}
			}
			return nil
		})
	})
}

// TestWords has each of three ranks add to a word of each other one, which is mapped or not.
func TestWords(t *testing.T) {
	const ranks, turns = 3, 100
	EachMode(t, func(t *testing.T, mode bridge.Mode) {
		run(t, mode, ranks, func(p *acp.Process) error {
			l := Of(p)
			own, err := p.Malloc(8, p.Rank())
			if err != nil {
				return err
			}
			// All ranks allocate the same, so that the block is at the same position.
			at := func(rank int) uint64 { return ga.Make(rank, ga.Pos(uint64(own))) }
			before, err := l.AddTo(at(int(p.Rank())), 0)
			if err != nil {
				return err
			}
			if err := p.Sync(); err != nil {
				return err
			}
			for range turns {
				for m := range ranks {
					if _, err := l.AddTo(at(m), uint64(m+1)); err != nil {
						return err
					}
				}
			}
			if err := p.Sync(); err != nil {
				return err
			}
			got, err := l.AddTo(uint64(own), 0)
			if want := before + ranks*turns*uint64(p.Rank()+1); err != nil || got != want {
				return fmt.Errorf("the word has %d, want %d: %w", got, want, err)
			}
			if _, err := l.AddTo(at(0)+1, 1); !errors.Is(err, acp.ErrBadAddress) {
				return fmt.Errorf("a misaligned word: %v", err)
			}
			if _, err := l.AddTo(at(ranks), 1); !errors.Is(err, acp.ErrBadAddress) {
				return fmt.Errorf("a word of no rank: %v", err)
			}
			return nil
		})
	})
}

// TestTotal has three ranks find the sum of their ledgers together.
func TestTotal(t *testing.T) {
	EachMode(t, func(t *testing.T, mode bridge.Mode) {
		run(t, mode, 3, func(p *acp.Process) error {
			l := Of(p)
			l.add(uint64(p.Rank()) + 1)
			for range 3 {
				if total, err := l.Total("all"); total != 6 || err != nil {
					return fmt.Errorf("the sum is %d, want 6: %v", total, err)
				}
			}
			return nil
		})
	})
}

// TestDisagree: ranks that call collective functions of an extension for different names get
// an error that has both.
func TestDisagree(t *testing.T) {
	names := []string{"red", "blue"}
	var said [2]string
	run(t, bridge.ModeTCP, 2, func(p *acp.Process) error {
		_, err := Of(p).Total(names[p.Rank()])
		if !errors.Is(err, acp.ErrDisagree) {
			return fmt.Errorf("different collective functions: %v", err)
		}
		said[p.Rank()] = err.Error()
		return nil
	})
	const want = "rank 1 called total of blue while rank 0 called total of red"
	if !strings.Contains(said[0], want) {
		t.Errorf("%q, want %q", said[0], want)
	}
}

// TestLostRun ends the run while requests wait for their answers.
func TestLostRun(t *testing.T) {
	const ranks = 3
	EachMode(t, func(t *testing.T, mode bridge.Mode) {
		var waits sync.WaitGroup
		waits.Add(ranks - 1)
		run(t, mode, ranks, func(p *acp.Process) error {
			l := Of(p)
			if p.Rank() == 0 {
				waits.Wait()
				// The requests have come when the sum has.
				if _, err := l.Add(0, 0, ranks-1); err != nil {
					return err
				}
				p.Abort("a test wants it")
			} else {
				waits.Done()
			}
			if _, err := l.Add(0, 1, 1<<40); !errors.Is(err, acp.ErrPeerDead) {
				return fmt.Errorf("an addition in a run that is over: %v", err)
			}
			return nil
		})
	})
}

// TestMalformed: the owner refuses messages that no rank sends, and adds nothing.
func TestMalformed(t *testing.T) {
	l := new(Ledger)
	for _, size := range []struct{ request, answer int }{{0, 8}, {15, 8}, {17, 8}, {16, 7}, {16, 0}} {
		r := fabric.Request{Body: bytes.Repeat([]byte{1}, size.request), Reply: make([]byte, size.answer)}
		if _, err := l.serveAdd(r); !errors.Is(err, errMalformed) || l.sum != 0 {
			t.Errorf("a request of %d bytes with room for %d: sum %d, %v", size.request, size.answer, l.sum, err)
		}
	}
}
