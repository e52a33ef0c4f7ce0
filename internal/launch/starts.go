package launch

import (
	"fmt"
	"slices"
	"strings"

	"github.com/goacp/goacp/internal/ground/ranges"
)

// This file has the starts of processes that come later to a run.

// starts are the requests for processes whose starts are not all known. It belongs to the goroutine of the run.
type starts struct {
	open []*starting
}

// starting is the start of the processes of one request.
type starting struct {
	ranks   []int
	pending map[int]bool
	failed  map[string][]int // ranks that were not started, by cause
	known   chan struct{}    // closed when each rank was started, or is known not to start; nothing changes afterwards
}

// begin records a request for ranks.
func (s *starts) begin(ranks []int) *starting {
	one := &starting{ranks: ranks, pending: map[int]bool{}, failed: map[string][]int{}, known: make(chan struct{})}
	for _, rank := range ranks {
		one.pending[rank] = true
	}
	s.open = append(s.open, one)
	return one
}

// started records that a rank was started.
func (s *starts) started(rank int) { s.settle(rank, "") }

// fail records why a rank was not started. It does nothing if the rank was started, or its failure is known.
func (s *starts) fail(rank int, cause string) { s.settle(rank, cause) }

// settle records that a rank was started, or the cause why not.
func (s *starts) settle(rank int, cause string) {
	i := slices.IndexFunc(s.open, func(one *starting) bool { return one.pending[rank] })
	if i < 0 {
		return
	}
	one := s.open[i]
	delete(one.pending, rank)
	if cause != "" {
		one.failed[cause] = append(one.failed[cause], rank)
	}
	if len(one.pending) == 0 {
		s.open = slices.Delete(s.open, i, i+1)
		close(one.known)
	}
}

// finish records that no more rank starts, for a cause.
func (s *starts) finish(cause string) {
	for _, one := range slices.Clone(s.open) {
		for _, rank := range one.ranks {
			s.fail(rank, cause)
		}
	}
}

// result returns the ranks that were started, and the causes why the others were not, such as "ranks 2-3: host pc01: …"; "" = all were
// started. It may be called on any goroutine when known is closed.
func (one *starting) result() (started []int, causes string) {
	started = slices.Clone(one.ranks)
	var texts []string
	for cause, ranks := range one.failed {
		slices.Sort(ranks)
		started = slices.DeleteFunc(started, func(rank int) bool { return slices.Contains(ranks, rank) })
		texts = append(texts, fmt.Sprintf("%s: %s", ranges.Of(ranks), cause))
	}
	slices.Sort(texts)
	return started, strings.Join(texts, "; ")
}
