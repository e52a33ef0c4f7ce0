package bridge

import (
	"fmt"
	"sync"
)

// EventKind is the kind of an event in a run.
type EventKind int

// The kinds of events.
const (
	Joined    EventKind = iota + 1 // a member has joined
	Ready                          // all members have joined
	Left                           // a member has left in order
	Died                           // the connection of a member ended although it had not left
	Aborted                        // a member called Abort; Text is its reason. May follow a Died that had not reached it
	Lost                           // a member ended because it had lost another one; Text names the lost member
	Rejected                       // a process was refused; Text is the reason
	Informed                       // the end of the run, or the loss of another member, has reached a member
	RunEnded                       // the run to which guests have attached has ended; Text is the reason
	Adopted                        // a process that has come later belongs to the epoch of the run
	Departed                       // a member has left its epoch; its end does not end the run
	JoinAsked                      // a member asks for more processes
)

var eventNames = [...]string{
	Joined: "joined", Ready: "ready", Left: "left", Died: "died", Aborted: "aborted", Lost: "lost", Rejected: "rejected", Informed: "informed", RunEnded: "run ended",
	Adopted: "adopted", Departed: "departed", JoinAsked: "join asked",
}

// String returns the kind in one word.
func (k EventKind) String() string {
	if k < Joined || int(k) >= len(eventNames) {
		return fmt.Sprintf("EventKind(%d)", int(k))
	}
	return eventNames[k]
}

// Event is one event of a run. The fields from Member to Host are those of the member. Ready has none.
// Rejected and RunEnded have Member -1. If the process has not authenticated itself, Rejected has only Text.
type Event struct {
	Kind    EventKind
	Member  int
	Job     int
	JobRank int
	PID     int
	Host    string
	Text    string
	Asks    JoinRequest // of JoinAsked
}

// maxWaitingEvents is how many events may wait for the launcher. Beyond that, events about processes without
// the token are dropped, since the number of such processes is unbounded.
const maxWaitingEvents = 1024

// eventQueue passes events to one function, one after the other. It holds no lock during the call, so the
// function may call the server.
type eventQueue struct {
	deliver func(Event)

	mu      sync.Mutex
	waiting []Event
	wake    sync.Cond
	closed  bool
	done    chan struct{}
}

// newEventQueue starts the goroutine that calls the function.
func newEventQueue(deliver func(Event)) *eventQueue {
	q := &eventQueue{deliver: deliver, done: make(chan struct{})}
	q.wake.L = &q.mu
	go q.run()
	return q
}

func (q *eventQueue) put(e Event) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.deliver == nil || e.Kind == Rejected && len(q.waiting) >= maxWaitingEvents {
		return
	}
	q.waiting = append(q.waiting, e)
	q.wake.Signal()
}

func (q *eventQueue) run() {
	defer close(q.done)
	for {
		q.mu.Lock()
		for len(q.waiting) == 0 && !q.closed {
			q.wake.Wait()
		}
		batch := q.waiting
		q.waiting = nil
		q.mu.Unlock()
		if len(batch) == 0 {
			return
		}
		for _, e := range batch {
			q.deliver(e)
		}
	}
}

// close returns when all events that wait have been delivered.
func (q *eventQueue) close() {
	q.mu.Lock()
	q.closed = true
	q.wake.Signal()
	q.mu.Unlock()
	<-q.done
}
