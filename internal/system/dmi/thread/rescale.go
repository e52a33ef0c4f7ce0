package thread

import (
	"fmt"
	"math"
	"slices"

	"github.com/goacp/goacp/internal/fabric"
	"github.com/goacp/goacp/internal/ground/activity"
)

// phase is the part of one process in a phase.
type phase struct {
	threads []*Thread
	running int
	answer  *later // when the last has ended
}

// unitEnded notes that a thread of the phase has ended. It returns what to answer if it was the last. The caller holds the lock.
func (s *System) unitEnded() *later {
	p := s.phase
	if p.running--; p.running > 0 {
		return nil
	}
	s.phase = nil
	return p.answer
}

// Rescale runs a phase: it lets the processes in that ask for it, and makes threads on each of the nodes processes with the lowest
// ids. They execute the program's function for units with their rank, the number of them all, and addr. The ranks go by
// processes. by is the caller if it is a thread. Blocks until all threads have ended. If it fails, no thread has run.
func (s *System) Rescale(by *Thread, addr int64, nodes, threads int) error {
	return s.RescaleAs(s.NewCall(), by, addr, nodes, threads)
}

// RescaleAs is Rescale as the call with a number of NewCall, for GiveUp.
func (s *System) RescaleAs(number int64, by *Thread, addr int64, nodes, threads int) error {
	switch {
	case nodes < 1:
		return fmt.Errorf("%w: %d processes", ErrArgument, nodes)
	case threads < 1:
		return fmt.Errorf("%w: %d threads on each process", ErrArgument, threads)
	case threads > math.MaxInt32/nodes:
		return fmt.Errorf("%w: %d threads on each of %d processes", ErrArgument, threads, nodes)
	case by != nil && by.kind == Unit:
		return fmt.Errorf("%w: DMI_scaleunit calls DMI_rescale", ErrState)
	}
	request := appendInt64(appendInt32(appendInt32(appendInt64(nil, addr), int32(nodes)), int32(threads)), number)
	_, err := s.askFor(0, opRescale, request, 0, activity.For(activity.Phase).At(0, int64(nodes)))
	return err
}

func (s *System) serveRescale(r fabric.Request) (int, error) {
	in := reader{b: r.Body}
	addr, nodes, threads := in.int64(), int(in.int32()), int(in.int32())
	call := phaseCall{r.From, in.int64()}
	if err := in.end(); err != nil {
		return 0, err
	}
	h := &s.hosting
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case h.givenUp[call.from] == call.number:
		delete(h.givenUp, call.from)
		return refused(r.Reply, errGivenUp)
	case h.phase != nil:
		return refused(r.Reply, fmt.Errorf("%w: another DMI_rescale is under way", ErrState))
	case !s.elastic() && nodes > len(h.nodes):
		return refused(r.Reply, fmt.Errorf("%w: %d processes, and the run has %d: start so many by dmimw -n", ErrFixed, nodes, len(h.nodes)))
	case nodes > s.p.Ranks.Seats():
		return refused(r.Reply, fmt.Errorf("%w: %d processes, and the run has %d seats", ErrArgument, nodes, s.p.Ranks.Seats()))
	}
	g := newGathering(call)
	h.phase = g
	l := defers(r)
	s.whenAll(func() {
		go func() {
			err := s.rescale(g, addr, nodes, threads)
			h.mu.Lock()
			h.phase = nil
			h.mu.Unlock()
			g.settle()
			l.answer(nil, err)
		}()
	})
	return 0, nil
}

// rescale is Rescale at process 0. If a process begins to leave before it has made its threads, rescale begins anew.
func (s *System) rescale(g *gathering, addr int64, nodes, threads int) error {
	for {
		list, err := s.gather(g, nodes)
		if err != nil {
			return err
		}
		prepared := s.prepareAll(list, addr, threads)
		step := opRun
		if prepared != nil {
			step = opCancel
		} else {
			g.settle()
		}
		ended := s.each(list, func(id int) error {
			_, err := s.ask(id, step, nil, 0)
			return err
		})
		switch {
		case prepared == nil:
			return ended
		case !s.hosting.leaves(list):
			return prepared
		}
	}
}

