package remote

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"sync"
	"syscall"

	"github.com/goacp/goacp/internal/ground/activity"
	"github.com/goacp/goacp/internal/ground/debuglog"
	"github.com/goacp/goacp/internal/ground/envvar"
	"github.com/goacp/goacp/internal/launch/exit"
	"github.com/goacp/goacp/internal/launch/message"
	"github.com/goacp/goacp/internal/launch/process"
	"github.com/goacp/goacp/internal/launch/stdio"
	"github.com/goacp/goacp/internal/launch/survey"
	"golang.org/x/sys/unix"
)

// ProxyArg, as the first argument, makes acprun a proxy. All other input comes through standard input,
// because other users can read command lines.
const ProxyArg = "-proxy"

// proxy is the part of a launcher on another host.
type proxy struct {
	children   *process.Children
	out        *message.FrameWriter
	forwarding sync.WaitGroup // goroutines that pass output on
	ended      sync.WaitGroup // of processes
	input      chan []byte    // of the rank that has one; an empty piece is the end
	host       string
	asked      bool   // the launcher has sent the job
	runDir     string // private directory that this proxy has made or inherited

	mu      sync.Mutex
	leaders map[int]process.Identity // by rank

	looking  sync.Mutex
	looker   *survey.Host // guarded by looking
	reported tables       // guarded by looking
	identity activity.Run // of the run; set before the launcher's first survey
}

// Proxy is the proxy process. It returns its exit status when its processes have ended. If its standard input
// ends before that, the launcher has ended, and the proxy ends its processes.
func Proxy(stdin, stdout, stderr *os.File) int {
	err := process.CheckOpenFiles(process.FilesOfLauncher)
	var p *proxy
	if err == nil {
		p, err = newProxy(stdout)
	}
	if err == nil {
		// The remote shell may pass signals on or die. The proxy reacts to the end of its input.
		signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE, syscall.SIGHUP, syscall.SIGINT, syscall.SIGTERM)
		err = p.children.StartCleaner()
	}
	if err != nil {
		fmt.Fprintf(stderr, "acprun: %v%s\n", err, process.LimitAdvice(err))
		return exit.Failure
	}
	if _, err := io.WriteString(stdout, message.ProxyGreeting+"\n"); err != nil {
		return exit.Failure
	}
	var failed error // set before gone is closed
	gone := make(chan struct{})
	ready := make(chan struct{})
	go func() {
		defer close(gone)
		failed = p.serve(stdin, ready)
	}()
	select {
	case <-gone:
	case <-ready:
		select {
		case <-gone:
		case <-closedAfter(&p.ended):
		}
	}
	p.children.Scope.EndAll(process.EndLimit, process.KillLimit)
	p.tellTransfers()
	status := 0
	if p.children.RemoveRunDir() != nil {
		status = exit.Failure
	}
	p.children.DismissCleaner()
	if isClosed(gone) && failed != nil {
		fmt.Fprintf(stderr, "acprun: the proxy on host %s: %v\n", p.host, failed)
		status = exit.Failure
	}
	stdio.Await(closedAfter(&p.forwarding), p.out.Sending, stdio.OutputLimit)
	return status
}

// newProxy returns a proxy that has not started anything.
func newProxy(stdout *os.File) (*proxy, error) {
	children, err := process.NewChildren(true)
	if err != nil {
		return nil, err
	}
	p := &proxy{children: children, out: message.NewFrameWriter(stdout), leaders: map[int]process.Identity{}, looker: survey.NewHost()}
	// The server of the remote shell ends by itself.
	if server, err := process.HostProc.Identify(os.Getppid()); err == nil {
		children.Scope.Exempt(server)
	}
	if p.host, err = os.Hostname(); err != nil {
		p.host = "unknown"
	}
	return p, nil
}

// closedAfter returns a channel that is closed when the counter of group is 0.
func closedAfter(group *sync.WaitGroup) <-chan struct{} {
	done := make(chan struct{})
	go func() {
		group.Wait()
		close(done)
	}()
	return done
}

// serve handles the frames of the launcher until the input ends. It closes ready when the processes have been
// started. It fails if the launcher sends something else; then the proxy ends.
func (p *proxy) serve(in io.Reader, ready chan struct{}) error {
	reader := bufio.NewReader(in)
	for {
		f, err := message.ReadFrame(reader)
		switch {
		case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF):
			return nil // a launcher may be killed within a frame
		case err != nil:
			return err
		}
		switch f.Kind {
		case message.FrameJob:
			started, err := p.take(f.Payload)
			switch {
			case errors.Is(err, errReported):
				return nil
			case err != nil:
				return err
			case started:
				close(ready)
			}
		case message.FrameStdin:
			if !p.queueInput(f.Payload) {
				return fmt.Errorf("%w: more input than the proxy has asked for", message.ErrFrame)
			}
		case message.FrameSignal:
			p.signal(unix.Signal(f.Number))
		case message.FrameSurvey:
			go p.survey(f.Number)
		case message.FrameCount:
			go p.count(f.Number)
		default:
			return fmt.Errorf("%w: kind %q", message.ErrFrame, f.Kind)
		}
	}
}

// errReported: the launcher has got the reason why the proxy ends.
var errReported = errors.New("the reason was reported")

