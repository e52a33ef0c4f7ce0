package account

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/goacp/goacp/internal/ground/activity"
	"github.com/goacp/goacp/internal/ground/traffic"
)

// waiting is how long the ranks of a job have waited, for one reason or for all, at one call site or at all.
type waiting struct {
	job      int
	reason   string // "": all
	call, at string
	waits    uint64
	total    time.Duration // of all ranks
	longest  time.Duration

	share    float64 // of the time of all ranks of the job, from 0 to 1
	most     float64 // of the time of the rank that has waited longest
	mostRank int
	kind     activity.Kind

	byRank map[int]time.Duration
}

// open returns how long a rank had the library open.
func (r *Run) open(rank int) time.Duration {
	c := r.Ranks[rank].Counted
	if c == nil || c.Opened == 0 {
		return 0
	}
	end := c.Closed
	if end == 0 {
		end = r.Began.Add(r.Took).UnixNano()
	}
	return max(time.Duration(end-c.Opened), 0)
}

// openOf returns how long all ranks of a job had the library open.
func (r *Run) openOf(job int) (sum time.Duration) {
	for rank := range r.Ranks {
		if r.Ranks[rank].Job == job {
			sum += r.open(rank)
		}
	}
	return sum
}

// shareOf returns the part of a time that is waited. Several threads may wait at once.
func shareOf(waited, all time.Duration) float64 {
	if all <= 0 {
		return 0
	}
	return min(float64(waited)/float64(all), 1)
}

// waitings adds up the waits of the ranks of each job by key, which returns all grouping fields except the
// job. The longest of a job come first.
func (r *Run) waitings(key func(*traffic.CallSite) waiting) []waiting {
	type index struct {
		job              int
		reason, call, at string
	}
	found := map[index]*waiting{}
	for rank := range r.Ranks {
		c := r.Ranks[rank].Counted
		if c == nil {
			continue
		}
		for i := range c.CallSites {
			p := &c.CallSites[i]
			k := key(p)
			at := index{r.Ranks[rank].Job, k.reason, k.call, k.at}
			w := found[at]
			if w == nil {
				k.job, k.byRank = at.job, map[int]time.Duration{}
				w = &k
				found[at] = w
			}
			w.waits += p.Waits
			w.total += p.Total
			w.longest = max(w.longest, p.Longest)
			w.byRank[rank] += p.Total
		}
	}
	var list []waiting
	for _, w := range found {
		w.share = shareOf(w.total, r.openOf(w.job))
		for rank, waited := range w.byRank {
			if s := shareOf(waited, r.open(rank)); s > w.most || s == w.most && rank < w.mostRank {
				w.most, w.mostRank = s, rank
			}
		}
		list = append(list, *w)
	}
	slices.SortFunc(list, func(a, b waiting) int {
		return cmp.Or(a.job-b.job, cmp.Compare(b.total, a.total), strings.Compare(a.reason+a.call+a.at, b.reason+b.call+b.at))
	})
	return list
}

// byJob returns the waits of each job that has waited.
func (r *Run) byJob() []waiting {
	return r.waitings(func(*traffic.CallSite) waiting { return waiting{} })
}

// byReason returns the waits of each job by reason.
func (r *Run) byReason() []waiting {
	return r.waitings(func(p *traffic.CallSite) waiting { return waiting{reason: reasonOf(p), kind: p.Kind} })
}

// byCallSite returns the waits of each job by reason and call site.
func (r *Run) byCallSite() []waiting {
	return r.waitings(func(p *traffic.CallSite) waiting {
		return waiting{reason: reasonOf(p), call: p.Call, at: p.At}
	})
}

// callSitesByTotal returns byCallSite, the longest of all jobs first.
func (r *Run) callSitesByTotal() []waiting {
	list := r.byCallSite()
	slices.SortStableFunc(list, func(a, b waiting) int { return cmp.Compare(b.total, a.total) })
	return list
}

// reasonOf returns a text for the reason of a wait.
func reasonOf(p *traffic.CallSite) string { return reasonText(p.Kind, p.About) }

func reasonText(k activity.Kind, about string) string {
	switch {
	case about == "":
		return k.String()
	case k == activity.Link:
		return "link with " + about
	case k == activity.Opening:
		return "opening of the link of " + about
	}
	return k.String() + " " + about
}

// remarkable is the least difference between shares that a remark mentions.
const remarkable = 0.05

// balance compares jobs that wait for each other by links. It returns "" if they wait about as long.
func (r *Run) balance() string {
	shares := map[int]float64{}
	for rank := range r.Ranks {
		if c := r.Ranks[rank].Counted; c != nil && len(c.Links) > 0 {
			shares[r.Ranks[rank].Job] += 0
		}
	}
	for _, w := range r.byReason() {
		if w.kind == activity.Link {
			shares[w.job] += w.share
		}
	}
	if len(shares) < 2 {
		return ""
	}
	least, most := -1, -1
	for job, share := range shares {
		if least < 0 || share < shares[least] || share == shares[least] && job < least {
			least = job
		}
		if most < 0 || share > shares[most] || share == shares[most] && job < most {
			most = job
		}
	}
	if shares[most]-shares[least] < remarkable {
		return ""
	}
	return fmt.Sprintf("%s waited %s of its time for links, %s %s: %s is the slower model",
		r.Jobs[most].Name, percent(shares[most]), r.Jobs[least].Name, percent(shares[least]), r.Jobs[least].Name)
}

// percent writes a share.
func percent(share float64) string {
	switch {
	case share > 0 && share < 0.01:
		return "<1 %"
	case share < 0.1:
		return fmt.Sprintf("%.1f %%", 100*share)
	}
	return fmt.Sprintf("%.0f %%", 100*share)
}

// linkLine holds the bytes that the ranks of a job have sent by a link.
type linkLine struct {
	name            string
	job             int
	messages, bytes uint64
}

// links returns the traffic of all links, in order.
func (r *Run) links() (list []linkLine) {
	index := map[linkLine]int{}
	for rank := range r.Ranks {
		c := r.Ranks[rank].Counted
		if c == nil {
			continue
		}
		for _, l := range c.Links {
			if l.Messages == 0 {
				continue
			}
			key := linkLine{name: l.Name, job: r.Ranks[rank].Job}
			at, there := index[key]
			if !there {
				at = len(list)
				index[key] = at
				list = append(list, key)
			}
			list[at].messages += l.Messages
			list[at].bytes += l.Bytes
		}
	}
	slices.SortFunc(list, func(a, b linkLine) int { return cmp.Or(a.job-b.job, strings.Compare(a.name, b.name)) })
	return list
}
