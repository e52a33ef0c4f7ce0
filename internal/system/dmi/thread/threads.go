package thread

import (
	"fmt"
	"slices"

	"github.com/goacp/goacp/internal/fabric"
	"github.com/goacp/goacp/internal/ground/activity"
	"github.com/goacp/goacp/internal/network/am"
)

// Kind says how a thread has come to be.
type Kind int

// The kinds.
const (
	Main    Kind = iota // it runs DMI_main
	Unit                // a phase has made it
	Created             // Create has made it
)

// ID identifies a thread in the run.
type ID struct{ Process, Thread int32 }

// Thread is a thread of this process.
type Thread struct {
	s      *System
	number int32 // in the process
	kind   Kind

	// Addr is what the program passes to the thread. Stack is the bytes of its stack; 0: as the system has it. Rank and Size
	// are the rank of a Unit among all of its phase, and their number.
	Addr, Stack int64
	Rank, Size  int

	start chan bool // whether to run; nil: at once

	// The lock of the system guards these.
	ended    bool
	detached bool
	result   int64
	joiner   *later
	wakes    chan []byte // while the thread sleeps in Suspend
}

// ID returns the id of the thread. Does not block.
func (t *Thread) ID() ID { return ID{int32(t.s.ID()), t.number} }

// Kind returns how the thread has come to be.
func (t *Thread) Kind() Kind { return t.kind }