// take takes the job from the payload of its frame. started is false if the job is to hold the token.
func (p *proxy) take(payload []byte) (started bool, err error) {
	job, err := message.DecodeJob(payload)
	if err == nil && p.asked {
		err = fmt.Errorf("%w: a second job", message.ErrFrame)
	}
	if err != nil {
		return false, err
	}
	p.asked = true
	err = p.startLog(job.Log)
	if job.Keep != "" {
		if err == nil {
			err = p.holdToken(&job)
		}
		if err != nil {
			p.out.Send(message.Frame{Kind: message.FrameFailed, Payload: []byte(err.Error())})
			return false, errReported
		}
		return false, nil
	}
	if err == nil {
		err = p.makeRunDir(&job)
	}
	for _, spec := range job.Ranks {
		p.start(&job, spec, err)
	}
	return true, nil
}

// startLog begins the log that the user has configured, under a name that shows the host.
func (p *proxy) startLog(c debuglog.Config) error {
	c.Name = "proxy on " + p.host
	return debuglog.Start(c)
}

// start starts one process and reports a failure. err is the reason why no process can start, or nil.
func (p *proxy) start(job *message.ProxyJob, spec message.RankSpec, err error) {
	if err == nil {
		err = p.tryStart(job, spec)
	}
	if err != nil {
		p.out.Send(message.Frame{Kind: message.FrameFailed, Number: uint32(spec.Rank), Payload: []byte(err.Error())})
	}
}

// tryStart starts one process and reports that.
func (p *proxy) tryStart(job *message.ProxyJob, spec message.RankSpec) error {
	env := envvar.With(job.Environ(spec), p.children.Scope.RunVariable())
	if err := process.CheckHook(env); err != nil {
		return err
	}
	path, err := process.FindProgram(job.Argv[0], job.Dir, env)
	if err != nil {
		return err
	}
	stdin, err := p.openInput(spec.Rank, spec.Rank == job.Stdin)
	if err != nil {
		return err
	}
	files := stdio.ChildFiles{stdin}
	defer func() { files.Close() }()
	for _, kind := range []byte{message.FrameStdout, message.FrameStderr} {
		out, err := p.forward(kind, spec.Rank)
		if err != nil {
			return err
		}
		files = append(files, out)
	}
	p.ended.Add(1)
	rank := spec.Rank
	// With the lock the proxy reports the start before it can report the end.
	p.mu.Lock()
	defer p.mu.Unlock()
	id, err := p.children.Start(path, job.Argv, &os.ProcAttr{Dir: job.Dir, Env: env, Files: files,
		Sys: &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL}},
		func(status exit.Status) { go p.processEnded(rank, status) })
	if err != nil {
		p.ended.Done()
		return process.StartError(job.Argv[0], process.In(job.Dir, path), err)
	}
	p.leaders[rank] = id
	debuglog.Remote.Printf("started rank %d of the job: pid %d: %s", rank, id.PID, path)
	p.sendJSON(message.FrameStarted, rank, message.ProxyStart{PID: id.PID, Host: p.host, Dir: p.runDir})
	return nil
}

// leader returns the process of a rank, whose start has been reported.
func (p *proxy) leader(rank int) process.Identity {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.leaders[rank]
}

// processEnded reports the end of a process.
func (p *proxy) processEnded(rank int, status exit.Status) {
	defer p.ended.Done()
	leader := p.leader(rank)
	p.children.LeaderEnded(leader)
	// Without mu, so that further ends are recorded meanwhile and one scan of the processes serves all of
	// them.
	p.children.TellRemaining()
	p.mu.Lock()
	defer p.mu.Unlock()
	debuglog.Remote.Printf("rank %d of the job: pid %d %v", rank, leader.PID, status)
	delete(p.leaders, rank)
	p.sendJSON(message.FrameEnded, rank, status)
}

// survey sends the states of the ranks of the run on this host.
func (p *proxy) survey(number uint32) {
	p.looking.Lock()
	defer p.looking.Unlock()
	p.sendReading(number)
}

// count sends the tables and the states of the ranks of the run on this host.
func (p *proxy) count(number uint32) {
	p.looking.Lock()
	defer p.looking.Unlock()
	for _, f := range p.reported.news(p.runDir) {
		p.out.Send(f)
	}
	p.sendReading(number)
}

func (p *proxy) sendReading(number uint32) {
	p.sendJSON(message.FrameReading, int(number), p.looker.Reading(p.host, p.identity, p.children.Scope.RunDir()))
}

// sendJSON sends a frame with a value in JSON.
func (p *proxy) sendJSON(kind byte, rank int, value any) {
	// These types always have a JSON form.
	payload, _ := json.Marshal(value)
	p.out.Send(message.Frame{Kind: kind, Number: uint32(rank), Payload: payload})
}

// forward returns the writing end of a pipe for the output of a rank. The proxy passes the bytes from the
// pipe on in frames. The launcher divides them into lines.
func (p *proxy) forward(kind byte, rank int) (*os.File, error) {
	read, write, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	p.forwarding.Add(1)
	go func() {
		defer p.forwarding.Done()
		defer read.Close()
		buf := make([]byte, 64<<10)
		for {
			n, err := read.Read(buf)
			if n > 0 {
				p.out.Send(message.Frame{Kind: kind, Number: uint32(rank), Payload: buf[:n]})
			}
			if err != nil {
				p.out.Send(message.Frame{Kind: kind, Number: uint32(rank)})
				return
			}
		}
	}()
	return write, nil
}

// signal passes a signal on. SIGSTOP and SIGCONT go to all processes of the run on this host, other signals
// to the processes that the proxy has started.
func (p *proxy) signal(sig unix.Signal) {
	if sig == unix.SIGSTOP || sig == unix.SIGCONT {
		_, _ = p.children.Scope.SignalAll(sig)
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, leader := range p.leaders {
		p.children.SignalLeader(leader, sig)
	}
}
