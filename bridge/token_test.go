package bridge

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"testing"
)

func TestTokenText(t *testing.T) {
	a, err := NewToken()
	if err != nil {
		t.Fatal(err)
	}
	b, err := NewToken()
	if err != nil {
		t.Fatal(err)
	}
	if a == b || a == (Token{}) {
		t.Error("tokens are not random")
	}
	if got, err := ParseToken(a.String()); err != nil || got != a {
		t.Errorf("parsed %v: %v", got == a, err)
	}
	for _, text := range []string{"", "12", a.String() + "0", "x" + a.String()[1:]} {
		_, err := ParseToken(text)
		if err == nil {
			t.Errorf("%q: no error", text)
		} else if len(text) > 4 && strings.Contains(err.Error(), text[1:5]) {
			t.Errorf("the error repeats the secret: %v", err)
		}
	}
	if strings.Contains(fmt.Sprintf("%#v", a), a.String()[:8]) {
		t.Error("the Go syntax form shows the token")
	}
}

// authenticate lets both sides talk over a pipe, through a filter that may
// change what the dialler sends.
func authenticate(acceptor, dialler Token, spoil func(net.Conn) net.Conn) (accepted, answered error) {
	a, d := net.Pipe()
	defer a.Close()
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	done := make(chan error)
	go func() {
		err := acceptor.Challenge(ctx, a)
		if err != nil {
			a.Close()
		}
		done <- err
	}()
	answered = dialler.Answer(ctx, spoil(d))
	if answered != nil {
		d.Close()
	}
	accepted = <-done
	d.Close()
	return accepted, answered
}

func honest(c net.Conn) net.Conn { return c }

func TestAuthentication(t *testing.T) {
	right, _ := NewToken()
	wrong := right
	wrong[0] ^= 0x80
	if a, d := authenticate(right, right, honest); a != nil || d != nil {
		t.Errorf("equal tokens: %v, %v", a, d)
	}
	if a, d := authenticate(right, wrong, honest); !errors.Is(a, ErrToken) || !errors.Is(d, ErrToken) {
		t.Errorf("different tokens: %v, %v", a, d)
	}
	for _, at := range []int{0, nonceSize, nonceSize + proofSize - 1} {
		a, d := authenticate(right, right, func(c net.Conn) net.Conn { return &flipper{Conn: c, at: at} })
		if !errors.Is(a, ErrToken) || !errors.Is(d, ErrToken) {
			t.Errorf("byte %d of the answer changed: %v, %v", at, a, d)
		}
	}
}

// flipper changes one bit of what is written.
type flipper struct {
	net.Conn
	at int
}

func (f *flipper) Write(b []byte) (int, error) {
	b = bytes.Clone(b)
	b[f.at] ^= 1
	return f.Conn.Write(b)
}

// A peer without the token must not pass by giving back what it was told.
func TestAuthenticationIsNotReflected(t *testing.T) {
	token, _ := NewToken()
	nonce := make([]byte, nonceSize)
	if bytes.Equal(token.proof(roleDialler, nonce, nonce), token.proof(roleAcceptor, nonce, nonce)) {
		t.Error("both roles make the same proof")
	}
}
