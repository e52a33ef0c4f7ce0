package process

import (
	"errors"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"sync"
	"syscall"

	"github.com/goacp/goacp/internal/launch/exit"
	"golang.org/x/sys/unix"
)

// childReaper starts processes and collects their statuses. It collects every child of this
// process, also orphans that the kernel has made its children. So nothing else in the process
// may wait for children while a child reaper exists. Safe for concurrent use.
type childReaper struct {
	started chan spawn
	chld    chan os.Signal
	quit    chan struct{}
	done    sync.WaitGroup

	mu      sync.Mutex // held from fork until the child is in waiters
	waiters map[int]func(exit.Status)
}

// spawn is a request to start a process.
type spawn struct {
	path  string
	argv  []string
	attr  *os.ProcAttr
	reply chan spawned
}

// spawned answers a spawn.
type spawned struct {
	pid int
	err error
}

// newChildReaper begins to collect children. If subreaper, the kernel makes this process the parent
// of orphans among its descendants.
func newChildReaper(subreaper bool) (*childReaper, error) {
	if subreaper {
		if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
			return nil, fmt.Errorf("prctl(PR_SET_CHILD_SUBREAPER): %w", err)
		}
	}
	r := &childReaper{started: make(chan spawn), chld: make(chan os.Signal, 1), quit: make(chan struct{}), waiters: map[int]func(exit.Status){}}
	signal.Notify(r.chld, syscall.SIGCHLD)
	r.done.Add(2)
	go r.spawnLoop()
	go r.collectLoop()
	return r, nil
}

// stop ends the child reaper. It does not wait for children that still run.
func (r *childReaper) stop() {
	signal.Stop(r.chld)
	close(r.quit)
	r.done.Wait()
}

// start starts a process. When the process has ended, another goroutine calls ended once;
// ended must not block. If start fails, ended is not called.
func (r *childReaper) start(path string, argv []string, attr *os.ProcAttr, ended func(exit.Status)) (Identity, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	reply := make(chan spawned, 1)
	r.started <- spawn{path: path, argv: argv, attr: attr, reply: reply}
	result := <-reply
	if result.err != nil {
		return Identity{}, result.err
	}
	r.waiters[result.pid] = ended
	// Nothing has waited for the process yet, so the number is still its own. This cannot
	// fail: without /proc no launcher begins.
	id, err := HostProc.Identify(result.pid)
	return id, err
}

// withoutReaping calls f, which starts a process and waits for it itself. Meanwhile the child reaper
// collects no children.
func (r *childReaper) withoutReaping(f func()) {
	r.mu.Lock()
	f()
	r.mu.Unlock()
	// Collect children that have ended meanwhile.
	select {
	case r.chld <- syscall.SIGCHLD:
	default:
	}
}

// spawnLoop starts processes. It keeps a thread of its own: the kernel sends the death signal
// of a child (Pdeathsig) when the thread that has forked it ends.
func (r *childReaper) spawnLoop() {
	defer r.done.Done()
	runtime.LockOSThread()
	for {
		select {
		case <-r.quit:
			runtime.UnlockOSThread()
			return
		case s := <-r.started:
			p, err := os.StartProcess(s.path, s.argv, s.attr)
			if err != nil {
				s.reply <- spawned{err: err}
				continue
			}
			s.reply <- spawned{pid: p.Pid}
			// collect takes the status, without p. Release cannot fail here.
			_ = p.Release()
		}
	}
}

// collectLoop collects children whenever the kernel signals that some have ended.
func (r *childReaper) collectLoop() {
	defer r.done.Done()
	for {
		select {
		case <-r.quit:
			return
		case <-r.chld:
			r.collect()
		}
	}
}

// collect takes the statuses of all children that have ended.
func (r *childReaper) collect() {
	for {
		r.mu.Lock()
		var ws syscall.WaitStatus
		pid, err := syscall.Wait4(-1, &ws, syscall.WNOHANG, nil)
		ended := r.waiters[pid]
		delete(r.waiters, pid)
		r.mu.Unlock()
		if errors.Is(err, syscall.EINTR) {
			continue
		}
		if err != nil || pid <= 0 {
			return
		}
		if ended != nil {
			ended(exit.StatusOf(ws))
		}
	}
}
