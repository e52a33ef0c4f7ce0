package thread

import (
	"errors"
	"sync"
	"sync/atomic"

	"github.com/goacp/goacp/internal/fabric"
	"github.com/goacp/goacp/internal/ground/activity"
	"github.com/goacp/goacp/internal/ground/traffic"
	"github.com/goacp/goacp/internal/network/am"
	"github.com/goacp/goacp/internal/process/extension"
	"github.com/goacp/goacp/internal/system/dmi/signal"
)

// The operations.
const (
	opHello   = iota // tells process 0 about a process
	opNodes          // asks process 0 for the processes
	opWelcome        // asks process 0 to let a process take part
	opAdmit          // tells a process that it takes part
	opRequest        // asks process 0 for the next request to join or leave
	opRescale        // asks process 0 for a phase
	opPrepare        // makes the threads of a phase
	opGiveUp         // ends the wait of a phase for processes
	opRun            // lets them run; the answer comes when they have ended
	opCancel         // ends them before they run
	opCreate         // makes a thread
	opJoin           // waits for the end of a thread
	opDetach
	opWake
	opEnd    // tells a process that the run has ended
	opSignal // to a slot

	opAdopt    // begins the next epoch with the others, or leaves
	opGoodbye  // asks process 0 to let a process leave
	opClear    // keeps new threads away from a process that is to leave
	opEvacuate // moves the pages of a process to others
	opStay     // undoes both
	opKill     // asks process 0 to ask a process to leave
	opAsked    // tells a process that it is asked to leave
	opFork     // asks process 0 for one more process
)

var systems = extension.Register(extension.Extension[*System]{
	Name:     "dmi thread",
	First:    am.OpDMIThread,
	Optional: true,
	Open:     func(p *extension.Process) (*System, error) { return newSystem(p), nil },
	Operations: []extension.Operation[*System]{
		opHello:   {Name: "process of DMI", Serve: (*System).serveHello},
		opNodes:   {Name: "question about the processes of DMI", Serve: (*System).serveNodes},
		opWelcome: {Name: "welcome of a process of DMI", Serve: (*System).serveWelcome},
		opAdmit:   {Name: "admission of a process of DMI", Serve: (*System).serveAdmit},
		opRequest: {Name: "question about requests of processes of DMI", Serve: (*System).serveRequest},
		opRescale: {Name: "phase of DMI", Serve: (*System).serveRescale},
		opPrepare: {Name: "threads of a phase of DMI", Serve: (*System).servePrepare},
		opGiveUp:  {Name: "end of the wait of a phase of DMI", Serve: (*System).serveGiveUp},
		opRun:     {Name: "run of a phase of DMI", Serve: (*System).serveRun},
		opCancel:  {Name: "cancellation of a phase of DMI", Serve: (*System).serveCancel},
		opCreate:  {Name: "creation of a thread of DMI", Serve: (*System).serveCreate},
		opJoin:    {Name: "join of a thread of DMI", Serve: (*System).serveJoin},
		opDetach:  {Name: "detachment of a thread of DMI", Serve: (*System).serveDetach},
		opWake:    {Name: "wake of a thread of DMI", Serve: (*System).serveWake},
		opEnd:     {Name: "end of a run of DMI", Serve: (*System).serveEnd},
		opSignal:  {Name: "signal to a thread of DMI", Serve: (*System).serveSignal},

		opAdopt:    {Name: "next epoch of DMI", Serve: (*System).serveAdopt},
		opGoodbye:  {Name: "goodbye to a process of DMI", Serve: (*System).serveGoodbye},
		opClear:    {Name: "end of threads of a process of DMI", Serve: (*System).serveClear},
		opEvacuate: {Name: "evacuation of a process of DMI", Serve: (*System).serveEvacuate},
		opStay:     {Name: "stay of a process of DMI", Serve: (*System).serveStay},
		opKill:     {Name: "request to leave to a process of DMI", Serve: (*System).serveKill},
		opAsked:    {Name: "notice of a request to leave to a process of DMI", Serve: (*System).serveAsked},
		opFork:     {Name: "start of a process of DMI", Serve: (*System).serveFork},
	},
	Fail: (*System).fail,
	Settle: func(s *System) {
		s.Slots.Close()
		s.Reasons.close()
	},
	Forget: func(s *System) {
		s.Slots.Forget()
		s.Reasons.open(s.p.Page)
	},
})

