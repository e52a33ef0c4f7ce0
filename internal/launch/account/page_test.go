package account

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/goacp/goacp/internal/ground/traffic"
	"golang.org/x/sys/unix"
)

var pageData = regexp.MustCompile(`(?s)<script type="application/json" id="data">(.*?)</script>`)

// TestPage: the page has the numbers of the run, for scripts and for readers, and refers to no other file.
func TestPage(t *testing.T) {
	run := sample()
	run.Command, run.How = `macprun "</script><b>" & more`, "rank 3 <died>"
	run.Began = time.Unix(1_700_000_000, 0).UTC()
	run.Samples = []Sample{{Jobs: []Volume{{}, {}}}, {At: time.Second, Jobs: []Volume{{7, 5032}, {1, 1 << 20}}}}
	var text bytes.Buffer
	if err := run.WritePage(&text); err != nil {
		t.Fatal(err)
	}
	data := pageData.FindSubmatch(text.Bytes())
	if data == nil {
		t.Fatal("the page has no data")
	}
	var back Run
	if err := json.Unmarshal(data[1], &back); err != nil {
		t.Fatalf("%v in %s", err, data[1])
	}
	if !reflect.DeepEqual(&back, run) {
		t.Errorf("the page has %+v, expected %+v", back, run)
	}
	for _, part := range []string{
		`<b id="operations">8</b>`, `<b id="bytes">1,053,608</b>`, "nothing is known of rank 3", "rank 3 &lt;died&gt;",
		`<tr><td>ice</td><td>ocean</td><td>get</td><td>rma</td><td class="number">1</td><td class="number">1,048,576</td></tr>`,
		`<tr><td>1</td><td>2.0 s</td><td>acp_sync</td>`,
	} {
		if !strings.Contains(text.String(), part) {
			t.Errorf("the page does not have %s", part)
		}
	}
	if refers := regexp.MustCompile(`(?i)\b(src|href)\s*=|@import|url\(|fetch\(`).FindString(text.String()); refers != "" {
		t.Errorf("the page refers to other files: %s", refers)
	}
	if n := strings.Count(text.String(), "<script"); n != 2 {
		t.Errorf("the page has %d scripts, expected 2", n)
	}
}

// TestSavePage replaces a page, and fails if there is no such directory.
func TestSavePage(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "run.html")
	for range 2 {
		if err := sample().SavePage(file); err != nil {
			t.Fatal(err)
		}
	}
	list, err := os.ReadDir(dir)
	if err != nil || len(list) != 1 {
		t.Errorf("%v, %v", list, err)
	}
	if err := sample().SavePage(filepath.Join(dir, "none", "run.html")); err == nil {
		t.Error("a page is in a directory that does not exist")
	}
}

// TestSamples: numbers add up by job, do not shrink, and long runs have no more samples than short ones.
func TestSamples(t *testing.T) {
	s := NewSamples(2, 0, []int{0, 0, 1})
	s.See(0, traffic.Totals{Operations: 1, Bytes: 10})
	s.See(1, traffic.Totals{Operations: 2, Bytes: 20})
	s.See(2, traffic.Totals{Operations: 4, Bytes: 40})
	s.See(2, traffic.Totals{Operations: 3, Bytes: 50})
	s.See(3, traffic.Totals{Operations: 1, Bytes: 1})
	s.See(-1, traffic.Totals{Operations: 1, Bytes: 1})
	s.Take(time.Second)
	want := []Sample{{Jobs: []Volume{{}, {}}}, {At: time.Second, Jobs: []Volume{{3, 30}, {4, 50}}}}
	if !reflect.DeepEqual(s.List(), want) {
		t.Errorf("samples %+v, expected %+v", s.List(), want)
	}
	for at := 2 * time.Second; at < time.Hour; at += s.Interval() {
		s.Take(at)
	}
	list := s.List()
	if len(list) > maxSamples || len(list) < maxSamples/2 || s.Interval() != 32*firstInterval {
		t.Errorf("%d samples at intervals of %v", len(list), s.Interval())
	}
	for i := range list[1:] {
		if list[i].At >= list[i+1].At {
			t.Fatalf("samples at %v and %v", list[i].At, list[i+1].At)
		}
	}
}

// TestSavePageOnNoFile saves the page under the name of a pipe, which must stay one.
func TestSavePageOnNoFile(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := unix.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	err := (&Run{}).SavePage(pipe)
	if info, statErr := os.Lstat(pipe); err == nil || statErr != nil || info.Mode().IsRegular() {
		t.Errorf("error %v, file %v, %v; expected an error and the pipe", err, info, statErr)
	}
}
