package bridge

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/goacp/goacp/internal/liveness"
)

// limit is how long a test may wait for anything. No test measures time.
const limit = 60 * time.Second

// brief are limits that a test outlasts.
var brief = liveness.Limits{Silence: 100 * time.Millisecond}

// run is one rendezvous and what it reported.
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
	token, err := NewToken()
	if err != nil {
		t.Fatal(err)
	}
	file, err := WriteTokenFile(t.TempDir(), token)
	if err != nil {
		t.Fatal(err)
	}
	r := &run{t: t, token: token, secure: secure, file: file, events: make(chan Event, 4096)}
	var jobs []Job
	for i, n := range sizes {
		jobs = append(jobs, Job{Name: fmt.Sprintf("job%d", i), Size: n})
	}
	r.server, err = Listen(ServerConfig{
		Jobs: jobs, Token: token, Secure: secure, Listen: []string{"127.0.0.1:0"}, Limits: brief,
		Events: func(e Event) { r.events <- e },
	})
	if err != nil {
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

// expect waits for an event of a kind and returns it; others are skipped.
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

// expectLost waits until a member knows that the run is over.
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

func TestExchange(t *testing.T) {
	const rounds = 20
	sizes := []int{1, 2, 3, 4, 7}
	r := newRun(t, sizes...)
	first, total := 0, 17
	var wg sync.WaitGroup
	for job, size := range sizes {
		for jobRank := range size {
			member := first + jobRank
			wg.Go(func() {
				if err := r.exchangeRounds(job, jobRank, member, total, rounds); err != nil {
					t.Errorf("member %d: %v", member, err)
				}
			})
		}
		first += size
	}
	wg.Wait()
	r.expect(Ready)
	for range total {
		r.expect(Left)
	}
	if r.server.Contacts() != nil {
		t.Errorf("the server takes other blobs for contacts")
	}
}

// TestServerKnowsContacts exchanges something else before and after the contacts.
func TestServerKnowsContacts(t *testing.T) {
	r := newRun(t, 1)
	b, err := Dial(r.ctx(), r.env(0, 0), Identity{PID: 1, Host: "h"})
	if err != nil {
		t.Fatal(err)
	}
	c := testContact()
	for _, blob := range [][]byte{{1, 2, 3}, c.Append(nil), {1}} {
		if _, err := b.Exchange(r.ctx(), blob); err != nil {
			t.Fatal(err)
		}
	}
	if found := r.server.Contacts(); len(found) != 1 || !bytes.Equal(found[0], c.Append(nil)) {
		t.Errorf("contacts are %q, expected %q", found, c.Append(nil))
	}
	if err := b.Close(); err != nil {
		t.Error(err)
	}
}

func (r *run) exchangeRounds(job, jobRank, member, total, rounds int) error {
	b, err := Dial(r.ctx(), r.env(job, jobRank), Identity{PID: 1, Host: "h"})
	if err != nil {
		return err
	}
	if b.Member() != member || b.Size() != total {
		return fmt.Errorf("is member %d of %d", b.Member(), b.Size())
	}
	if j, k := b.Place(); j != job || k != jobRank || b.Token() != r.token || b.Address().String() != "127.0.0.1" {
		return fmt.Errorf("is process %d of job %d at %v", k, j, b.Address())
	}
	for round := range rounds {
		blobs, err := b.Exchange(r.ctx(), testBlob(member, round))
		if err != nil {
			return err
		}
		for i, blob := range blobs {
			if !bytes.Equal(blob, testBlob(i, round)) {
				return fmt.Errorf("round %d: wrong blob of member %d", round, i)
			}
		}
		if len(blobs) != total {
			return fmt.Errorf("round %d: %d blobs", round, len(blobs))
		}
	}
	if err := b.Close(); err != nil {
		return err
	}
	if _, err := b.Exchange(r.ctx(), nil); !errors.Is(err, ErrClosed) {
		return fmt.Errorf("exchange after close: %v", err)
	}
	if b.Err() != nil {
		return fmt.Errorf("lost by leaving: %v", b.Err())
	}
	return nil
}

// testBlob is different for each member and round, and sometimes empty.
func testBlob(member, round int) []byte {
	return []byte(strings.Repeat(fmt.Sprintf("%d/%d;", member, round), (member+round)%5))
}
