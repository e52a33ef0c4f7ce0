package launch

import (
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/goacp/goacp/internal/launch/exit"
	"github.com/goacp/goacp/internal/launch/supervise"
	"golang.org/x/sys/unix"
)

// signalInbox collects the signals that a launcher acts on.
type signalInbox struct{ c chan os.Signal }

// notify begins to collect signals. A hangup that is ignored, as under nohup,
// stays ignored.
func (r *runner) notify() signalInbox {
	inbox := signalInbox{make(chan os.Signal, 16)}
	wanted := []os.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGQUIT, syscall.SIGUSR1, syscall.SIGUSR2,
		syscall.SIGTSTP, syscall.SIGCONT, syscall.SIGPIPE}
	if !signal.Ignored(syscall.SIGHUP) {
		wanted = append(wanted, syscall.SIGHUP)
	}
	signal.Notify(inbox.c, wanted...)
	return inbox
}

func (s signalInbox) stop() { signal.Stop(s.c) }

// signal acts on one signal: it is passed on to what runs; one that asks for the
// end of the run is followed by a kill after some time, or at once when it comes
// a second time.
func (r *runner) signal(received os.Signal) {
	sig, ok := received.(syscall.Signal)
	if !ok {
		return
	}
	switch sig {
	case unix.SIGPIPE:
		// Writing reports it where it matters.
	case unix.SIGUSR1, unix.SIGUSR2:
		r.forward(sig, nil)
	case unix.SIGTSTP:
		r.suspend()
	case unix.SIGCONT:
		r.everywhere(unix.SIGCONT)
	default:
		r.interrupt(sig)
	}
}

func (r *runner) interrupt(sig unix.Signal) {
	now := time.Now()
	if r.ending {
		r.killAt = now
		return
	}
	r.conclude(supervise.Verdict{Text: fmt.Sprintf("%s received, ending the run", exit.SignalName(int(sig))), Status: 128 + int(sig), Member: -1})
	if r.report == nil {
		// It may take some time.
		r.announced = true
		r.say("%s", r.sup.Outcome().Text)
	}
	// The processes hear of the signal itself, and may react to it in peace.
	r.ending = true
	r.forward(sig, nil)
	r.killAt = now.Add(graceAfterSignal)
}

// suspend stops the processes of the run and then the launcher. They get SIGSTOP
// because the kernel does not let a terminal's stop signal stop a session
// without a terminal.
func (r *runner) suspend() {
	r.everywhere(unix.SIGSTOP)
	_ = unix.Kill(unix.Getpid(), unix.SIGSTOP)
}

// everywhere sends a signal to every process of the run.
func (r *runner) everywhere(sig unix.Signal) {
	_, _ = r.belong.SignalAll(sig)
	for _, p := range r.proxies {
		p.signal(sig)
	}
}
