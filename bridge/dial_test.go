package bridge

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/goacp/goacp/internal/ground/endpoint/endpointtest"
)

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

func TestDialSecondAddress(t *testing.T) {
	r := newRun(t, 1)
	e := r.env(0, 0)
	e.Rendezvous = append([]string{endpointtest.Refused(t).String()}, e.Rendezvous...)
	b, err := Dial(r.ctx(), e, Identity{})
	if err != nil {
		t.Fatal(err)
	}
	b.Close()
	e.Rendezvous = e.Rendezvous[:1]
	if _, err := Dial(r.ctx(), e, Identity{}); err == nil || !strings.Contains(err.Error(), e.Rendezvous[0]) {
		t.Errorf("no server: %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Dial(ctx, r.env(0, 0), Identity{}); err == nil {
		t.Error("cancelled before: no error")
	}
}
