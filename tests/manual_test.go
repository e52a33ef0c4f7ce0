package tests

import (
	"bytes"
	"image/png"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/goacp/goacp/tests/harness"
)

// action is a block of a page that its reader follows: a file to write, or commands with their output.
type action struct {
	file  string // empty for commands
	text  string
	loose bool // numbers and places in programs differ in each run
}

var (
	// fileName is a name of a file in the text before a block that has its contents.
	fileName = regexp.MustCompile("`([\\w-]+\\.(?:c|cc|f90|py|go|yaml|inputfile|txt))`|This is `(\\w+)`:")
	tabLine  = regexp.MustCompile(`^\*\*(.+)\*\*$`)
)

// actions returns the files and commands of a page: those outside of tabs, and those of one tab.
func actions(t *testing.T, page, tab string) []action {
	t.Helper()
	text, err := os.ReadFile(suite.Source("docs", page))
	if err != nil {
		t.Fatal(err)
	}
	var list []action
	var block *action // the present one
	name, skip, tabs, loose := "", false, false, false
	for _, line := range strings.Split(string(text), "\n") {
		language, fence := strings.CutPrefix(line, "```")
		switch {
		case block != nil && fence:
			if !skip && (block.file != "" || strings.HasPrefix(block.text, "$ ")) {
				list = append(list, *block)
			}
			block, loose = nil, false
		case block != nil:
			block.text += line + "\n"
		case fence:
			block = &action{loose: loose}
			if language != "" && language != "sh" {
				block.file = name
			}
		case line == "<!-- numbers differ -->":
			loose = true
		case line == "<!-- tabs -->":
			tabs = true
		case line == "<!-- end of tabs -->":
			tabs, skip = false, false
		case tabs && tabLine.MatchString(line):
			skip = tabLine.FindStringSubmatch(line)[1] != tab
		default:
			for _, m := range fileName.FindAllStringSubmatch(line, -1) {
				name = m[1] + m[2]
			}
		}
	}
	return list
}

// reader follows pages of the manual in a sandbox.
type reader struct {
	sandbox    *harness.Sandbox
	setup      string           // precedes each command of the shell
	status     int              // exit status of the last command, $?
	background *harness.Command // what the last command that ends in & has started
	commands   int
}

// follow writes the files of a page, executes its commands in order, and compares the output of each, line by line in any order.
// A command succeeds, unless echo $? follows it.
func (r *reader) follow(t *testing.T, list []action) {
	t.Helper()
	for i, s := range list {
		if s.file != "" {
			r.sandbox.Write(s.file, s.text)
			continue
		}
		commands := strings.Split("\n"+s.text, "\n$ ")[1:]
		for k, c := range commands {
			line, want, _ := strings.Cut(c, "\n")
			next := ""
			if k+1 < len(commands) {
				next = commands[k+1]
			} else if i+1 < len(list) {
				next = strings.TrimPrefix(list[i+1].text, "$ ")
			}
			r.execute(t, line, want, s.loose, strings.HasPrefix(next, "echo $?"))
			r.commands++
		}
	}
}

// execute executes one command, which may fail or not. A command about a run in the background is repeated until its output is that of
// the page.
func (r *reader) execute(t *testing.T, line, want string, loose, mayFail bool) {
	t.Helper()
	shell := func(line string) []string {
		return []string{"/bin/sh", "-c", r.setup + "cd " + r.sandbox.Dir + " && " + line}
	}
	if command, found := strings.CutSuffix(line, " &"); found {
		r.background = r.sandbox.Start(shell("exec " + command)...)
		return
	}
	if line == "kill $!" {
		r.background.Signal(syscall.SIGTERM)
		r.background.Wait()
		r.background = nil
		return
	}
	line = strings.ReplaceAll(line, "$?", strconv.Itoa(r.status))
	for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(50 * time.Millisecond) {
		run := line
		if r.background != nil {
			run = strings.ReplaceAll(line, "$!", strconv.Itoa(r.background.PID()))
		}
		result := r.sandbox.Run("", shell(run)...)
		r.status = result.Status
		got := result.Stdout + result.Stderr // as a terminal shows it; a page may leave out what is not output proper
		if (agree(got, want, loose) || agree(result.Stdout, want, loose)) && (result.Status == 0 || mayFail) {
			return
		}
		if r.background == nil || time.Now().After(deadline) { // there may be no answer yet
			t.Errorf("%s ends with status %d and prints\n%swhere the page says\n%s", line, result.Status, got, want)
			return
		}
	}
}

