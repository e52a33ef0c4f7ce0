package bridge

import (
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"testing"
	"time"
)

// vanish ends the connection of a member as the death of its process would.
func vanish(b Bootstrap) { b.(*client).conn.Close() }

// exchanging starts an exchange of a member that is to fail.
func exchanging(r *run, b Bootstrap) <-chan error {
	failed := make(chan error, 1)
	go func() {
		_, err := b.Exchange(r.ctx(), []byte("x"))
		failed <- err
	}()
	return failed
}

func TestDeathDuringExchange(t *testing.T) {
	r := newRun(t, 2, 2)
	a, b := r.dial(0, 0), r.dial(0, 1)
	c, d := r.dial(1, 0), r.dial(1, 1)
	waiting := []<-chan error{exchanging(r, a), exchanging(r, b), exchanging(r, d)}
	vanish(c)
	for _, failed := range waiting {
		err := <-failed
		var abort *AbortError
		if !errors.As(err, &abort) || !strings.Contains(err.Error(), "rank 2 (job 1, host host1, pid 1000) died") {
			t.Errorf("exchange ended with %v", err)
		}
	}
	for _, m := range []Bootstrap{a, b, d} {
		expectLost(t, m)
		if _, err := m.Exchange(r.ctx(), nil); err == nil {
			t.Error("an exchange after the death of a member succeeded")
		}
	}
	if e := r.expect(Died); e.Member != 2 || e.Job != 1 || e.JobRank != 0 || e.PID != 1000 || e.Host != "host1" {
		t.Errorf("reported %+v", e)
	}
	_, err := Dial(r.ctx(), r.env(0, 0), Identity{})
	var rejected *RejectedError
	if !errors.As(err, &rejected) || !strings.Contains(rejected.Reason, "died") {
		t.Errorf("joining a run that is over: %v", err)
	}
}

func TestDeathWhileOthersCompute(t *testing.T) {
	r := newRun(t, 3)
	a, b, c := r.dial(0, 0), r.dial(0, 1), r.dial(0, 2)
	vanish(b)
	expectLost(t, a)
	expectLost(t, c)
	if e := r.expect(Died); e.Member != 1 {
		t.Errorf("reported %+v", e)
	}
	if err := a.Close(); err != nil {
		t.Errorf("closing after the loss: %v", err)
	}
}

