package bridge

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"github.com/goacp/goacp/internal/ground/debuglog"
	"github.com/goacp/goacp/internal/ground/liveness"
	"github.com/goacp/goacp/internal/ground/multidial"
	"github.com/goacp/goacp/mpi"
	"golang.org/x/sys/unix"
)

const (
	abortTimeout = time.Second
	leaveTimeout = 3 * time.Second
)

// RejectedError is the error of a process that the rendezvous has refused.
type RejectedError struct {
	Server string // address of the rendezvous
	Reason string
}

// Error names the rendezvous and its reason.
func (e *RejectedError) Error() string {
	return fmt.Sprintf("rendezvous %s: rejected: %s", e.Server, e.Reason)
}

// Dial joins the run whose rendezvous e names. It tries the addresses in order, each as soon as the earlier
// ones fail or do not answer. Only the proof of the token decides which address is the right one. Blocks
// until the server has given this process its number, also while the launcher is stopped. It does not wait
// until all members have joined. ctx limits this call only. Errors: [*RejectedError], [ErrToken],
// [ErrProtocol], ctx's, the network's.
func Dial(ctx context.Context, e Env, self Identity) (Bootstrap, error) {
	if len(e.Rendezvous) == 0 {
		return nil, errors.New("rendezvous: no address")
	}
	credentials, err := NewCredentials(e.Token, e.Secure)
	if err != nil {
		return nil, err
	}
	for attempt := 1; ; attempt++ {
		conn, err := multidial.First(ctx, e.Rendezvous, func(ctx context.Context, addr string) (net.Conn, error) {
			c, err := prove(ctx, addr, credentials)
			debuglog.Rendezvous.Printf("proof of the rendezvous at %s: %s", addr, outcomeText(err))
			return c, err
		})
		if err != nil {
			return nil, err
		}
		c, err := join(ctx, conn.(*proved), e, self)
		if err == nil {
			debuglog.Rendezvous.Printf("is rank %d of %d, number %d of job %d: so says the rendezvous at %v", c.member, c.cohort.Size, c.jobRank, c.job, conn.RemoteAddr())
			return c, nil
		}
		conn.Close()
		// A member that was stopped meanwhile is too late and tries again.
		if !multidial.HungUp(err) || attempt == joinAttempts || ctx.Err() != nil {
			return nil, err
		}
		debuglog.Rendezvous.Printf("joins again after attempt %d: %v", attempt, err)
	}
}

// outcomeText returns the outcome of an attempt, for the log.
func outcomeText(err error) string {
	if err != nil {
		return err.Error()
	}
	return "done"
}

// joinAttempts is how often a process tries to join a rendezvous that closes the connection
// without an answer.
const joinAttempts = 5

// proved is a connection to a server that has proved itself.
type proved struct {
	net.Conn              // encrypted with -secure
	socket   *net.TCPConn // that carries Conn
}

// prove connects to one address. The server there has to prove that it has the token.
func prove(ctx context.Context, addr string, credentials *Credentials) (net.Conn, error) {
	socket, err := liveness.Dial(ctx, addr, liveness.Limits{})
	if err != nil {
		return nil, fmt.Errorf("rendezvous: %w", err)
	}
	p := &proved{socket: socket}
	err = watched(ctx, socket, func(ctx context.Context) (err error) {
		p.Conn, err = credentials.answer(ctx, socket, serviceRendezvous, noMember, noMember)
		return err
	})
	if err != nil {
		socket.Close()
		return nil, fmt.Errorf("rendezvous %s: %w", addr, err)
	}
	return p, nil
}

// watched calls talk with a context that also ends when the host at the other end of socket
// has vanished.
func watched(ctx context.Context, socket *net.TCPConn, talk func(context.Context) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer liveness.Watch(socket, liveness.Limits{}, cancel)()
	err := talk(ctx)
	if cause := context.Cause(ctx); err != nil && cause != nil {
		return cause
	}
	return err
}

// join makes this process a member, on a connection to the rendezvous.
func join(ctx context.Context, conn *proved, e Env, self Identity) (*client, error) {
	var w welcome
	err := watched(ctx, conn.socket, func(ctx context.Context) (err error) {
		w, err = introduce(ctx, conn, e, self)
		return err
	})
	server := conn.RemoteAddr().String()
	var rejected *RejectedError
	switch {
	case errors.As(err, &rejected):
		rejected.Server = server
		return nil, err
	case err != nil:
		return nil, fmt.Errorf("rendezvous %s: %w", server, err)
	}
	c := &client{
		conn: conn, member: int(w.member), seats: int(w.seats),
		cohort: Cohort{Number: int(w.cohort), First: int(w.first), Size: int(w.size)},
		job:    e.Job, jobRank: int(w.jobRank), jobName: e.JobName, token: e.Token,
		lost: make(chan struct{}), gone: make(chan struct{}),
		results: make(chan result, 1), adopted: make(chan adoption, 1), limit: int(w.limit), mayLeave: w.mayLeave,
	}
	c.size.Store(int64(w.size))
	c.unwatch = liveness.Watch(conn.socket, liveness.Limits{}, func(err error) {
		c.fail(err)
		conn.socket.Close()
	})
	go c.read()
	return c, nil
}

