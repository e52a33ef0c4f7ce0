package bridge

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"sync"
	"time"
)

const (
	dialTimeout  = 5 * time.Second  // one attempt at one address, with authentication
	joinTimeout  = 60 * time.Second // all attempts, if ctx has no deadline
	joinAttempts = 4
	abortTimeout = time.Second
	leaveTimeout = 3 * time.Second
)

// RejectedError says that the rendezvous does not let this process into the
// run.
type RejectedError struct {
	Server string // address of the rendezvous
	Reason string
}

// Error names the rendezvous and its reason.
func (e *RejectedError) Error() string {
	return fmt.Sprintf("rendezvous %s: rejected: %s", e.Server, e.Reason)
}

// Dial joins the run whose rendezvous e names. It tries the addresses in order
// and all of them again a few times before it gives up. Blocks until the server
// has given this process its number, not until all members have joined; ctx
// limits that, and only that. Errors: [*RejectedError], [ErrToken],
// [ErrProtocol], ctx's, the network's.
func Dial(ctx context.Context, e Env, self Identity) (Bootstrap, error) {
	if len(e.Rendezvous) == 0 {
		return nil, errors.New("rendezvous: no address")
	}
	if _, limited := ctx.Deadline(); !limited {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, joinTimeout)
		defer cancel()
	}
	pause := 50 * time.Millisecond
	for attempt := 1; ; attempt++ {
		var failed error
		for _, addr := range e.Rendezvous {
			c, err := join(ctx, addr, e, self)
			if err == nil {
				go c.read()
				return c, nil
			}
			if final(err) || ctx.Err() != nil {
				return nil, err
			}
			failed = errors.Join(failed, err)
		}
		if attempt == joinAttempts {
			return nil, failed
		}
		select {
		case <-time.After(pause):
			pause *= 4
		case <-ctx.Done():
			return nil, failed
		}
	}
}

// final reports whether another attempt would end the same way.
func final(err error) bool {
	var rejected *RejectedError
	return errors.As(err, &rejected) || errors.Is(err, ErrToken) || errors.Is(err, ErrProtocol)
}

// join makes one attempt at one address.
func join(ctx context.Context, addr string, e Env, self Identity) (*client, error) {
	ctx, cancel := context.WithTimeout(ctx, dialTimeout)
	defer cancel()
	dialer := net.Dialer{KeepAliveConfig: keepAlive}
	conn, err := dialer.DialContext(ctx, "tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("rendezvous: %w", err)
	}
	w, err := introduce(ctx, conn, e, self)
	if err != nil {
		conn.Close()
		var rejected *RejectedError
		if errors.As(err, &rejected) {
			rejected.Server = addr
			return nil, err
		}
		return nil, fmt.Errorf("rendezvous %s: %w", addr, err)
	}
	limitSilence(conn)
	return &client{
		conn: conn, member: int(w.member), size: int(w.size),
		job: e.Job, jobRank: int(w.jobRank), token: e.Token,
		lost: make(chan struct{}), gone: make(chan struct{}),
		results: make(chan result, 1),
	}, nil
}

// introduce authenticates both sides, says who this process is and reads its
// number.
func introduce(ctx context.Context, conn net.Conn, e Env, self Identity) (w welcome, err error) {
	if err := e.Token.Answer(ctx, conn); err != nil {
		return w, err
	}
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

// client is the bootstrap of a process that a launcher of ours started.
type client struct {
	conn         net.Conn
	member, size int
	job, jobRank int
	token        Token

	lost    chan struct{} // closed by fail
	gone    chan struct{} // closed when read ends
	results chan result
	seq     uint32 // of the next exchange; only Exchange uses it
	broken  error  // why no further exchange is possible; only Exchange uses it

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
func (c *client) Size() int             { return c.size }
func (c *client) Lost() <-chan struct{} { return c.lost }
func (c *client) Place() (int, int)     { return c.job, c.jobRank }
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
		// The reader learns the reason, which the server may have sent before
		// it closed the connection.
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

// read takes what the server sends until the connection ends.
func (c *client) read() {
	defer close(c.gone)
	for {
		kind, payload, err := readFrame(c.conn, maxFrame)
		if err == nil {
			err = c.handle(kind, payload)
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

var errBye = errors.New("the server has taken note that this member leaves")

// handle returns an error if nothing more is to be read.
func (c *client) handle(kind frameKind, payload []byte) error {
	switch kind {
	case frameResult:
		seq, blobs, err := decodeResult(payload, c.size)
		if err != nil {
			return err
		}
		select {
		case c.results <- result{seq, blobs}:
			return nil
		default:
			return fmt.Errorf("%w: a result that nobody asked for", ErrProtocol)
		}
	case frameAbort:
		return &AbortError{Reason: string(payload)}
	case frameBye:
		return errBye
	}
	return fmt.Errorf("%w: unexpected frame %d", ErrProtocol, kind)
}

// fail records why the run is over, unless this member has left it.
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

func (c *client) Abort(reason string) {
	// The deadline also ends a write that is in progress.
	_ = c.conn.SetWriteDeadline(time.Now().Add(abortTimeout))
	if err := c.send(textFrame(frameAbort, reason)); err != nil {
		// Nobody can be told; the end of the connection tells it all the same.
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
	if lost {
		return nil
	}
	_ = c.conn.SetDeadline(time.Now().Add(leaveTimeout))
	if err := c.send(emptyFrame(frameLeave)); err != nil {
		return fmt.Errorf("leaving the run: %w", err)
	}
	<-c.gone // at the latest when the deadline has passed
	return nil
}
