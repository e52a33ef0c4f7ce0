package launch

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"github.com/goacp/goacp/internal/envvar"
	"github.com/goacp/goacp/internal/launch/exit"
	"github.com/goacp/goacp/internal/launch/message"
	"github.com/goacp/goacp/internal/launch/process"
	"golang.org/x/sys/unix"
)

// proxyArg makes acprun a proxy: the part of a launcher that lives on another
// host, at the other end of the remote shell. It stands as the first argument;
// everything else comes through standard input, because command lines are public.
const proxyArg = "-proxy"

// proxy starts processes for a launcher on another host.
type proxy struct {
	reaper *process.ChildReaper
	belong *process.Scope
	out    *message.FrameWriter
	relays sync.WaitGroup
	ended  sync.WaitGroup // of processes
	stdin  *os.File       // writing end of the input of the rank that has one
	host   string
	began  bool // the processes have been started

	janitor *process.Cleaner
	runDir  string // what to remove in the end

	mu      sync.Mutex
	leaders map[int]process.Identity // by rank
}

// proxyMain is the proxy process. It ends when its processes have ended, or when
// its standard input ends, which means that the launcher is gone: then it ends
// them all.
func proxyMain(std StdIO) int {
	// What the proxy starts stays below it, since it adopts orphans.
	r, err := process.NewChildReaper(true)
	if err != nil {
		fmt.Fprintln(std.Stderr, "acprun:", err)
		return exit.Failure
	}
	p := &proxy{reaper: r, out: message.NewFrameWriter(std.Stdout), leaders: map[int]process.Identity{}}
	if p.belong, err = process.NewScope(); err != nil {
		fmt.Fprintln(std.Stderr, "acprun:", err)
		return exit.Failure
	}
	if shell, err := process.HostProc.Identify(os.Getppid()); err == nil {
		p.belong.Exempt(shell)
	}
	if p.host, err = os.Hostname(); err != nil {
		p.host = "unknown"
	}
	// The remote shell may pass on signals or die; the end of the input tells.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE, syscall.SIGHUP, syscall.SIGINT, syscall.SIGTERM)
	if p.janitor, err = process.StartCleaner(r); err != nil {
		fmt.Fprintln(std.Stderr, "acprun:", err)
		return exit.Failure
	}
	p.belong.Exempt(p.janitor.Id)
	if _, err := io.WriteString(std.Stdout, message.ProxyGreeting+"\n"); err != nil {
		return exit.Failure
	}
	gone := make(chan struct{})
	ready := make(chan struct{})
	go func() {
		defer close(gone)
		p.serve(std.Stdin, ready)
	}()
	select {
	case <-gone:
	case <-ready:
		select {
		case <-gone:
		case <-p.allEnded():
		}
	}
	p.belong.EndAll(graceAfterFailure, killLimit)
	status := process.RemoveRunDir(p.runDir)
	p.janitor.Dismiss()
	select {
	case <-p.drained():
	case <-time.After(outputLimit):
	}
	return status
}

// allEnded is closed when every process has ended.
func (p *proxy) allEnded() <-chan struct{} { return closedAfter(&p.ended) }

// drained is closed when all output has been passed on.
func (p *proxy) drained() <-chan struct{} { return closedAfter(&p.relays) }

func closedAfter(group *sync.WaitGroup) <-chan struct{} {
	done := make(chan struct{})
	go func() {
		group.Wait()
		close(done)
	}()
	return done
}

// serve does what the launcher asks for until the input ends. ready is closed
// when the processes have been started.
func (p *proxy) serve(in io.Reader, ready chan struct{}) {
	reader := bufio.NewReader(in)
	for {
		f, err := message.ReadFrame(reader)
		if err != nil {
			return
		}
		switch f.Kind {
		case message.FrameJob:
			job, err := message.DecodeJob(f.Payload)
			if err != nil || p.began {
				return
			}
			p.began = true
			if job.Keep != "" {
				if err := p.keep(&job); err != nil {
					p.out.Send(message.Frame{Kind: message.FrameFailed, Payload: []byte(err.Error())})
					return
				}
				continue
			}
			err = p.makePlace(&job)
			for _, spec := range job.Ranks {
				p.start(&job, spec, err)
			}
			close(ready)
		case message.FrameStdin:
			p.input(f.Payload)
		case message.FrameSignal:
			p.signal(unix.Signal(f.Number))
		default:
			return
		}
	}
}

