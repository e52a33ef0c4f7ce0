package bridge

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"time"
)

// Credentials are what a process needs to prove that it belongs to a run, and to check such
// proofs of others. They are safe for concurrent use.
type Credentials struct {
	token  Token
	secure *channel // makes encrypted channels; nil if connections are in clear
}

// NewCredentials returns the credentials of a member of the run with a token. secure: all connections are
// encrypted (-secure). It must be the same for all members.
func NewCredentials(t Token, secure bool) (*Credentials, error) {
	c := &Credentials{token: t}
	if !secure {
		return c, nil
	}
	var err error
	c.secure, err = newChannel()
	return c, err
}

// ErrSecure: only one end of a connection encrypts.
var ErrSecure = errors.New("one end of the connection encrypts (-secure), the other one does not: " + EnvSecure + " must be the same for all processes of a run")

// service is the purpose of a connection. A proof for one service is invalid for another.
type service string

const (
	serviceRendezvous service = "rendezvous"
	serviceAgent      service = "agent"
)

// noMember is the number of an end of a connection that is no member: the rendezvous, or a
// process that joins there.
const noMember = 1<<32 - 1

// ends names the two ends of a connection. All of it is part of the proofs, so that a proof
// cannot be passed on to another process or service.
type ends struct {
	service  service
	dialler  uint32 // members
	acceptor uint32
	// address is the address that the dialler has dialled, and at which the acceptor has
	// accepted. A relay on another host cannot make the two equal. The address of the dialler
	// is left out, because address translation (NAT) may change it. Zero on an encrypted
	// channel.
	address netip.AddrPort
	// channel is keying material that only the two ends of an encrypted channel have.
	channel []byte
}

const (
	nonceSize = 32
	proofSize = sha256.Size
	endsSize  = 8 // two members

	// The role prevents that a proof is sent back to the side that has made it.
	roleDialler  = 'd'
	roleAcceptor = 'a'

	proofAccepted = 1
	proofRefused  = 0
)

// greeting begins every authentication. Its fourth byte is the version. Its fifth byte is not 0 if an
// encrypted channel follows.
var greeting = [5]byte{'A', 'C', 'P', 2, 0}

func (c *Credentials) greeting() (g [5]byte) {
	g = greeting
	if c.secure != nil {
		g[4] = 1
	}
	return g
}

// challenge authenticates the peer of a connection that this process has accepted, and this
// process to the peer, which must call answer:
//
//	acceptor → dialler   greeting; if it announces TLS, TLS follows and carries the rest
//	acceptor → dialler   nonce A
//	dialler → acceptor   member of the dialler, member it expects here, nonce D,
//	                     HMAC(token; 'd', ends, A, D)
//	acceptor → dialler   accepted or refused, HMAC(token; 'a', ends, A, D)
//
// It reads and writes exactly these bytes. It returns the connection to use from then on:
// conn, or an encrypted one on top of it. Blocks until the peer has answered or ctx is done.
// Give ctx a deadline, because an unknown peer may be silent. The caller closes conn after an
// error. Errors: [ErrToken], ctx's, the network's.
func (c *Credentials) challenge(ctx context.Context, conn net.Conn, at service, self uint32) (secured net.Conn, dialler uint32, err error) {
	err = guarded(ctx, conn, func() error {
		hello := c.greeting()
		if _, err := conn.Write(hello[:]); err != nil {
			return err
		}
		e := ends{service: at, acceptor: self, address: tcpAddr(conn.LocalAddr())}
		if secured, err = c.secure.accept(ctx, conn, &e); err != nil {
			return err
		}
		var nonceA [nonceSize]byte
		if _, err := rand.Read(nonceA[:]); err != nil {
			return err
		}
		if _, err := secured.Write(nonceA[:]); err != nil {
			return err
		}
		var answer [endsSize + nonceSize + proofSize]byte
		if _, err := io.ReadFull(secured, answer[:]); err != nil {
			return err
		}
		e.dialler = binary.LittleEndian.Uint32(answer[:])
		nonceD, proof := answer[endsSize:endsSize+nonceSize], answer[endsSize+nonceSize:]
		var verdict [1 + proofSize]byte
		if binary.LittleEndian.Uint32(answer[4:]) != self || !hmac.Equal(proof, c.token.proof(roleDialler, &e, nonceA[:], nonceD)) {
			verdict[0] = proofRefused
			// If the peer has closed the connection, it is refused as well.
			_, _ = secured.Write(verdict[:])
			return ErrToken
		}
		dialler = e.dialler
		verdict[0] = proofAccepted
		copy(verdict[1:], c.token.proof(roleAcceptor, &e, nonceA[:], nonceD))
		_, err := secured.Write(verdict[:])
		return err
	})
	return secured, dialler, err
}

