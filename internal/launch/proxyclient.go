package launch

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/goacp/goacp/internal/envvar"
	"github.com/goacp/goacp/internal/launch/config"
	"github.com/goacp/goacp/internal/launch/exit"
	"github.com/goacp/goacp/internal/launch/message"
	"github.com/goacp/goacp/internal/launch/plan"
	"github.com/goacp/goacp/internal/launch/process"
	"github.com/goacp/goacp/internal/launch/shell"
	"github.com/goacp/goacp/internal/launch/stdio"
	"github.com/goacp/goacp/internal/launch/supervise"
	"golang.org/x/sys/unix"
)

// defaultRemoteShell is used when neither option nor environment names one.
const defaultRemoteShell = "ssh"

// proxyClient is the launcher's side of one proxy.
type proxyClient struct {
	host  string
	shell string   // name of the remote shell, for messages
	argv  []string // what was started
	ranks []int
	to    chan message.Frame // jobs and signals
	input chan message.Frame // standard input, of which more may come than the proxy takes
	quit  chan struct{}
	once  sync.Once
	heard chan struct{} // closed when nothing more comes from the proxy
	// answer gets nil when a keeper has done its work, or why it cannot.
	answer   chan error
	answered bool             // by the goroutine that reads the proxy only
	id       process.Identity // of the remote shell
	ended    map[int]bool     // by the goroutine of the run only
}

// send queues a frame. It does not wait: a host that does not take its frames
// must not stop the launcher.
func (p *proxyClient) send(f message.Frame) {
	select {
	case p.to <- f:
	case <-p.quit:
	default:
	}
}

// signal passes on a signal to the processes of the host.
func (p *proxyClient) signal(sig unix.Signal) {
	p.send(message.Frame{Kind: message.FrameSignal, Number: uint32(sig)})
}

// close ends the proxy's input, upon which it ends its processes and itself.
func (p *proxyClient) close() { p.once.Do(func() { close(p.quit) }) }

// startRemote starts the processes of one other host.
func (r *runner) startRemote(job *plan.Job, jobNumber int, host string, ranks []int) error {
	exe, err := os.Executable()
	if err != nil {
		return err
	}
	p, err := r.startProxy(host, exe, ranks)
	if err != nil {
		return err
	}
	dir, err := os.Getwd()
	if err != nil {
		return err
	}
	if pwd, set := envvar.Lookup(r.std.Environ, "PWD"); set && sameDir(pwd, dir) {
		dir = pwd
	}
	description := message.ProxyJob{Argv: job.Argv, Dir: dir, Stdin: -1, Token: r.token.String()}
	for _, rank := range ranks {
		description.Ranks = append(description.Ranks, message.RankSpec{Rank: rank, Env: portable(r.rankEnv(job, jobNumber, rank))})
	}
	if ranks[0] != 0 || r.stdinTaken {
		p.describe(description)
		return nil
	}
	description.Stdin = 0
	p.describe(description)
	input, err := stdio.ChildStdin(r.std.Stdin)
	if err != nil {
		return err
	}
	go p.pump(input)
	return nil
}