// start starts one process, unless err is why no process can start, and reports that,
// or why not.
func (p *proxy) start(job *message.ProxyJob, spec message.RankSpec, err error) {
	if err == nil {
		err = p.tryStart(job, spec)
	}
	if err != nil {
		p.out.Send(message.Frame{Kind: message.FrameFailed, Number: uint32(spec.Rank), Payload: []byte(err.Error())})
	}
}

func (p *proxy) tryStart(job *message.ProxyJob, spec message.RankSpec) error {
	env := envvar.With(spec.Env, p.belong.RunVariable())
	path, err := process.FindProgram(job.Argv[0], env)
	if err != nil {
		return err
	}
	var stdin *os.File
	if spec.Rank == job.Stdin {
		stdin, p.stdin, err = os.Pipe()
	} else {
		stdin, err = os.Open(os.DevNull)
	}
	if err != nil {
		return err
	}
	files := []*os.File{stdin}
	defer func() {
		for _, f := range files {
			f.Close()
		}
	}()
	for _, kind := range []byte{message.FrameStdout, message.FrameStderr} {
		out, err := p.relay(kind, spec.Rank)
		if err != nil {
			return err
		}
		files = append(files, out)
	}
	p.ended.Add(1)
	rank := spec.Rank
	// The start is reported before the end can be.
	p.mu.Lock()
	defer p.mu.Unlock()
	id, err := p.reaper.Start(path, job.Argv, &os.ProcAttr{Dir: job.Dir, Env: env, Files: files,
		Sys: &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL}},
		func(status exit.Status) { go p.processEnded(rank, status) })
	if err != nil {
		p.ended.Done()
		return process.StartError(job.Argv[0], path, err)
	}
	p.leaders[rank] = id
	p.janitor.TellSession(id.PID, id)
	p.sendJSON(message.FrameStarted, rank, message.ProxyStart{PID: id.PID, Host: p.host})
	return nil
}

func (p *proxy) processEnded(rank int, status exit.Status) {
	defer p.ended.Done()
	p.mu.Lock()
	defer p.mu.Unlock()
	session := p.leaders[rank].PID
	delete(p.leaders, rank)
	if left, err := p.belong.Remaining(session); err == nil {
		p.janitor.TellSession(session, left...)
	}
	p.sendJSON(message.FrameEnded, rank, status)
}

func (p *proxy) sendJSON(kind byte, rank int, value any) {
	// These types always have a JSON form.
	payload, _ := json.Marshal(value)
	p.out.Send(message.Frame{Kind: kind, Number: uint32(rank), Payload: payload})
}

// relay is a pipe whose content is passed on in frames, piece by piece; the
// launcher makes lines of them.
func (p *proxy) relay(kind byte, rank int) (*os.File, error) {
	read, write, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	p.relays.Add(1)
	go func() {
		defer p.relays.Done()
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

// input passes on standard input; an empty piece is its end.
func (p *proxy) input(data []byte) {
	if p.stdin == nil {
		return
	}
	if len(data) == 0 {
		p.stdin.Close()
		p.stdin = nil
		return
	}
	// A process that does not read its input is free not to.
	_, _ = p.stdin.Write(data)
}

// signal passes on a signal: what stops or continues goes to every process,
// everything else to those that were started.
func (p *proxy) signal(sig unix.Signal) {
	if sig == unix.SIGSTOP || sig == unix.SIGCONT {
		_, _ = p.belong.SignalAll(sig)
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, leader := range p.leaders {
		for _, target := range process.HostProc.SignalTargets(leader) {
			// The process may have ended meanwhile.
			_ = process.HostProc.Signal(target, sig)
		}
	}
}
