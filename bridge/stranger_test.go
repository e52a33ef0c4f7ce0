package bridge

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/goacp/goacp/internal/ground/acceptlimit"
)

func TestStrangers(t *testing.T) {
	r := newRun(t, 2)
	a := r.dial(0, 0)
	addr := r.server.Addrs()[0].String()

	t.Run("wrong token", func(t *testing.T) {
		e := r.env(0, 1)
		e.Token[31] ^= 1
		if _, err := Dial(r.ctx(), e, Identity{}); !errors.Is(err, ErrToken) {
			t.Errorf("%v", err)
		}
		if e := r.expect(Rejected); !strings.Contains(e.Text, ErrToken.Error()) {
			t.Errorf("reported %+v", e)
		}
	})
	t.Run("garbage", func(t *testing.T) {
		conn, err := net.Dial("tcp", addr)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		if _, err := conn.Write([]byte("GET / HTTP/1.1\r\n" + strings.Repeat("x", endsSize+nonceSize+proofSize))); err != nil {
			t.Fatal(err)
		}
		// The server may reset the connection; any answer must be a refusal.
		answer, _ := io.ReadAll(conn)
		if n := len(greeting) + nonceSize; len(answer) > n && answer[n] != proofRefused {
			t.Errorf("garbage was accepted: %x", answer)
		}
		r.expect(Rejected)
	})
	t.Run("garbage after the token", func(t *testing.T) {
		const version = string(rune(wireVersion))
		for _, text := range []string{"01234" + version + "89abcdef", "\xff\xff\xff\xff\x01" + version + "\x00\x00", string(emptyFrame(frameLeave)), string(emptyFrame(frameHello))} {
			conn, err := net.Dial("tcp", addr)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := (party{token: r.token}).credentials(t).answer(r.ctx(), conn, serviceRendezvous, noMember, noMember); err != nil {
				t.Fatal(err)
			}
			if _, err := conn.Write([]byte(text)); err != nil {
				t.Fatal(err)
			}
			if answer, _ := io.ReadAll(conn); len(answer) != 0 {
				t.Errorf("answered with %x", answer)
			}
			conn.Close()
			r.expect(Rejected)
		}
	})

	if a.Err() != nil {
		t.Fatalf("a stranger has ended the run: %v", a.Err())
	}
	b := r.dial(0, 1)
	other := exchanging(r, a)
	if _, err := b.Exchange(r.ctx(), nil); err != nil {
		t.Error(err)
	}
	if err := <-other; err != nil {
		t.Error(err)
	}
}

// Silent strangers that hold all places must not keep a member out, nor take more places than there are.
func TestSilentStrangers(t *testing.T) {
	r := newRun(t, 1)
	addr := r.server.Addrs()[0].String()
	var strangers []net.Conn
	for range 4 * acceptlimit.Places {
		conn, err := net.Dial("tcp", addr)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		strangers = append(strangers, conn)
	}
	r.dial(0, 0)
	// The server turns a stranger away when the next one comes; the last of them it may
	// not have come to yet.
	for deadline := time.Now().Add(limit); len(strangers) > acceptlimit.Places && time.Now().Before(deadline); {
		strangers = slices.DeleteFunc(strangers, func(c net.Conn) bool {
			if err := c.SetReadDeadline(time.Now().Add(time.Millisecond)); err != nil {
				t.Fatal(err)
			}
			_, err := io.Copy(io.Discard, c)
			return !errors.Is(err, os.ErrDeadlineExceeded)
		})
	}
	if len(strangers) > acceptlimit.Places {
		t.Errorf("%d strangers hold places, expected %d at most", len(strangers), acceptlimit.Places)
	}
}

// A server that is not one of ours must not hold or confuse a member.
func TestStrangeServer(t *testing.T) {
	for name, test := range map[string]struct {
		talk func(net.Conn, Token)
		want error
	}{
		"other protocol": {func(c net.Conn, _ Token) {
			c.Write([]byte("220 mail.example.org ready, how can I help you today?\r\n"))
		}, ErrProtocol},
		"without the token": {func(c net.Conn, _ Token) {
			challengeAs(t, Token{}, c)
		}, ErrToken},
		"lies about the proof": {func(c net.Conn, _ Token) {
			c.Write(append(greeting[:], make([]byte, nonceSize)...))
			io.ReadFull(c, make([]byte, endsSize+nonceSize+proofSize))
			c.Write(append([]byte{proofAccepted}, make([]byte, proofSize)...))
		}, ErrToken},
		"garbage after the token": {func(c net.Conn, token Token) {
			challengeAs(t, token, c)
			c.Write([]byte("0123456789abcdef"))
		}, ErrProtocol},
	} {
		t.Run(name, func(t *testing.T) {
			token, _ := NewToken()
			addr := stranger(t, func(c net.Conn) { test.talk(c, token) })
			ctx, cancel := context.WithTimeout(context.Background(), limit)
			defer cancel()
			_, err := Dial(ctx, Env{Rendezvous: []string{addr}, Token: token}, Identity{})
			if !errors.Is(err, test.want) {
				t.Errorf("%v, expected %v", err, test.want)
			}
		})
	}
}

// TestDialAmongStrangers joins a run whose first address belongs to a stranger. Answers of strangers make no
// difference; only the proof of the token decides.
func TestDialAmongStrangers(t *testing.T) {
	for name, talk := range map[string]func(net.Conn){
		"banner": func(c net.Conn) {
			_, _ = io.WriteString(c, "220 mail.example.org ready, how can I help you today?\r\n")
		},
		"silence":     func(net.Conn) {},
		"hangs up":    func(c net.Conn) { c.Close() },
		"other token": func(c net.Conn) { challengeAs(t, Token{}, c) },
	} {
		t.Run(name, func(t *testing.T) {
			r := newRun(t, 1)
			e := r.env(0, 0)
			e.Rendezvous = append([]string{stranger(t, talk)}, e.Rendezvous...)
			b, err := Dial(r.ctx(), e, Identity{})
			if err != nil {
				t.Fatal(err)
			}
			if err := b.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

// challengeAs plays a rendezvous with a token.
func challengeAs(t *testing.T, token Token, c net.Conn) {
	_, _, _ = (party{token: token}).credentials(t).challenge(context.Background(), c, serviceRendezvous, noMember)
}

// stranger returns the address of a server that calls talk with every connection and then waits for the
// connection's end.
func stranger(t *testing.T, talk func(net.Conn)) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				talk(c)
				// Unread bytes would cause a reset that overtakes the answer.
				_, _ = io.Copy(io.Discard, c)
			}()
		}
	}()
	return l.Addr().String()
}
