package bridge

import (
	"errors"
	"strings"
	"testing"
	"time"
)

func TestDeathDuringExchange(t *testing.T) {
	r := newRun(t, 2, 2)
	a, b := r.dial(0, 0), r.dial(0, 1)
	c, d := r.dial(1, 0), r.dial(1, 1)
	waiting := []<-chan error{exchanging(r, a), exchanging(r, b), exchanging(r, d)}
	vanish(c)
	for _, failed := range waiting {
		err := <-failed
		var abort *AbortError
		if !errors.As(err, &abort) || !strings.Contains(err.Error(), "rank 2 (job 1 job1, host host1, pid 1000) died") {
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

// TestLossIsReported: a member ends because it has lost another one. The report names the lost member,
// whichever connection ends first.
func TestLossIsReported(t *testing.T) {
	for name, end := range map[string]func(Bootstrap){"ends": vanish, "aborts": func(b Bootstrap) { b.Abort(Abort{Reason: "cannot go on"}) }} {
		t.Run("then dead, "+name, func(t *testing.T) {
			r := newRun(t, 4)
			a, b, c, d := r.dial(0, 0), r.dial(0, 1), r.dial(0, 2), r.dial(0, 3)
			b.ReportLost(2, ConnectionBroken)
			c.ReportLost(3, ConnectionBroken)
			end(b)
			end(c)
			vanish(d)
			if err := expectLost(t, a); !strings.Contains(err.Error(), "rank 3 (job 0 job0, host host0, pid 1003) died") {
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
			want := "rank 2 (job 0 job0, host host0, pid 1002) lost its connection to rank 3 (job 0 job0, host host0, pid 1003)"
			if err := expectLost(t, a); !strings.Contains(err.Error(), want) {
				t.Errorf("lost by %v", err)
			}
			if e := r.expect(Lost); e.Member != 2 || !strings.HasSuffix(want, e.Text) {
				t.Errorf("reported %+v", e)
			}
		})
	}
	for name, inOrder := range map[string]bool{"first": true, "last": false} {
		t.Run("a launcher of MPI kills the rest of the job, the end of the reporter comes "+name, func(t *testing.T) {
			r := newRun(t, 2, 1)
			a, b, c := r.dial(0, 0), r.dial(0, 1), r.dial(1, 0)
			a.ReportLost(2, ProcessEnded)
			r.expect(Informed)
			if inOrder {
				vanish(a)
				vanish(b)
			} else {
				vanish(b)
				vanish(a)
			}
			if e := r.expect(Died); e.Member != 2 {
				t.Errorf("reported %+v", e)
			}
			expectLost(t, c)
		})
	}
	t.Run("a member of the same job dies, and the reporter goes on", func(t *testing.T) {
		r := newRun(t, 3)
		a, b := r.dial(0, 0), r.dial(0, 1)
		r.dial(0, 2)
		a.ReportLost(2, ConnectionBroken)
		r.expect(Informed)
		vanish(b)
		if e := r.expect(Died); e.Member != 1 {
			t.Errorf("reported %+v", e)
		}
		expectLost(t, a)
	})
	t.Run("ended, with its connection still there", func(t *testing.T) {
		r := newRun(t, 3)
		a, b := r.dial(0, 0), r.dial(0, 1)
		r.dial(0, 2)
		b.ReportLost(2, ProcessEnded)
		if err := expectLost(t, a); !strings.Contains(err.Error(), "rank 2 (job 0 job0, host host0, pid 1002) died") {
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
		c.Abort(Abort{Reason: "for a reason"})
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
		time.Sleep(lossLimit + lossLimit/4) // the server has looked by then
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

// A member that sends malformed bytes counts as dead.
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
