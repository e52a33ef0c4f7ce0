package launch

import (
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/goacp/goacp/internal/ground/debuglog"
	"github.com/goacp/goacp/internal/launch/exit"
	"golang.org/x/sys/unix"
)

// signalQueue collects the signals that a launcher acts on, and the end of the time limit.
type signalQueue struct {
	c     chan os.Signal
	limit *time.Timer // nil if there is no time limit
	done  chan struct{}
}

// timeLimit is the time limit of a run. The queue of signals receives it when that time is over. It is an [os.Signal],
// so that waiting for signals also ends at the time limit.
type timeLimit time.Duration

// Signal implements [os.Signal].
func (timeLimit) Signal() {}

// String implements [os.Signal].
func (l timeLimit) String() string { return fmt.Sprintf("time limit of %v", time.Duration(l)) }

// newSignalInbox begins to collect signals, and the end of a time limit; 0 means none. A
// hangup that is ignored, as under nohup, stays ignored.
func newSignalInbox(limit time.Duration) signalQueue {
	signals := signalQueue{c: make(chan os.Signal, 16), done: make(chan struct{})}
	if limit > 0 {
		signals.limit = time.AfterFunc(limit, func() {
			select {
			case signals.c <- timeLimit(limit):
			case <-signals.done:
			}
		})
	}
	wanted := []os.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGQUIT, syscall.SIGUSR1, syscall.SIGUSR2,
		syscall.SIGTSTP, syscall.SIGCONT, syscall.SIGPIPE}
	if !signal.Ignored(syscall.SIGHUP) {
		wanted = append(wanted, syscall.SIGHUP)
	}
	signal.Notify(signals.c, wanted...)
	return signals
}

// stop ends collecting.
func (s signalQueue) stop() {
	signal.Stop(s.c)
	if s.limit != nil {
		s.limit.Stop()
	}
	close(s.done)
}

// asksToEnd reports whether a signal asks a process to end.
func asksToEnd(sig unix.Signal) bool {
	return sig == unix.SIGTERM || sig == unix.SIGINT || sig == unix.SIGHUP
}

// signal handles a signal from the queue.
func (r *runner) signal(received os.Signal) {
	if limit, ok := received.(timeLimit); ok {
		r.cutShort = true
		r.sup.Stop(fmt.Sprintf("%v reached, ending the run", limit), exit.Timeout)
		return
	}
	sig, ok := received.(syscall.Signal)
	if !ok {
		return
	}
	debuglog.Launch.Printf("%s received", exit.SignalName(int(sig)))
	switch sig {
	case unix.SIGPIPE:
		// The call of Write that has caused it returns an error.
	case unix.SIGQUIT:
		if !r.opts.Multirun { // macprun prints the states of all jobs
			r.sayWhatRanksDo()
		}
	case unix.SIGUSR1, unix.SIGUSR2:
		r.forward(sig, nil)
	case unix.SIGTSTP:
		r.suspend()
	case unix.SIGCONT:
		r.signalAll(unix.SIGCONT)
	default:
		r.interrupt(sig)
	}
}

// handleSignal handles a signal that comes while the run starts. It returns an error if the run ends because
// of the signal.
func (r *runner) handleSignal(received os.Signal) error {
	if r.signal(received); r.sup.Outcome() != nil {
		return errors.New(r.sup.Outcome().Text)
	}
	return nil
}

// endBefore returns why a launcher that has no plan yet ends because of a signal; "" = it continues.
func endBefore(received os.Signal) string {
	switch sig := received.(type) {
	case timeLimit:
		return fmt.Sprintf("%v reached", sig)
	case syscall.Signal:
		if asksToEnd(sig) {
			return exit.SignalName(int(sig)) + " received"
		}
	}
	return ""
}

// earlySignals handles the signals that came before the run had a plan. It returns an error if the run ends
// because of one.
func (r *runner) earlySignals() error {
	for {
		select {
		case received := <-r.signals.c:
			if err := r.handleSignal(received); err != nil {
				return err
			}
		default:
			return nil
		}
	}
}

// interrupt passes on a signal that asks for the end of the run, and kills the remaining processes after
// signalLimit. A second such signal kills at once.
func (r *runner) interrupt(sig unix.Signal) {
	now := time.Now()
	if r.ending.begun {
		r.ending.hurry(now)
		return
	}
	r.cutShort = true
	r.sup.Stop(fmt.Sprintf("%s received, ending the run", exit.SignalName(int(sig))), 128+int(sig))
	// The processes get the signal itself, so that they can react to it.
	r.forward(sig, nil)
	r.ending.begin(now, signalLimit)
	if r.report == nil {
		// The line is printed at once, because the end may take some time.
		r.announced = true
		r.console.Say("%s", r.sup.Outcome().Text)
	}
}

// suspend stops the processes of the run and then the launcher. The processes get SIGSTOP: the
// kernel ignores the stop signal of a terminal in a session without a terminal.
func (r *runner) suspend() {
	r.signalAll(unix.SIGSTOP)
	_ = unix.Kill(unix.Getpid(), unix.SIGSTOP)
}

// signalAll sends a signal to every process of the run.
func (r *runner) signalAll(sig unix.Signal) {
	_, _ = r.children.Scope.SignalAll(sig)
	r.hosts.Signal(sig)
}
