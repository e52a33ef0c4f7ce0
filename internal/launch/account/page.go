package account

import (
	"bytes"
	_ "embed" // the page
	"encoding/json"
	"fmt"
	"html"
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

// pageTile is a number with its name, and a remark.
type pageTile struct {
	Name, Number, Remark string
}

// maxPageWaits is how many waits a page has.
const maxPageWaits = 20

// nothingWaited is in place of a table about waits.
const nothingWaited = "No thread has slept in the library."

// WritePage writes a page for a browser. The page refers to no other file. It has texts for readers without JavaScript. Its script reads the data.
func (r *Run) WritePage(to io.Writer) error {
	data, err := json.Marshal(r) // in a form that may be in a script
	if err != nil {
		return err
	}
	transfers, operations, bytes := r.pageTransfers()
	_, err = strings.NewReplacer(
		"{{title}}", html.EscapeString(r.title()), "{{began}}", html.EscapeString(r.Began.Format(time.RFC1123)),
		"{{command}}", html.EscapeString(r.Command), "{{how}}", paragraphs("how", r.How), "{{tiles}}", r.pageTiles(),
		"{{operations}}", grouped(operations), "{{bytes}}", grouped(bytes), "{{remarks}}", paragraphs("remark", r.pageRemarks()...),
		"{{reasons}}", r.pageReasons().orElse(nothingWaited), "{{transfers}}", transfers.html(),
		"{{links}}", r.pageLinks().under("What links transfer"), "{{models}}", r.pageModels().under("How long models compute and wait"),
		"{{places}}", r.pageCallSites().under("Where the program waits"), "{{waits}}", r.pageWaits().orElse(nothingWaited),
		"{{plan}}", r.pagePlan().html(), "{{data}}", string(data),
	).WriteString(to, pageText)
	return err
}

// pageTiles returns the numbers at the top of the page.
func (r *Run) pageTiles() string {
	var b strings.Builder
	for _, t := range r.tiles() {
		fmt.Fprintf(&b, "<div class=\"tile\">%s<b>%s</b><span class=\"soft\">%s</span></div>\n",
			html.EscapeString(t.Name), html.EscapeString(t.Number), html.EscapeString(t.Remark))
	}
	return b.String()
}

// pageTransfers returns the table of transfers, and the sums of its numbers.
func (r *Run) pageTransfers() (t *pageTable, operations, bytes uint64) {
	t = &pageTable{id: "transfers", columns: []column{{"from", text}, {"to", text}, {"kind", text}, {"path", text}, {"operations", number}, {"bytes", number}}}
	for _, l := range r.lines() {
		t.rows = append(t.rows, []string{r.Jobs[l.from].Name, r.jobName(l.to), l.kind.String(), l.path.String(), grouped(l.operations), grouped(l.bytes)})
		operations += l.operations
		bytes += l.bytes
	}
	return t, operations, bytes
}

// pageLinks returns the table of the links of coupled models.
func (r *Run) pageLinks() *pageTable {
	t := &pageTable{id: "links", columns: []column{{"job", text}, {"sends by link", text}, {"messages", number}, {"bytes", number}}}
	for _, l := range r.links() {
		t.rows = append(t.rows, []string{r.Jobs[l.job].Name, l.name, grouped(l.messages), grouped(l.bytes)})
	}
	return t
}

// pageModels returns the table of the times of models.
func (r *Run) pageModels() *pageTable {
	t := &pageTable{id: "models", columns: []column{{"model", text}, {"link", text}, {"computes", number}, {"waits", number}, {"share", number}, {"most", number}}}
	for _, m := range r.modelRows() {
		t.rows = append(t.rows, []string{m.Model, m.Link, m.Computes, m.Waits, m.Share, m.Most})
	}
	return t
}

// pagePlan returns the table of the jobs.
func (r *Run) pagePlan() *pageTable {
	t := &pageTable{columns: []column{{"job", text}, {"ranks", text}, {"hosts", text}, {"command", code}}}
	for _, job := range r.Jobs {
		t.rows = append(t.rows, []string{job.Name, numbersOf(job), strings.Join(r.hosts(job.First-r.First, job.First-r.First+job.Size), ", "), job.Command})
	}
	return t
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

// pageWaits returns the table of the longest waits of all ranks, the longest first.
func (r *Run) pageWaits() *pageTable {
	t := &pageTable{columns: []column{{"rank", text}, {"waited", text}, {"in", text}, {"at", text}, {"for", text}, {"since the start", number}}}
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
		t.rows = append(t.rows, []string{strconv.Itoa(r.First + x.rank), milliseconds(x.wait.For), x.wait.Call, x.wait.At, what, fmt.Sprintf("%.3f s", begun.Seconds())})
	}
	return t
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
