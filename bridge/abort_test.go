package bridge

import (
	"errors"
	"strings"
	"testing"
)

// TestMemberAbortsBehindDeath: the abort of a member that did not get the notice of a death is reported,
// because the abort may have caused the death.
func TestMemberAbortsBehindDeath(t *testing.T) {
	r := newRun(t, 2)
	a, b := r.dial(0, 0), r.dial(0, 1)
	vanish(b)
	if e := r.expect(Died); e.Member != 1 {
		t.Errorf("reported %+v", e)
	}
	expectLost(t, a)
	a.Abort(Abort{Reason: "it knows"})
	r.server.memberAborts(0, "out of memory")
	if e := r.expect(Aborted); e.Member != 0 || e.Text != "out of memory" {
		t.Errorf("reported %+v", e)
	}
}

// TestMemberAbortsBehindItsEnd: the launcher may see the end of a process, and end the run because of it, before the
// server reads the abort of that process.
func TestMemberAbortsBehindItsEnd(t *testing.T) {
	r := newRun(t, 2)
	r.dial(0, 0)
	r.dial(0, 1)
	r.server.Abort("rank 1 ended with status 255")
	r.server.memberAborts(1, "out of memory")
	r.server.memberAborts(1, "a second reason")
	if e := r.expect(Aborted); e.Member != 1 || e.Text != "out of memory" {
		t.Errorf("reported %+v", e)
	}
	r.server.Close()
	for len(r.events) > 0 {
		if e := <-r.events; e.Kind == Aborted {
			t.Errorf("reported again: %+v", e)
		}
	}
}

func TestMemberAborts(t *testing.T) {
	r := newRun(t, 2)
	a, b := r.dial(0, 0), r.dial(0, 1)
	failed := exchanging(r, b)
	a.Abort(Abort{Reason: "out of memory"})
	const want = "rank 0 (job 0 job0, host host0, pid 1000) aborted: out of memory"
	for _, err := range []error{<-failed, expectLost(t, a), expectLost(t, b)} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%v, expected %q in it", err, want)
		}
	}
	if e := r.expect(Aborted); e.Member != 0 || e.Text != "out of memory" {
		t.Errorf("reported %+v", e)
	}
	// Both have confirmed the end of the run.
	for range 2 {
		r.expect(Informed)
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
		Jobs: []Job{{Size: 1}}, Token: token, Listen: []string{"127.0.0.1:0"},
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
