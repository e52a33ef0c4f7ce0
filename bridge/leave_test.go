package bridge

import (
	"errors"
	"strings"
	"testing"
)

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
			if err := <-failed; err == nil || !strings.Contains(err.Error(), "rank 0 (job 0 job0, host host0, pid 1000) left") {
				t.Errorf("exchange without a member: %v", err)
			}
		})
	}
}
