package bridge

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net"
	"time"
)

// Token is the secret that the members of one run share. Launchers bring it to each
// host through the remote shell, into a file ([WriteTokenFile]); it is in no
// environment, on no command line, and never sent over a connection in clear.
type Token [32]byte

// ErrToken says that the peer does not know the run's token.
var ErrToken = errors.New("the peer does not know the token of this run")

// ErrProtocol says that the peer does not speak the protocol of this version.
var ErrProtocol = errors.New("the peer does not speak the protocol of this ACP version")

// NewToken draws a token from the system's random source. It fails if the
// system has none.
func NewToken() (Token, error) {
	var t Token
	if _, err := rand.Read(t[:]); err != nil {
		return Token{}, fmt.Errorf("token: %w", err)
	}
	return t, nil
}

// ParseToken reads the 64 hexadecimal digits that [Token.String] writes. The
// error does not repeat the text, which may be a secret with a typing mistake.
func ParseToken(text string) (Token, error) {
	var t Token
	if len(text) != hex.EncodedLen(len(t)) {
		return Token{}, fmt.Errorf("token: expected %d hexadecimal digits, found %d characters",
			hex.EncodedLen(len(t)), len(text))
	}
	if _, err := hex.Decode(t[:], []byte(text)); err != nil {
		return Token{}, fmt.Errorf("token: expected %d hexadecimal digits, found another character",
			hex.EncodedLen(len(t)))
	}
	return t, nil
}

// String returns the token as 64 hexadecimal digits, for the token's file. Never put
// it into an environment, on a command line or into a message.
func (t Token) String() string { return hex.EncodeToString(t[:]) }

// GoString keeps the token out of messages made with %#v.
func (t Token) GoString() string { return "bridge.Token{…}" }

const (
	nonceSize = 32
	proofSize = sha256.Size

	// The role keeps a proof from being sent back to the side that made it.
	roleDialler  = 'd'
	roleAcceptor = 'a'

	proofAccepted = 1
	proofRefused  = 0
)

// greeting opens every authentication; its last byte is the version.
var greeting = [4]byte{'A', 'C', 'P', 1}

// Challenge authenticates the peer of a connection that this process accepted,
// and this process to the peer, which must call [Token.Answer]:
//
//	acceptor → dialler   greeting, nonce A
//	dialler → acceptor   nonce D, HMAC(token; 'd', A, D)
//	acceptor → dialler   accepted or refused, HMAC(token; 'a', A, D)
//
// It reads and writes exactly these bytes, so that the connection can be used
// for anything afterwards. Blocks until the peer has answered or ctx is done;
// give ctx a deadline, because an unknown peer may be silent. The caller closes
// the connection after an error. Errors: [ErrToken], ctx's, the network's.
// Safe for concurrent use on different connections.
func (t Token) Challenge(ctx context.Context, conn net.Conn) error {
	return guarded(ctx, conn, func() error {
		hello := make([]byte, len(greeting)+nonceSize)
		copy(hello, greeting[:])
		nonceA := hello[len(greeting):]
		if _, err := rand.Read(nonceA); err != nil {
			return err
		}
		if _, err := conn.Write(hello); err != nil {
			return err
		}
		var answer [nonceSize + proofSize]byte
		if _, err := io.ReadFull(conn, answer[:]); err != nil {
			return err
		}
		nonceD, proof := answer[:nonceSize], answer[nonceSize:]
		var verdict [1 + proofSize]byte
		if !hmac.Equal(proof, t.proof(roleDialler, nonceA, nonceD)) {
			verdict[0] = proofRefused
			// The peer may be gone; that it is refused is what counts.
			_, _ = conn.Write(verdict[:])
			return ErrToken
		}
		verdict[0] = proofAccepted
		copy(verdict[1:], t.proof(roleAcceptor, nonceA, nonceD))
		_, err := conn.Write(verdict[:])
		return err
	})
}

// Answer is the counterpart of [Token.Challenge] for the side that dialled.
// Blocks until the peer has proved itself or ctx is done. Errors: [ErrToken],
// [ErrProtocol], ctx's, the network's. Safe for concurrent use on different
// connections.
func (t Token) Answer(ctx context.Context, conn net.Conn) error {
	return guarded(ctx, conn, func() error {
		var hello [len(greeting) + nonceSize]byte
		if _, err := io.ReadFull(conn, hello[:]); err != nil {
			return err
		}
		if [4]byte(hello[:4]) != greeting {
			return ErrProtocol
		}
		nonceA := hello[len(greeting):]
		var answer [nonceSize + proofSize]byte
		nonceD := answer[:nonceSize]
		if _, err := rand.Read(nonceD); err != nil {
			return err
		}
		copy(answer[nonceSize:], t.proof(roleDialler, nonceA, nonceD))
		if _, err := conn.Write(answer[:]); err != nil {
			return err
		}
		var verdict [1 + proofSize]byte
		if _, err := io.ReadFull(conn, verdict[:]); err != nil {
			return err
		}
		if verdict[0] != proofAccepted || !hmac.Equal(verdict[1:], t.proof(roleAcceptor, nonceA, nonceD)) {
			return ErrToken
		}
		return nil
	})
}

func (t Token) proof(role byte, nonceA, nonceD []byte) []byte {
	mac := hmac.New(sha256.New, t[:])
	mac.Write([]byte{role})
	mac.Write(nonceA)
	mac.Write(nonceD)
	return mac.Sum(nil)
}

// guarded runs talk, which reads and writes conn, and ends it when ctx is done:
// then conn is of no further use and the error is ctx's.
func guarded(ctx context.Context, conn net.Conn, talk func() error) error {
	past := time.Unix(1, 0)
	stop := context.AfterFunc(ctx, func() { _ = conn.SetDeadline(past) })
	err := talk()
	if !stop() {
		return ctx.Err()
	}
	return err
}
