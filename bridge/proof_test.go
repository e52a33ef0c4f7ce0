package bridge

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"testing"
	"time"
)

// party is one side of an authentication.
type party struct {
	token      Token
	secure     bool
	at         service
	self, peer uint32
}

func (p party) credentials(t *testing.T) *Credentials {
	t.Helper()
	c, err := NewCredentials(p.token, p.secure)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// authenticate runs both sides over TCP, through a filter that may change the dialler's bytes, and then
// exchanges a word over the resulting connections.
func authenticate(t *testing.T, acceptor, dialler party, spoil func(net.Conn) net.Conn) (accepted, answered error) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return authenticateAt(t, l, l.Addr().String(), acceptor, dialler, spoil)
}

// authenticateAt is authenticate with the address that the dialler uses.
func authenticateAt(t *testing.T, l net.Listener, addr string, acceptor, dialler party, spoil func(net.Conn) net.Conn) (accepted, answered error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	ca, cd := acceptor.credentials(t), dialler.credentials(t)
	done := make(chan error, 1)
	go func() {
		conn, err := l.Accept()
		if err != nil {
			done <- err
			return
		}
		defer conn.Close()
		secured, member, err := ca.challenge(ctx, conn, acceptor.at, acceptor.self)
		if err == nil && member != dialler.self {
			err = errors.New("the dialler is another member")
		}
		if err == nil {
			_, err = io.WriteString(secured, "word")
		}
		done <- err
	}()
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	secured, answered := cd.answer(ctx, spoil(conn), dialler.at, dialler.self, dialler.peer)
	if answered == nil {
		var word [4]byte
		if _, err := io.ReadFull(secured, word[:]); err != nil || string(word[:]) != "word" {
			answered = err
		}
	}
	conn.Close()
	return <-done, answered
}

func honest(c net.Conn) net.Conn { return c }

// TestAuthentication changes, on one side, each input of the proof.
func TestAuthentication(t *testing.T) {
	right, _ := NewToken()
	wrong := right
	wrong[0] ^= 0x80
	acceptor := party{right, false, serviceAgent, 3, 0}
	dialler := party{right, false, serviceAgent, 5, 3}
	for _, secure := range []bool{false, true} {
		for name, c := range map[string]struct {
			change func(p *party)
			want   error
		}{
			"nothing":         {func(*party) {}, nil},
			"token":           {func(p *party) { p.token = wrong }, ErrToken},
			"service":         {func(p *party) { p.at = serviceRendezvous }, ErrToken},
			"another member":  {func(p *party) { p.peer = 4 }, ErrToken},
			"no member":       {func(p *party) { p.peer = noMember }, ErrToken},
			"only one secure": {func(p *party) { p.secure = !p.secure }, ErrSecure},
		} {
			a, d := acceptor, dialler
			a.secure, d.secure = secure, secure
			c.change(&d)
			accepted, answered := authenticate(t, a, d, honest)
			if !errors.Is(answered, c.want) || (accepted == nil) != (c.want == nil) {
				t.Errorf("secure %v, %s differs: %v, %v; expected %v", secure, name, accepted, answered, c.want)
			}
		}
	}
	for _, at := range []int{0, endsSize, endsSize + nonceSize, endsSize + nonceSize + proofSize - 1} {
		a, d := authenticate(t, acceptor, dialler, func(c net.Conn) net.Conn { return &flipper{Conn: c, at: at} })
		if !errors.Is(a, ErrToken) || !errors.Is(d, ErrToken) {
			t.Errorf("byte %d of the answer changed: %v, %v", at, a, d)
		}
	}
}

// flipper changes one bit of the bytes written.
type flipper struct {
	net.Conn
	at int
}

func (f *flipper) Write(b []byte) (int, error) {
	b = bytes.Clone(b)
	b[f.at] ^= 1
	return f.Conn.Write(b)
}

// A peer without the token must not pass by sending back the bytes that it has received.
func TestAuthenticationIsNotReflected(t *testing.T) {
	token, _ := NewToken()
	nonce := make([]byte, nonceSize)
	e := &ends{service: serviceAgent, dialler: 1, acceptor: 1}
	if bytes.Equal(token.proof(roleDialler, e, nonce, nonce), token.proof(roleAcceptor, e, nonce, nonce)) {
		t.Error("both roles make the same proof")
	}
}

// TestRelay puts a relay between the two ends, which passes their bytes on. At another address it cannot pass
// on the proofs. On an encrypted channel it cannot if it has made separate channels with both ends.
func TestRelay(t *testing.T) {
	token, _ := NewToken()
	acceptor, dialler := party{token, false, serviceAgent, 3, 0}, party{token, false, serviceAgent, 5, 3}
	t.Run("at another address", func(t *testing.T) {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		addr := stranger(t, func(c net.Conn) {
			d, err := net.Dial("tcp", l.Addr().String())
			if err != nil {
				return
			}
			go io.Copy(d, c)
			_, _ = io.Copy(c, d)
			d.Close()
			c.Close()
		})
		a, d := authenticateAt(t, l, addr, acceptor, dialler, honest)
		if !errors.Is(a, ErrToken) || !errors.Is(d, ErrToken) {
			t.Errorf("proofs were passed on: %v, %v", a, d)
		}
	})
	t.Run("with two channels", func(t *testing.T) {
		acceptor.secure, dialler.secure = true, true
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		own, err := newChannel()
		if err != nil {
			t.Fatal(err)
		}
		addr := stranger(t, func(c net.Conn) {
			ctx, cancel := context.WithTimeout(context.Background(), limit)
			defer cancel()
			d, err := net.Dial("tcp", l.Addr().String())
			if err != nil {
				return
			}
			defer d.Close()
			var g [len(greeting)]byte
			if _, err := io.ReadFull(d, g[:]); err != nil {
				return
			}
			_, _ = c.Write(g[:])
			var e ends
			out, err := own.dial(ctx, d, &e)
			if err != nil {
				return
			}
			in, err := own.accept(ctx, c, &e)
			if err != nil {
				return
			}
			go io.Copy(out, in)
			_, _ = io.Copy(in, out)
		})
		a, d := authenticateAt(t, l, addr, acceptor, dialler, honest)
		if !errors.Is(a, ErrToken) || d == nil {
			t.Errorf("proofs were passed on: %v, %v", a, d)
		}
	})
}

