package bridge

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/goacp/goacp/internal/ground/pmi"
	"github.com/goacp/goacp/internal/ground/pmi/pmitest"
)

// hostedRun returns the members of a run that another launcher has started.
func hostedRun(t *testing.T, launcher *pmitest.Launcher, size int) []Bootstrap {
	t.Helper()
	members := make([]Bootstrap, size)
	var opening sync.WaitGroup
	for rank := range size {
		getenv := launcher.Connect(t, rank)
		opening.Go(func() {
			client, err := pmi.Open(t.Context(), getenv)
			if err == nil {
				members[rank], err = openHosted(t.Context(), client)
			}
			if err != nil {
				t.Errorf("rank %d: %v", rank, err)
			}
		})
	}
	opening.Wait()
	if t.Failed() {
		t.FailNow()
	}
	return members
}

// TestHosted: members under a launcher with PMI exchange and leave.
func TestHosted(t *testing.T) {
	const size = 5
	members := hostedRun(t, pmitest.New(size), size)
	var running sync.WaitGroup
	for rank, boot := range members {
		running.Go(func() {
			job, jobRank := boot.JobRank()
			if boot.Member() != rank || boot.Cohort().Size != size || job != 0 || jobRank != rank || boot.Token() != members[0].Token() {
				t.Errorf("member %d of %d, job %d, rank %d there; expected member %d", boot.Member(), boot.Cohort().Size, job, jobRank, rank)
			}
			blobs, err := boot.Exchange(t.Context(), []byte(fmt.Sprint(rank)))
			if want := "[0 1 2 3 4]"; err != nil || fmt.Sprintf("%s", blobs) != want {
				t.Errorf("%s, %v; expected %s", blobs, err, want)
			}
			if err := boot.Close(); err != nil {
				t.Error(err)
			}
			if err := boot.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	running.Wait()
}

// TestHostedEnds: all members get the reason why the run is over, and the launcher is asked to end the
// remaining processes.
func TestHostedEnds(t *testing.T) {
	for _, test := range []struct {
		name string
		end  func(members []Bootstrap) // of member 2, or of member 0 and its rendezvous
		gone int                       // the member that does not see it
		want string
	}{
		{"abort", func(m []Bootstrap) { m[2].Abort(Abort{Reason: "no ice"}) }, 2, "no ice"},
		{"death", func(m []Bootstrap) { m[2].(*hosted).Bootstrap.(*client).conn.Close() }, 2, "rank 2"},
		{"death of rank 0", func(m []Bootstrap) { m[0].(*hosted).server.Close() }, 0, "rank 0, which has the rendezvous, has ended"},
	} {
		t.Run(test.name, func(t *testing.T) {
			const size = 3
			launcher := pmitest.New(size)
			members := hostedRun(t, launcher, size)
			test.end(members)
			for rank, boot := range members {
				if rank == test.gone {
					continue
				}
				select {
				case <-boot.Lost():
				case <-time.After(limit):
					t.Fatalf("rank %d does not learn of it", rank)
				}
				if err := boot.Err(); err == nil || !strings.Contains(err.Error(), test.want) {
					t.Errorf("rank %d: %v, expected %q", rank, err, test.want)
				}
			}
			for begin := time.Now(); len(launcher.Aborted()) == 0; time.Sleep(time.Millisecond) {
				if time.Since(begin) > limit {
					t.Fatal("the launcher is not asked to end the job")
				}
			}
			for _, boot := range members {
				_ = boot.Close()
			}
		})
	}
}

// endedLauncher is a launcher that ends while its processes continue.
type endedLauncher struct {
	*pmi.Client
	lost chan struct{}
}

func (l endedLauncher) Lost() <-chan struct{} { return l.lost }

// TestHostedLauncherLost: if the end of the launcher reaches one member, it reaches all members.
func TestHostedLauncherLost(t *testing.T) {
	const size = 3
	launcher := pmitest.New(size)
	lost := make(chan struct{})
	members := make([]Bootstrap, size)
	var opening sync.WaitGroup
	for rank := range size {
		getenv := launcher.Connect(t, rank)
		opening.Go(func() {
			client, err := pmi.Open(t.Context(), getenv)
			if err == nil && rank == 1 {
				members[rank], err = openHosted(t.Context(), endedLauncher{client, lost})
			} else if err == nil {
				members[rank], err = openHosted(t.Context(), client)
			}
			if err != nil {
				t.Errorf("rank %d: %v", rank, err)
			}
		})
	}
	opening.Wait()
	if t.Failed() {
		t.FailNow()
	}
	close(lost)
	for rank, boot := range members {
		select {
		case <-boot.Lost():
		case <-time.After(limit):
			t.Fatalf("rank %d does not learn of it", rank)
		}
		if err := boot.Err(); err == nil || !strings.Contains(err.Error(), "the launcher of the job has ended") {
			t.Errorf("rank %d: %v", rank, err)
		}
	}
	for _, boot := range members { // rank 0 runs the rendezvous, whose end would reach the other ranks
		_ = boot.Close()
	}
}

// TestHostedFailure: if member 0 cannot open the rendezvous, all members fail with its reason.
func TestHostedFailure(t *testing.T) {
	t.Setenv("ACP_INTERFACE", "nosuch0")
	const size = 3
	launcher := pmitest.New(size)
	launcher.Answer = func(rank int, request, answer string) string {
		if strings.Contains(request, "key="+hostKey) && strings.Contains(request, "cmd=get") {
			return "cmd=get_result rc=0 value=00" // another host
		}
		return answer
	}
	var opening sync.WaitGroup
	for rank := range size {
		getenv := launcher.Connect(t, rank)
		opening.Go(func() {
			client, err := pmi.Open(t.Context(), getenv)
			if err != nil {
				t.Error(err)
				return
			}
			if _, err = openHosted(t.Context(), client); err == nil || !strings.Contains(err.Error(), "nosuch0") {
				t.Errorf("rank %d: %v, expected that it names the interface", rank, err)
			}
		})
	}
	opening.Wait()
}

// FuzzRunValue checks that any value of member 0 is accepted or refused.
func FuzzRunValue(f *testing.F) {
	token, err := NewToken()
	if err != nil {
		f.Fatal(err)
	}
	e := Env{Token: token, Rendezvous: []string{"127.0.0.1:40000", "[::1]:40000"}}
	f.Add(rendezvousValue(e, 1023))
	f.Add(failureValue(errors.New("no socket"), 1023))
	f.Add("")
	f.Fuzz(func(t *testing.T, value string) {
		addrs, token, err := parseRunValue(value)
		if err != nil {
			return
		}
		again := rendezvousValue(Env{Token: token, Rendezvous: addrs}, len(value))
		if !strings.EqualFold(again, value) {
			t.Errorf("%q became %q", value, again)
		}
	})
}
