package account

import (
	"bytes"
	_ "embed" // the page
	"fmt"
	"html/template"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/goacp/goacp/internal/ground/traffic"
)

//go:embed page.html
var pageText string

var pageTemplate = template.Must(template.New("page").Parse(pageText))

// page is the data of the template. It has texts for readers without JavaScript. Its script reads Run.
type page struct {
	Run               *Run
	Title, Command    string
	Began             string
	Tiles             []pageTile
	Operations, Bytes string
	Remarks           []string
	Reasons           []pageReason
	CallSites         []pageCallSite
	Lines             []pageLine
	Links             []pageLink
	Models            []modelRow
	Waits             []pageWait
	Plan              []pageJob
}

// pageTile is a number with its name, and a remark.
type pageTile struct {
	Name, Number, Remark string
}

type pageReason struct {
	Job, Reason, Share, Most, Waits, Longest string
	All                                      bool // the line of the job
}

type pageCallSite struct {
	Job, At, Call, Reason, Share, Total, Waits, Longest string
}

type pageLink struct {
	Job, Name, Messages, Bytes string
}

type pageLine struct {
	From, To, Kind, Path, Operations, Bytes string
}

type pageWait struct {
	Rank, For, Call, At, What, Begun string
}

type pageJob struct {
	Name, Ranks, Hosts, Command string
}

// maxPageWaits is how many waits a page has.
const maxPageWaits = 20

// WritePage writes a page for a browser. The page refers to no other file.
func (r *Run) WritePage(to io.Writer) error {
	p := page{Run: r, Title: r.title(), Command: r.Command, Began: r.Began.Format(time.RFC1123),
		Tiles: r.tiles(), Remarks: r.pageRemarks(), Reasons: r.pageReasons(), CallSites: r.pageCallSites(), Models: r.modelRows(), Waits: r.pageWaits()}
	var operations, bytes uint64
	for _, l := range r.lines() {
		p.Lines = append(p.Lines, pageLine{r.Jobs[l.from].Name, r.jobName(l.to), l.kind.String(), l.path.String(), grouped(l.operations), grouped(l.bytes)})
		operations += l.operations
		bytes += l.bytes
	}
	p.Operations, p.Bytes = grouped(operations), grouped(bytes)
	for _, l := range r.links() {
		p.Links = append(p.Links, pageLink{r.Jobs[l.job].Name, l.name, grouped(l.messages), grouped(l.bytes)})
	}
	for _, job := range r.Jobs {
		p.Plan = append(p.Plan, pageJob{job.Name, numbersOf(job), strings.Join(r.hosts(job.First-r.First, job.First-r.First+job.Size), ", "), job.Command})
	}
	return pageTemplate.Execute(to, &p)
}

// SavePage writes the page to a file. A page that is there already stays until the new one is complete.
// The file is a regular one: the page would take the place of a device such as /dev/stdout.
func (r *Run) SavePage(file string) error {
	if info, err := os.Stat(file); err == nil && !info.Mode().IsRegular() {
		return fmt.Errorf("%s is no regular file", file)
	}
	var text bytes.Buffer
	err := r.WritePage(&text)
	if err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(file), "."+filepath.Base(file)+"-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) // fails if the file has been renamed to the page
	if _, err = f.Write(text.Bytes()); err == nil {
		err = f.Chmod(0o644)
	}
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = os.Rename(f.Name(), file)
	}
	return err
}

// hosts returns the hosts of the ranks from first on, before end, as far as they are known.
func (r *Run) hosts(first, end int) (names []string) {
	for _, rank := range r.Ranks[first:end] {
		if rank.Host != "" && !slices.Contains(names, rank.Host) {
			names = append(names, rank.Host)
		}
	}
	return names
}

// pageWaits returns the longest waits of all ranks, the longest first.
func (r *Run) pageWaits() (rows []pageWait) {
	type waiting struct {
		rank int
		wait traffic.Wait
	}
	var all []waiting
	for rank := range r.Ranks {
		if c := r.Ranks[rank].Counted; c != nil {
			for _, w := range c.Waits {
				all = append(all, waiting{rank, w})
			}
		}
	}
	slices.SortStableFunc(all, func(a, b waiting) int { return int(min(max(b.wait.For-a.wait.For, -1), 1)) })
	for _, x := range all[:min(len(all), maxPageWaits)] {
		what := reasonText(x.wait.Kind, x.wait.About)
		if x.wait.Member >= 0 {
			what += fmt.Sprintf(", rank %d", x.wait.Member)
		}
		begun := time.Unix(0, x.wait.Begun).Sub(r.Began)
		rows = append(rows, pageWait{strconv.Itoa(r.First + x.rank), milliseconds(x.wait.For), x.wait.Call, x.wait.At, what, fmt.Sprintf("%.3f s", begun.Seconds())})
	}
	return rows
}

// numbersOf writes the ranks of a job.
func numbersOf(job Job) string {
	if job.Size == 1 {
		return strconv.Itoa(job.First)
	}
	return fmt.Sprintf("%d–%d", job.First, job.First+job.Size-1)
}

// several writes a number of things.
func several(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// grouped writes a number with commas.
func grouped(n uint64) string {
	text := strconv.FormatUint(n, 10)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}
