package workspace

import (
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/goacp/goacp/bridge"
	"github.com/goacp/goacp/internal/access/global/globaltest"
	"github.com/goacp/goacp/internal/process/collective"
)

// meeting carries out the collective functions of the ranks of a world. A round ends when the slowest rank
// has called.
type meeting struct {
	mu    sync.Mutex
	all   sync.Cond
	round int
	here  int // ranks in this round
	calls []collective.Call
	blobs [][]byte
	last  [][]byte // blobs of the round before
	agree bool     // whether all ranks made the same call in the round before
}

func newMeeting(n int) *meeting {
	m := &meeting{calls: make([]collective.Call, n), blobs: make([][]byte, n)}
	m.all.L = &m.mu
	return m
}

// attend is one rank in one round, which returns the blobs of all.
func (m *meeting) attend(member int, c collective.Call, blob []byte) ([][]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.calls[member], m.blobs[member] = c, blob
	if m.here++; m.here == len(m.calls) {
		m.agree = true
		for _, other := range m.calls {
			m.agree = m.agree && other == c
		}
		m.last, m.blobs = m.blobs, make([][]byte, len(m.calls))
		m.here = 0
		m.round++
		m.all.Broadcast()
	} else {
		for round := m.round; round == m.round; {
			m.all.Wait()
		}
	}
	if !m.agree {
		return nil, collective.ErrDisagree
	}
	return m.last, nil
}

// rankCaller is the Caller of one rank.
type rankCaller struct {
	*meeting
	member int
}

func (s rankCaller) Begin(c collective.Call) error {
	_, err := s.attend(s.member, c, nil)
	return err
}

func (s rankCaller) Gather(f collective.Function, blob []byte) ([][]byte, error) {
	return s.attend(s.member, collective.Call{Function: f}, blob)
}

// rank is one rank of a world with workspaces.
type rank struct {
	*globaltest.Rank
	*Workspaces
	rankCaller
}

// forEachRank runs f for each of three ranks, which reach each other in mode, at the same time.
func forEachRank(t *testing.T, mode bridge.Mode, f func(r rank) error) *globaltest.World {
	t.Helper()
	const n = 3
	w := globaltest.New(t, globaltest.Config{Size: n, Mode: mode})
	m := newMeeting(n)
	errs := make([]error, n)
	var all sync.WaitGroup
	for member, r := range w.Ranks {
		all.Go(func() {
			s := rankCaller{m, member}
			if err := f(rank{r, New(r.Mem, s), s}); err != nil {
				errs[member] = fmt.Errorf("rank %d: %w", member, err)
			}
		})
	}
	all.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
	return w
}

// sync waits for the other ranks.
func (r rank) sync() error { return r.Begin(collective.Call{}) }

// blocks returns how many blocks of the heap of the rank are in use.
func (r rank) blocks() (uint64, error) {
	n, _, err := r.Space.Heap(r.Mem.Alive).Usage()
	return n, err
}
