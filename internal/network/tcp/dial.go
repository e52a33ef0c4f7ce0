package tcp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"

	"github.com/goacp/goacp/internal/ground/debuglog"
	"github.com/goacp/goacp/internal/ground/liveness"
	"github.com/goacp/goacp/internal/ground/multidial"
)

// dial opens the link from this side and serves it, unless the peer's connection is chosen first. Only the
// end of ctx, or an answer of the peer or its host, ends the attempt: dial waits for a stopped peer.
func (l *link) dial(ctx context.Context) {
	defer l.transport.workers.Done()
	defer l.hangUp()
	c, err := l.reach(ctx)
	if err == nil {
		if !l.claim() {
			debuglog.TCP.Printf("the own connection to rank %d is closed: the rank has connected at the same time", l.rank())
			c.Close()
			return
		}
		l.dismiss(false)
		l.run(c)
		return
	}
	if !l.claim() || l.dismiss(true) {
		return
	}
	l.die(l.transport.peerError(l.peer, err), true)
}

// dismiss informs the accepted connection that stands by, if any, whether it becomes the socket of the link.
func (l *link) dismiss(needed bool) bool {
	l.mu.Lock()
	turn := l.standby
	l.standby = nil
	l.mu.Unlock()
	if turn == nil {
		return false
	}
	turn <- needed
	return true
}

// reach finds the address at which the peer proves itself and takes the connection.
func (l *link) reach(ctx context.Context) (*wire, error) {
	addrs := l.transport.cfg.Addrs(l.peer)
	debuglog.TCP.Printf("connects to rank %d, at the first operation that needs it, by one of %v", l.rank(), addrs)
	if len(addrs) == 0 {
		return nil, errors.New("cannot be reached: no address is known")
	}
	c, err := multidial.First(ctx, addrs, l.call)
	if err != nil {
		return nil, fmt.Errorf("cannot be reached: %w", err)
	}
	return c.(*wire), nil
}

// call dials one address, authenticates and introduces this member. If several addresses lead to the peer it
// takes one of the connections and refuses the others.
func (l *link) call(ctx context.Context, a netip.AddrPort) (net.Conn, error) {
	if l.transport.cfg.Local && !a.Addr().IsLoopback() {
		return nil, fmt.Errorf("%v: not on this host, as all ranks of a local run are", a)
	}
	c, err := liveness.Dial(ctx, a.String(), l.transport.cfg.Limits)
	if err != nil {
		debuglog.TCP.Printf("rank %d at %v: %v", l.rank(), a, err)
		return nil, fmt.Errorf("%v: %w", a, err)
	}
	w := newWire(c)
	if err = l.supervised(ctx, c, func() error { return l.introduce(ctx, w) }); err != nil {
		c.Close()
		debuglog.TCP.Printf("rank %d at %v: %v", l.rank(), a, err)
		return nil, fmt.Errorf("%v: %w", a, err)
	}
	return w, nil
}

// supervised runs talk, which reads and writes c. The end of ctx and the loss of the
// host there end it.
func (l *link) supervised(ctx context.Context, c *net.TCPConn, talk func() error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer liveness.Watch(c, l.transport.cfg.Limits, cancel)()
	stop := interruptible(ctx, c)
	err := talk()
	if e := stop(); err == nil {
		err = e
	}
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	return err
}

// introduce does the dialler's part of the handshake on w.
func (l *link) introduce(ctx context.Context, w *wire) error {
	if err := w.SetNoDelay(true); err != nil {
		return err
	}
	c, err := l.transport.cfg.Auth.Answer(ctx, w, l.peer)
	if err != nil {
		return err
	}
	w.secure(c)
	h := header{
		kind: kindHello, member: uint32(l.transport.cfg.Self), id: helloWord,
		pos: uint64(l.peer), size: uint64(l.transport.cfg.Size),
	}
	var b [headerSize]byte
	h.encode(&b)
	if _, err := c.Write(b[:]); err != nil {
		return err
	}
	if _, err := io.ReadFull(c, b[:]); err != nil {
		return err
	}
	err = h.decode(&b)
	switch {
	case h.kind != kindWelcome || h.id != helloWord:
		return protocolError("expected a welcome, got kind %d", h.kind)
	case err == errVersion || status(h.code) == statusVersion:
		return fmt.Errorf("%w: version %d there, %d here", errVersion, b[0], Version)
	case err != nil:
		return err
	}
	switch status(h.code) {
	case statusOK:
		return nil
	case statusStranger:
		return errors.New("the agent there serves another rank or another run")
	case statusClosed:
		return errGoodbye
	default:
		return errors.New("connection refused because the pair is connected already")
	}
}
