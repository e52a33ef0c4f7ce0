package launch

import (
	"strings"
	"time"

	"github.com/goacp/goacp/internal/ground/traffic"
	"github.com/goacp/goacp/internal/launch/account"
	"github.com/goacp/goacp/internal/launch/shell"
)

// saveTransfers saves the table of a rank on another host beside the tables of this host. A part of a run
// saves it in the directory of its macprun.
func (r *runner) saveTransfers(s *traffic.Snapshot) {
	if err := account.Save(r.rendezvous.Dir(), s); err != nil {
		r.console.Verbose("what rank %d has transferred is lost: %v", s.Member, err)
	}
}

// transfers returns the transfers of all ranks of a whole run, from the tables on this host.
func (r *runner) transfers() *account.Run {
	run := &account.Run{Command: shell.Join(append([]string{r.program.String()}, r.args...)), Began: r.surveyor.began,
		Took: time.Since(r.surveyor.began), First: r.plan.Rank(0), Seats: r.rendezvous.Seats()}
	if v := r.sup.Outcome(); v != nil {
		run.How = v.Text
	}
	for i := range r.plan.Jobs {
		job := &r.plan.Jobs[i]
		run.Jobs = append(run.Jobs, account.Job{Name: job.Name, First: job.InRun.Rank, Size: job.Size, Command: commandOf(job)})
	}
	for member := range r.plan.Total {
		m := r.sup.Member(member)
		rank := account.Rank{Job: r.plan.JobOf(m.Job), Host: m.Host}
		if m.Known {
			rank.How = m.Status.String()
		}
		run.Ranks = append(run.Ranks, rank)
	}
	tables, err := account.Gather(r.runDir)
	if err != nil {
		r.console.Verbose("%v", err)
	}
	r.surveyor.lines.Locate(tables)
	run.Fill(tables)
	return run
}

// reportTransfers writes the table of option -stats to standard error and the page of option -trace, if the
// user has asked for them. All ranks have ended. macprun does so for the parts of its run.
func (r *runner) reportTransfers() {
	if !r.opts.Counts() || r.runDir == "" || r.rendezvous == nil {
		return
	}
	run := r.transfers()
	r.endTrace(run)
	if !r.opts.Stats {
		return
	}
	var text strings.Builder
	// A Builder never fails.
	_ = run.Write(&text)
	for line := range strings.Lines(text.String()) {
		r.console.Say("%s", strings.TrimRight(line, " \n"))
	}
}
