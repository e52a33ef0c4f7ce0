package control

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"syscall"

	"github.com/goacp/goacp/bridge"
	"golang.org/x/sys/unix"
)

// Attachment is the connection of a launcher to the run to which its jobs have attached. Its methods may be called
// by several goroutines at once.
type Attachment struct {
	Admission

	conn   io.ReadWriteCloser
	closed atomic.Bool
	broken atomic.Bool   // the connection has ended without Close
	over   atomic.Bool   // the run is over, and has sent that
	done   chan struct{} // closed when no more is read

	mu      sync.Mutex
	encoder *json.Encoder // guarded by mu
}

// Attach sends a request through the connection to a run, and returns the admission. Blocks while the ranks of the
// run start. Closes the connection if it fails. Errors have the reason of the other launcher.
//
// After that events is called for each event of the processes, with numbers of the run, and lost when the connection
// ends without Close. Both are called on one goroutine, and must not block.
func Attach(conn io.ReadWriteCloser, q Request, events func(bridge.Event), lost func(error)) (*Attachment, error) {
	q.Version = version
	a := &Attachment{conn: conn, done: make(chan struct{}), encoder: json.NewEncoder(conn)}
	decoder := json.NewDecoder(conn)
	if err := a.request(q, decoder); err != nil {
		conn.Close()
		return nil, err
	}
	go func() {
		defer close(a.done)
		for {
			var n notice
			if err := decoder.Decode(&n); err != nil {
				if !a.closed.Load() {
					a.broken.Store(true)
					lost(err)
				}
				return
			}
			if n.Event.Kind == bridge.RunEnded {
				a.over.Store(true)
			}
			events(n.Event)
		}
	}()
	return a, nil
}

// Ask sends a request for other ranks through the connection to a run, and returns the answer. Blocks while the ranks of the
// run start, and until each process of the request was started or is known not to start. Errors have the reason of the other launcher. With an
// answer and an error a part of the request was done.
//
// If the processes run in the allocation of this launcher, stay is the connection over which it waits for them, otherwise nil.
func Ask(conn io.ReadWriter, q Resize) (answer string, stay *Stay, err error) {
	decoder := json.NewDecoder(conn)
	r, err := exchange(conn, Request{Version: version, Resize: &q}, decoder)
	if r.Stays {
		stay = &Stay{json.NewEncoder(conn), decoder}
	}
	if err == nil && r.Failed != "" {
		err = errors.New(r.Failed)
	}
	return r.Done, stay, err
}

// Stay is the connection of a launcher to the run to which it has added processes in its own allocation.
type Stay struct {
	encoder *json.Encoder
	decoder *json.Decoder
}

// Wait blocks until the processes have ended. It fails if the connection ends before. Not for concurrent use.
func (s *Stay) Wait() error {
	var last ended
	err := s.decoder.Decode(&last)
	switch {
	case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF):
		return errors.New("the other side has closed it")
	case err == nil && !last.Ended:
		return errors.New("the launcher of the run has sent something else")
	}
	return err
}

// AskLeave asks the processes to leave. It may be called during Wait.
func (s *Stay) AskLeave(reason string) error { return s.encoder.Encode(command{Abort: reason}) }

// GiveUp tells the launcher of the run that this one waits for the processes no longer. They are not asked to leave. It may be called during
// Wait, which returns then.
func (s *Stay) GiveUp() error { return s.encoder.Encode(command{Last: true}) }

// GiveUp tells the launcher of the run, during Ask, that this one waits for the answer no longer, for a reason. If processes come to the
// allocation of this launcher, they are asked to leave. Then Ask returns. Blocks while the launcher of the run is stopped and does not read.
func GiveUp(conn io.Writer, reason string) error {
	return json.NewEncoder(conn).Encode(command{Abort: reason, Last: true})
}

// exchange sends a request and receives the reply, which is no refusal.
func exchange(conn io.Writer, q Request, decoder *json.Decoder) (r reply, err error) {
	text, err := q.encode()
	if err != nil {
		return r, err
	}
	if _, err := conn.Write(text); err != nil {
		return r, fmt.Errorf("the launcher of the run has closed the connection: %w", err)
	}
	switch err := decoder.Decode(&r); {
	case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF):
		return r, errors.New("the launcher of the run has ended")
	case err != nil:
		return r, fmt.Errorf("the launcher of the run: %w", err)
	case r.Refused != "":
		return r, errors.New(r.Refused)
	}
	return r, nil
}

// request sends a request and receives the reply.
func (a *Attachment) request(q Request, decoder *json.Decoder) error {
	r, err := exchange(a.conn, q, decoder)
	switch {
	case err != nil:
		return err
	case r.Run == nil:
		return errors.New("the launcher of the run has sent no admission")
	case len(r.Run.Names) != len(q.Jobs):
		return fmt.Errorf("the launcher of the run has named %d jobs of %d", len(r.Run.Names), len(q.Jobs))
	}
	a.Admission = *r.Run
	return nil
}

// Abort ends the processes of the jobs, for a reason that they get. Blocks while the launcher of the run is stopped.
func (a *Attachment) Abort(reason string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	// If the connection has ended, the run has ended the processes.
	_ = a.encoder.Encode(command{Abort: reason})
}

// Lost reports whether the launcher of the run has ended before the run. If the connection is a socket, Lost knows that as soon as the
// system does, and returns when lost has been called. It does not block otherwise.
func (a *Attachment) Lost() bool {
	ended := false
	if socket, ok := a.conn.(syscall.Conn); ok {
		if raw, err := socket.SyscallConn(); err == nil {
			_ = raw.Control(func(fd uintptr) {
				n, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLRDHUP}}, 0)
				ended = n == 1 && err == nil
			})
		}
	}
	if ended {
		<-a.done
	}
	return a.broken.Load() && !a.over.Load()
}

// Close ends the attachment. All processes of the jobs have ended, or are given up. Further calls do nothing.
func (a *Attachment) Close() {
	a.closed.Store(true)
	a.conn.Close()
}
