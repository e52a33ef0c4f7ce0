package account

import (
	"time"

	"github.com/goacp/goacp/internal/ground/traffic"
)

// Sample holds the transfers of the jobs of a run up to one moment.
type Sample struct {
	At   time.Duration `json:"at"`   // since the start of the run
	Jobs []Volume      `json:"jobs"` // in order
}

// Volume is a number of operations and of bytes.
type Volume struct {
	Operations uint64 `json:"operations"`
	Bytes      uint64 `json:"bytes"`
}

const (
	firstInterval = 250 * time.Millisecond
	maxSamples    = 480
)

// Samples are those of a run, at equal intervals. The longer the run lasts, the longer are the intervals.
type Samples struct {
	list     []Sample
	interval time.Duration
	jobs     int
	first    int      // rank of the first of the run
	jobOf    []int    // by rank, from first on
	seen     []Volume // by rank, from first on: the latest totals
}

// NewSamples returns Samples of a run, with one at its start. jobOf has the job of each rank from first on.
func NewSamples(jobs, first int, jobOf []int) *Samples {
	s := &Samples{interval: firstInterval, jobs: jobs, first: first, jobOf: jobOf, seen: make([]Volume, len(jobOf))}
	s.Take(0)
	return s
}

// Assign records the job of a rank, which the run has.
func (s *Samples) Assign(rank, job int) { s.jobOf[rank-s.first] = job }

// Interval returns how long to wait until the next sample.
func (s *Samples) Interval() time.Duration { return s.interval }

// See records the totals of a rank. It does nothing if the run does not have the rank.
func (s *Samples) See(rank int, t traffic.Totals) {
	// A process on another host may send any numbers. Totals never shrink.
	i := rank - s.first
	if i < 0 || i >= len(s.seen) {
		return
	}
	v := &s.seen[i]
	*v = Volume{max(v.Operations, t.Operations), max(v.Bytes, t.Bytes)}
}

// Take takes a sample of the latest totals. If there are many, it drops every second one.
func (s *Samples) Take(at time.Duration) {
	if len(s.list) >= maxSamples {
		for i := range maxSamples / 2 {
			s.list[i] = s.list[2*i]
		}
		s.list = s.list[:maxSamples/2]
		s.interval *= 2
	}
	x := Sample{At: at, Jobs: make([]Volume, s.jobs)}
	for rank, v := range s.seen {
		x.Jobs[s.jobOf[rank]].Operations += v.Operations
		x.Jobs[s.jobOf[rank]].Bytes += v.Bytes
	}
	s.list = append(s.list, x)
}

// List returns the samples, which belong to s.
func (s *Samples) List() []Sample { return s.list }
