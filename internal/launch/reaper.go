package launch

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

// reaper starts processes and collects their statuses. It collects every child
// of this process, also those that came here because their own parent died; so
// nothing else in the process may wait for children while a reaper exists.
type reaper struct {
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

type spawned struct {
	pid int
	err error
}

// newReaper makes this process the parent of its orphaned descendants, if
// subreaper, and begins to collect children.
func newReaper(subreaper bool) (*reaper, error) {
	if subreaper {
		if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
			return nil, fmt.Errorf("prctl(PR_SET_CHILD_SUBREAPER): %w", err)
		}
	}
	r := &reaper{started: make(chan spawn), chld: make(chan os.Signal, 1), quit: make(chan struct{}), waiters: map[int]func(exit.Status){}}
	signal.Notify(r.chld, syscall.SIGCHLD)
	r.done.Add(2)
	go r.spawnLoop()
	go r.collectLoop()
	return r, nil
}

// stop ends the reaper; children that still run are not waited for.
func (r *reaper) stop() {
	signal.Stop(r.chld)
	close(r.quit)
	r.done.Wait()
}

// start starts a process. ended is called once, from another goroutine, when the
// process has ended; it must not block. Safe for concurrent use.
func (r *reaper) start(path string, argv []string, attr *os.ProcAttr, ended func(exit.Status)) (identity, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	reply := make(chan spawned, 1)
	r.started <- spawn{path: path, argv: argv, attr: attr, reply: reply}
	result := <-reply
	if result.err != nil {
		return identity{}, result.err
	}
	r.waiters[result.pid] = ended
	// Nothing has waited for the process yet, so that the number is its own. Without a
	// /proc no launcher begins.
	id, err := hostProc.identify(result.pid)
	return id, err
}

// aside calls f, which starts a process and waits for it by itself.
func (r *reaper) aside(f func()) {
	r.mu.Lock()
	f()
	r.mu.Unlock()
	// What has ended meanwhile is still to be collected.
	select {
	case r.chld <- syscall.SIGCHLD:
	default:
	}
}

// spawnLoop forks. It keeps one thread for itself, because the kernel delivers
// the death signal of a child when the thread that forked it ends.
func (r *reaper) spawnLoop() {
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
			// The status is collected by wait4, not through p; releasing p cannot fail here.
			_ = p.Release()
		}
	}
}

func (r *reaper) collectLoop() {
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
func (r *reaper) collect() {
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