// prepareAll lets the processes of a list make the threads of a phase.
func (s *System) prepareAll(list []int, addr int64, threads int) error {
	first := make(map[int]int) // rank of a process
	for i, id := range list {
		first[id] = i * threads
	}
	return s.each(list, func(id int) error {
		b := appendInt32(appendInt64(nil, addr), int32(first[id]))
		_, err := s.ask(id, opPrepare, appendInt32(appendInt32(b, int32(threads)), int32(len(list)*threads)), 0)
		return err
	})
}

// gather returns the processes of a phase, ascending. It lets those in that ask to join, and those go that ask to leave, as far as so many others
// remain. If there are too few others, those that ask to leave take part, the lowest ids first, and go before the next phase. Otherwise gather
// waits until processes come, or the caller gives up.
func (s *System) gather(g *gathering, nodes int) ([]int, error) {
	for {
		changed := s.hosting.next()
		if err := s.admitAll(); err != nil {
			return nil, err
		}
		staying, leaving := s.hosting.in(Opened), s.hosting.in(Close)
		if len(staying) >= nodes {
			for _, id := range leaving {
				if err := s.goodbye(id); err != nil && s.p.Lifecycle.Alive() != nil {
					return nil, err // otherwise the process stays
				}
			}
			return staying[:nodes], nil
		}
		if lack := nodes - len(staying); lack <= len(leaving) {
			list := append(staying, leaving[:lack]...)
			slices.Sort(list)
			return list, nil
		}
		if !s.elastic() {
			return nil, fmt.Errorf("%w: %d processes take part, expected %d", ErrFixed, len(staying), nodes)
		}
		select {
		case <-changed:
		case <-g.givenUp:
			return nil, errGivenUp
		case <-s.over:
			return nil, s.why
		}
	}
}

// servePrepare makes the threads of a phase.
func (s *System) servePrepare(r fabric.Request) (int, error) {
	in := reader{b: r.Body}
	addr, first, threads, size := in.int64(), int(in.int32()), int(in.int32()), int(in.int32())
	if err := in.end(); err != nil {
		return 0, err
	}
	s.mu.Lock()
	var err error
	switch {
	case s.leaving:
		err = fmt.Errorf("%w: process %d is about to leave", ErrState, s.ID())
	case s.phase != nil:
		err = fmt.Errorf("%w: process %d has threads of another phase", ErrState, s.ID())
	case !s.cfg.Units:
		err = fmt.Errorf("%w: DMI_scaleunit, which the threads of DMI_rescale execute", ErrProgram)
	}
	if err != nil {
		s.mu.Unlock()
		return refused(r.Reply, err)
	}
	p := &phase{running: threads}
	s.phase = p
	s.mu.Unlock()
	l := defers(r)
	go func() { l.answer(nil, s.prepare(p, Thread{kind: Unit, Addr: addr, Rank: first, Size: size}, threads)) }()
	return 0, nil
}

// prepare makes the threads of a phase like a first one.
func (s *System) prepare(p *phase, like Thread, threads int) error {
	for i := range threads {
		t := like
		t.Rank += i
		t.start = make(chan bool, 1)
		s.mu.Lock()
		s.add(&t)
		s.mu.Unlock()
		if err := s.launch(&t); err != nil {
			return err
		}
		s.mu.Lock()
		p.threads = append(p.threads, &t)
		s.mu.Unlock()
	}
	return nil
}

// serveRun lets the threads of a phase run.
func (s *System) serveRun(r fabric.Request) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.phase
	if p == nil || p.answer != nil {
		return refused(r.Reply, fmt.Errorf("%w: process %d has no threads of a phase", ErrState, s.ID()))
	}
	p.answer = defers(r)
	for _, t := range p.threads {
		t.start <- true
	}
	return 0, nil
}

// serveCancel ends the threads of a phase that have not run.
func (s *System) serveCancel(r fabric.Request) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if p := s.phase; p != nil && p.answer == nil {
		for _, t := range p.threads {
			t.start <- false
			delete(s.threads, t.number)
			s.addRunning(-1)
		}
		s.phase = nil
	}
	return done(r.Reply, nil)
}