// Thread returns the thread of this process with a number, or nil. Does not block.
func (s *System) Thread(number int32) *Thread {
	if number == 0 && s.ID() == 0 {
		return s.main
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.threads[number]
}

// add makes a thread with the next number. The caller holds the lock.
func (s *System) add(t *Thread) *Thread {
	t.s = s
	for t.number == 0 || s.threads[t.number] != nil {
		if s.last++; s.last <= 0 {
			s.last = 1
		}
		t.number = s.last
	}
	s.threads[t.number] = t
	s.addRunning(1)
	return t
}

// addRunning notes that more threads run, or fewer. The caller holds the lock.
func (s *System) addRunning(more int) {
	s.running += more
	s.Reasons.count(s.running)
	s.p.Budget.AddThreads(more)
}

// sleep is called before a thread sleeps for a reason, and wake gets the result after that.
func (s *System) sleep(why activity.Reason) activity.Wait {
	s.p.Budget.Pause()
	return s.Reasons.Say(why)
}

func (s *System) wake(w activity.Wait) {
	s.Reasons.Unsay(w)
	s.p.Budget.Resume()
}

// launch lets the program make a thread. If that fails, the thread is none.
func (s *System) launch(t *Thread) error {
	err := s.cfg.Start(t)
	if err != nil {
		s.mu.Lock()
		delete(s.threads, t.number)
		s.addRunning(-1)
		s.mu.Unlock()
		return fmt.Errorf("process %d makes no thread: %w", s.ID(), err)
	}
	return nil
}

// Begin is the first call of a new thread. It reports whether the thread runs. Blocks until that is known.
func (t *Thread) Begin() bool {
	if t.start == nil {
		return true
	}
	defer t.s.wake(t.s.sleep(activity.For(activity.Phase)))
	select {
	case run := <-t.start:
		return run
	case <-t.s.over:
		return false
	}
}

// End is the last call of a thread that runs, with its result. Does not block.
func (t *Thread) End(result int64) {
	s := t.s
	s.mu.Lock()
	t.ended, t.result = true, result
	s.addRunning(-1)
	if t.kind == Unit {
		delete(s.threads, t.number)
		answer := s.unitEnded()
		s.mu.Unlock()
		if answer != nil {
			answer.answer(nil, nil)
		}
		return
	}
	joiner := t.joiner
	if joiner != nil || t.detached {
		delete(s.threads, t.number)
	}
	s.mu.Unlock()
	if joiner != nil {
		joiner.answer(appendInt64(nil, result), nil)
	}
}

// Create makes a thread on a process, which executes the program's function for threads with addr. The process takes part
// afterwards. Blocks for one round trip, or three if the process did not take part.
func (s *System) Create(process int, addr, stack int64) (ID, error) {
	if err := s.CheckCreate(process, stack); err != nil {
		return ID{}, err
	}
	for {
		answer, err := s.ask(process, opCreate, appendInt64(appendInt64(nil, addr), stack), 4)
		if err != nil {
			return ID{}, err
		}
		in := reader{b: answer}
		number := in.int32()
		if err := in.end(); err != nil || number > 0 {
			return ID{int32(process), number}, err
		}
		// It does not take part yet. Another process may let it do so at the same time.
		if err := s.Welcome(process); err != nil && !s.takesPart(process) {
			return ID{}, err
		}
	}
}

// takesPart reports whether a process takes part.
func (s *System) takesPart(id int) bool {
	list, err := s.Nodes(id + 1) // without those that have left
	return err == nil && slices.ContainsFunc(list, func(i Info) bool { return int(i.ID) == id && i.State == Opened })
}

// serveCreate is Create at the process of the thread. The answer is 0 if the process does not take part yet.
func (s *System) serveCreate(r fabric.Request) (int, error) {
	in := reader{b: r.Body}
	t := &Thread{kind: Created, Addr: in.int64(), Stack: in.int64()}
	if err := in.end(); err != nil {
		return 0, err
	}
	s.mu.Lock()
	switch {
	case s.state == Open || s.cfg.Start == nil: // without Begin the process is not known to process 0 either
		s.mu.Unlock()
		return done(r.Reply, appendInt32(nil, 0))
	case s.leaving || s.asked || s.p.Ranks.Elastic() && s.p.Roster.Asked(s.p.Ranks.Self()):
		s.mu.Unlock()
		return refused(r.Reply, fmt.Errorf("%w: process %d %v", ErrState, s.ID(), Close))
	case s.state != Opened:
		s.mu.Unlock()
		return refused(r.Reply, fmt.Errorf("%w: process %d %v", ErrState, s.ID(), s.state))
	case !s.cfg.Threads:
		s.mu.Unlock()
		return refused(r.Reply, fmt.Errorf("%w: DMI_thread, which threads execute", ErrProgram))
	}
	s.add(t)
	s.mu.Unlock()
	err := s.launch(t)
	return either(r.Reply, appendInt32(nil, t.number), err)
}

// numbered returns the thread with a number that Create has made. The caller holds the lock.
func (s *System) numbered(number int32) (*Thread, error) {
	t := s.threads[number]
	switch {
	case t != nil && t.kind == Unit, t == nil && number == 0 && s.ID() == 0:
		return nil, fmt.Errorf("%w: thread %d of process %d is not one of DMI_create", ErrState, number, s.ID())
	case t == nil:
		return nil, fmt.Errorf("%w: thread %d of process %d", ErrNoThread, number, s.ID())
	}
	return t, nil
}

// Join waits until a thread has ended, and returns its result. by is the caller if it is a thread. Each thread of Create is joined
// once, unless it is detached.
func (s *System) Join(by *Thread, id ID) (int64, error) {
	if err := s.CheckJoin(by, id); err != nil {
		return 0, err
	}
	why := activity.On(activity.Join, int(id.Process)).At(0, int64(id.Thread))
	answer, err := s.askFor(int(id.Process), opJoin, appendInt32(nil, id.Thread), 8, why)
	if err != nil {
		return 0, err
	}
	in := reader{b: answer}
	result := in.int64()
	return result, in.end()
}

func (s *System) serveJoin(r fabric.Request) (int, error) {
	number, err := oneNumber(r.Body)
	if err != nil {
		return 0, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	t, err := s.numbered(number)
	switch {
	case err != nil:
	case t.detached:
		err = fmt.Errorf("%w: thread %d of process %d is detached", ErrState, number, s.ID())
	case t.joiner != nil:
		err = fmt.Errorf("%w: thread %d of process %d is being joined", ErrState, number, s.ID())
	case t.ended:
		delete(s.threads, number)
		return done(r.Reply, appendInt64(nil, t.result))
	default:
		t.joiner = defers(r)
		return 0, nil
	}
	return refused(r.Reply, err)
}

// Detach marks a thread that no thread joins. Blocks for one round trip.
func (s *System) Detach(id ID) error {
	_, err := s.ask(int(id.Process), opDetach, appendInt32(nil, id.Thread), 0)
	return err
}

func (s *System) serveDetach(r fabric.Request) (int, error) {
	number, err := oneNumber(r.Body)
	if err != nil {
		return 0, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	t, err := s.numbered(number)
	switch {
	case err != nil:
	case t.detached || t.joiner != nil:
		err = fmt.Errorf("%w: thread %d of process %d is detached, or being joined", ErrState, number, s.ID())
	default:
		t.detached = true
		if t.ended {
			delete(s.threads, number)
		}
	}
	return either(r.Reply, nil, err)
}

// oneNumber decodes a request that is the number of a thread.
func oneNumber(b []byte) (int32, error) {
	in := reader{b: b}
	n := in.int32()
	return n, in.end()
}

// part identifies a wake that is sent in several messages.
type part struct {
	from int    // the member
	wake uint64 // of that member
}

// wakeHead is the bytes of a request to wake a thread before its data: the thread, the number of the wake, the bytes that it has
// in all, and those that were in earlier messages.
const wakeHead = 4 + 8 + 8 + 8

// Wake wakes a thread that sleeps in Suspend, and gives it bytes. A thread that does not sleep there misses them. Blocks for a
// round trip per 64 KiB.
func (s *System) Wake(id ID, data []byte) error {
	s.mu.Lock()
	s.wakes++
	wake := s.wakes
	s.mu.Unlock()
	for sent := 0; ; {
		b := appendInt64(appendInt32(nil, id.Thread), int64(wake))
		b = appendInt64(appendInt64(b, int64(len(data))), int64(sent))
		n := min(len(data)-sent, fabric.CallMax-wakeHead)
		b = append(b, data[sent:sent+n]...)
		if _, err := s.ask(int(id.Process), opWake, b, 0); err != nil {
			return err
		}
		if sent += n; sent == len(data) {
			return nil
		}
	}
}

func (s *System) serveWake(r fabric.Request) (int, error) {
	in := reader{b: r.Body}
	number, key := in.int32(), part{r.From, uint64(in.int64())}
	size, before := in.int64(), in.int64()
	if in.bad || size < 0 || before < 0 || int64(len(in.b)) > size-before {
		return 0, am.ErrMalformed
	}
	t := s.Thread(number)
	s.mu.Lock()
	defer s.mu.Unlock()
	data := append(s.parts[key], in.b...)
	delete(s.parts, key)
	switch {
	case int64(len(data)) != before+int64(len(in.b)):
		return 0, am.ErrMalformed
	case t == nil:
		return refused(r.Reply, fmt.Errorf("%w: thread %d of process %d", ErrNoThread, number, s.ID()))
	case int64(len(data)) < size:
		s.parts[key] = data
	case t.wakes != nil:
		t.wakes <- data
		t.wakes = nil
	}
	return done(r.Reply, nil)
}

// Suspend sleeps until another thread wakes this one, and returns the bytes that come with that. The thread itself calls it.
func (t *Thread) Suspend() ([]byte, error) {
	wakes := make(chan []byte, 1)
	t.s.mu.Lock()
	t.wakes = wakes
	t.s.mu.Unlock()
	defer t.s.wake(t.s.sleep(activity.For(activity.Wake)))
	select {
	case data := <-wakes:
		return data, nil
	case <-t.s.over:
		return nil, t.s.why
	}
}