// answer is the counterpart of challenge, for the side that has dialled. It authenticates this
// process as member self and expects member peer. Blocks until the peer has proved itself or
// ctx is done. Errors: [ErrToken], [ErrProtocol], [ErrSecure], ctx's, the network's.
func (c *Credentials) answer(ctx context.Context, conn net.Conn, at service, self, peer uint32) (secured net.Conn, err error) {
	err = guarded(ctx, conn, func() error {
		var hello [len(greeting)]byte
		if _, err := io.ReadFull(conn, hello[:]); err != nil {
			return err
		}
		switch own := c.greeting(); {
		case [4]byte(hello[:4]) != [4]byte(own[:4]) || hello[4] > 1:
			return ErrProtocol
		case hello != own:
			return ErrSecure
		}
		e := ends{service: at, dialler: self, acceptor: peer, address: tcpAddr(conn.RemoteAddr())}
		if secured, err = c.secure.dial(ctx, conn, &e); err != nil {
			return err
		}
		var nonceA [nonceSize]byte
		if _, err := io.ReadFull(secured, nonceA[:]); err != nil {
			return err
		}
		var answer [endsSize + nonceSize + proofSize]byte
		binary.LittleEndian.PutUint32(answer[:], self)
		binary.LittleEndian.PutUint32(answer[4:], peer)
		nonceD := answer[endsSize : endsSize+nonceSize]
		if _, err := rand.Read(nonceD); err != nil {
			return err
		}
		copy(answer[endsSize+nonceSize:], c.token.proof(roleDialler, &e, nonceA[:], nonceD))
		if _, err := secured.Write(answer[:]); err != nil {
			return err
		}
		var verdict [1 + proofSize]byte
		if _, err := io.ReadFull(secured, verdict[:]); err != nil {
			return err
		}
		if verdict[0] != proofAccepted || !hmac.Equal(verdict[1:], c.token.proof(roleAcceptor, &e, nonceA[:], nonceD)) {
			return ErrToken
		}
		return nil
	})
	return secured, err
}

func (t Token) proof(role byte, e *ends, nonceA, nonceD []byte) []byte {
	mac := hmac.New(sha256.New, t[:])
	mac.Write([]byte{role})
	var members [endsSize]byte
	binary.LittleEndian.PutUint32(members[:], e.dialler)
	binary.LittleEndian.PutUint32(members[4:], e.acceptor)
	// Each part follows its length, so that no two lists of parts give the same bytes.
	for _, part := range [][]byte{[]byte(e.service), members[:], []byte(e.address.String()), e.channel, nonceA, nonceD} {
		mac.Write(binary.LittleEndian.AppendUint32(nil, uint32(len(part))))
		mac.Write(part)
	}
	return mac.Sum(nil)
}

// tcpAddr returns an address in its one normal form. It returns the zero value if the address
// is not of TCP.
func tcpAddr(a net.Addr) netip.AddrPort {
	t, ok := a.(*net.TCPAddr)
	if !ok {
		return netip.AddrPort{}
	}
	ap := t.AddrPort()
	return netip.AddrPortFrom(ap.Addr().Unmap().WithZone(""), ap.Port())
}

// AgentAuth is the credentials of one member for connections between agents. It implements the
// Authenticator of package driver.
type AgentAuth struct {
	credentials *Credentials
	self        uint32
}

// Agent returns the credentials of a member for connections between agents.
func (c *Credentials) Agent(self int) *AgentAuth { return &AgentAuth{c, uint32(self)} }

// Challenge authenticates the peer of a connection that this process has accepted, and this
// process to the peer. It returns the connection to use and the member that has dialled.
// Blocks until the peer has answered or ctx is done. Safe for concurrent use.
func (a *AgentAuth) Challenge(ctx context.Context, conn net.Conn) (secured net.Conn, member int, err error) {
	secured, dialler, err := a.credentials.challenge(ctx, conn, serviceAgent, a.self)
	return secured, int(dialler), err
}

// Answer is the counterpart of Challenge, for the side that has dialled member. Blocks until
// the peer has proved itself or ctx is done. Safe for concurrent use.
func (a *AgentAuth) Answer(ctx context.Context, conn net.Conn, member int) (secured net.Conn, err error) {
	secured, err = a.credentials.answer(ctx, conn, serviceAgent, a.self, uint32(member))
	if err != nil {
		return nil, fmt.Errorf("the peer does not prove itself: %w", err)
	}
	return secured, nil
}

// guarded calls talk, which reads and writes conn. When ctx is done, guarded ends talk. Then
// conn cannot be used any more, and the error is ctx's.
func guarded(ctx context.Context, conn net.Conn, talk func() error) error {
	past := time.Unix(1, 0)
	stop := context.AfterFunc(ctx, func() { _ = conn.SetDeadline(past) })
	err := talk()
	if !stop() {
		return ctx.Err()
	}
	return err
}
