package pmi

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/goacp/goacp/internal/ground/pmi/pmitest"
)

// open returns the client of a process of a launcher.
func open(t *testing.T, l *pmitest.Launcher, rank int) *Client {
	t.Helper()
	getenv := l.Connect(t, rank)
	if !Offered(getenv) {
		t.Fatal("the launcher is not seen")
	}
	c, err := Open(t.Context(), getenv)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestValuesPass: each process gets the values that the other processes have stored before the barrier.
func TestValuesPass(t *testing.T) {
	const size = 4
	launcher := pmitest.New(size)
	var running sync.WaitGroup
	for rank := range size {
		c := open(t, launcher, rank)
		running.Go(func() {
			if c.Rank() != rank || c.Size() != size || c.MaxValue() != 1023 {
				t.Errorf("rank %d of %d, values of %d bytes", c.Rank(), c.Size(), c.MaxValue())
			}
			for round := range 3 {
				key := fmt.Sprint("round", round)
				of := func(rank int) string { return fmt.Sprintf("of-%d-%d", rank, round) }
				if err := errors.Join(c.Put(t.Context(), key, of(rank)), c.Barrier(t.Context())); err != nil {
					t.Error(err)
				}
				for other := range size {
					if value, err := c.Get(t.Context(), other, key); err != nil || value != of(other) {
						t.Errorf("%q, %v", value, err)
					}
				}
			}
			if err := c.Close(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
	running.Wait()
}

// TestRefusals: invalid requests are errors.
func TestRefusals(t *testing.T) {
	c := open(t, pmitest.New(1), 0)
	if _, err := c.Get(t.Context(), 0, "missing"); err == nil || !strings.Contains(err.Error(), "not_found") {
		t.Error(err)
	}
	for _, value := range []string{"two words", "line\n", "a=b", strings.Repeat("x", 1024)} {
		if err := c.Put(t.Context(), "key", value); err == nil {
			t.Errorf("a value of %d bytes was stored", len(value))
		}
	}
}

// TestContextEndsBarrier: a process does not wait for ever for the other processes.
func TestContextEndsBarrier(t *testing.T) {
	c := open(t, pmitest.New(2), 0)
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(20*time.Millisecond, cancel)
	if err := c.Barrier(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("%v, expected that the context has ended", err)
	}
}

// TestLauncherGone: the end of the launcher ends the wait.
func TestLauncherGone(t *testing.T) {
	var c *Client
	t.Run("launcher", func(t *testing.T) { c = open(t, pmitest.New(2), 0) }) // it ends with its test
	if err := c.Barrier(t.Context()); err == nil || !strings.Contains(err.Error(), "connection to the launcher") {
		t.Error(err)
	}
}

// TestNotOffered: variables without the socket are those of another process.
func TestNotOffered(t *testing.T) {
	for _, vars := range []map[string]string{{}, {"PMI_FD": "999", "PMI_RANK": "0"}, {"PMI_FD": "x", "PMI_RANK": "0"}, {"PMI_FD": "0"}} {
		if Offered(func(name string) string { return vars[name] }) {
			t.Errorf("%v are taken for those of a launcher", vars)
		}
	}
}

// TestBadLaunchers: answers that the protocol does not have are errors.
func TestBadLaunchers(t *testing.T) {
	for _, test := range []struct{ request, answer, want string }{
		{"cmd=init", "cmd=response_to_init rc=-1 msg=too_old", "too_old"},
		{"cmd=init", "hello", "does not speak version 1"},
		{"cmd=get_maxes", "cmd=maxes vallen_max=-4", `longest value "-4"`},
		{"cmd=get_my_kvsname", "cmd=my_kvsname", "no name"},
		{"cmd=get_my_kvsname", "cmd=barrier_out", `answered by "barrier_out"`},
		{"cmd=init", strings.Repeat("x", maxLine+1), "more than"},
	} {
		launcher := pmitest.New(1)
		launcher.Answer = func(_ int, request, answer string) string {
			if strings.HasPrefix(request, test.request) {
				return test.answer
			}
			return answer
		}
		if _, err := Open(t.Context(), launcher.Connect(t, 0)); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%.40q: %v, expected %q", test.answer, err, test.want)
		}
	}
}

// FuzzAnswer checks that any answer is accepted or refused.
func FuzzAnswer(f *testing.F) {
	for _, seed := range []string{"cmd=maxes rc=0 vallen_max=1024", "cmd=maxes rc=-1 msg=no", "cmd", "=", "cmd=maxes cmd=x", ""} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, line string) {
		words, err := parse(line, "get_maxes", "maxes")
		if (err == nil) != (words != nil) || err == nil && words["cmd"] != "maxes" {
			t.Errorf("%q became %v, %v", line, words, err)
		}
	})
}
