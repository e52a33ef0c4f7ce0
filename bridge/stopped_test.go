package bridge

import (
	"context"
	"net"
	"testing"
	"time"
)

// deaf joins as a member that reads nothing after its welcome.
func (r *run) deaf(job, jobRank int) net.Conn {
	r.t.Helper()
	conn, err := prove(r.ctx(), r.server.Addrs()[0].String(), party{token: r.token}.credentials(r.t))
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() { conn.Close() })
	if _, err := introduce(r.ctx(), conn, r.env(job, jobRank), Identity{}); err != nil {
		r.t.Fatal(err)
	}
	return conn
}

// TestStoppedMember stops a member for longer than every limit, while more is sent to it than sockets hold.
// The stopped member neither delays the other members nor counts as dead, and receives everything after it
// continues.
func TestStoppedMember(t *testing.T) {
	r := newRun(t, 3)
	a, b := r.dial(0, 0), r.dial(0, 1)
	slow := r.deaf(0, 2)
	const rounds = 200 // times three blobs is more than sockets hold
	for i := range rounds {
		if _, err := slow.Write(exchangeFrame(uint32(i), make([]byte, MaxBlob))); err != nil {
			t.Fatal(err)
		}
		other := exchanging(r, a)
		if _, err := b.Exchange(r.ctx(), make([]byte, MaxBlob)); err != nil {
			t.Fatalf("round %d: %v", i, err)
		}
		if err := <-other; err != nil {
			t.Fatalf("round %d: %v", i, err)
		}
	}
	time.Sleep(20 * brief.Silence)
	if err := slow.SetDeadline(time.Now().Add(limit)); err != nil {
		t.Fatal(err)
	}
	for i := range rounds {
		kind, payload, err := readFrame(slow, maxFrame)
		if err != nil || kind != frameResult {
			t.Fatalf("round %d after the stop: frame %d, %v", i, kind, err)
		}
		if seq, _, err := decodeResult(payload, 3); err != nil || seq != uint32(i) {
			t.Fatalf("round %d after the stop: result %d, %v", i, seq, err)
		}
	}
	slow.Close()
	expectLost(t, a)
}

// TestStoppedLauncher joins while the launcher is stopped: the kernel has accepted the
// connection, and nothing else happens for a time that no limit outlasts.
func TestStoppedLauncher(t *testing.T) {
	if testing.Short() {
		t.Skip("takes several seconds")
	}
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	token, _ := NewToken()
	joined := make(chan error)
	go func() {
		b, err := Dial(context.Background(), Env{Rendezvous: []string{l.Addr().String()}, Token: token}, Identity{})
		if err == nil {
			_ = b.Close()
		}
		joined <- err
	}()
	select {
	case err := <-joined:
		t.Fatalf("has not waited: %v", err)
	case <-time.After(6 * time.Second):
	}
	// A second connection would mean that the first was given up.
	conn, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, _, err := (party{token: token}).credentials(t).challenge(context.Background(), conn, serviceRendezvous, noMember); err != nil {
		t.Fatal(err)
	}
	if _, _, err := readFrame(conn, maxHello); err != nil {
		t.Fatal(err)
	}
	for _, frame := range [][]byte{welcome{seats: 1, size: 1}.frame(), emptyFrame(frameBye)} {
		if _, err := conn.Write(frame); err != nil {
			t.Fatal(err)
		}
	}
	if err := <-joined; err != nil {
		t.Error(err)
	}
}
