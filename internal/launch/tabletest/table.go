package tabletest

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/goacp/goacp/internal/launch/shell"
)

// Update is the flag -update: Run writes the results of the code into the files instead of comparing them.
var Update = flag.Bool("update", false, "write what the code says into testdata, for review")

// Case is one case of a file in testdata:
//
//	== name
//	acprun|macprun words of the command line
//	-- file name
//	its content
//	-- want
//	what is expected
//
// Lines before the first case are comments. In the content of a file, \0 stands for a zero
// byte, so that the tables are text.
type Case struct {
	name    string
	Program string   // acprun or macprun
	Args    []string // after the name of the program
	Files   []File
	want    string
}

// File is a file that a case needs.
type File struct{ Name, Text string }

// Read reads a file of cases. head is the comment before the first case.
func Read(t *testing.T, path string) (head string, cases []*Case) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var into *string
	for line := range strings.Lines(string(text)) {
		last := len(cases) - 1
		switch {
		case strings.HasPrefix(line, "== "):
			cases = append(cases, &Case{name: strings.TrimSpace(line[3:])})
			into = nil
		case last < 0:
			head += line
		case line == "-- want\n":
			into = &cases[last].want
		case strings.HasPrefix(line, "-- "):
			cases[last].Files = append(cases[last].Files, File{Name: strings.TrimSpace(line[3:])})
			into = &cases[last].Files[len(cases[last].Files)-1].Text
		case into != nil:
			*into += line
		default:
			for word := strings.TrimSpace(line); word != ""; {
				var next string
				next, word = shell.CutWord(word)
				if cases[last].Program == "" {
					cases[last].Program = next
				} else {
					cases[last].Args = append(cases[last].Args, next)
				}
			}
		}
	}
	for _, c := range cases {
		for i := range c.Files {
			c.Files[i].Text = strings.ReplaceAll(c.Files[i].Text, `\0`, "\x00")
		}
		c.want = strings.TrimRight(c.want, "\n") + "\n"
	}
	return head, cases
}

// Run calls f for every case of the files that match pattern, compares its results with the expected texts,
// and returns the number of cases.
func Run(t *testing.T, pattern string, f func(t *testing.T, c *Case) string) (count int) {
	paths, err := filepath.Glob(pattern)
	if err != nil || len(paths) == 0 {
		t.Fatalf("no files %s: %v", pattern, err)
	}
	for _, path := range paths {
		path, err := filepath.Abs(path)
		if err != nil {
			t.Fatal(err)
		}
		head, cases := Read(t, path)
		for _, c := range cases {
			count++
			t.Run(filepath.Base(path)+"/"+c.name, func(t *testing.T) {
				got := f(t, c)
				if *Update {
					c.want = got
				}
				if got != c.want {
					t.Errorf("got\n%s\nwant\n%s", got, c.want)
				}
			})
		}
		if *Update {
			writeTable(t, path, head, cases)
		}
	}
	return count
}

func writeTable(t *testing.T, path, head string, cases []*Case) {
	t.Helper()
	var b strings.Builder
	b.WriteString(head)
	for i, c := range cases {
		if i > 0 {
			b.WriteString("\n")
		}
		fmt.Fprintf(&b, "== %s\n%s\n", c.name, strings.TrimSpace(c.Program+" "+shell.Join(c.Args)))
		for _, f := range c.Files {
			fmt.Fprintf(&b, "-- %s\n%s", f.Name, strings.ReplaceAll(f.Text, "\x00", `\0`))
		}
		fmt.Fprintf(&b, "-- want\n%s", c.want)
	}
	if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}
