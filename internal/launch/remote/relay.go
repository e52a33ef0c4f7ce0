package remote

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"syscall"

	"github.com/goacp/goacp/internal/ground/debuglog"
	"github.com/goacp/goacp/internal/launch/config"
	"github.com/goacp/goacp/internal/launch/exit"
	"github.com/goacp/goacp/internal/launch/process"
	"github.com/goacp/goacp/internal/launch/shell"
	"github.com/goacp/goacp/internal/launch/stdio"
)

// RelayArg begins the first argument of an acprun that relays the control connection of a run. The name of the run
// follows; nothing follows for the only run of the host.
const RelayArg = "-relay="

// relay is a connection to the launcher of a run on another host: the input and output of a remote shell.
type relay struct {
	host string
	from *os.File // read by one goroutine
	to   *os.File

	once  sync.Once
	ended chan struct{} // closed when the remote shell has ended
	how   exit.Status   // set before ended is closed
}

// Relay starts acprun on a host through the remote shell, and returns the connection through it to the launcher of a
// run there. "" means the only run of the host.
func (h *Hosts) Relay(host, run string) (io.ReadWriteCloser, error) {
	program, err := besideThis("acprun")
	if err != nil {
		return nil, err
	}
	words := h.shellWords(host, "")
	env := shellEnviron(words, config.WithoutRunVariables(h.Environ))
	path, err := process.FindProgram(words[0], "", env)
	if err != nil {
		return nil, fmt.Errorf("remote shell: %w", err)
	}
	out, in, stderr, r, err := h.relayPipes(host)
	if err != nil {
		return nil, err
	}
	defer out.Close()
	defer in.Close()
	defer stderr.Close()
	argv := hostCommand(words, host, program, RelayArg+run)
	if h.Debug {
		h.Console.Say("%s", shell.Join(argv))
	}
	id, err := h.Children.Start(path, argv, &os.ProcAttr{Env: env, Files: []*os.File{in, out, stderr},
		Sys: &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGTERM}}, r.shellEnded)
	if err != nil {
		r.from.Close()
		r.to.Close()
		return nil, fmt.Errorf("remote shell %s: %w", words[0], err)
	}
	// The remote shell ends after its input has ended.
	h.Children.Scope.Exempt(id)
	h.relays = append(h.relays, id)
	debuglog.Remote.Printf("host %s: started pid %d: %s", host, id.PID, shell.Join(argv))
	return r, nil
}

// relayPipes returns the files of a remote shell, and the connection through them.
func (h *Hosts) relayPipes(host string) (out, in, stderr *os.File, r *relay, err error) {
	r = &relay{host: host, ended: make(chan struct{})}
	if r.from, out, err = os.Pipe(); err != nil {
		return nil, nil, nil, nil, err
	}
	if in, r.to, err = os.Pipe(); err == nil {
		stderr, err = h.Console.Pipe(&stdio.LineForwarder{Sink: h.Console.Err}, nil)
	}
	if err != nil {
		for _, f := range []*os.File{r.from, out, in, r.to} {
			f.Close()
		}
	}
	return out, in, stderr, r, err
}

// shellEnded records the end of the remote shell.
func (r *relay) shellEnded(status exit.Status) {
	r.how = status
	close(r.ended)
}

// Read implements io.Reader. At the end it waits for the end of the remote shell, whose status is the error.
func (r *relay) Read(b []byte) (int, error) {
	n, err := r.from.Read(b)
	if n == 0 && errors.Is(err, io.EOF) {
		<-r.ended
		if !r.how.OK() {
			err = fmt.Errorf("the remote shell to host %s %v", r.host, r.how)
		}
	}
	return n, err
}

// Write implements io.Writer.
func (r *relay) Write(b []byte) (int, error) { return r.to.Write(b) }

// Close ends the input of the remote shell, and unblocks Read.
func (r *relay) Close() error {
	r.once.Do(func() {
		r.to.Close()
		r.from.Close()
	})
	return nil
}

// RelayTarget returns the run of an acprun that relays. ok is false for any other command line.
func RelayTarget(args []string) (run string, ok bool) {
	if len(args) != 1 {
		return "", false
	}
	return strings.CutPrefix(args[0], RelayArg)
}
