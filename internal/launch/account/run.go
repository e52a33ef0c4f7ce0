package account

import (
	"fmt"
	"slices"
	"time"

	"github.com/goacp/goacp/internal/ground/traffic"
)

// Run holds the transfers of the ranks of a run.
type Run struct {
	Command string        `json:"command"` // of the launcher
	Began   time.Time     `json:"began"`
	Took    time.Duration `json:"took"` // so far
	How     string        `json:"how"`  // the reason why the run has ended early; "" otherwise
	Jobs    []Job         `json:"jobs"`
	First   int           `json:"first"`   // rank of the first of Ranks; not 0 for guests of another run
	Seats   int           `json:"seats"`   // ranks that the run can ever have
	Ranks   []Rank        `json:"ranks"`   // those that the launcher has started, in order
	Samples []Sample      `json:"samples"` // what was transferred at some moments; nil if nothing has looked
}

// Job is a job of a run.
type Job struct {
	Name    string `json:"name"`
	First   int    `json:"first"` // its first rank
	Size    int    `json:"size"`
	Command string `json:"command"`
}

// Rank is the data of one rank.
type Rank struct {
	Job  int    `json:"job"`
	Host string `json:"host"` // "": not known
	How  string `json:"how"`  // how the rank has ended; "": not known

	// Counted is the table of the rank's transfers. Nil: there is none.
	Counted *traffic.Snapshot `json:"counted"`
}

// Fill enters tables. It leaves out tables that no rank of the run can have sent.
func (r *Run) Fill(tables []traffic.Snapshot) {
	for i := range tables {
		if s := &tables[i]; s.Procs == r.Seats && s.Member >= r.First && s.Member < r.First+len(r.Ranks) {
			r.Ranks[s.Member-r.First].Counted = s
		}
	}
}

// missing returns the ranks without a table.
func (r *Run) missing() (ranks []int) {
	for i := range r.Ranks {
		if r.Ranks[i].Counted == nil {
			ranks = append(ranks, r.First+i)
		}
	}
	return ranks
}

// line holds the transfers of one kind on one path from the ranks of one job to those of one job.
type line struct {
	from, to int // jobs; len(Run.Jobs): those of another launcher
	kind     traffic.Kind
	path     traffic.Path

	operations, bytes uint64
}

// jobOf returns the job of a rank, len(r.Jobs) if another launcher has started it.
func (r *Run) jobOf(rank int) int {
	if i := rank - r.First; i >= 0 && i < len(r.Ranks) {
		return r.Ranks[i].Job
	}
	return len(r.Jobs)
}

// jobName returns the name of a job of a line.
func (r *Run) jobName(job int) string {
	switch {
	case job < len(r.Jobs):
		return r.Jobs[job].Name
	case r.First > 0:
		return "(other ranks)"
	}
	return "(guests)"
}

// lines returns the transfers between jobs, in order.
func (r *Run) lines() []line {
	index := map[line]int{}
	var list []line
	for i := range r.Ranks {
		if r.Ranks[i].Counted == nil {
			continue
		}
		for _, x := range r.Ranks[i].Counted.Transfers {
			key := line{from: r.Ranks[i].Job, to: r.jobOf(x.Member), kind: x.Kind, path: x.Path}
			at, there := index[key]
			if !there {
				at = len(list)
				index[key] = at
				list = append(list, key)
			}
			list[at].operations += x.Operations
			list[at].bytes += x.Bytes
		}
	}
	slices.SortFunc(list, func(a, b line) int {
		return slices.Compare([]int{a.from, a.to, int(a.kind), int(a.path)}, []int{b.from, b.to, int(b.kind), int(b.path)})
	})
	return list
}

// startup returns how long the quickest and the slowest rank took to start the library, and the slowest rank.
// known is false if none has started it.
func (r *Run) startup() (least, most time.Duration, slowest int, known bool) {
	for i := range r.Ranks {
		c := r.Ranks[i].Counted
		if c == nil || c.Opened == 0 {
			continue
		}
		took := time.Duration(c.Opened - c.Begun)
		if !known || took < least {
			least = took
		}
		if !known || took > most {
			most, slowest = took, r.First+i
		}
		known = true
	}
	return least, most, slowest, known
}

// longest returns the longest wait of all ranks, and the rank. w is nil if there is none.
func (r *Run) longest() (w *traffic.Wait, rank int) {
	for i := range r.Ranks {
		if c := r.Ranks[i].Counted; c != nil && len(c.Waits) > 0 && (w == nil || c.Waits[0].For > w.For) {
			w, rank = &c.Waits[0], r.First+i
		}
	}
	return w, rank
}

// describe returns a text for the reason of a wait.
func describe(w *traffic.Wait) string {
	text := ""
	if w.Call != "" {
		text = " in " + w.Call
	}
	if w.At != "" {
		text += " (" + w.At + ")"
	}
	if w.About != "" {
		text += ", " + reasonText(w.Kind, w.About)
	}
	if w.Member >= 0 {
		text += fmt.Sprintf(" for rank %d", w.Member)
	}
	return text
}
