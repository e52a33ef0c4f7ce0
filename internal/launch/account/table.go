package account

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/goacp/goacp/internal/launch/survey"
)

// Write writes a table with a line for each pair of jobs, kind and path, and remarks about times.
func (r *Run) Write(to io.Writer) error {
	fmt.Fprintf(to, "transfers of %s in %s\n", several(len(r.Ranks), "rank"), survey.Duration(r.Took))
	table := tabwriter.NewWriter(to, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "from\tto\tkind\tpath\toperations\tbytes")
	var operations, bytes uint64
	for _, l := range r.lines() {
		fmt.Fprintf(table, "%s\t%s\t%v\t%v\t%d\t%s\n", r.Jobs[l.from].Name, r.jobName(l.to), l.kind, l.path, l.operations, exact(l.bytes))
		operations += l.operations
		bytes += l.bytes
	}
	fmt.Fprintf(table, "all\t\t\t\t%d\t%s\n", operations, exact(bytes))
	if err := table.Flush(); err != nil {
		return err
	}
	if err := r.writeWaits(to); err != nil {
		return err
	}
	if err := r.writeLinks(to); err != nil {
		return err
	}
	if err := r.writeModels(to); err != nil {
		return err
	}
	for _, text := range r.remarks() {
		if _, err := fmt.Fprintln(to, text); err != nil {
			return err
		}
	}
	return nil
}

// maxReasons is how many reasons of a job the table has.
const maxReasons = 6

// writeWaits writes a line for each job and each reason for which its ranks have waited, if there are any.
func (r *Run) writeWaits(to io.Writer) error {
	jobs, reasons, callSites := r.byJob(), r.byReason(), r.byCallSite()
	if len(jobs) == 0 {
		return nil
	}
	table := tabwriter.NewWriter(to, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "job\twaits for\tshare\tmost\twaits\tlongest\tmost of it at")
	write := func(w *waiting, reason, at string) {
		fmt.Fprintf(table, "%s\t%s\t%s\t%s, rank %d\t%d\t%s\t%s\n", r.Jobs[w.job].Name, reason, percent(w.share), percent(w.most), r.First+w.mostRank,
			w.waits, milliseconds(w.longest), at)
	}
	for i := range jobs {
		write(&jobs[i], "all", "")
		written := 0
		for j := range reasons {
			if w := &reasons[j]; w.job == jobs[i].job && written < maxReasons {
				write(w, w.reason, whereMost(callSites, w))
				written++
			}
		}
	}
	return table.Flush()
}

// whereMost returns the call site at which a job has waited longest for a reason.
func whereMost(callSites []waiting, w *waiting) string {
	for i := range callSites {
		if p := &callSites[i]; p.job == w.job && p.reason == w.reason {
			return p.where()
		}
	}
	return ""
}

// where returns a text for the call site of the waits.
func (w *waiting) where() string {
	switch {
	case w.at == "":
		return w.call
	case w.call == "":
		return w.at
	}
	return w.at + " (" + w.call + ")"
}

// writeLinks writes a line for each link, if there are any.
func (r *Run) writeLinks(to io.Writer) error {
	links := r.links()
	if len(links) == 0 {
		return nil
	}
	table := tabwriter.NewWriter(to, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "job\tsends by link\tmessages\tbytes")
	for _, l := range links {
		fmt.Fprintf(table, "%s\t%s\t%d\t%s\n", r.Jobs[l.job].Name, l.name, l.messages, exact(l.bytes))
	}
	return table.Flush()
}

// exact writes a number of bytes, followed by a short form if the number is large.
func exact(n uint64) string {
	if n < 1<<10 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%d (%s)", n, survey.Bytes(n))
}

// remarks returns lines about start-up times, waits, and ranks of which nothing is known.
func (r *Run) remarks() (lines []string) {
	if least, most, slowest, known := r.startup(); known {
		lines = append(lines, fmt.Sprintf("to start the library took %s to %s, longest on rank %d", milliseconds(least), milliseconds(most), slowest))
	}
	if w, rank := r.longest(); w != nil {
		lines = append(lines, fmt.Sprintf("the longest wait was that of rank %d%s: %s", rank, describe(w), milliseconds(w.For)))
	}
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

// milliseconds writes a time that may be short.
func milliseconds(d time.Duration) string {
	if d >= time.Second {
		return survey.Duration(d)
	}
	return fmt.Sprintf("%.3g ms", float64(d)/float64(time.Millisecond))
}

// rangesOf writes ranks, which are in order, as ranges.
func rangesOf(ranks []int) string {
	var texts []string
	for i := 0; i < len(ranks); {
		end := i
		for end+1 < len(ranks) && ranks[end+1] == ranks[end]+1 {
			end++
		}
		if end == i {
			texts = append(texts, fmt.Sprint(ranks[i]))
		} else {
			texts = append(texts, fmt.Sprintf("%d-%d", ranks[i], ranks[end]))
		}
		i = end + 1
	}
	if len(ranks) == 1 {
		return "rank " + texts[0]
	}
	return "ranks " + strings.Join(texts, ", ")
}
