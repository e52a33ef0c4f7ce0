package supervise

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/goacp/goacp/internal/launch/exit"
	"github.com/goacp/goacp/internal/launch/plan"
)

// A step is an event of a launcher, named for the message of a test that fails.
type step struct {
	name  string
	event func(s *Supervisor, now time.Time)
}

// interleave calls visit with each merge of sequences that keeps the order within each of them.
func interleave(sequences [][]step, visit func([]step)) {
	var merged []step
	var next func()
	next = func() {
		done := true
		for i, q := range sequences {
			if len(q) == 0 {
				continue
			}
			done = false
			merged, sequences[i] = append(merged, q[0]), q[1:]
			next()
			merged, sequences[i] = merged[:len(merged)-1], q
		}
		if done {
			visit(merged)
		}
	}
	next()
}

// TestOrdersOfKill kills rank 3, of the job of an acprun. The ranks of an MPI job learn of that and end with
// status 1, and so does mpirun. Four sources report all this to the launcher, in any order between them. Rank 3
// is the cause in each order.
func TestOrdersOfKill(t *testing.T) {
	failed := exit.Status{Code: 1}
	informed := func(member int) step {
		return step{fmt.Sprintf("informed %d", member), func(s *Supervisor, _ time.Time) { s.MemberInformed(member) }}
	}
	begins := func(member int) step {
		return step{fmt.Sprintf("begins to end %d", member), func(s *Supervisor, now time.Time) { s.EndBegan(member, now) }}
	}
	ends := func(member int) step {
		return step{fmt.Sprintf("ends %d", member), func(s *Supervisor, now time.Time) { s.StatusAsked(member, now); s.ProcessEnded(member, failed, now) }}
	}
	rendezvous := []step{{"dies 3", func(s *Supervisor, now time.Time) { s.MemberDied(3, "", now) }}, informed(1), informed(0)}
	watches := []step{begins(1), ends(1), begins(0), ends(0)}
	remote := []step{{"killed 3", func(s *Supervisor, now time.Time) { s.ProcessEnded(3, exit.Status{Signal: 9}, now) }}}
	launcher := step{"mpirun", func(s *Supervisor, now time.Time) {
		s.LauncherEnded(0, failed, exit.Cause{Rank: 0, Status: failed, Known: true}, now)
	}}
	orders := 0
	interleave([][]step{rendezvous, watches, remote}, func(order []step) {
		orders++
		s := New(&plan.Plan{Total: 4, Jobs: []plan.Job{
			{Size: 2, Name: "ocean", LauncherName: "mpirun", MPI: plan.MPI{Family: plan.OpenMPI}},
			{Number: 1, First: 2, InRun: plan.Origin{Job: 1, Rank: 2}, Size: 2, Name: "air", Acprun: true},
		}}, false, "here")
		for i := range 4 {
			if i < 2 {
				s.Watched(i)
				s.Announced(i)
			}
			s.MemberJoined(i, 100+i, "here", time.UnixMilli(0))
		}
		var names []string
		for i, x := range append(order[:len(order):len(order)], launcher) {
			names = append(names, x.name)
			x.event(s, time.UnixMilli(int64(i+1)))
		}
		const want = "rank 3 (job 1 air, host here, pid 103) killed by signal 9 (Killed)"
		if v := s.Outcome(); v == nil || v.Text != want || s.ExitStatus() != 137 || s.Asking() {
			t.Errorf("after %s: %+v, asking %v, expected %q", strings.Join(names, ", "), v, s.Asking(), want)
		}
	})
	if orders != 280 {
		t.Errorf("%d orders, expected 280", orders)
	}
}