// introduce sends the identity of this process to the server, and reads its number.
func introduce(ctx context.Context, conn net.Conn, e Env, self Identity) (w welcome, err error) {
	err = guarded(ctx, conn, func() error {
		h := hello{job: uint32(e.Job), jobRank: int32(e.JobRank), pid: uint32(self.PID), host: self.Host}
		if _, err := conn.Write(h.frame()); err != nil {
			return err
		}
		kind, payload, err := readFrame(conn, maxText)
		switch {
		case err != nil:
			return err
		case kind == frameReject:
			return &RejectedError{Reason: string(payload)}
		case kind != frameWelcome:
			return fmt.Errorf("%w: frame %d instead of a welcome", ErrProtocol, kind)
		}
		w, err = decodeWelcome(payload)
		return err
	})
	return w, err
}

// client is the bootstrap of a process that acprun or macprun has started.
type client struct {
	conn         *proved
	unwatch      func() // stops monitoring the launcher's host
	member       int
	seats        int
	cohort       Cohort
	limit        int  // members that the cohort of the beginning can have, 0: it is fixed
	mayLeave     bool // this member may leave its epoch
	job, jobRank int
	jobName      string
	token        Token

	lost    chan struct{} // closed by fail
	gone    chan struct{} // closed when read ends
	results chan result
	seq     uint32 // of the next exchange; only Exchange uses it
	broken  error  // why no further exchange is possible; only Exchange uses it

	adopted chan adoption
	size    atomic.Int64 // members that exchange with each other

	following changes

	write sync.Mutex // one frame at a time

	mu      sync.Mutex
	err     error // why lost is closed
	leaving bool  // Close has begun: the end of the connection is no loss
}

type result struct {
	seq   uint32
	blobs [][]byte
}

func (c *client) Member() int           { return c.member }
func (c *client) Cohort() Cohort        { return c.cohort }
func (c *client) Seats() int            { return c.seats }
func (c *client) Lost() <-chan struct{} { return c.lost }
func (c *client) JobRank() (int, int)   { return c.job, c.jobRank }
func (c *client) JobName() string       { return c.jobName }
func (c *client) JobComm() mpi.Comm     { return mpi.World() }
func (c *client) Token() Token          { return c.token }

func (c *client) Address() netip.Addr {
	if a, ok := c.conn.LocalAddr().(*net.TCPAddr); ok {
		return a.AddrPort().Addr().Unmap()
	}
	return netip.Addr{}
}

func (c *client) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}

func (c *client) Exchange(ctx context.Context, blob []byte) ([][]byte, error) {
	if err := c.ready(ctx); err != nil {
		return nil, err
	}
	if err := checkBlob(blob); err != nil {
		return nil, err
	}
	seq := c.seq
	c.seq++
	if err := c.send(exchangeFrame(seq, blob)); err != nil {
		// read reads the reason, which the server may have sent before it closed the connection.
		<-c.gone
		return nil, c.lossOr(err)
	}
	select {
	case r := <-c.results:
		if r.seq != seq {
			c.broken = fmt.Errorf("%w: result of exchange %d, expected %d", ErrProtocol, r.seq, seq)
			return nil, c.broken
		}
		return r.blobs, nil
	case <-c.lost:
		return nil, c.Err()
	case <-ctx.Done():
		c.broken = fmt.Errorf("an exchange was given up before: %w", ctx.Err())
		return nil, ctx.Err()
	}
}

func (c *client) ready(ctx context.Context) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.err != nil:
		return c.err
	case c.leaving:
		return ErrClosed
	case c.broken != nil:
		return c.broken
	}
	return ctx.Err()
}

func (c *client) lossOr(err error) error {
	if loss := c.Err(); loss != nil {
		return loss
	}
	return fmt.Errorf("rendezvous: %w", err)
}

func (c *client) send(frame []byte) error {
	c.write.Lock()
	defer c.write.Unlock()
	_, err := c.conn.Write(frame)
	return err
}

