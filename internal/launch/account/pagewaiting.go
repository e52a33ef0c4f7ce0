package account

import (
	"fmt"
	"strings"
	"time"

	"github.com/goacp/goacp/internal/launch/survey"
)

const (
	maxTitleJobs     = 4
	maxPageCallSites = 40
)

// title returns the jobs of the run, and how many ranks they have.
func (r *Run) title() string {
	var names []string
	for i, job := range r.Jobs {
		if i == maxTitleJobs && len(r.Jobs) > maxTitleJobs+1 {
			names = append(names, fmt.Sprintf("%d more jobs", len(r.Jobs)-i))
			break
		}
		names = append(names, job.Name)
	}
	text := strings.Join(names, ", ")
	if n := len(names); n > 1 {
		text = strings.Join(names[:n-1], ", ") + " and " + names[n-1]
	}
	text += " on " + several(len(r.Ranks), "rank")
	if hosts := len(r.hosts(0, len(r.Ranks))); hosts > 1 {
		text += " of " + several(hosts, "host")
	}
	return text
}

// tiles returns the most important numbers of the run.
func (r *Run) tiles() []pageTile {
	tiles := []pageTile{{Name: "time", Number: survey.Duration(r.Took)}}
	if waits := r.byJob(); len(waits) > 0 {
		var waited, open time.Duration
		for rank := range r.Ranks {
			open += r.open(rank)
		}
		for i := range waits {
			waited += waits[i].total
		}
		tiles = append(tiles, pageTile{"ranks waited", percent(shareOf(waited, open)), "of their time"})
	}
	if w, rank := r.longest(); w != nil {
		tiles = append(tiles, pageTile{"longest wait", milliseconds(w.For), fmt.Sprintf("rank %d%s", rank, describe(w))})
	}
	if _, most, slowest, known := r.startup(); known {
		tiles = append(tiles, pageTile{"slowest start", milliseconds(most), fmt.Sprintf("rank %d", slowest)})
	}
	return tiles
}

// pageRemarks returns lines that are no numbers.
func (r *Run) pageRemarks() (lines []string) {
	for _, text := range []string{r.balance(), r.sharing()} {
		if text != "" {
			lines = append(lines, text)
		}
	}
	if missing := r.missing(); missing != nil {
		lines = append(lines, "nothing is known of "+rangesOf(missing))
	}
	return lines
}

// pageReasons returns the table of waits: a line for each job that has waited, and one for each of its reasons.
func (r *Run) pageReasons() *pageTable {
	t := &pageTable{id: "reasons", columns: []column{{"job", text}, {"waits for", text}, {"share of time", number}, {"most", text}, {"waits", number}, {"longest", number}}}
	whole := map[int]bool{}
	t.strong = func(row int) bool { return whole[row] }
	jobs, reasons := r.byJob(), r.byReason()
	add := func(w *waiting, reason string) {
		t.rows = append(t.rows, []string{r.Jobs[w.job].Name, reason, percent(w.share), fmt.Sprintf("%s, rank %d", percent(w.most), r.First+w.mostRank),
			grouped(w.waits), milliseconds(w.longest)})
	}
	for i := range jobs {
		whole[len(t.rows)] = true
		add(&jobs[i], "all")
		for j := range reasons {
			if reasons[j].job == jobs[i].job {
				add(&reasons[j], reasons[j].reason)
			}
		}
	}
	return t
}

// pageCallSites returns the table of the call sites at which ranks have waited longest.
func (r *Run) pageCallSites() *pageTable {
	t := &pageTable{id: "places", columns: []column{{"job", text}, {"at", text}, {"in", text}, {"for", text}, {"share of time", number}, {"together", number},
		{"waits", number}, {"longest", number}}}
	for _, w := range r.callSitesByTotal() {
		if len(t.rows) == maxPageCallSites {
			break
		}
		t.rows = append(t.rows, []string{r.Jobs[w.job].Name, w.at, w.call, w.reason, percent(w.share), milliseconds(w.total), grouped(w.waits), milliseconds(w.longest)})
	}
	return t
}
