package launch

import (
	"fmt"
	"time"

	"github.com/goacp/goacp/internal/ground/traffic"
	"github.com/goacp/goacp/internal/launch/account"
	"github.com/goacp/goacp/internal/launch/plan"
)

// maxPageAge is how old the page of option -trace may become during the run.
const maxPageAge = 10 * time.Second

// traceWatch makes the page of option -trace. It belongs to the goroutine of the run.
type traceWatch struct {
	samples *account.Samples // nil: no page is asked for
	next    time.Time        // when to take the next sample
	looking bool
	written time.Time // when the page was written
	age     time.Duration
}

// beginTrace writes a page with the plan of the run, if a page is asked for. Fails if the page cannot be
// written.
func (r *runner) beginTrace() error {
	if r.opts.Trace == "" || r.runDir == "" {
		return nil
	}
	jobOf := make([]int, r.plan.Limit()) // those that come later are of the first job until extend is called
	for rank := range r.plan.Total {
		jobOf[rank] = r.sup.Member(rank).Job
	}
	r.trace = traceWatch{samples: account.NewSamples(len(r.plan.Jobs), r.plan.Rank(0), jobOf), age: time.Second}
	if err := r.savePage(r.transfers()); err != nil {
		return fmt.Errorf("option -trace: %w", err)
	}
	r.trace.next = time.Now().Add(r.trace.samples.Interval())
	return nil
}

// extend counts the transfers of processes that come later for their job. A job of acprun needs no call.
func (w *traceWatch) extend(added *plan.Job, p *plan.Plan) {
	if w.samples == nil {
		return
	}
	for rank := added.InRun.Rank; rank < added.InRun.Rank+added.Size; rank++ {
		w.samples.Assign(rank, p.JobOf(added.Number))
	}
}

// due returns when to take the next sample, but no later than latest.
func (w *traceWatch) due(latest time.Time) time.Time {
	if w.samples != nil && !w.looking && w.next.Before(latest) {
		return w.next
	}
	return latest
}

// takeSample takes a sample if it is time for that. It does not block.
func (r *runner) takeSample(now time.Time) {
	w := &r.trace
	if w.samples == nil || w.looking || now.Before(w.next) {
		return
	}
	w.looking = true
	q, old := theirWaits, now.Sub(w.written) > w.age
	if old {
		q = theirTransfers
	}
	r.totalsThen(q, func(totals map[int]traffic.Totals) {
		for rank, t := range totals {
			w.samples.See(rank, t)
		}
		w.samples.Take(time.Since(r.surveyor.began))
		w.looking, w.next = false, time.Now().Add(w.samples.Interval())
		if old {
			w.age = min(2*w.age, maxPageAge)
			// The page could be written at the start. An error at the end of the run is reported.
			_ = r.savePage(r.transfers())
		}
	})
}

// totalsThen calls f on the goroutine of the run with the totals of each rank, as far as its host has sent
// them. It asks other hosts q. It does not block. A survey would take longer, since it looks at all processes
// of this host.
func (r *runner) totalsThen(q question, f func(map[int]traffic.Totals)) {
	go func() {
		_, others := r.known(q)
		totals := map[int]traffic.Totals{}
		tables, _ := account.Gather(r.runDir) // a rank that starts has no table yet
		r.surveyor.lines.Locate(tables)       // reads large files here, so that savePage finds the lines at once
		for i := range tables {
			totals[tables[i].Member] = tables[i].Totals()
		}
		for _, reading := range others() {
			for i := range reading.Processes {
				if p := &reading.Processes[i]; p.Transferred != nil {
					totals[p.Rank] = *p.Transferred
				}
			}
		}
		r.loop.post(func() { f(totals) })
	}()
}

// savePage writes the page.
func (r *runner) savePage(run *account.Run) error {
	run.Samples = r.trace.samples.List()
	r.trace.written = time.Now()
	return run.SavePage(r.opts.Trace)
}

// endTrace writes the page for the last time.
func (r *runner) endTrace(run *account.Run) {
	if r.trace.samples == nil {
		return
	}
	for i := range run.Ranks {
		if c := run.Ranks[i].Counted; c != nil {
			r.trace.samples.See(run.First+i, c.Totals())
		}
	}
	r.trace.samples.Take(run.Took)
	if err := r.savePage(run); err != nil {
		r.console.Say("option -trace: %v", err)
	}
}
