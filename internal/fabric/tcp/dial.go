package tcp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"time"
)

// dial opens the link from this side and serves it, unless the peer's connection
// gets in first.
func (l *link) dial(ctx context.Context) {
	defer l.fab.workers.Done()
	defer l.hangUp()
	c, heard, err := l.reach(ctx)
	if err == nil {
		if !l.claim() {
			c.Close()
			return
		}
		l.dismiss(false)
		l.run(c)
		return
	}
	if !l.claim() {
		return
	}
	if !heard && l.dismiss(true) {
		return
	}
	l.die(&PeerError{Peer: l.peer, Err: err}, true)
}

// dismiss tells the accepted connection that stands by, if there is one, whether
// it becomes the socket of the link.
func (l *link) dismiss(seat bool) bool {
	l.mu.Lock()
	turn := l.standby
	l.standby = nil
	l.mu.Unlock()
	if turn == nil {
		return false
	}
	turn <- seat
	return true
}

// reach tries the addresses of the peer in turn, each with its share of the time
// that is left. heard says that the peer may have taken the connection although
// it failed; then no other may be used.
func (l *link) reach(ctx context.Context) (c *net.TCPConn, heard bool, err error) {
	addrs := l.fab.cfg.Addrs(l.peer)
	if len(addrs) == 0 {
		return nil, false, errors.New("cannot be reached: no address is known")
	}
	var failures []error
	for i, a := range addrs {
		share := ctx
		if end, ok := ctx.Deadline(); ok {
			var cancel context.CancelFunc
			share, cancel = context.WithTimeout(ctx, time.Until(end)/time.Duration(len(addrs)-i))
			defer cancel()
		}
		c, heard, err = l.call(share, a)
		if err == nil {
			return c, true, nil
		}
		failures = append(failures, fmt.Errorf("%v: %w", a, err))
		if heard || ctx.Err() != nil {
			break
		}
	}
	return nil, heard, fmt.Errorf("cannot be reached: %w", errors.Join(failures...))
}

// call dials one address, authenticates and introduces this member.
func (l *link) call(ctx context.Context, a netip.AddrPort) (c *net.TCPConn, heard bool, err error) {
	if l.fab.cfg.Local && !a.Addr().IsLoopback() {
		return nil, false, errors.New("not on this host, as all members of a local run are")
	}
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", a.String())
	if err != nil {
		return nil, false, err
	}
	c = conn.(*net.TCPConn)
	stop := interruptible(ctx, c)
	heard, err = l.introduce(ctx, c)
	if e := stop(); err == nil {
		err = e
	}
	if err != nil {
		c.Close()
		return nil, heard, err
	}
	return c, true, nil
}

// introduce does the dialler's part of the handshake on c.
func (l *link) introduce(ctx context.Context, c *net.TCPConn) (heard bool, err error) {
	if err := tune(c); err != nil {
		return false, err
	}
	if err := l.fab.cfg.Auth.Answer(ctx, c); err != nil {
		return false, err
	}
	h := header{
		kind: kindHello, member: uint32(l.fab.cfg.Self), id: helloWord,
		pos: uint64(l.peer), size: uint64(l.fab.cfg.Size),
	}
	var b [headerSize]byte
	h.encode(&b)
	if _, err := c.Write(b[:]); err != nil {
		return true, err
	}
	if _, err := io.ReadFull(c, b[:]); err != nil {
		return true, err
	}
	err = h.decode(&b)
	switch {
	case h.kind != kindWelcome || h.id != helloWord:
		return true, protocolError("expected a welcome, got kind %d", h.kind)
	case err == errVersion || status(h.code) == statusVersion:
		return false, fmt.Errorf("%w: version %d there, %d here", errVersion, b[0], Version)
	case err != nil:
		return true, err
	}
	switch status(h.code) {
	case statusOK:
		return true, nil
	case statusStranger:
		return false, errors.New("the agent there serves another member or another run")
	case statusClosed:
		return true, errGoodbye
	default:
		return true, errors.New("connection refused because the pair is connected already")
	}
}