// startProxy starts program as a proxy on another host, through the remote shell.
func (r *runner) startProxy(host, program string, ranks []int) (*proxyClient, error) {
	words := shell.Split(r.opts.RemoteShell)
	if len(words) == 0 {
		words = []string{defaultRemoteShell}
	}
	// The remote shell is no member of the run.
	env := config.WithoutRunVariables(r.std.Environ)
	path, err := process.FindProgram(words[0], env)
	if err != nil {
		return nil, fmt.Errorf("remote shell: %w", err)
	}
	fromProxy, proxyOut, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer proxyOut.Close()
	proxyIn, toProxy, err := os.Pipe()
	if err != nil {
		fromProxy.Close()
		return nil, err
	}
	defer proxyIn.Close()
	stderr, err := r.output(&stdio.LineForwarder{Sink: r.err}, nil)
	if err != nil {
		fromProxy.Close()
		toProxy.Close()
		return nil, err
	}
	defer stderr.Close()
	// The remote shell joins its words to a command for a shell on the other host.
	argv := append(slices.Clone(words), host, shell.Quote(program), proxyArg)
	if r.opts.Debug {
		r.say("%s", shell.Join(argv))
	}
	p := &proxyClient{host: host, shell: filepath.Base(words[0]), ranks: ranks, to: make(chan message.Frame, 64), input: make(chan message.Frame),
		quit: make(chan struct{}), heard: make(chan struct{}), answer: make(chan error, 1), argv: argv, ended: map[int]bool{}}
	p.id, err = r.reaper.Start(path, argv, &os.ProcAttr{Env: env, Files: []*os.File{proxyIn, proxyOut, stderr},
		Sys: &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGTERM}},
		func(status exit.Status) { go r.proxyEnded(p, status) })
	if err != nil {
		fromProxy.Close()
		toProxy.Close()
		return nil, fmt.Errorf("remote shell %s: %w", words[0], err)
	}
	r.proxies = append(r.proxies, p)
	// It is left to end by itself, after it has done its work on its host.
	r.belong.Exempt(p.id)
	r.janitor.TellSession(p.id.PID, p.id)
	r.verbose("host %s: %s (pid %d)", host, shell.Join(argv), p.id.PID)
	go p.feed(toProxy)
	r.relays.Add(1)
	go r.readProxy(p, fromProxy, r.proxyRelays(ranks))
	return p, nil
}

// describe tells a proxy what to start.
func (p *proxyClient) describe(job message.ProxyJob) {
	// This type always has a JSON form.
	payload, _ := json.Marshal(job)
	p.send(message.Frame{Kind: message.FrameJob, Payload: payload})
}

// sameDir reports whether two names are the same directory.
func sameDir(a, b string) bool {
	infoA, errA := os.Stat(a)
	infoB, errB := os.Stat(b)
	return errA == nil && errB == nil && os.SameFile(infoA, infoB)
}

// portable drops the variables that describe this host or this login.
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

// feed writes frames to the proxy until the launcher closes it. It waits for a proxy
// that is stopped.
func (p *proxyClient) feed(to *os.File) {
	defer to.Close()
	for {
		f, ok := p.next()
		if !ok || message.WriteFrame(to, f) != nil {
			return
		}
	}
}

// next returns the next frame to send: input last, so that it follows the job.
func (p *proxyClient) next() (f message.Frame, ok bool) {
	select {
	case f = <-p.to:
		return f, true
	default:
	}
	select {
	case f = <-p.to:
		return f, true
	case f = <-p.input:
		return f, true
	case <-p.quit:
		return f, false
	}
}

// pass hands over a piece of standard input, as soon as the proxy takes it. It returns
// false if the proxy is closed.
func (p *proxyClient) pass(f message.Frame) bool {
	select {
	case p.input <- f:
		return true
	case <-p.quit:
		return false
	}
}

// pump sends standard input to the proxy.
func (p *proxyClient) pump(input *os.File) {
	defer input.Close()
	buf := make([]byte, 32<<10)
	for {
		n, err := input.Read(buf)
		if n > 0 && !p.pass(message.Frame{Kind: message.FrameStdin, Payload: slices.Clone(buf[:n])}) {
			return
		}
		if err != nil {
			p.pass(message.Frame{Kind: message.FrameStdin})
			return
		}
	}
}

// proxyRelays makes the relays for the output of a host's processes.
func (r *runner) proxyRelays(ranks []int) map[byte]map[int]*stdio.LineForwarder {
	relays := map[byte]map[int]*stdio.LineForwarder{message.FrameStdout: {}, message.FrameStderr: {}}
	job := &r.plan.Jobs[0]
	for _, rank := range ranks {
		relays[message.FrameStdout][rank] = &stdio.LineForwarder{Sink: r.out, Tag: r.rankTagger(job, rank)}
		relays[message.FrameStderr][rank] = &stdio.LineForwarder{Sink: r.err, Tag: r.rankTagger(job, rank)}
	}
	return relays
}

