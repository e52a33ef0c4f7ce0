package thread

import (
	"fmt"
	"slices"
	"sync"

	"github.com/goacp/goacp/internal/fabric"
	"github.com/goacp/goacp/internal/ground/activity"
	"github.com/goacp/goacp/internal/network/am"
)

// State is the state of a process. The values are those of dmi_api.h.
type State int32

// The states.
const (
	Open   State = 1 + iota // it asks to take part
	Opened                  // it takes part
	Close                   // it takes part, and asks to leave
	Closed                  // it has left
)

// String returns the state in words.
func (s State) String() string {
	switch s {
	case Open:
		return "asks to take part"
	case Opened:
		return "takes part"
	case Close:
		return "asks to leave"
	case Closed:
		return "has left"
	}
	return fmt.Sprintf("state %d", int32(s))
}

// MaxHost is the most bytes of the name of a host.
const MaxHost = 259

// Info is what processes know of each other.
type Info struct {
	ID     int32
	Cores  int32 // processors of its host
	Memory int64 // bytes of its pool
	State  State
	Host   string
}

const infoBytes = 4 + 4 + 8 + 4 + 4 + MaxHost + 1

func encodeInfo(i Info) []byte {
	b := make([]byte, 0, infoBytes)
	b = appendInt64(appendInt32(appendInt32(b, i.ID), i.Cores), i.Memory)
	host := i.Host[:min(len(i.Host), MaxHost)]
	b = appendInt32(appendInt32(b, int32(i.State)), int32(len(host)))
	b = append(b, host...)
	return b[:infoBytes]
}

// info reads what encodeInfo has written.
func (r *reader) info() Info {
	i := Info{ID: r.int32(), Cores: r.int32(), Memory: r.int64(), State: State(r.int32())}
	n, text := r.int32(), r.take(MaxHost+1)
	if r.bad || n < 0 || n > MaxHost {
		r.bad = true
		return Info{}
	}
	i.Host = string(text[:n])
	return i
}

// host is what process 0 keeps for the run.
type host struct {
	mu       sync.Mutex
	nodes    []node // by ids
	start    int    // processes of the start
	missing  int    // those of them of which nothing is known yet
	all      chan struct{}
	phase    *gathering    // that is under way, or nil
	givenUp  map[int]int64 // by member: the last call of RescaleAs that was given up before it came
	requests []int         // ids of processes that ask to join or leave, the oldest first; some ask no more
	polls    []poll        // that wait for a request, the oldest first
	forks    []fork        // that wait for a process, the oldest first
	asked    int           // so many of them, which are alike, have asked for it
	failed   int           // processes that were to join and do not come, of which forks know
	holders  []int         // processes that hold a part of the directory of global memory
	changed  chan struct{} // closed at the next change
}

// poll is a call of Request of a process.
type poll struct {
	*later
	from int // its id
}

// node is a process as process 0 knows it.
type node struct {
	Info
	known    bool
	reported bool // its request
	leaving  bool // a goodbye is under way
}

func (h *host) begin(processes int) {
	h.nodes, h.all, h.changed = make([]node, processes), make(chan struct{}), make(chan struct{})
	h.start, h.missing, h.givenUp = processes, processes, make(map[int]int64)
	for id := range processes {
		h.holders = append(h.holders, id)
	}
}

// change wakes those that wait for a change. The caller holds the lock.
func (h *host) change() {
	close(h.changed)
	h.changed = make(chan struct{})
}

// next returns what is closed at the next change.
func (h *host) next() <-chan struct{} {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.changed
}

// there returns a process, or nil if there is none with the id. The caller holds the lock.
func (h *host) there(id int) *node {
	if id < 0 || id >= len(h.nodes) || !h.nodes[id].known || h.nodes[id].State == Closed {
		return nil
	}
	return &h.nodes[id]
}