// maxAdopts is more than the epochs that can be asked for at the same time: process 0 begins one after the other.
const maxAdopts = 8

// Of returns the system of an *acp.Process. Does not block.
func Of(process any) *System { return systems.Of(process) }

// Config is what a process tells its system.
type Config struct {
	// Start makes a thread for t, and does not wait for it. The thread calls t.Begin. If that returns true, the thread executes
	// the function of the program and calls t.End; otherwise it returns at once.
	Start func(t *Thread) error

	Run    *Run   // nil: no process joins or leaves
	Memory Memory // nil: the program uses no global memory

	Units   bool // the program has a function for the threads of a phase
	Threads bool // and one for those of Create

	Cores int    // processors of the host
	Pool  int64  // bytes of the memory pool of the process
	Host  string // name of the host, of which MaxHost bytes count
}

// System is the state of one process. Several goroutines may call its methods at once.
type System struct {
	p    *extension.Process
	main *Thread // of DMI_main

	mu      sync.Mutex
	cfg     Config
	state   State
	threads map[int32]*Thread // that have not ended, or may be joined
	running int               // those that have not ended
	last    int32             // the latest number of a thread
	phase   *phase            // for which this process has threads
	parts   map[part][]byte   // of long wakes

	wakes uint64       // of this process
	calls atomic.Int64 // of RescaleAs of this process

	asked     bool // DMI_kill has asked the process to leave
	leaving   bool // no thread begins here any more
	departing atomic.Bool
	departed  chan error // receives when the process has left, or could not
	stays     error      // why it could not leave
	adopts    chan bool  // epochs to begin, and whether the process stays
	adopting  sync.WaitGroup

	hosting host       // of process 0
	epochs  sync.Mutex // one epoch begins at a time; process 0 alone uses it
	ending  bool       // no epoch begins any more; guarded by epochs
	sharing sync.Mutex // one change of the directory at a time; process 0 alone uses it
	Slots   *signal.Slots
	Reasons Reasons

	over  chan struct{} // closed when nothing comes any more
	ended chan struct{} // closed when process 0 has ended the run
	why   error         // set before over is closed
}

func newSystem(p *extension.Process) *System {
	s := &System{
		p: p, threads: make(map[int32]*Thread), parts: make(map[part][]byte), state: Open,
		over: make(chan struct{}), ended: make(chan struct{}), departed: make(chan error, 1),
		adopts: make(chan bool, maxAdopts),
	}
	s.hosting.begin(p.Ranks.End())
	s.Slots = signal.New(p, func(member int, message []byte) {
		s.count(member, len(message))
		p.Start(member, opSignal, message, make([]byte, refusalRoom), ignored{})
	})
	s.main = &Thread{s: s, kind: Main}
	s.Reasons.open(p.Page)
	return s
}

// ID returns the id of this process.
func (s *System) ID() int { return s.p.Ranks.Own() }

// Main returns the thread that runs DMI_main.
func (s *System) Main() *Thread { return s.main }

// Begin begins the use of the system. It is called once, before other methods. Blocks for one round trip.
func (s *System) Begin(cfg Config) error {
	s.mu.Lock()
	s.cfg = cfg
	s.p.Page.SetShare(cfg.Cores, uint64(cfg.Pool))
	s.enter(Open)
	if s.ID() == 0 {
		s.enter(Opened)
		s.p.Budget.AddThreads(1) // that of DMI_main
	}
	s.mu.Unlock()
	if cfg.Memory != nil {
		if err := cfg.Memory.Begin(); err != nil {
			return err
		}
	}
	if s.elastic() {
		if s.ID() == 0 {
			go s.follow()
		} else {
			go s.adoptEach()
		}
	}
	_, err := s.ask(0, opHello, encodeInfo(Info{ID: int32(s.ID()), Cores: int32(cfg.Cores), Memory: cfg.Pool, Host: cfg.Host}), 0)
	return err
}

