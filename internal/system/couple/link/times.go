package link

import (
	"sync"
	"time"
)

// times says how a process has spent the time in which a model has open links.
type times struct {
	mu     sync.Mutex // guards what follows
	links  int        // that are open
	since  time.Time  // when the first of them was opened
	before time.Duration
	waited time.Duration
}

// begin notes that a link is open.
func (t *times) begin() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.links == 0 {
		t.since = time.Now()
	}
	t.links++
}

// end notes that a link is closed.
func (t *times) end() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.links--
	if t.links == 0 {
		t.before += time.Since(t.since)
	}
}

// add adds a wait.
func (t *times) add(d time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.waited += d
}

// Times returns how long this process has computed, and how long it has waited in calls on links of the model, while the model had
// open links. Threads that wait at once are added up, to at most all of the time. Does not block.
func (m *Model) Times() (computed, waited time.Duration) {
	t := &m.times
	t.mu.Lock()
	defer t.mu.Unlock()
	all := t.before
	if t.links > 0 {
		all += time.Since(t.since)
	}
	waited = min(t.waited, all)
	return all - waited, waited
}

// Waited returns how many messages this end has sent or received, and how long its calls have waited for them.
func (e *end) Waited() (messages uint64, waited time.Duration) { return e.Messages, e.waited }

// noteWait notes that the program has waited since a moment.
func (e *end) noteWait(began time.Time) {
	d := time.Since(began)
	e.waited += d
	e.field.model.times.add(d)
	e.counted.Wait(d)
}

// begins notes that the end is open, for the times of its model and for readers.
func (e *end) begins() {
	e.field.model.times.begin()
	e.counted.Begin()
}

// ends undoes begins.
func (e *end) ends() {
	e.field.model.times.end()
	e.counted.End()
	e.LinkSteps = e.shown.Hide()
	_ = e.endRecord() // each record has been written
}
