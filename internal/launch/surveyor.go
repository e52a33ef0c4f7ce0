package launch

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/goacp/goacp/internal/ground/activity"
	"github.com/goacp/goacp/internal/launch/account"
	"github.com/goacp/goacp/internal/launch/plan"
	"github.com/goacp/goacp/internal/launch/remote"
	"github.com/goacp/goacp/internal/launch/shell"
	"github.com/goacp/goacp/internal/launch/survey"
	"github.com/goacp/goacp/internal/launch/usersocket"
)

// surveyLimit is how long other hosts may take to send the states of their ranks.
const surveyLimit = 2 * time.Second

// surveyor determines the states of the ranks of a run, for acpstat.
type surveyor struct {
	began   time.Time
	servers []*usersocket.Server // none if no process can ask
	lines   *account.Lines

	mu   sync.Mutex
	host *survey.Host // guarded by mu
}

// newSurveyor returns a surveyor that does not answer yet.
func newSurveyor() *surveyor {
	return &surveyor{began: time.Now(), lines: account.NewLines(), host: survey.NewHost()}
}

// close ends answering.
func (s *surveyor) close() {
	for _, server := range s.servers {
		server.Close()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.host.Close()
}

// look returns the states of the ranks of a run on this host. dir is the directory of their tables.
func (s *surveyor) look(host string, run activity.Run, dir string) survey.Reading {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.host.Reading(host, run, dir)
}

// openSurvey lets processes connect to the socket path, and answers them. If the socket cannot be opened, the
// run continues without it.
func (r *runner) openSurvey(path string, answer func() any) {
	server, err := survey.Listen(path, answer)
	if err != nil {
		r.console.Verbose("acpstat cannot look at this run: %v", err)
		return
	}
	r.surveyor.servers = append(r.surveyor.servers, server)
}

// survey returns the states of all ranks of the run. It does not interrupt them. Any goroutine but that of
// the run may call it. It blocks until all hosts have answered, for surveyLimit at most.
func (r *runner) survey() *survey.Run {
	run, others := r.known(theirWaits)
	run.Add(r.surveyor.look(r.local.Host, run.Identity, r.rendezvous.Dir()))
	for _, reading := range others() {
		run.Add(reading)
	}
	return run
}

// question is a question to other hosts about their ranks.
type question struct {
	ask    func(h *remote.Hosts, limit time.Duration) (answers func() []survey.Reading)
	socket func(rank int) string // the socket for this question of the part of a run that begins with a rank
}

var (
	// theirWaits asks for the states of ranks.
	theirWaits = question{(*remote.Hosts).Survey, survey.PartSocketName}
	// theirTransfers asks for the states and the transfers of ranks. Before the answer arrives, their tables
	// are saved beside those of this host.
	theirTransfers = question{(*remote.Hosts).Count, survey.PartCountName}
)

// known returns the launcher's own data about the run, and a function that waits for the readings of other
// hosts.
func (r *runner) known(q question) (run *survey.Run, others func() []survey.Reading) {
	done := make(chan struct{})
	r.loop.post(func() {
		defer close(done)
		run, others = r.describe(), r.askHosts(q)
	})
	<-done
	return run, others
}

// describe returns the launcher's own data about the run.
func (r *runner) describe() *survey.Run {
	run := &survey.Run{Name: strconv.Itoa(os.Getpid()), Identity: r.rendezvous.Identity(), Host: r.local.Host,
		Command: shell.Join(append([]string{r.program.String()}, r.args...)), Age: time.Since(r.surveyor.began)}
	for i := range r.plan.Jobs {
		job := &r.plan.Jobs[i]
		run.Jobs = append(run.Jobs, survey.Job{Number: job.InRun.Job, Name: job.Name, First: job.InRun.Rank, Size: job.Size, Command: commandOf(job)})
	}
	for member := range r.plan.Total {
		run.Ranks = append(run.Ranks, r.describeRank(member))
	}
	run.To = r.rendezvous.Attached()
	r.guests.addTo(run)
	return run
}

func commandOf(job *plan.Job) string {
	if job.Line != "" {
		return strings.TrimSpace(job.Line)
	}
	return shell.Join(job.Argv)
}

// describeRank returns the launcher's own data about a rank.
func (r *runner) describeRank(member int) survey.Rank {
	m := r.sup.Member(member)
	x := survey.Rank{
		Rank: r.plan.Rank(member), Job: r.plan.Launched(m.Job).InRun.Job, Apart: r.sup.Apart(member),
		Host: m.Host, PID: m.PID, State: survey.NotStarted,
	}
	switch {
	case m.Known:
		x.State, x.How = survey.Ended, m.Status.String()
	case m.Ended:
		x.State = survey.Ended
	case m.Left:
		x.State = survey.Left
	case m.Joined:
		x.State = survey.NotSeen
	case m.PID != 0:
		x.State = survey.Outside
	}
	return x
}

// askHosts asks the proxies on other hosts, and the launchers of jobs that have such proxies. The
// result waits for the answers.
func (r *runner) askHosts(q question) func() []survey.Reading {
	answers := q.ask(r.hosts, surveyLimit)
	var parts []string
	for i := range r.plan.Launchers() {
		job := r.plan.Launched(i)
		// The proxies of a run of one job belong to this launcher.
		if job.Acprun && !r.program.OneJob() && r.runDir != "" && slices.ContainsFunc(job.Hosts, func(host string) bool { return !r.local.IsLocal(host) }) {
			parts = append(parts, filepath.Join(r.runDir, q.socket(job.InRun.Rank)))
		}
	}
	return func() []survey.Reading {
		all := answers()
		for _, path := range parts {
			var more []survey.Reading
			if err := survey.Ask(path, &more); err != nil {
				more = []survey.Reading{{Host: r.local.Host, Problem: err.Error()}}
			}
			all = append(all, more...)
		}
		return all
	}
}

// openPartSurvey lets macprun ask this acprun, which is a part of a run from rank first on, about ranks on other hosts. Its
// sockets are in the directory dir.
func (r *runner) openPartSurvey(dir string, first int) {
	for _, q := range []question{theirWaits, theirTransfers} {
		r.openSurvey(filepath.Join(dir, q.socket(first)), func() any {
			_, others := r.known(q)
			return others()
		})
	}
}