// enter sets the state of this process. The caller holds the lock.
func (s *System) enter(state State) {
	s.state = state
	s.p.Page.SetState(uint32(state))
}

// End ends the run, and returns how many threads still run in all processes. Process 0 calls it when DMI_main has returned.
// Blocks until all processes know it.
func (s *System) End() (running int, err error) {
	s.epochs.Lock() // processes that have not come yet do not come any more
	s.ending = true
	s.epochs.Unlock()
	for _, member := range s.p.Ranks.Members() {
		answer, failed := s.ask(s.p.Ranks.Rank(member), opEnd, nil, 4)
		if failed != nil {
			err = errors.Join(err, failed)
			continue
		}
		r := reader{b: answer}
		running += int(r.int32())
	}
	return running, err
}

// Serve returns when process 0 has ended the run, or this process has left it. The other processes call it. Blocks until then.
func (s *System) Serve() error {
	s.mu.Lock()
	s.Reasons.serve(true, s.running)
	s.mu.Unlock()
	defer s.Reasons.serve(false, 0)
	select {
	case <-s.ended:
		s.adopting.Wait() // process 0 has begun the last epoch before
		return nil
	case err := <-s.departed:
		return err
	case <-s.over:
		if s.departing.Load() {
			return <-s.departed
		}
		return s.why
	}
}

// Ended reports whether process 0 has ended the run: errors of threads that still run do not matter then. Does not block.
func (s *System) Ended() bool {
	select {
	case <-s.ended:
		return true
	default:
		return false
	}
}

// Running returns how many threads of this process have not ended. Does not block.
func (s *System) Running() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.running
}

// ignored is the completion of a signal. If it has not arrived, the run is over.
type ignored struct{}

func (ignored) Complete(uint64, error) {}

func (s *System) serveSignal(r fabric.Request) (int, error) {
	if err := s.Slots.Deliver(append([]byte(nil), r.Body...)); err != nil {
		return 0, err
	}
	return done(r.Reply, nil)
}

func (s *System) serveEnd(r fabric.Request) (int, error) {
	running := s.Running()
	s.mu.Lock()
	defer s.mu.Unlock()
	select {
	case <-s.ended:
	default:
		close(s.ended)
	}
	return done(r.Reply, appendInt32(nil, int32(running)))
}

// fail ends all waiting of this process.
func (s *System) fail(err error) {
	s.mu.Lock()
	if s.why == nil {
		s.why = err
		close(s.over)
	}
	s.mu.Unlock()
	s.Slots.Wake()
}

// count counts a message to another process, with its bytes and those of its answer.
func (s *System) count(member, bytes int) {
	if member != s.p.Ranks.Self() {
		s.p.Memory.CountMany(member, traffic.TCP, uint64(bytes))
	}
}

// ask lets a process serve a request, and returns its answer, of at most size bytes. If the process refuses, the error is
// its reason. Blocks until the answer is there.
func (s *System) ask(id, op int, request []byte, size int) ([]byte, error) {
	return s.askFor(id, op, request, size, activity.On(activity.Answer, id))
}

// askFor is ask for a reason that says more than that a thread waits for an answer.
func (s *System) askFor(id, op int, request []byte, size int, why activity.Reason) ([]byte, error) {
	if err := s.checkProcess(id); err != nil {
		return nil, err
	}
	member := s.p.Ranks.Member(id)
	answer := make([]byte, max(size+1, refusalRoom))
	n, err := s.p.CallFor(member, op, request, answer, why)
	s.count(member, len(request)+n)
	if err := s.p.Absence(member, err); err != nil {
		return nil, err
	}
	return decodeAnswer(answer[:n])
}
