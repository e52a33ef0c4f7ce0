package thread

import (
	"testing"

	"github.com/goacp/goacp/internal/fabric"
)

// TestRequestsInOrder: requests to leave are reported in the order in which they came, and not to a process that is about to leave.
func TestRequestsInOrder(t *testing.T) {
	h := &host{nodes: make([]node, 7)}
	for id := range h.nodes {
		h.nodes[id] = node{Info: Info{ID: int32(id), State: Opened}, known: true, reported: true}
	}
	asks := func(id int) {
		h.nodes[id].State, h.nodes[id].reported = Close, false
		h.requests = append(h.requests, id)
		h.report()
	}
	polls := func(from int) *forkResult {
		r := &forkResult{reply: make([]byte, 1+infoBytes)}
		h.polls = append(h.polls, poll{&later{r.reply, r}, from})
		h.report()
		return r
	}
	expect := func(r *forkResult, want int32) {
		t.Helper()
		if id, err := r.id(); err != nil || id != want || !r.ended {
			t.Errorf("the request is that of process %d, %v, expected %d", id, err, want)
		}
	}
	asks(5)
	asks(2)
	asks(4)
	h.nodes[2].State = Closed // it has been let go without a report
	expect(polls(0), 5)
	expect(polls(1), 4)

	h.nodes[3].leaving = true
	gone, stays := polls(3), polls(1)
	asks(6)
	if gone.ended {
		t.Error("a request is reported to a process that is about to leave")
	}
	expect(stays, 6)
	h.nodes[3].leaving = false
	asks(1)
	expect(gone, 1)
}

// TestTakesPart: the list of the processes has none that have left.
func TestTakesPart(t *testing.T) {
	program{}.run(t, 3, func(s *System) error {
		if s.takesPart(2) {
			t.Error("process 2 takes part without a welcome")
		}
		if err := s.Welcome(2); err != nil {
			return err
		}
		h := &s.hosting
		h.mu.Lock()
		h.nodes[1].State = Closed
		h.mu.Unlock()
		if !s.takesPart(2) {
			t.Error("process 2 does not take part after process 1 has left")
		}
		if s.takesPart(1) {
			t.Error("process 1 takes part, and has left")
		}
		h.mu.Lock()
		h.nodes[1].State = Open
		h.mu.Unlock()
		return nil
	})
}

// TestPhaseKeepsProcess: a process of a phase does not leave before its threads have run, even if none is there yet.
func TestPhaseKeepsProcess(t *testing.T) {
	program{}.run(t, 1, func(s *System) error {
		s.mu.Lock()
		s.phase = &phase{running: 1}
		s.mu.Unlock()
		reply := make([]byte, refusalRoom)
		n, err := s.serveClear(fabric.Request{Reply: reply})
		if err != nil {
			return err
		}
		_, err = decodeAnswer(reply[:n])
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.phase = nil; s.leaving {
			t.Error("the process is about to leave")
		}
		return fails(err, "threads run on process 0")
	})
}
