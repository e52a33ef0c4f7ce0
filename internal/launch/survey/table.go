package survey

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
)

// Write writes a table with a line for each rank.
func (r *Run) Write(to io.Writer) error {
	fmt.Fprintln(to, r.title())
	table := tabwriter.NewWriter(to, 0, 0, 2, ' ', 0)
	counts := r.counts()
	columns := "rank\tjob\thost\tpid\tmemory\taccesses\tstate"
	if counts {
		columns = "rank\tjob\thost\tpid\tmemory\taccesses\tmessages\tbytes\tstate"
	}
	fmt.Fprintln(table, columns)
	for i := range r.Ranks {
		x := &r.Ranks[i]
		job, pid, memory, accesses := "-", "-", "-", "-"
		if x.Job >= 0 {
			job = r.jobName(x.Job)
		}
		if x.PID > 0 {
			pid = fmt.Sprint(x.PID)
		}
		if x.Seen != nil {
			memory, accesses = Bytes(x.Seen.Memory), fmt.Sprint(x.Seen.Accesses)
		}
		fmt.Fprintf(table, "%d\t%s\t%s\t%s\t%s\t%s\t", x.Rank, job, dash(x.Host), pid, memory, accesses)
		if counts {
			fmt.Fprintf(table, "%s\t%s\t", x.transferred()...)
		}
		fmt.Fprintln(table, r.Explain(i))
	}
	if err := table.Flush(); err != nil {
		return err
	}
	if err := r.writeLinks(to); err != nil {
		return err
	}
	for _, line := range append(r.Unheard, r.advice()) {
		if line == "" {
			continue
		}
		if _, err := fmt.Fprintln(to, line); err != nil {
			return err
		}
	}
	return nil
}

// counts reports whether any rank counts its transfers.
func (r *Run) counts() bool {
	for i := range r.Ranks {
		if x := r.Ranks[i].Seen; x != nil && x.Transferred != nil {
			return true
		}
	}
	return false
}

// transferred returns how many messages and bytes a rank has transferred, as texts.
func (x *Rank) transferred() []any {
	if x.Seen == nil || x.Seen.Transferred == nil {
		return []any{"-", "-"}
	}
	return []any{fmt.Sprint(x.Seen.Transferred.Messages), Bytes(x.Seen.Transferred.Bytes)}
}

// jobName returns how tables name a job.
func (r *Run) jobName(number int) string {
	i := slices.IndexFunc(r.Jobs, func(job Job) bool { return job.Number == number })
	if i >= 0 && r.Jobs[i].Name != "" {
		return r.Jobs[i].Name
	}
	return fmt.Sprint(number)
}

// title returns a line that identifies the run.
func (r *Run) title() string {
	text := fmt.Sprintf("run %s, %d ranks, since %s", r.Name, len(r.Ranks), Duration(r.Age))
	if r.To != "" {
		text = fmt.Sprintf("guests %s of run %s, %d ranks, since %s", r.Name, r.To, len(r.Ranks), Duration(r.Age))
	}
	if guests := r.guests(); guests > 0 {
		text += fmt.Sprintf(", %d of them guests", guests)
	}
	if r.Gone > 0 {
		text += fmt.Sprintf(", guests of %d launchers have ended", r.Gone)
	}
	if r.Command != "" {
		text += ": " + r.Command
	} else {
		text += "; no launcher on this host: ranks of other hosts are not seen"
	}
	return text
}

// guests returns how many ranks are guests of the run.
func (r *Run) guests() (n int) {
	for i := range r.Ranks {
		if r.Ranks[i].Cohort > 0 {
			n++
		}
	}
	return n
}

// lasting is the shortest wait that counts as part of a cycle. Processes are not read at the same moment, so
// shorter waits may not have been simultaneous.
const lasting = time.Second

// List writes a table with a line for each run.
func List(to io.Writer, runs []Run) error {
	table := tabwriter.NewWriter(to, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "run\tranks\tsince\tcommand")
	for i := range runs {
		r := &runs[i]
		fmt.Fprintf(table, "%s\t%d\t%s\t%s\n", r.Name, len(r.Ranks), Duration(r.Age), dash(r.Command))
	}
	return table.Flush()
}

// advice returns a text about ranks that wait for each other in a cycle, if any do.
func (r *Run) advice() string {
	if cycle := r.Cycle(lasting); cycle != nil {
		return r.DescribeCycle(cycle)
	}
	return ""
}

// Bytes writes a number of bytes in few characters.
func Bytes(n uint64) string {
	const units = "KMGTPE"
	if n < 1<<10 {
		return fmt.Sprintf("%d B", n)
	}
	value, unit := float64(n)/(1<<10), 0
	for value >= 1000 && unit < len(units)-1 {
		value, unit = value/(1<<10), unit+1
	}
	text := fmt.Sprintf("%.1f", value)
	if value >= 10 {
		text = fmt.Sprintf("%.0f", value)
	}
	return strings.TrimSuffix(text, ".0") + " " + units[unit:unit+1] + "iB"
}

func dash(text string) string {
	if text == "" {
		return "-"
	}
	return text
}
