package remote

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/goacp/goacp/internal/ground/debuglog"
	"github.com/goacp/goacp/internal/ground/envvar"
	"github.com/goacp/goacp/internal/ground/traffic"
	"github.com/goacp/goacp/internal/launch/config"
	"github.com/goacp/goacp/internal/launch/exit"
	"github.com/goacp/goacp/internal/launch/message"
	"github.com/goacp/goacp/internal/launch/process"
	"github.com/goacp/goacp/internal/launch/shell"
	"github.com/goacp/goacp/internal/launch/stdio"
	"golang.org/x/sys/unix"
)

// Hosts are the other hosts of a run, on the launcher's side. It belongs to the goroutine of the run.
type Hosts struct {
	Shell string // remote shell with its options, in shell syntax; "" = srun or ssh
	// Srun returns the words by which srun starts processes on a host if Shell is empty, or nil if it
	// starts none there. Srun may be nil.
	Srun     func(host string) []string
	Environ  []string // of the launcher
	Debug    bool     // print the commands that are executed
	Log      debuglog.Config
	Console  *stdio.Console
	Children *process.Children
	Post     func(func()) // has a function called on the goroutine of the run; does not block

	// SignLimit is how long the launcher waits for output of a host before it prints a line.
	SignLimit time.Duration

	// Transferred takes a table of a rank on another host, during the run or at its end. Any goroutine may
	// call it. It must not block for long.
	Transferred func(*traffic.Snapshot)

	clients []*client
	relays  []process.Identity // remote shells of relays
}

// RankEvents takes the events of ranks on other hosts, on the goroutine of the run.
type RankEvents interface {
	RankStarted(rank, pid int, host string)
	RankEnded(rank int, status exit.Status)
	// RankFailed reports why a rank could not be started. RankEnded follows.
	RankFailed(rank int, host, reason string)
	// HostLost reports that the remote shell has ended before a rank. RankEnded follows.
	HostLost(rank int, host, remoteShell string, status exit.Status)
}

// Ranks are the ranks to start on another host.
type Ranks struct {
	Numbers []int // in the job
	Argv    []string
	Environ func(rank int) []string
	Tag     func(rank int) func(line []byte) (prefix string, rest []byte) // see stdio.LineForwarder
	Token   string                                                        // of the run
	Job     string                                                        // of Slurm to which the host belongs; "" = that around the launcher, or none
	Events  RankEvents
}

// StartRanks starts ranks on a host through a proxy. It does not wait for them: their events follow.
func (h *Hosts) StartRanks(host string, ranks Ranks) error {
	exe, err := os.Executable()
	if err != nil {
		return err
	}
	c := h.newClient(host, ranks.Numbers)
	c.events, c.forwarders, c.token, c.job = ranks.Events, h.forwarders(ranks), ranks.Token, ranks.Job
	dir, err := os.Getwd()
	if err != nil {
		return err
	}
	if pwd, set := envvar.Lookup(h.Environ, "PWD"); set && sameDir(pwd, dir) {
		dir = pwd
	}
	job := message.ProxyJob{Argv: ranks.Argv, Dir: dir, Stdin: -1, Token: ranks.Token, Log: h.Log}
	job.SetEnvirons(ranks.Numbers, func(rank int) []string { return portable(ranks.Environ(rank)) })
	if ranks.Numbers[0] == 0 && !h.Console.StdinTaken() {
		job.Stdin = 0
	}
	if err := c.describe(job); err != nil {
		return err
	}
	if err := h.startProxy(c, exe); err != nil || job.Stdin < 0 {
		return err
	}
	input, err := h.Console.ChildStdin(true)
	if err != nil {
		return err
	}
	go c.sendInput(input)
	return nil
}

// Has reports whether a rank has been given to the proxy of a host.
func (h *Hosts) Has(rank int) bool {
	return slices.ContainsFunc(h.clients, func(c *client) bool { return slices.Contains(c.ranks, rank) })
}

// Signal passes a signal on to the processes of all hosts.
func (h *Hosts) Signal(sig unix.Signal) {
	for _, c := range h.clients {
		c.send(message.Frame{Kind: message.FrameSignal, Number: uint32(sig)})
	}
}

