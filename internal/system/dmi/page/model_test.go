package page

import "slices"

// The model is the surroundings of the state machines, as package node has them: what each process knows of each page, the messages
// under way, and threads that carry out the operations of a program. A step of a thread, or the delivery of a message, is one transition,
// and does what package node does under the lock of one entry. Messages may overtake each other at will, which is more than the
// transports let them do.
//
// The bytes of a page are the number of a version. The page has the versions 0, 1, 2 ..., of which each change makes the next one.

const (
	procs = 3
	pages = 2

	torn = -1 // bytes that a lent change writes, or that no one has written
)

// operationKind is what an operation of a thread does.
type operationKind uint8

const (
	doRead operationKind = iota
	doWrite
	doAdd
	doWatch // wait until the value of the page is not 0
	doEvict // give up the copy
	doMove  // take the page of another process that asks for it, and change nothing

	doHandOver // let another process be the home of the page
	doEvacuate // let doMove with a leaver begin
	doLeave    // leave when nothing is in the process
)

// access says how an operation treats the page, as the modes of package node do.
type access uint8

const (
	get access = iota
	invalidate
	update
	put
	exclusive
)

// operation is one operation of a thread.
type operation struct {
	kind  operationKind
	page  int
	mode  access
	value int8 // of doWrite
	long  bool
	whole bool // the change sets all bytes of the page
	to    int  // of doHandOver: the new home; of doMove: 1 + the process that leaves, 0 if none does
}

func (o *operation) copyKind() CopyKind {
	if o.mode == invalidate {
		return Invalidate
	}
	return Update
}

// program is what the threads of all processes do.
type program struct {
	name    string
	threads []programThread
	homes   [pages]int
}

type programThread struct {
	process int
	ops     []operation
}

// model is a state of the surroundings, with the program and the faults.
type model struct {
	program *program
	faults  fault
	entries [procs][pages]entry
	threads []thread
	net     []message
	places  [procs]place

	values [pages][]int8 // of each version; the last one is what the page shows
	wrong  string        // what contradicts the rules, if anything does
}

// place is what one process knows of the homes of the pages, and whether it leaves.
type place struct {
	homes     [pages]int8
	moves     [pages]int8 // how often each home has moved
	moving    [pages]bool // the process hands the home over
	evacuates bool
	gone      bool
}

// entry is what one process knows of one page.
type entry struct {
	owner      int // or unknown
	generation int8
	own        *owned
	taking     bool
	early      []Request

	copy     Copy
	bytes    int8 // of the copy
	told     []message
	fetching bool
	watchers []int // threads

	left int8 // the bytes that the process had when it gave the page away, for a fault
}

const unknown = -1

// owned is a page of its owner.
type owned struct {
	machine       *Owner
	bytes         int8
	guarded, shut bool // the flags of the record
}

// step is what a thread does next.
type step uint8

const (
	begin       step = iota // try to use bytes that are here
	decide                  // choose a request
	asking                  // wait for the answer to a request
	borrow                  // begin to use a page that is lent
	borrowed                // end that
	awaitTake               // wait for the Take of another thread
	awaitFetch              // wait for the Fetch of another thread
	attend                  // look whether the process notices changes
	attendFetch             // fetch a copy for that
	watching                // wait for a change
)

// thread is a thread.
type thread struct {
	at      int // the operation
	step    step
	begun   bool
	fired   bool // the watcher has seen a change
	since   int8 // the version when the operation began
	asked   Kind // the request under way
	served  Kind // what its owner does
	taking  bool // the operation has begun a Take
	server  int  // the owner that has lent the page
	half    int8 // the bytes of a page that is lent
	version uint64
	noticed int8 // the version when the process began to notice changes; -1: it does not
}

// messageKind is the kind of a message.
type messageKind uint8

const (
	request    messageKind = iota
	answer                 // to a request, or the end of a loan
	ending                 // of a loan
	tell                   // of an owner about a copy
	toldAnswer             // whether there is a copy
	newOwner               // to the home
	record                 // the owner of a page, to its new home
	ownTable               // the new home, to itself
	handAnswer             // to both
	table                  // the new home, to others
)

// status is the outcome of a request.
type status uint8

const (
	done status = iota
	lent
	untouched
	fresh
	moved
	elsewhere
)

// message is a message under way.
type message struct {
	kind       messageKind
	from, to   int
	page       int
	request    Request // of request and ending; the ID is the thread and 1
	thread     int     // of answer
	status     status
	served     Kind
	do         Do
	grant      uint64
	version    uint64
	bytes      int8
	kept       bool
	owner      int
	generation int8
	holders    []Holder
}

