package process

import (
	"os"
	"sync"
	"time"

	"github.com/goacp/goacp/internal/launch/exit"
	"golang.org/x/sys/unix"
)

// How long processes get to end.
const (
	// EndLimit is how long processes may take to end by themselves after one of them
	// has failed.
	EndLimit = 700 * time.Millisecond
	// KillLimit is how long a launcher waits for processes that it has killed. Only a process
	// that hangs in the kernel needs longer.
	KillLimit = 3 * time.Second
)

// Children are the processes that a launcher or proxy starts on this host. The cleaner, if there is one, is
// notified of each.
type Children struct {
	Scope *Scope // the processes of the run on this host

	reaper  *childReaper
	cleaner *cleaner // nil in a part of a run, whose macprun has one

	ownDir  string   // private directory that this process removes; "" = none
	dirLock *os.File // of ownDir; nil = none

	// telling is held while notes about sessions are sent to the cleaner. The number of an ended session may
	// be reused for the next process, so notes must reach the cleaner in the order of the events.
	telling sync.Mutex

	mu    sync.Mutex
	ended []int // sessions whose leaders have ended, not yet reported to the cleaner
}

// NewChildren begins to collect the children of this process. If subreaper, orphans among
// its descendants become its children.
func NewChildren(subreaper bool) (*Children, error) {
	scope, err := newScope()
	if err != nil {
		return nil, err
	}
	reaper, err := newChildReaper(subreaper)
	if err != nil {
		return nil, err
	}
	return &Children{Scope: scope, reaper: reaper}, nil
}

// StartCleaner starts the cleaner.
func (c *Children) StartCleaner() error {
	cleaner, err := startCleaner(c.reaper)
	if err != nil {
		return err
	}
	c.cleaner = cleaner
	c.Scope.Exempt(cleaner.id)
	return nil
}

// SetRunDir makes the path of the run's private directory a sign of the run's processes.
func (c *Children) SetRunDir(dir string) {
	c.Scope.setRunDir(dir)
	c.cleaner.nameRun(dir)
}

// Start starts a process. If this process has a cleaner, attr must make the child the leader
// of a session. When the child has ended, another goroutine calls ended once; ended must not
// block. Safe for concurrent use.
func (c *Children) Start(path string, argv []string, attr *os.ProcAttr, ended func(exit.Status)) (Identity, error) {
	c.telling.Lock()
	defer c.telling.Unlock()
	id, err := c.reaper.start(path, argv, attr, ended)
	if err == nil {
		c.cleaner.tellSession(id.PID, id)
	}
	return id, err
}

// LeaderEnded notes that the leader of a session has ended. Call TellRemaining soon afterwards. Does not
// block. Safe for concurrent use.
func (c *Children) LeaderEnded(leader Identity) {
	if c.cleaner == nil || leader == (Identity{}) {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ended = append(c.ended, leader.PID)
}

// TellRemaining sends the cleaner the remaining processes of the sessions whose leaders have ended. When the
// last of these processes has ended too, the number of the session may be reused for another session. This
// process does not need the number, because all these processes are its descendants.
//
// One scan of all processes of the host serves all leaders that have ended since the last call. Safe for
// concurrent use: one of several concurrent calls scans for all of them.
func (c *Children) TellRemaining() {
	c.telling.Lock()
	defer c.telling.Unlock()
	c.mu.Lock()
	sessions := c.ended
	c.ended = nil
	c.mu.Unlock()
	if len(sessions) == 0 {
		return
	}
	left, err := c.Scope.remaining(sessions)
	if err != nil {
		return
	}
	for _, session := range sessions {
		c.cleaner.tellSession(session, left[session]...)
	}
}

// SignalLeader sends a signal to a process that was started, or, if that is a shell, to the
// commands that it waits for.
func (c *Children) SignalLeader(leader Identity, sig unix.Signal) {
	for _, target := range HostProc.signalTargets(leader) {
		// The process may have ended meanwhile.
		_ = HostProc.Signal(target, sig)
	}
}

// WithoutReaping calls f, which starts a process and waits for it itself.
func (c *Children) WithoutReaping(f func()) { c.reaper.withoutReaping(f) }

// DismissCleaner ends the cleaner, because the run is over.
func (c *Children) DismissCleaner() { c.cleaner.dismiss() }

// Stop ends collecting children. It does not wait for those that still run.
func (c *Children) Stop() { c.reaper.stop() }
