//go:build cgo

package libacp

// #include "bind.h"
// const char *acp_couple_message(void);
import "C"

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/bridge"
)

// abortStatus is the exit status of a process that gives up.
const abortStatus = C.GOACP_ABORT_STATUS

// abortLimit bounds the time in which a process tells the others that it gives up.
const abortLimit = 5 * time.Second

// The thread that ends the process locks ending and never unlocks it, so that there is one message
// and one exit status.
var ending sync.Mutex

// end writes message to standard error, has the launcher end the other processes
// and ends this one.
func end(message string) { endWith(message, message, abortStatus) }

// endWith is end with the reason that the launcher writes behind the rank, and an exit status.
func endWith(message, reason string, status C.int) {
	ending.Lock()
	report(message)
	if p := lib.process.Load(); p != nil {
		// A broken MPI may not return from the call that ends the others.
		time.AfterFunc(abortLimit, func() { C._exit(status) })
		hidden.Abort(p, bridge.Abort{Reason: reason, Status: int(status), Reported: true})
	}
	C._exit(status)
}

// report writes message to standard error as one line.
func report(message string) {
	// One write, so that the lines of several processes do not mix. If it fails there is no other
	// place to report to.
	_, _ = os.Stderr.WriteString(oneLine(message) + "\n")
}

// oneLine replaces line ends by blanks.
func oneLine(s string) string {
	return strings.NewReplacer("\r\n", " ", "\n", " ", "\r", " ").Replace(strings.TrimRight(s, "\r\n"))
}

// runEndLimit is how long a process whose peer has died waits for the launcher to end the
// run. The launcher says why it does so.
const runEndLimit = 2 * time.Second

// gmaFailed ends the process because of a GMA, for which C has no error value. If a guest is gone the run goes on: then
// the call that completes the GMA records the error.
func gmaFailed(err error) {
	if errors.Is(err, acp.ErrRankGone) {
		return
	}
	if errors.Is(err, acp.ErrPeerDead) {
		time.Sleep(runEndLimit)
	}
	var op *acp.OpError
	if errors.As(err, &op) {
		end(failure(gmaCall(op), op.Rank, op))
	}
	end(err.Error())
}

// runLost ends the process because the run is over. The launcher has said why.
func runLost(err error) {
	ending.Lock()
	hidden.EndOnLoss(err)
}

// abortReason is the number that acp_abort explains in its line: none if str has one of the reasons of the last
// failures, since number says the same in other words, and less of it.
func abortReason(str string, number syscall.Errno, reasons ...string) syscall.Errno {
	for _, reason := range reasons {
		if reason != "" && strings.Contains(str, reason) {
			return 0
		}
	}
	return number
}

// abortMessage is the line that acp_abort writes, and the reason in it. The rank is negative if there is none.
func abortMessage(rank, pid int, str string, number syscall.Errno) (line, reason string) {
	caller := fmt.Sprintf("rank %d", rank)
	if rank < 0 {
		caller = fmt.Sprintf("process %d", pid)
	}
	var why []string
	if str != "" {
		why = append(why, oneLine(str))
	}
	if number != 0 {
		why = append(why, number.Error())
	}
	if why == nil {
		return "acp: abort by " + caller, "acp_abort"
	}
	reason = strings.Join(why, ": ")
	return "acp: abort by " + caller + ": " + reason, reason
}

// goacp_abort is acp_abort. It does not return.
//
//export goacp_abort
func goacp_abort(str *C.char) {
	rank := -1
	if p := lib.process.Load(); p != nil {
		rank = int(p.Rank())
	}
	text := ""
	if str != nil {
		text = C.GoString(str)
	}
	number := abortReason(text, syscall.Errno(C.goacp_errno()), C.GoString(C.acp_couple_message()), C.GoString(C.acp_error_message()))
	line, reason := abortMessage(rank, os.Getpid(), text, number)
	endWith(line, reason, abortStatus)
}