// serveHello notes what a process tells about itself. The process asks to take part, except process 0, which does so.
func (s *System) serveHello(r fabric.Request) (int, error) {
	in := reader{b: r.Body}
	i := in.info()
	if err := in.end(); err != nil {
		return 0, err
	}
	h := &s.hosting
	h.mu.Lock()
	defer h.mu.Unlock()
	id := s.p.Ranks.Rank(r.From)
	if s.ID() != 0 || id < 0 || id < len(h.nodes) && h.nodes[id].known {
		return refused(r.Reply, fmt.Errorf("%w: process %d is known", ErrState, id))
	}
	i.ID, i.State = int32(id), Open
	if id == 0 {
		i.State = Opened
	}
	h.nodes = append(h.nodes, make([]node, max(0, id+1-len(h.nodes)))...)
	h.nodes[id] = node{Info: i, known: true}
	if id >= h.start {
		h.requests = append(h.requests, id)
		s.answerFork(i)
	} else if h.missing--; h.missing == 0 {
		for first := range h.start {
			h.requests = append(h.requests, first)
		}
		close(h.all)
	}
	if id != 0 && s.p.Roster.Asked(r.From) { // before this process knew of it
		h.nodes[id].State = Close
		h.requests = append(h.requests, id)
	}
	h.change()
	h.report()
	return done(r.Reply, nil)
}

// whenAll calls f when all processes of the start are known. The caller holds no lock.
func (s *System) whenAll(f func()) {
	select {
	case <-s.hosting.all:
		f()
		return
	default:
	}
	go func() {
		select {
		case <-s.hosting.all:
			f()
		case <-s.over:
		}
	}()
}

// Nodes returns the processes that there are, in order of their ids, at most the first most ones. Blocks for one round trip, and
// until all processes of the start are known.
func (s *System) Nodes(most int) ([]Info, error) {
	if most < 0 {
		return nil, fmt.Errorf("%w: room for %d processes", ErrArgument, most)
	}
	const perAnswer = (fabric.CallMax - 1) / infoBytes
	var list []Info
	for from := int32(0); len(list) < most; {
		answer, err := s.ask(0, opNodes, appendInt32(appendInt32(nil, from), int32(min(most-len(list), perAnswer))), perAnswer*infoBytes)
		if err != nil {
			return nil, err
		}
		in := reader{b: answer}
		for len(in.b) > 0 {
			i := in.info()
			if in.bad || i.ID < from {
				return nil, am.ErrMalformed
			}
			list = append(list, i)
			from = i.ID + 1
		}
		if len(answer) < perAnswer*infoBytes {
			break
		}
	}
	return list, nil
}

func (s *System) serveNodes(r fabric.Request) (int, error) {
	in := reader{b: r.Body}
	from, most := in.int32(), in.int32()
	if err := in.end(); err != nil {
		return 0, err
	}
	l := defers(r)
	s.whenAll(func() {
		h := &s.hosting
		h.mu.Lock()
		var b []byte
		for _, n := range h.nodes {
			if n.known && n.State != Closed && n.ID >= from && most > 0 {
				b = append(b, encodeInfo(n.Info)...)
				most--
			}
		}
		h.mu.Unlock()
		l.answer(b, nil)
	})
	return 0, nil
}

// Welcome lets a process take part that asks for it. Blocks until it takes part.
func (s *System) Welcome(id int) error {
	_, err := s.askFor(0, opWelcome, appendInt32(nil, int32(id)), 0, activity.On(activity.Coming, id))
	return err
}

func (s *System) serveWelcome(r fabric.Request) (int, error) {
	in := reader{b: r.Body}
	id := int(in.int32())
	if err := in.end(); err != nil {
		return 0, err
	}
	l := defers(r)
	s.whenAll(func() { go func() { l.answer(nil, s.welcome(id)) }() })
	return 0, nil
}

// welcome is Welcome at process 0.
func (s *System) welcome(id int) error {
	h := &s.hosting
	h.mu.Lock()
	var err error
	switch {
	case h.there(id) == nil:
		err = fmt.Errorf("%w: %d", ErrNoProcess, id)
	case h.nodes[id].State != Open:
		err = fmt.Errorf("%w: process %d %v", ErrState, id, h.nodes[id].State)
	}
	h.mu.Unlock()
	if err != nil {
		return err
	}
	return s.admit(id)
}

