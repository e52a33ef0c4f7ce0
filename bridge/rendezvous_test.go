package bridge

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/goacp/goacp/internal/ground/liveness"
)

// limit is how long a test may wait for anything. No test measures time.
const limit = 60 * time.Second

// brief are limits that a test outlasts.
var brief = liveness.Limits{Silence: 100 * time.Millisecond}

// run is one rendezvous and its events.
type run struct {
	t      *testing.T
	server *Server
	token  Token
	secure bool
	file   string // with the token
	events chan Event
}

func newRun(t *testing.T, sizes ...int) *run {
	t.Helper()
	return newSecureRun(t, false, sizes...)
}

// newSecureRun is newRun with encrypted connections, or not.
func newSecureRun(t *testing.T, secure bool, sizes ...int) *run {
	t.Helper()
	var jobs []Job
	for i, n := range sizes {
		jobs = append(jobs, Job{Name: fmt.Sprintf("job%d", i), Size: n})
	}
	return newRunOf(t, ServerConfig{Jobs: jobs, Secure: secure})
}

// newRunOf is newRun with the jobs and options of cfg.
func newRunOf(t *testing.T, cfg ServerConfig) *run {
	t.Helper()
	token, err := NewToken()
	if err != nil {
		t.Fatal(err)
	}
	file, err := WriteTokenFile(t.TempDir(), token)
	if err != nil {
		t.Fatal(err)
	}
	r := &run{t: t, token: token, secure: cfg.Secure, file: file, events: make(chan Event, 4096)}
	cfg.Token, cfg.Listen, cfg.Limits = token, []string{"127.0.0.1:0"}, brief
	cfg.Events = func(e Event) { r.events <- e }
	if r.server, err = Listen(cfg); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.server.Close() })
	return r
}

func (r *run) env(job, jobRank int) Env {
	return Env{Rendezvous: []string{r.server.Addrs()[0].String()}, TokenFile: r.file, Token: r.token, Secure: r.secure, Job: job, JobRank: jobRank}
}

func (r *run) ctx() context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	r.t.Cleanup(cancel)
	return ctx
}

func (r *run) dial(job, jobRank int) Bootstrap {
	r.t.Helper()
	b, err := Dial(r.ctx(), r.env(job, jobRank), Identity{PID: 1000 + jobRank, Host: fmt.Sprintf("host%d", job)})
	if err != nil {
		r.t.Fatalf("job %d rank %d: %v", job, jobRank, err)
	}
	r.t.Cleanup(func() { b.Close() })
	return b
}

// expect waits for an event of a kind and returns it. It skips other events.
func (r *run) expect(kind EventKind) Event {
	r.t.Helper()
	deadline := time.After(limit)
	for {
		select {
		case e := <-r.events:
			if e.Kind == kind {
				return e
			}
		case <-deadline:
			r.t.Fatalf("no event %v", kind)
		}
	}
}

// expectLost waits until Lost of a member is closed.
func expectLost(t *testing.T, b Bootstrap) error {
	t.Helper()
	select {
	case <-b.Lost():
	case <-time.After(limit):
		t.Fatalf("member %d has not noticed that the run is over", b.Member())
	}
	if b.Err() == nil {
		t.Fatalf("member %d: Lost is closed and Err is nil", b.Member())
	}
	return b.Err()
}

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