// TestSecureRun joins and exchanges over encrypted connections, and refuses a member that
// does not encrypt.
func TestSecureRun(t *testing.T) {
	r := newSecureRun(t, true, 2)
	a, b := r.dial(0, 0), r.dial(0, 1)
	other := exchanging(r, a)
	if blobs, err := b.Exchange(r.ctx(), bytes.Repeat([]byte("y"), MaxBlob)); err != nil || string(blobs[0]) != "x" {
		t.Errorf("%v", err)
	}
	if err := <-other; err != nil {
		t.Error(err)
	}
	e := r.env(0, 0)
	e.Secure = false
	if _, err := Dial(r.ctx(), e, Identity{}); !errors.Is(err, ErrSecure) || !strings.Contains(err.Error(), "-secure") {
		t.Errorf("in clear: %v", err)
	}
}

func TestParseSecure(t *testing.T) {
	for text, want := range map[string]bool{"": false, "no": false, "0": false, "false": false, "yes": true, "1": true, "true": true} {
		if got, err := ParseSecure(text); err != nil || got != want {
			t.Errorf("%q: %v, %v", text, got, err)
		}
	}
	if _, err := SecureFromEnv(func(string) string { return "perhaps" }); err == nil || !strings.Contains(err.Error(), EnvSecure) {
		t.Errorf("%v, expected an error that names %s", err, EnvSecure)
	}
}

func TestChallengeObeysContext(t *testing.T) {
	a, b := net.Pipe()
	defer a.Close()
	defer b.Close()
	credentials := party{}.credentials(t)
	ctx, cancel := context.WithCancel(context.Background())
	time.AfterFunc(10*time.Millisecond, cancel)
	if _, err := credentials.answer(ctx, a, serviceAgent, 0, 1); !errors.Is(err, context.Canceled) {
		t.Errorf("answer: %v", err)
	}
	ctx, cancel = context.WithTimeout(context.Background(), 10*time.Millisecond)
	defer cancel()
	if _, _, err := credentials.challenge(ctx, b, serviceAgent, 1); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("challenge: %v", err)
	}
}

// script is a connection whose other end sends the bytes of a fuzzer.
type script struct {
	net.Conn // nil: no other method is called
	in       *bytes.Reader
	out      int // bytes written
}

func (s *script) Read(b []byte) (int, error)  { return s.in.Read(b) }
func (s *script) Write(b []byte) (int, error) { s.out += len(b); return len(b), nil }
func (s *script) SetDeadline(time.Time) error { return nil }
func (s *script) LocalAddr() net.Addr         { return &net.TCPAddr{} }
func (s *script) RemoteAddr() net.Addr        { return &net.TCPAddr{} }

// mostBytes bounds the bytes that a process sends to a peer that has not proved itself.
const mostBytes = 128

// FuzzChallenge plays the dialler to an acceptor. Without the token no dialler passes.
func FuzzChallenge(f *testing.F) {
	f.Add([]byte{})
	f.Add(make([]byte, endsSize+nonceSize+proofSize))
	f.Add(bytes.Repeat([]byte{0xff}, 1000))
	token, _ := NewToken()
	f.Fuzz(func(t *testing.T, b []byte) {
		c := party{token: token}.credentials(t)
		s := &script{in: bytes.NewReader(b)}
		if _, _, err := c.challenge(context.Background(), s, serviceAgent, 1); err == nil || s.out > mostBytes {
			t.Errorf("error %v after %d bytes were sent", err, s.out)
		}
	})
}

// FuzzAnswer plays the acceptor to a dialler.
func FuzzAnswer(f *testing.F) {
	f.Add([]byte{})
	f.Add([]byte("220 mail.example.org ready\r\n"))
	f.Add(append(greeting[:], make([]byte, nonceSize+1+proofSize)...))
	f.Add(append(greeting[:], append(make([]byte, nonceSize), bytes.Repeat([]byte{proofAccepted}, 1+proofSize)...)...))
	token, _ := NewToken()
	f.Fuzz(func(t *testing.T, b []byte) {
		c := party{token: token}.credentials(t)
		s := &script{in: bytes.NewReader(b)}
		if _, err := c.answer(context.Background(), s, serviceAgent, 1, 2); err == nil || s.out > mostBytes {
			t.Errorf("error %v after %d bytes were sent", err, s.out)
		}
	})
}
