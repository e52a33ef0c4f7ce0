package mpilauncher

import (
	"strconv"
	"strings"

	"github.com/goacp/goacp/internal/ground/lazyregexp"
	"github.com/goacp/goacp/internal/launch/exit"
	"golang.org/x/sys/unix"
)

// causeLine is a line, or a part of one, in which an MPI reports which process of a job has failed first.
type causeLine struct {
	word    string // a part of the line; most lines of a program have no such word, and are passed on fast
	pattern *lazyregexp.Regexp
	begins  bool                                // the line begins a report
	alone   bool                                // the line may stand outside of a report
	says    func(c *exit.Cause, words []string) // stores the words that the pattern has found; nil = none
}

// openMPILines are the lines of Open MPI, all on standard error. Version 5 begins a new line
// before a signal, and has the rank and status of MPI_Abort on lines of their own.
var openMPILines = []causeLine{
	{word: "MPI_ABORT was invoked", pattern: lazyregexp.New(`^(MPI_ABORT was invoked on rank ([0-9]+) in communicator (.*?))\.?$`), begins: true,
		says: func(c *exit.Cause, w []string) {
			c.Aborted, c.Message = true, w[1]
			if w[3] == "MPI_COMM_WORLD" {
				setRank(c, w[2])
			}
		}},
	{word: "with errorcode", pattern: lazyregexp.New(`^with errorcode (-?[0-9]+)\.$`), says: func(c *exit.Cause, w []string) {
		if c.Aborted {
			setAbortCode(c, w[1])
			c.Message += " " + strings.TrimSuffix(w[0], ".")
		}
	}},
	{word: "Errorcode:", pattern: lazyregexp.New(`^\s+Errorcode: (-?[0-9]+)$`), says: func(c *exit.Cause, w []string) {
		if c.Aborted {
			setAbortCode(c, w[1])
			c.Message += " with errorcode " + w[1]
		}
	}},
	{word: "Proc", pattern: lazyregexp.New(`^\s+(?:Proc|Process name): \[.*,([0-9]+)\]$`), says: func(c *exit.Cause, w []string) { setRank(c, w[1]) }},
	{word: "detected that", pattern: lazyregexp.New(`^\S+ detected that one or more processes exited with non-zero status`), begins: true},
	{word: "Exit code:", pattern: lazyregexp.New(`^\s+Exit code: +([0-9]+)$`), says: func(c *exit.Cause, w []string) { setCode(c, w[1]) }},
	{word: "has exited due to", pattern: lazyregexp.New(`^\S+ has exited due to process rank ([0-9]+) with PID `), begins: true,
		says: func(c *exit.Cause, w []string) { setRank(c, w[1]) }},
	{word: "noticed that process", pattern: lazyregexp.New(`^\S+ noticed that process rank ([0-9]+) .* exited on(?: signal ([0-9]+)|$)`), begins: true,
		says: func(c *exit.Cause, w []string) {
			setRank(c, w[1])
			setSignal(c, w[2])
		}},
	{word: "signal ", pattern: lazyregexp.New(`^signal ([0-9]+) \(`), says: func(c *exit.Cause, w []string) {
		if !c.Known {
			setSignal(c, w[1])
		}
	}},
	{word: "An error occurred in", pattern: lazyregexp.New(`^\[\S*\] \*\*\* (An error occurred in \S+)$`), begins: true,
		says: func(c *exit.Cause, w []string) { c.Message = w[1] }},
	{word: "reported by process", pattern: lazyregexp.New(`^\[\S*\] \*\*\* reported by process \[.*,([0-9]+)\]$`), says: func(c *exit.Cause, w []string) { setRank(c, w[1]) }},
	{word: "MPI_ERR_", pattern: lazyregexp.New(`^\[\S*\] \*\*\* (MPI_ERR_.*)$`), says: func(c *exit.Cause, w []string) { c.Message += ": " + w[1] }},
	{word: "MPI_ERRORS_", pattern: lazyregexp.New(`^\[\S*\] \*\*\* MPI_ERRORS_(ARE_FATAL|ABORT) `), says: func(c *exit.Cause, _ []string) { c.Aborted = true }},
}