// admit lets a process take part. Process 0 calls it. Blocks for one round trip.
func (s *System) admit(id int) error {
	if _, err := s.ask(id, opAdmit, nil, 0); err != nil {
		return err
	}
	h := &s.hosting
	h.mu.Lock()
	if n := &h.nodes[id]; n.State == Open {
		n.State = Opened
	}
	h.mu.Unlock()
	return s.share()
}

func (s *System) serveAdmit(r fabric.Request) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.state == Open {
		s.enter(Opened)
	}
	return done(r.Reply, nil)
}

// admitAll lets all processes take part that ask for it. Process 0 calls it.
func (s *System) admitAll() error {
	h := &s.hosting
	h.mu.Lock()
	var list []int
	for _, n := range h.nodes {
		if n.known && n.State == Open && !n.leaving {
			list = append(list, int(n.ID))
		}
	}
	h.mu.Unlock()
	return s.each(list, func(id int) error {
		err := s.admit(id)
		if err != nil && h.leaves([]int{id}) {
			return nil
		}
		return err
	})
}

// leaves reports whether one of some processes leaves, or has left.
func (h *host) leaves(ids []int) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.ContainsFunc(ids, func(id int) bool {
		n := h.there(id)
		return n == nil || n.leaving
	})
}

// in returns the ids of the processes in a state, ascending.
func (h *host) in(state State) (list []int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, x := range h.nodes {
		if x.known && x.State == state && !x.leaving {
			list = append(list, int(x.ID))
		}
	}
	return list
}

// Request returns a process that asks to join or leave. Each request is reported once, the oldest first; those of the start are
// in order of ids. If there is none, Request waits for one, or returns false if wait is false.
func (s *System) Request(wait bool) (Info, bool, error) {
	var how int32
	if wait {
		how = 1
	}
	answer, err := s.askFor(0, opRequest, appendInt32(nil, how), infoBytes, activity.For(activity.Request))
	if err != nil || len(answer) == 0 {
		return Info{}, false, err
	}
	in := reader{b: answer}
	i := in.info()
	return i, true, in.end()
}

func (s *System) serveRequest(r fabric.Request) (int, error) {
	in := reader{b: r.Body}
	waits := in.int32() != 0
	if err := in.end(); err != nil {
		return 0, err
	}
	l := defers(r)
	s.whenAll(func() {
		h := &s.hosting
		h.mu.Lock()
		defer h.mu.Unlock()
		p := poll{l, s.p.Ranks.Rank(r.From)}
		h.polls = append(h.polls, p)
		h.report()
		if i := slices.Index(h.polls, p); i >= 0 && !waits {
			h.polls = slices.Delete(h.polls, i, i+1)
			l.answer(nil, nil)
		}
	})
	return 0, nil
}

// report answers those that wait for requests, but for processes that are about to leave. The caller holds the lock.
func (h *host) report() {
	for h.missing == 0 && len(h.requests) > 0 {
		i := slices.IndexFunc(h.polls, func(p poll) bool { return !h.nodes[p.from].leaving })
		if i < 0 {
			return
		}
		n := &h.nodes[h.requests[0]]
		h.requests = h.requests[1:]
		if n.reported || n.State != Open && n.State != Close {
			continue
		}
		n.reported = true
		p := h.polls[i]
		h.polls = slices.Delete(h.polls, i, i+1)
		p.answer(encodeInfo(n.Info), nil)
	}
}

// each calls f, which waits for another process, for each number at once, and returns the first error in order of the numbers. Blocks until all
// have returned.
func (s *System) each(list []int, f func(int) error) error {
	errs := make([]error, len(list))
	var all sync.WaitGroup
	for i, n := range list {
		all.Go(func() {
			s.p.Budget.AddThreads(1) // it parks as a thread of the program does
			defer s.p.Budget.AddThreads(-1)
			errs[i] = f(n)
		})
	}
	all.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