// agree compares an output with that of a page. A line of three dots in the page stands for any others.
func agree(got, want string, loose bool) bool {
	have, expect := comparable(got, loose), comparable(want, loose)
	dots := slices.Index(expect, "...")
	if dots < 0 {
		return slices.Equal(have, expect)
	}
	expect = slices.Delete(expect, dots, dots+1)
	for _, line := range expect {
		i := slices.Index(have, line)
		if i < 0 {
			return false
		}
		have = slices.Delete(have, i, i+1)
	}
	return len(expect) > 0
}

var (
	place     = regexp.MustCompile(`\([^()]*\+0x[0-9a-f]+\)`)
	machine   = regexp.MustCompile(`(?m)^(\d+ +\w+) +\S+`) // a rank, its job and its host
	onMachine = regexp.MustCompile(`\bhost [\w.-]+,`)
	anyNumber = regexp.MustCompile(`(\.c:)?\d+(\.\d+)?( (B|KiB|MiB|GiB|ms|s|m))?\b`)
	gaps      = regexp.MustCompile(` +`)
)

// comparable returns the lines of an output in the form in which it is compared: sorted, and if it is loose without numbers, places in
// programs without lines, and names of hosts. The numbers of lines stay.
func comparable(text string, loose bool) []string {
	if loose {
		text = place.ReplaceAllString(text, "(place)")
		text = machine.ReplaceAllString(text, "$1 host")
		text = onMachine.ReplaceAllString(text, "host,")
		text = anyNumber.ReplaceAllStringFunc(text, func(n string) string {
			if strings.HasPrefix(n, ".c:") {
				return n
			}
			return "#"
		})
		text = gaps.ReplaceAllString(text, " ")
	}
	return slices.Sorted(strings.SplitSeq(strings.TrimSuffix(text, "\n"), "\n"))
}

// TestTutorial follows docs/couple-two-codes.md in each language, with each MPI.
func TestTutorial(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ mpi, language string }{{"openmpi", "C"}, {"mpich", "C"}, {"openmpi", "Fortran"}, {"mpich", "Fortran"}} {
		t.Run(test.language+"/"+test.mpi, func(t *testing.T) {
			t.Parallel()
			mpi := suite.NeedMPI(t, test.mpi)
			if test.language == "Fortran" {
				suite.NeedFortran(t)
			}
			r := newReader(t)
			r.useMPI(t, mpi)
			r.follow(t, actions(t, "couple-two-codes.md", test.language))
			if r.commands < 8 {
				t.Errorf("the page has %d commands for %s", r.commands, test.language)
			}
		})
	}
}

// TestStart follows the first pages of the manual in each language. Three further pages go on with the programs in C.
func TestStart(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		language string
		commands int
	}{{"C", 28}, {"Fortran", 8}, {"Python", 7}, {"C++", 8}, {"Go", 12}} {
		t.Run(test.language, func(t *testing.T) {
			t.Parallel()
			if test.language == "Fortran" {
				suite.NeedFortran(t)
			}
			r := newReader(t)
			r.usePython(t)
			r.sandbox.UseGoCaches()
			r.sandbox.Env = append(r.sandbox.Env, "GOACP="+suite.Source(), "GOPROXY=off")
			for _, page := range []string{"first-run.md", "first-coupling.md"} {
				r.follow(t, actions(t, page, test.language))
			}
			if test.language == "C" {
				r.follow(t, actions(t, "look.md", ""))
				samePicture(t, filepath.Join(r.sandbox.Dir, "coupled.png"), suite.Source("docs", "pictures", "coupled.png"))
				r.follow(t, actions(t, "stats.md", ""))
				r.follow(t, actions(t, "debugging.md", ""))
			}
			if r.commands < test.commands {
				t.Errorf("the pages have %d commands, expected at least %d", r.commands, test.commands)
			}
		})
	}
}

// samePicture compares the pixels of two pictures.
func samePicture(t *testing.T, got, want string) {
	t.Helper()
	var pictures [2]any
	for i, name := range []string{got, want} {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if pictures[i], err = png.Decode(bytes.NewReader(text)); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
	if !reflect.DeepEqual(pictures[0], pictures[1]) {
		t.Errorf("%s is another picture than %s", got, want)
	}
}
