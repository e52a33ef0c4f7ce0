package survey

import (
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/goacp/goacp/internal/ground/activity"
)

// Run is the state of a run at one moment.
type Run struct {
	Name     string        `json:"run"` // by which users name the run: the pid of its launcher, or else a part of its identity
	Identity activity.Run  `json:"identity"`
	Command  string        `json:"command"` // of the launcher; "" if no launcher has told
	Host     string        `json:"host"`    // of the launcher, or the host whose processes were read
	Age      time.Duration `json:"age"`
	Jobs     []Job         `json:"jobs,omitempty"`
	Ranks    []Rank        `json:"ranks"`          // those that the launcher has started, and present guests; in order
	To       string        `json:"to,omitempty"`   // the run to which the ranks have attached; "" = none
	Gone     int           `json:"gone,omitempty"` // launchers whose ranks were guests and have ended
	// Unheard has, for each host that has not answered, the reason.
	Unheard []string `json:"unheard,omitempty"`
}

// Job is a job of a run.
type Job struct {
	Number  int    `json:"number"`
	Name    string `json:"name"`
	First   int    `json:"first"` // its first rank
	Size    int    `json:"size"`
	Command string `json:"command"`
}

// Rank is the state of one rank.
type Rank struct {
	Rank int `json:"rank"`
	Job  int `json:"job"` // -1: not known
	// Cohort is the number of the rank's cohort, 0 if the rank belongs to the run itself.
	Cohort int `json:"cohort,omitempty"`
	// Apart says that the rank does not belong to the epoch of the run: it waits for its adoption, or has left.
	Apart bool   `json:"apart,omitempty"`
	Host  string `json:"host"` // "": not known
	PID   int    `json:"pid"`  // 0: not known
	State State  `json:"state"`
	How   string `json:"how,omitempty"` // how it has ended
	// Seen is the rank's state on its host, if State is one of the first four.
	Seen *Process `json:"seen,omitempty"`
}

// Reading holds the states of the ranks of one host.
type Reading struct {
	Host      string    `json:"host"`
	Processes []Process `json:"processes,omitempty"`
	Problem   string    `json:"problem,omitempty"` // why there are no processes
}

// Clean makes texts of another host fit for the terminal.
func (r *Reading) Clean() {
	r.Problem = printable(r.Problem)
	for i := range r.Processes {
		for j := range r.Processes[i].Waits {
			w := &r.Processes[i].Waits[j]
			w.Call, w.At, w.About = printable(w.Call), printable(w.At), printable(w.About)
		}
		for j := range r.Processes[i].Links {
			l := &r.Processes[i].Links[j]
			l.Name = printable(l.Name)
		}
	}
}

// printable returns a text without what controls a terminal.
func printable(text string) string {
	return strings.Map(func(c rune) rune {
		if !unicode.IsPrint(c) {
			return '?'
		}
		return c
	}, text)
}

// Add enters the reading of a host. The launcher has filled in its own data before. A rank that has left or
// ended meanwhile stays in that state.
func (r *Run) Add(reading Reading) {
	if reading.Problem != "" {
		r.Unheard = append(r.Unheard, "host "+reading.Host+": "+reading.Problem)
	}
	for _, p := range reading.Processes {
		i := r.index(p.Rank)
		if i < 0 || !p.State.seen() {
			continue // a guest of the run, or no correct host sends that
		}
		rank := &r.Ranks[i]
		if rank.State == Left || rank.State == Ended {
			continue
		}
		if rank.Seen != nil && p.Transferred == nil {
			// Another proxy on the same host has started the rank and has its totals.
			p.Transferred = rank.Seen.Transferred
		}
		rank.State, rank.Seen = p.State, &p
		if rank.Host == "" {
			rank.Host = reading.Host
		}
		if rank.PID == 0 {
			rank.PID = p.PID
		}
	}
}

// index returns the place of a rank in Ranks, -1 if it is not there.
func (r *Run) index(rank int) int {
	i, there := slices.BinarySearchFunc(r.Ranks, rank, func(x Rank, rank int) int { return x.Rank - rank })
	if !there {
		return -1
	}
	return i
}

// seen reports whether only a reading of the host can put a rank into this state.
func (s State) seen() bool { return s == Computing || s == Sleeping || s == Stopped || s == Waiting }

// WithoutLauncher returns the runs of processes without a launcher of ACP, such as those of a plain mpirun.
// Of each run it has only the ranks on this host. known are the identities of other runs.
func WithoutLauncher(host string, all []Process, known map[activity.Run]bool) []Run {
	var runs []Run
	index := map[activity.Run]int{}
	for _, p := range all {
		if known[p.Run] || p.Procs <= 0 || p.Procs > maxRanks {
			continue
		}
		i, there := index[p.Run]
		if !there {
			i = len(runs)
			index[p.Run] = i
			runs = append(runs, Run{Name: p.Run.String()[:8], Identity: p.Run, Host: host, Ranks: make([]Rank, p.Procs)})
			for rank := range runs[i].Ranks {
				runs[i].Ranks[rank] = Rank{Rank: rank, Job: -1, State: NotSeen}
			}
		}
		runs[i].Age = max(runs[i].Age, p.Age)
		runs[i].Add(Reading{Host: host, Processes: []Process{p}})
	}
	return runs
}

// maxRanks is the greatest number of ranks of a run.
const maxRanks = 1 << 20