// newModel returns the first state of a program.
func newModel(p *program, f fault) *model {
	m := &model{program: p, faults: f, threads: make([]thread, len(p.threads))}
	for i := range m.threads {
		m.threads[i] = thread{noticed: -1}
	}
	for q := range m.entries {
		for page := range m.entries[q] {
			m.entries[q][page].owner = unknown
			m.places[q].homes[page] = int8(p.homes[page])
		}
	}
	for page := range m.values {
		m.values[page] = []int8{0}
	}
	return m
}

// clone returns a copy of the state.
func (m *model) clone() *model {
	c := *m
	c.threads = slices.Clone(m.threads)
	c.net = slices.Clone(m.net)
	for page := range c.values {
		c.values[page] = slices.Clip(m.values[page])
	}
	for p := range c.entries {
		for page := range c.entries[p] {
			e := &c.entries[p][page]
			e.early, e.told, e.watchers = slices.Clip(e.early), slices.Clip(e.told), slices.Clone(e.watchers)
			if e.own != nil {
				own := *e.own
				own.machine = own.machine.clone()
				e.own = &own
			}
		}
	}
	return &c
}

// clone returns a copy of an owner between two calls.
func (o *Owner) clone() *Owner {
	c := *o
	c.queue, c.state.Holders, c.actions = slices.Clone(o.queue), slices.Clone(o.state.Holders), nil
	if o.change != nil {
		change := *o.change
		change.waiting = slices.Clone(change.waiting)
		c.change = &change
	}
	return &c
}

// fail notes that the state contradicts the rules.
func (m *model) fail(what string) {
	if m.wrong == "" {
		m.wrong = what
	}
}

// shown returns the version that a page shows now.
func (m *model) shown(page int) int8 { return int8(len(m.values[page]) - 1) }

// op returns the operation of a thread.
func (m *model) op(thread int) *operation {
	return &m.program.threads[thread].ops[m.threads[thread].at]
}

// process returns the process of a thread.
func (m *model) process(thread int) int { return m.program.threads[thread].process }

// ended reports whether a thread has carried out all its operations.
func (m *model) ended(thread int) bool {
	return m.threads[thread].at == len(m.program.threads[thread].ops)
}

// finish ends the operation of a thread.
func (m *model) finish(i int) {
	t := &m.threads[i]
	if t.taking {
		m.endTake(m.process(i), m.op(i).page)
	}
	m.threads[i] = thread{at: t.at + 1, noticed: -1}
}

// finishRead ends a read that yields some bytes. The page has shown them at a moment since the read has begun.
func (m *model) finishRead(i int, bytes int8) {
	t, page := &m.threads[i], m.op(i).page
	switch {
	case m.op(i).kind == doWatch: // it reads nothing
		t.step = attend
		return
	case bytes == torn:
		m.fail("a read is torn")
	case bytes < t.since:
		m.fail("a read yields old bytes")
	case bytes > m.shown(page):
		m.fail("a read yields bytes of a change that has not happened")
	}
	m.finish(i)
}

// apply makes the change of a thread in some bytes.
func (m *model) apply(i int, bytes *int8) {
	op := m.op(i)
	if *bytes != m.shown(op.page) && !op.whole {
		m.fail("a change is lost")
		return
	}
	*bytes = m.shown(op.page) + 1
	m.values[op.page] = append(m.values[op.page], m.after(i))
}

// after returns the value of a page after the change of a thread.
func (m *model) after(i int) int8 {
	op, now := m.op(i), m.values[m.op(i).page][m.shown(m.op(i).page)]
	switch op.kind {
	case doWrite:
		return op.value
	case doAdd:
		return now + 1
	}
	return now
}

// check notes what is wrong with the state.
func (m *model) check() {
	for page := range pages {
		owners := 0
		for p := range m.entries {
			e := &m.entries[p][page]
			if e.own != nil {
				owners++
			}
			if e.copy.Valid() && e.own == nil && e.bytes != m.shown(page) {
				m.fail("a copy is old, or newer than the page")
			}
		}
		if owners > 1 {
			m.fail("a page has two owners")
		}
	}
}

// atRest notes what is wrong with a state in which nothing happens any more.
func (m *model) atRest() {
	for i := range m.threads {
		t := &m.threads[i]
		if m.ended(i) {
			continue
		}
		if t.step != watching {
			m.fail("an operation does not end")
			return
		}
		for _, value := range m.values[m.op(i).page][t.noticed:] {
			if value != 0 {
				m.fail("a watcher misses a change")
			}
		}
	}
}