// TestLossIsReported has a member give up because it has lost another one. The one that
// was lost is named, in whichever order the connections of both are seen to end.
func TestLossIsReported(t *testing.T) {
	for name, end := range map[string]func(Bootstrap){"ends": vanish, "aborts": func(b Bootstrap) { b.Abort("cannot go on") }} {
		t.Run("then dead, "+name, func(t *testing.T) {
			r := newRun(t, 4)
			a, b, c, d := r.dial(0, 0), r.dial(0, 1), r.dial(0, 2), r.dial(0, 3)
			b.ReportLost(2, ConnectionBroken)
			c.ReportLost(3, ConnectionBroken)
			end(b)
			end(c)
			vanish(d)
			if err := expectLost(t, a); !strings.Contains(err.Error(), "rank 3 (job 0, host host0, pid 1003) died") {
				t.Errorf("lost by %v", err)
			}
			if e := r.expect(Died); e.Member != 3 {
				t.Errorf("reported %+v", e)
			}
		})
		t.Run("not dead, "+name, func(t *testing.T) {
			r := newRun(t, 4)
			a, b, c := r.dial(0, 0), r.dial(0, 1), r.dial(0, 2)
			r.dial(0, 3)
			b.ReportLost(2, ConnectionBroken)
			b.ReportLost(0, ConnectionBroken)
			c.ReportLost(3, ConnectionBroken)
			end(b)
			want := "rank 2 (job 0, host host0, pid 1002) lost its connection to rank 3 (job 0, host host0, pid 1003)"
			if err := expectLost(t, a); !strings.Contains(err.Error(), want) {
				t.Errorf("lost by %v", err)
			}
			if e := r.expect(Lost); e.Member != 2 || !strings.HasSuffix(want, e.Text) {
				t.Errorf("reported %+v", e)
			}
		})
	}
	t.Run("ended, with its connection still there", func(t *testing.T) {
		r := newRun(t, 3)
		a, b := r.dial(0, 0), r.dial(0, 1)
		r.dial(0, 2)
		b.ReportLost(2, ProcessEnded)
		if err := expectLost(t, a); !strings.Contains(err.Error(), "rank 2 (job 0, host host0, pid 1002) died") {
			t.Errorf("lost by %v", err)
		}
		if e := r.expect(Died); e.Member != 2 {
			t.Errorf("reported %+v", e)
		}
	})
	t.Run("ended, but it has aborted before", func(t *testing.T) {
		r := newRun(t, 3)
		a, b, c := r.dial(0, 0), r.dial(0, 1), r.dial(0, 2)
		b.ReportLost(2, ProcessEnded)
		c.Abort("for a reason")
		if err := expectLost(t, a); !strings.Contains(err.Error(), "pid 1002) aborted: for a reason") {
			t.Errorf("lost by %v", err)
		}
		if e := r.expect(Aborted); e.Member != 2 {
			t.Errorf("reported %+v", e)
		}
	})
	t.Run("ended, but it has left before", func(t *testing.T) {
		r := newRun(t, 2)
		a, b := r.dial(0, 0), r.dial(0, 1)
		if err := b.Close(); err != nil {
			t.Fatal(err)
		}
		r.expect(Left)
		a.ReportLost(1, ProcessEnded)
		time.Sleep(graceForLost + graceForLost/4) // the server has looked by then
		select {
		case <-a.Lost():
			t.Errorf("lost by %v", a.Err())
		default:
		}
		if err := a.Close(); err != nil {
			t.Errorf("leaving: %v", err)
		}
		r.expect(Left)
	})
	t.Run("each other", func(t *testing.T) {
		r := newRun(t, 3)
		a, b, c := r.dial(0, 0), r.dial(0, 1), r.dial(0, 2)
		b.ReportLost(2, ConnectionBroken)
		c.ReportLost(1, ConnectionBroken)
		vanish(b)
		if err := expectLost(t, a); !strings.Contains(err.Error(), "pid 1001) lost its connection to rank 2") {
			t.Errorf("lost by %v", err)
		}
	})
	t.Run("by a member that goes on", func(t *testing.T) {
		r := newRun(t, 3)
		a, b, c := r.dial(0, 0), r.dial(0, 1), r.dial(0, 2)
		b.ReportLost(2, ConnectionBroken)
		waiting := []<-chan error{exchanging(r, a), exchanging(r, b), exchanging(r, c)}
		for _, failed := range waiting {
			if err := <-failed; err != nil {
				t.Errorf("exchange: %v", err)
			}
		}
		for _, m := range []Bootstrap{a, b, c} {
			if err := m.Close(); err != nil {
				t.Errorf("leaving: %v", err)
			}
			r.expect(Left)
		}
	})
	t.Run("by a stranger to the protocol", func(t *testing.T) {
		r := newRun(t, 2)
		a, b := r.dial(0, 0), r.dial(0, 1)
		b.ReportLost(2, ConnectionBroken)
		if e := r.expect(Died); e.Member != 1 || !strings.Contains(e.Text, "rank 2 of 2 was reported as lost") {
			t.Errorf("reported %+v", e)
		}
		expectLost(t, a)
	})
}

// TestMemberAbortsBehindDeath: of a member that was not told of a death its abort is reported,
// which may be what caused the death.
func TestMemberAbortsBehindDeath(t *testing.T) {
	r := newRun(t, 2)
	a, b := r.dial(0, 0), r.dial(0, 1)
	vanish(b)
	if e := r.expect(Died); e.Member != 1 {
		t.Errorf("reported %+v", e)
	}
	expectLost(t, a)
	a.Abort("it knows")
	r.server.memberAborts(0, "out of memory")
	if e := r.expect(Aborted); e.Member != 0 || e.Text != "out of memory" {
		t.Errorf("reported %+v", e)
	}
}

