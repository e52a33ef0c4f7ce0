package launch

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/goacp/goacp/internal/activity"
	"github.com/goacp/goacp/internal/launch/plan"
	"github.com/goacp/goacp/internal/launch/shell"
	"github.com/goacp/goacp/internal/launch/survey"
)

// surveyLimit is how long other hosts may take to say what their ranks do.
const surveyLimit = 2 * time.Second

// surveyor finds out what the ranks of a run do, for acpstat.
type surveyor struct {
	began  time.Time
	server *survey.Server // nil if no process can ask

	mu   sync.Mutex
	host *survey.Host // guarded by mu
}

// newSurveyor returns a surveyor that does not answer yet.
func newSurveyor() *surveyor { return &surveyor{began: time.Now(), host: survey.NewHost()} }

// close ends answering.
func (s *surveyor) close() {
	s.server.Close()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.host.Close()
}

// look returns what the ranks of a run on this host do. dir is the directory where they count.
func (s *surveyor) look(host string, run activity.Run, dir string) survey.Reading {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.host.Reading(host, run, dir)
}

// openSurvey begins to answer acpstat. If that is not possible, the run goes on without.
func (r *runner) openSurvey(path string, answer func() any) {
	var err error
	if r.surveyor.server, err = survey.Listen(path, answer); err != nil {
		r.console.Verbose("acpstat cannot look at this run: %v", err)
	}
}

// survey returns what all ranks of the run do. It does not interrupt them. Any goroutine but that of
// the run may call it. It blocks until all hosts have answered, for surveyLimit at most.
func (r *runner) survey() *survey.Run {
	run, others := r.known()
	run.Add(r.surveyor.look(r.local.Host, run.Identity, r.rendezvous.Dir()))
	for _, reading := range others() {
		run.Add(reading)
	}
	return run
}

// known returns what the launcher itself knows of the run, and a function that waits for what other
// hosts say.
func (r *runner) known() (run *survey.Run, others func() []survey.Reading) {
	done := make(chan struct{})
	r.loop.post(func() {
		defer close(done)
		run, others = r.describe(), r.askHosts()
	})
	<-done
	return run, others
}

// describe returns what the launcher itself knows of the run.
func (r *runner) describe() *survey.Run {
	run := &survey.Run{Name: strconv.Itoa(os.Getpid()), Identity: r.rendezvous.Identity(), Host: r.local.Host,
		Command: shell.Join(append([]string{r.program.String()}, r.args...)), Age: time.Since(r.surveyor.began)}
	for i := range r.plan.Jobs {
		job := &r.plan.Jobs[i]
		run.Jobs = append(run.Jobs, survey.Job{Number: job.Number, Name: job.Name, First: job.First, Size: job.Size, Command: commandOf(job)})
	}
	for member := range r.plan.Total {
		run.Ranks = append(run.Ranks, r.describeRank(member))
	}
	return run
}

func commandOf(job *plan.Job) string {
	if job.Line != "" {
		return strings.TrimSpace(job.Line)
	}
	return shell.Join(job.Argv)
}

// describeRank returns what the launcher itself knows of a rank.
func (r *runner) describeRank(member int) survey.Rank {
	m := r.sup.Member(member)
	x := survey.Rank{Rank: member, Job: r.plan.Jobs[m.Job].Number, Host: m.Host, PID: m.PID, State: survey.NotStarted}
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
func (r *runner) askHosts() func() []survey.Reading {
	answers := r.hosts.Survey(surveyLimit)
	var parts []string
	for i := range r.plan.Jobs {
		job := &r.plan.Jobs[i]
		if job.Acprun && r.runDir != "" && len(plan.RemoteHosts(&plan.Plan{Jobs: r.plan.Jobs[i : i+1]}, r.local.IsLocal)) > 0 {
			parts = append(parts, filepath.Join(r.runDir, survey.PartSocketName(job.Number)))
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

// surveyPart returns what ranks do that an acprun, as a part of a run, has started on other hosts.
func (r *runner) surveyPart() []survey.Reading {
	_, others := r.known()
	return others()
}