// read handles the frames of the server until the connection ends.
func (c *client) read() {
	defer close(c.gone)
	for {
		kind, payload, err := readFrame(c.conn, maxResult(c.seats))
		if err == nil {
			var answer []byte
			if answer, err = c.handle(kind, payload); answer != nil {
				_ = c.send(answer) // if the connection has ended, the next read fails
			}
		}
		switch {
		case errors.Is(err, errBye):
			return
		case err == nil:
		case errors.Is(err, io.EOF):
			c.fail(ErrLauncherLost)
			return
		default:
			c.fail(err)
			return
		}
	}
}

var errBye = errors.New("the server has confirmed that this rank leaves")

// handle handles one frame. It returns the frame that answers it, if one does, and an error if nothing more is to be read.
func (c *client) handle(kind frameKind, payload []byte) (answer []byte, err error) {
	switch kind {
	case frameResult:
		seq, blobs, err := decodeResult(payload, int(c.size.Load()))
		if err != nil {
			return nil, err
		}
		select {
		case c.results <- result{seq, blobs}:
			return nil, nil
		default:
			return nil, fmt.Errorf("%w: a result without a request", ErrProtocol)
		}
	case frameChange:
		change, err := decodeChange(payload, c.seats)
		if err != nil {
			return nil, err
		}
		if err = c.following.add(change); err == nil && change.Kind == EpochBegan {
			answer = numberFrame(frameConfirm, uint32(change.Epoch))
		}
		return answer, err
	case frameCaughtUp:
		return nil, c.following.caughtUp()
	case frameAdopted:
		var a adoption
		if err := decodeNumbers("beginning of an epoch", payload, &a.epoch, &a.size); err != nil {
			return nil, err
		}
		c.size.Store(int64(a.size))
		select {
		case c.adopted <- a:
			return nil, nil
		default:
			return nil, fmt.Errorf("%w: an epoch begins without a request", ErrProtocol)
		}
	case frameAbort:
		// From now on the actions of this process may be consequences of the end of the run.
		return emptyFrame(frameInformed), &AbortError{Reason: string(payload)}
	case frameBye:
		return nil, errBye
	}
	return nil, fmt.Errorf("%w: unexpected frame %d", ErrProtocol, kind)
}

// fail records why the run is over. It does nothing if this member has left the run.
func (c *client) fail(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err != nil || c.leaving {
		return
	}
	var abort *AbortError
	if !errors.As(err, &abort) && !errors.Is(err, ErrLauncherLost) {
		err = fmt.Errorf("%w: %w", ErrLauncherLost, err)
	}
	c.err = err
	close(c.lost)
}

func (c *client) ReportLost(member int, how Loss) {
	c.mu.Lock()
	over := c.err != nil || c.leaving
	c.mu.Unlock()
	// If the connection has ended, read notices it.
	if over || c.send(lostFrame(member, how)) != nil {
		return
	}
	for !c.delivered() {
		select {
		case <-c.lost:
			return
		case <-c.gone:
			return
		case <-time.After(deliveryCheck):
		}
	}
}

// deliveryCheck is the time between two checks whether a report has arrived.
const deliveryCheck = 20 * time.Millisecond

// delivered reports whether the kernel of the launcher's host has everything that was sent.
func (c *client) delivered() bool {
	socket, err := c.conn.socket.SyscallConn()
	if err != nil {
		return true
	}
	left := 0
	err = socket.Control(func(fd uintptr) { left, _ = unix.IoctlGetInt(int(fd), unix.TIOCOUTQ) })
	return err != nil || left == 0
}

func (c *client) Abort(a Abort) {
	c.mu.Lock()
	over := c.err != nil
	c.mu.Unlock()
	if over {
		return // the server takes an abort after a death for a possible cause of that death
	}
	// The deadline also ends a call of Write in progress.
	_ = c.conn.SetWriteDeadline(time.Now().Add(abortTimeout))
	if err := c.send(textFrame(frameAbort, a.Reason)); err != nil {
		// If the frame does not reach the server, the end of the connection has the same effect.
		c.conn.Close()
	}
}

func (c *client) Close() error {
	c.mu.Lock()
	lost, again := c.err != nil, c.leaving
	c.leaving = true
	c.mu.Unlock()
	if again {
		return nil
	}
	defer c.conn.Close()
	defer c.unwatch()
	if lost {
		return nil
	}
	// The frame is small and the last one, so sending it does not wait for a launcher that is
	// stopped. It needs no answer.
	if err := c.send(emptyFrame(frameLeave)); err != nil {
		return fmt.Errorf("leaving the run: %w", err)
	}
	select {
	case <-c.gone:
	case <-time.After(leaveTimeout):
	}
	return nil
}