// readProxy takes what a proxy says until it ends.
func (r *runner) readProxy(p *proxyClient, from *os.File, relays map[byte]map[int]*stdio.LineForwarder) {
	defer r.relays.Done()
	defer close(p.heard)
	defer from.Close()
	reader := bufio.NewReader(from)
	err := message.AwaitGreeting(reader)
	for err == nil {
		var f message.Frame
		if f, err = message.ReadFrame(reader); err == nil {
			err = r.proxyFrame(p, f, relays)
		}
	}
	for _, byRank := range relays {
		for _, relay := range byRank {
			_ = relay.Close()
		}
	}
	if err != io.EOF {
		// Broken frames: the proxy must not go on unheard.
		p.close()
	}
}

// proxyFrame takes one frame of a proxy.
func (r *runner) proxyFrame(p *proxyClient, f message.Frame, relays map[byte]map[int]*stdio.LineForwarder) error {
	rank := int(f.Number)
	if p.ranks == nil {
		return p.keeperFrame(f)
	}
	if !slices.Contains(p.ranks, rank) {
		return fmt.Errorf("%w: rank %d does not run on host %s", message.ErrFrame, rank, p.host)
	}
	switch f.Kind {
	case message.FrameStdout, message.FrameStderr:
		relay := relays[f.Kind][rank]
		if len(f.Payload) == 0 {
			_ = relay.Close()
		} else {
			_, _ = relay.Write(f.Payload)
		}
	case message.FrameStarted:
		start, err := message.DecodeStart(f.Payload)
		if err != nil {
			return err
		}
		r.loop.post(func() { r.rankStarted(rank, start.PID, start.Host) })
	case message.FrameEnded:
		status, err := message.DecodeStatus(f.Payload)
		if err != nil {
			return err
		}
		r.loop.post(func() {
			p.ended[rank] = true
			r.rankEnded(rank, status)
		})
	case message.FrameFailed:
		text := fmt.Sprintf("rank %d on host %s: %s", r.plan.Jobs[0].First+rank, p.host, message.OneLine(string(f.Payload)))
		r.loop.post(func() {
			r.conclude(supervise.Verdict{Text: text, Status: exit.Failure, Member: -1})
			p.ended[rank] = true
			r.rankEnded(rank, exit.Status{Code: exit.Failure})
		})
	default:
		return fmt.Errorf("%w: kind %q", message.ErrFrame, f.Kind)
	}
	return nil
}

// keeperFrame takes the answer of a keeper; there is one.
func (p *proxyClient) keeperFrame(f message.Frame) error {
	if p.answered || f.Kind != message.FrameKept && f.Kind != message.FrameFailed {
		return fmt.Errorf("%w: kind %q from a keeper", message.ErrFrame, f.Kind)
	}
	p.answered = true
	var refusal error
	if f.Kind == message.FrameFailed {
		refusal = errors.New(message.OneLine(string(f.Payload)))
	}
	p.answer <- refusal
	return nil
}

// proxyEnded takes the end of a remote shell: with its processes' end all is
// well, without it the host is lost.
func (r *runner) proxyEnded(p *proxyClient, status exit.Status) {
	if p.ranks == nil {
		r.loop.post(func() { r.keeperEnded(p, status) })
		return
	}
	// What the proxy said last may still be on its way through the pipe.
	select {
	case <-p.heard:
	case <-time.After(supervise.GraceForNews):
	}
	r.loop.post(func() {
		p.close()
		for _, rank := range p.ranks {
			if p.ended[rank] {
				continue
			}
			r.conclude(supervise.Verdict{Text: fmt.Sprintf("host %s is lost: %s %v while rank %d ran there", p.host, p.shell, status, r.plan.Jobs[0].First+rank),
				Status: max(status.ExitStatus(), 1), Member: -1})
			p.ended[rank] = true
			r.rankEnded(rank, exit.Status{Code: exit.Failure})
		}
	})
}
