package tcp

import (
	"context"
	"errors"
	"io"
	"net"
	"time"

	"github.com/goacp/goacp/internal/ground/debuglog"
	"github.com/goacp/goacp/internal/ground/endpoint"
	"github.com/goacp/goacp/internal/ground/liveness"
)

const (
	// handshakeTime is how long a caller may take to authenticate and introduce
	// itself. A member that was stopped meanwhile connects again.
	handshakeTime = 10 * time.Second

	// acceptPause is the pause before the next accept when the process is short of
	// descriptors.
	acceptPause = 20 * time.Millisecond
)

// acceptAll accepts connections at one socket until the transport closes.
func (t *Transport) acceptAll(socket *endpoint.Socket) {
	defer t.workers.Done()
	for {
		c, err := socket.Accept()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil {
			t.limiter.Evict()
			select {
			case <-time.After(acceptPause):
			case <-t.accepting.Done():
			}
			continue
		}
		leave := t.limiter.Enter(c)
		t.workers.Add(1)
		go func() {
			defer t.workers.Done()
			t.admit(c, leave)
		}()
	}
}

// admit serves one caller. If c becomes the socket of the link, admit serves it until the link is dead. It
// calls leave when the caller has introduced itself or failed to.
func (t *Transport) admit(c *net.TCPConn, leave func(proved bool)) {
	ctx, cancel := context.WithTimeout(t.accepting, handshakeTime)
	defer cancel()
	w := newWire(c)
	peer, verdict, err := t.identify(ctx, w)
	leave(err == nil)
	if err != nil {
		debuglog.TCP.Printf("caller %v is not served: %v", c.RemoteAddr(), err)
		c.Close()
		return
	}
	var l *link
	if verdict == statusOK {
		l, verdict = t.arbitrate(peer)
	}
	if err := t.welcome(w, verdict); err != nil {
		c.Close()
		if verdict == statusOK {
			l.die(t.peerError(peer, err), true)
		}
		return
	}
	if verdict != statusOK {
		debuglog.TCP.Printf("caller %v, rank %d, is not served: %s", c.RemoteAddr(), peer, verdict.refusal())
		liveness.HangUp(c) // another version may have sent more
		return
	}
	l.run(w)
}

// refusal returns the reason why a caller is not served, for the log.
func (s status) refusal() string {
	switch s {
	case statusVersion:
		return "it has another version of the protocol"
	case statusStranger:
		return "it looks for another rank or another run"
	case statusClosed:
		return "this rank finalizes"
	}
	return "the pair is connected already, or this rank connects itself"
}

// identify authenticates the caller and reads which member it is. If it returns an error, the
// caller gets no answer.
func (t *Transport) identify(ctx context.Context, w *wire) (peer int, verdict status, err error) {
	stop := interruptible(ctx, w)
	defer func() {
		if e := stop(); err == nil {
			err = e
		}
	}()
	if err := liveness.Tune(w.TCPConn, t.cfg.Limits); err != nil {
		return 0, 0, err
	}
	if err := w.SetNoDelay(true); err != nil {
		return 0, 0, err
	}
	c, proved, err := t.cfg.Auth.Challenge(ctx, w)
	if err != nil {
		return 0, 0, err
	}
	w.secure(c)
	var b [headerSize]byte
	if _, err := io.ReadFull(w.peer, b[:]); err != nil {
		return 0, 0, err
	}
	var h header
	err = h.decode(&b)
	switch {
	case h.kind != kindHello || h.id != helloWord:
		return 0, 0, protocolError("expected a hello, got kind %d", h.kind)
	case err == errVersion:
		return 0, statusVersion, nil
	case err != nil:
		return 0, 0, err
	case proved >= 0 && uint32(proved) != h.member || h.size != uint64(t.cfg.Size) || h.pos != uint64(t.cfg.Self) ||
		h.member >= uint32(t.cfg.Size) || h.member == uint32(t.cfg.Self):
		return 0, statusStranger, nil
	}
	// A member that has just come may connect before the launcher has announced it here.
	if t.cfg.Await != nil {
		if err := t.cfg.Await(ctx, int(h.member)); err != nil {
			return 0, 0, err
		}
	}
	return int(h.member), statusOK, nil
}

// arbitrate decides whether a connection dialled by peer becomes the socket of the link. If this process is
// dialling too, the connection dialled by the member with the lower number remains; the other connection
// stands by until the dialling has succeeded.
func (t *Transport) arbitrate(peer int) (*link, status) {
	l, claimed, err := t.linkOfCaller(peer)
	switch {
	case err != nil:
		return nil, statusClosed
	case claimed:
		return l, statusOK
	case t.cfg.Self > peer && l.claim():
		l.hangUp()
		return l, statusOK
	case t.cfg.Self < peer && l.standBy(t.accepting):
		return l, statusOK
	}
	return nil, statusBusy
}

// standBy waits for the outcome of this process's own dialling. If the dialling fails before it can have
// reached the peer, standBy claims the link and returns true.
func (l *link) standBy(ctx context.Context) bool {
	l.mu.Lock()
	if l.state != stateDialing || l.standby != nil {
		l.mu.Unlock()
		return false
	}
	turn := make(chan bool, 1)
	l.standby = turn
	l.mu.Unlock()
	select {
	case mine := <-turn:
		return mine
	case <-ctx.Done():
	}
	l.mu.Lock()
	if l.standby == turn {
		l.standby = nil
		l.mu.Unlock()
		return false
	}
	l.mu.Unlock()
	return <-turn
}

// welcome answers a hello. Few bytes have been written to w before, so this cannot block.
func (t *Transport) welcome(w *wire, verdict status) error {
	h := header{kind: kindWelcome, code: uint8(verdict), member: uint32(t.cfg.Self), id: helloWord}
	var b [headerSize]byte
	h.encode(&b)
	_, err := w.peer.Write(b[:])
	return err
}

// interruptible makes reads and writes of c fail when ctx ends, until stop is
// called, which leaves c without a deadline.
func interruptible(ctx context.Context, c net.Conn) (stop func() error) {
	done := make(chan struct{})
	cancel := context.AfterFunc(ctx, func() {
		_ = c.SetDeadline(time.Unix(1, 0)) // fails only if c is closed
		close(done)
	})
	return func() error {
		if !cancel() {
			<-done
		}
		return c.SetDeadline(time.Time{})
	}
}