// Close ends the input of all proxies. They then end their processes and themselves. If a proxy has sent
// nothing yet, or its remote shell still runs when Close is called again after closeLimit, the shell is added
// to the scope of the run and ends with it.
func (h *Hosts) Close() {
	now := time.Now()
	for _, c := range h.clients {
		if c.closed.IsZero() {
			c.closed = now
		}
		c.close()
		if !isClosed(c.sign) || now.Sub(c.closed) > closeLimit {
			h.Children.Scope.Include(c.id)
		}
	}
}

// closeLimit is how long a proxy may take to end. In that time it kills processes that do not end on request.
const closeLimit = process.EndLimit + 300*time.Millisecond

// isClosed reports whether a channel is closed on which nothing is sent.
func isClosed(c chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// IncludeShells takes the remote shells into the scope of the run. Until then they are exempt,
// so that the proxies can do their work.
func (h *Hosts) IncludeShells() {
	for _, c := range h.clients {
		h.Children.Scope.Include(c.id)
	}
	for _, id := range h.relays {
		h.Children.Scope.Include(id)
	}
}

// startProxy starts program as a proxy on the host of c, through the remote shell.
func (h *Hosts) startProxy(c *client, program string) error {
	words := h.shellWords(c.host, c.job)
	// The remote shell is no process of the run.
	env := shellEnviron(words, config.WithoutRunVariables(h.Environ))
	path, err := process.FindProgram(words[0], "", env)
	if err != nil {
		return fmt.Errorf("host %s: remote shell: %w", c.host, err)
	}
	fromProxy, proxyOut, err := os.Pipe()
	if err != nil {
		return err
	}
	defer proxyOut.Close()
	proxyIn, toProxy, err := os.Pipe()
	if err != nil {
		fromProxy.Close()
		return err
	}
	defer proxyIn.Close()
	stderr, err := h.Console.Pipe(&stdio.LineForwarder{Sink: h.Console.Err}, nil)
	if err != nil {
		fromProxy.Close()
		toProxy.Close()
		return err
	}
	defer stderr.Close()
	c.argv = hostCommand(words, c.host, program, ProxyArg)
	c.shell = filepath.Base(words[0])
	if h.Debug {
		h.Console.Say("%s", shell.Join(c.argv))
	}
	c.id, err = h.Children.Start(path, c.argv, &os.ProcAttr{Env: env, Files: []*os.File{proxyIn, proxyOut, stderr},
		Sys: &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGTERM}},
		func(status exit.Status) { go c.shellEnded(status) })
	if err != nil {
		fromProxy.Close()
		toProxy.Close()
		return fmt.Errorf("host %s: remote shell %s: %w", c.host, words[0], err)
	}
	h.clients = append(h.clients, c)
	// The remote shell ends by itself after the proxy has ended.
	h.Children.Scope.Exempt(c.id)
	debuglog.Remote.Printf("host %s: started pid %d: %s", c.host, c.id.PID, shell.Join(c.argv))
	h.Console.Verbose("host %s: %s (pid %d)", c.host, shell.Join(c.argv), c.id.PID)
	go c.awaitSign(h.SignLimit)
	go c.write(toProxy)
	h.Console.Go(func() { c.read(fromProxy) })
	return nil
}

// forwarders returns the line forwarders for the output of ranks on another host.
func (h *Hosts) forwarders(ranks Ranks) map[byte]map[int]*stdio.LineForwarder {
	forwarders := map[byte]map[int]*stdio.LineForwarder{message.FrameStdout: {}, message.FrameStderr: {}}
	for _, rank := range ranks.Numbers {
		forwarders[message.FrameStdout][rank] = &stdio.LineForwarder{Sink: h.Console.Out, Tag: ranks.Tag(rank)}
		forwarders[message.FrameStderr][rank] = &stdio.LineForwarder{Sink: h.Console.Err, Tag: ranks.Tag(rank)}
	}
	return forwarders
}

// sameDir reports whether two names are the same directory.
func sameDir(a, b string) bool {
	infoA, errA := os.Stat(a)
	infoB, errB := os.Stat(b)
	return errA == nil && errB == nil && os.SameFile(infoA, infoB)
}

// portable returns env without the variables that describe this host or this login.
func portable(env []string) []string {
	return slices.DeleteFunc(slices.Clone(env), func(entry string) bool {
		name, _, _ := strings.Cut(entry, "=")
		for _, prefix := range []string{"SSH_", "XDG_", "DBUS_"} {
			if strings.HasPrefix(name, prefix) {
				return true
			}
		}
		return name == "HOSTNAME" || name == "DISPLAY" || name == "TMPDIR"
	})
}