// hydraLines are the lines of MPICH, of which a process writes the first ones to standard error, and
// of Hydra on standard output. After a failure Hydra reports the first process in the order of the ranks
// that has not ended well. If that was killed by one of the signals by which Hydra itself ends
// processes, the failure may be that of another one.
var hydraLines = []causeLine{
	{word: "Abort(", pattern: lazyregexp.New(`^Abort\((-?[0-9]+)\) on node ([0-9]+) \(.*?\): (.*)$`), begins: true,
		says: func(c *exit.Cause, w []string) {
			c.Aborted, c.Message = true, strings.TrimSuffix(w[3], ", error stack:")
			setRank(c, w[2])
			setAbortCode(c, w[1])
		}},
	{word: "application called MPI_Abort", pattern: lazyregexp.New(`^(application called MPI_Abort\(.*, (-?[0-9]+)\) - process ([0-9]+))$`), begins: true,
		says: func(c *exit.Cause, w []string) {
			c.Aborted, c.Message = true, w[1]
			setRank(c, w[3])
			setAbortCode(c, w[2])
		}},
	{word: "RUNNING AT", pattern: lazyregexp.New(`^=\s+(?:RANK [0-9]+ )?PID ([0-9]+) RUNNING AT (\S+)$`), begins: true,
		says: func(c *exit.Cause, w []string) {
			c.Host = w[2]
			c.PID, _ = strconv.Atoi(w[1])
		}},
	{word: "EXIT CODE:", pattern: lazyregexp.New(`^=\s+EXIT CODE: ([0-9]+)$`), says: func(c *exit.Cause, w []string) {
		setCode(c, w[1])
		if (exit.Status{Signal: c.Status.Code}).KilledByLauncher() {
			c.PID, c.Known = 0, false
		}
	}},
	{word: "KILLED BY SIGNAL:", pattern: lazyregexp.New(`^=\s+KILLED BY SIGNAL: ([0-9]+) `), says: hydraSignal},
	{word: "EXIT STRING:", pattern: lazyregexp.New(`^YOUR APPLICATION TERMINATED WITH THE EXIT STRING: .*\(signal ([0-9]+)\)`), alone: true, says: hydraSignal},
}

// hydraSignal takes the signal that has killed a process from a report of Hydra. If the connection of the
// process ends before Hydra has waited for the process, Hydra sets the status to 1, which reads as SIGHUP.
// Then only the process counts.
func hydraSignal(c *exit.Cause, w []string) {
	setSignal(c, w[1])
	switch {
	case c.Status.Signal == int(unix.SIGHUP):
		c.Status, c.Known = exit.Status{}, false
	case c.Status.KilledByLauncher():
		c.PID = 0
	}
}

// setRank takes a rank. A number that is too large is no rank.
func setRank(c *exit.Cause, digits string) {
	if n, err := strconv.ParseInt(digits, 10, 31); err == nil {
		c.Rank = int(n)
	}
}

// setSignal takes the number of a signal. A number that is too large is no signal.
func setSignal(c *exit.Cause, digits string) {
	if n, err := strconv.ParseInt(digits, 10, 8); err == nil && n > 0 {
		c.Status, c.Known = exit.Status{Signal: int(n)}, true
	}
}

// setCode takes an exit status.
func setCode(c *exit.Cause, digits string) {
	if n, err := strconv.ParseUint(digits, 10, 8); err == nil {
		c.Status, c.Known = exit.Status{Code: int(n)}, true
	}
}

// setAbortCode takes the code of MPI_Abort, of which the exit status of a process has the lowest 8
// bits.
func setAbortCode(c *exit.Cause, digits string) {
	if n, err := strconv.ParseInt(digits, 10, 64); err == nil {
		c.Status, c.Known = exit.Status{Code: int(n & 0xff)}, true
	}
}