func TestMemberAborts(t *testing.T) {
	r := newRun(t, 2)
	a, b := r.dial(0, 0), r.dial(0, 1)
	failed := exchanging(r, b)
	a.Abort("out of memory")
	const want = "rank 0 (job 0, host host0, pid 1000) aborted: out of memory"
	for _, err := range []error{<-failed, expectLost(t, a), expectLost(t, b)} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%v, expected %q in it", err, want)
		}
	}
	if e := r.expect(Aborted); e.Member != 0 || e.Text != "out of memory" {
		t.Errorf("reported %+v", e)
	}
	vanish(a)
	vanish(b)
	r.server.Close()
	select {
	case e := <-r.events:
		t.Errorf("after the abort: %+v", e)
	default:
	}
}

func TestServerAborts(t *testing.T) {
	r := newRun(t, 2)
	a := r.dial(0, 0)
	r.server.Abort("rank 1 was killed by signal 9")
	r.server.Abort("a second reason")
	var abort *AbortError
	if err := expectLost(t, a); !errors.As(err, &abort) || abort.Reason != "rank 1 was killed by signal 9" {
		t.Errorf("lost by %v", err)
	}
}

func TestEventsMayAbort(t *testing.T) {
	token, _ := NewToken()
	var server *Server
	ready := make(chan struct{})
	server, err := Listen(ServerConfig{
		Jobs: []Job{{"", 1}}, Token: token, Listen: []string{"127.0.0.1:0"},
		Events: func(e Event) {
			<-ready
			if e.Kind == Ready {
				server.Abort("from the event")
			}
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	close(ready)
	r := &run{t: t, server: server, token: token}
	expectLost(t, r.dial(0, 0))
}

func TestServerCloses(t *testing.T) {
	r := newRun(t, 2)
	a, b := r.dial(0, 0), r.dial(0, 1)
	failed := exchanging(r, a)
	r.server.Close()
	for _, err := range []error{<-failed, expectLost(t, a), expectLost(t, b)} {
		if !errors.Is(err, ErrLauncherLost) {
			t.Errorf("lost by %v", err)
		}
	}
	if err := a.Close(); err != nil {
		t.Error(err)
	}
}

func TestLeaving(t *testing.T) {
	t.Run("in order", func(t *testing.T) {
		r := newRun(t, 2)
		a, b := r.dial(0, 0), r.dial(0, 1)
		if err := a.Close(); err != nil {
			t.Fatal(err)
		}
		if e := r.expect(Left); e.Member != 0 {
			t.Errorf("reported %+v", e)
		}
		if err := a.Close(); err != nil {
			t.Errorf("closing again: %v", err)
		}
		if b.Err() != nil || a.Err() != nil {
			t.Errorf("lost by leaving: %v, %v", a.Err(), b.Err())
		}
	})
	for name, first := range map[string]bool{"before an exchange": true, "during an exchange": false} {
		t.Run(name, func(t *testing.T) {
			r := newRun(t, 2)
			a, b := r.dial(0, 0), r.dial(0, 1)
			var failed <-chan error
			if first {
				a.Close()
				failed = exchanging(r, b)
			} else {
				failed = exchanging(r, b)
				a.Close()
			}
			if err := <-failed; err == nil || !strings.Contains(err.Error(), "rank 0 (job 0, host host0, pid 1000) left") {
				t.Errorf("exchange without a member: %v", err)
			}
		})
	}
}

// soonDone is a context that is done, except when it is first looked at.
type soonDone struct {
	context.Context
	looks int
}

func (c *soonDone) Err() error {
	if c.looks++; c.looks == 1 {
		return nil
	}
	return c.Context.Err()
}

func TestExchangeGivenUp(t *testing.T) {
	r := newRun(t, 2)
	a := r.dial(0, 0)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := a.Exchange(&soonDone{Context: ctx}, nil); !errors.Is(err, context.Canceled) {
		t.Fatalf("cancelled: %v", err)
	}
	b := r.dial(0, 1)
	failed := exchanging(r, b)
	if _, err := a.Exchange(r.ctx(), nil); err == nil {
		t.Error("exchange after one was given up")
	}
	// How far the first call came is a matter of time, so b may wait for ever.
	r.server.Close()
	<-failed
}

func TestBlobTooLong(t *testing.T) {
	r := newRun(t, 1)
	a := r.dial(0, 0)
	if _, err := a.Exchange(r.ctx(), make([]byte, MaxBlob+1)); err == nil {
		t.Error("no error")
	}
	if blobs, err := a.Exchange(r.ctx(), make([]byte, MaxBlob)); err != nil || len(blobs[0]) != MaxBlob {
		t.Errorf("the longest blob: %v", err)
	}
}

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

// TestStoppedMember stops a member for longer than every limit, while more is sent to
// it than sockets hold. It neither delays the others nor is it taken for dead, and
// gets everything when it goes on.
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
	for _, frame := range [][]byte{welcome{size: 1}.frame(), emptyFrame(frameBye)} {
		if _, err := conn.Write(frame); err != nil {
			t.Fatal(err)
		}
	}
	if err := <-joined; err != nil {
		t.Error(err)
	}
}

func TestRejected(t *testing.T) {
	r := newRun(t, 2, 1)
	a := r.dial(0, 1)
	for name, test := range map[string]struct {
		job, jobRank int
		want         string
	}{
		"twice":       {0, 1, "process 1 of job 0 has joined already (host host0, pid 1001)"},
		"no such job": {2, 0, "there is no job 2, this run has 2 jobs"},
		"one too many": {1, 1,
			"process 1 of job 1 is one too many, this run expects 1 processes in that job"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Dial(r.ctx(), r.env(test.job, test.jobRank), Identity{PID: 7, Host: "h"})
			var rejected *RejectedError
			if !errors.As(err, &rejected) || rejected.Reason != test.want {
				t.Errorf("%v, expected %q", err, test.want)
			}
			if e := r.expect(Rejected); e.Text != test.want || e.PID != 7 || e.Member != -1 {
				t.Errorf("reported %+v", e)
			}
		})
	}
	if a.Err() != nil {
		t.Errorf("a member was lost: %v", a.Err())
	}
}

func TestServerChoosesJobRank(t *testing.T) {
	r := newRun(t, 1, 3)
	r.dial(1, 1)
	if m := r.dial(1, -1).Member(); m != 1 {
		t.Errorf("first free place: member %d", m)
	}
	if m := r.dial(1, -1).Member(); m != 3 {
		t.Errorf("second free place: member %d", m)
	}
	_, err := Dial(r.ctx(), r.env(1, -1), Identity{})
	if err == nil || !strings.Contains(err.Error(), "all 3 processes of job 1 have joined already") {
		t.Errorf("a fourth process: %v", err)
	}
}

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
		// The server may reset the connection; what it says must be a refusal.
		answer, _ := io.ReadAll(conn)
		if n := len(greeting) + nonceSize; len(answer) > n && answer[n] != proofRefused {
			t.Errorf("garbage was accepted: %x", answer)
		}
		r.expect(Rejected)
	})
	t.Run("garbage after the token", func(t *testing.T) {
		for _, text := range []string{"0123456789abcdef", "\xff\xff\xff\xff\x01\x01\x00\x00", string(emptyFrame(frameLeave)), string(emptyFrame(frameHello))} {
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

// A member whose bytes make no sense is dead to the run.
func TestMemberTalksGarbage(t *testing.T) {
	for name, frame := range map[string][]byte{
		"unknown frame":  emptyFrame(99),
		"version":        {0, 0, 0, 0, byte(frameLeave), wireVersion + 1, 0, 0},
		"too long":       {0xff, 0xff, 0xff, 0xff, byte(frameExchange), wireVersion, 0, 0},
		"wrong exchange": exchangeFrame(5, nil),
		"short exchange": emptyFrame(frameExchange),
	} {
		t.Run(name, func(t *testing.T) {
			r := newRun(t, 2)
			a, b := r.dial(0, 0), r.dial(0, 1)
			if err := b.(*client).send(frame); err != nil {
				t.Fatal(err)
			}
			if err := expectLost(t, a); !strings.Contains(err.Error(), "rank 1") {
				t.Errorf("lost by %v", err)
			}
			if e := r.expect(Died); e.Text == "" {
				t.Errorf("reported %+v", e)
			}
		})
	}
}
