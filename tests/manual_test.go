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
	fileName = regexp.MustCompile("`([\\w-]+\\.(?:c|cc|f90|py|go|yaml|inputfile))`|This is `(\\w+)`:")
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
	background *harness.Command // what the last command that ends in & has started
	commands   int
}

// follow writes the files of a page, executes its commands in order, and compares the output of each, line by line in any order.
func (r *reader) follow(t *testing.T, list []action) {
	t.Helper()
	for _, s := range list {
		if s.file != "" {
			r.sandbox.Write(s.file, s.text)
			continue
		}
		for _, c := range strings.Split("\n"+s.text, "\n$ ")[1:] {
			line, want, _ := strings.Cut(c, "\n")
			r.execute(t, line, want, s.loose)
			r.commands++
		}
	}
}

// execute executes one command. A command about a run in the background is repeated until its output is that of the page.
func (r *reader) execute(t *testing.T, line, want string, loose bool) {
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
	for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(50 * time.Millisecond) {
		var got string
		if r.background == nil {
			got = r.sandbox.Must(shell(line)...)
		} else { // there may be no answer yet
			got = r.sandbox.Run("", shell(strings.ReplaceAll(line, "$!", strconv.Itoa(r.background.PID())))...).Stdout
		}
		if reflect.DeepEqual(comparable(got, loose), comparable(want, loose)) {
			return
		}
		if r.background == nil || time.Now().After(deadline) {
			t.Errorf("%s prints\n%swhere the page says\n%s", line, got, want)
			return
		}
	}
}

var (
	place     = regexp.MustCompile(`\([^()]*\+0x[0-9a-f]+\)`)
	machine   = regexp.MustCompile(`(?m)^(\d+ +\w+) +\S+`) // a rank, its job and its host
	anyNumber = regexp.MustCompile(`(\.c:)?\d+(\.\d+)?( (B|KiB|MiB|GiB|ms|s|m))?\b`)
	gaps      = regexp.MustCompile(` +`)
)

// comparable returns the lines of an output in the form in which it is compared: sorted, and if it is loose without numbers, places in
// programs without lines, and names of hosts. The numbers of lines stay.
func comparable(text string, loose bool) []string {
	if loose {
		text = place.ReplaceAllString(text, "(place)")
		text = machine.ReplaceAllString(text, "$1 host")
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
			sandbox := suite.Sandbox(t)
			compiler := func(name string) string { return strings.Replace(mpi.Mpirun, "mpirun", name, 1) }
			wrapper := func(name string) string { return suite.Bin(t, name) + " -mpi " + test.mpi }
			bin := filepath.Join(sandbox.Dir, "bin")
			if err := os.Mkdir(bin, 0o755); err != nil {
				t.Fatal(err)
			}
			for command, line := range map[string]string{
				"mpirun": sandbox.Mpirun(mpi), "mpicc": compiler("mpicc"), "mpifort": compiler("mpifort"),
				"macpcc": wrapper("macpcc"), "macpfc": wrapper("macpfc"),
			} {
				sandbox.Script(filepath.Join("bin", command), "exec "+line+" \"$@\"\n")
			}
			r := &reader{sandbox: sandbox, setup: "PATH=" + bin + ":$PATH; "}
			r.follow(t, actions(t, "couple-two-codes.md", test.language))
			if r.commands < 8 {
				t.Errorf("the page has %d commands for %s", r.commands, test.language)
			}
		})
	}
}

// TestStart follows the first pages of the manual in each language. The last of them goes on with the programs in C.
func TestStart(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		language string
		commands int
	}{{"C", 14}, {"Fortran", 8}, {"Python", 7}, {"C++", 8}, {"Go", 12}} {
		t.Run(test.language, func(t *testing.T) {
			t.Parallel()
			sandbox := suite.Sandbox(t)
			python := suite.NeedPython(t)
			if test.language == "Fortran" {
				suite.NeedFortran(t)
			}
			sandbox.UseGoCaches()
			sandbox.Env = append(sandbox.Env, "GOACP="+suite.Source(), "GOPROXY=off", "PYTHONPATH="+suite.Source("python"), "PYTHONDONTWRITEBYTECODE=1",
				"GOACP_LIBDIR="+filepath.Dir(suite.Library(harness.MPI{}, "libacp.so")))
			bin := filepath.Join(sandbox.Dir, "bin")
			if err := os.Mkdir(bin, 0o755); err != nil {
				t.Fatal(err)
			}
			sandbox.Script(filepath.Join("bin", "python3"), "exec "+python+" \"$@\"\n")
			r := &reader{sandbox: sandbox, setup: "PATH=" + bin + ":$PATH; "}
			for _, page := range []string{"first-run.md", "first-coupling.md"} {
				r.follow(t, actions(t, page, test.language))
			}
			if test.language == "C" {
				r.follow(t, actions(t, "look.md", ""))
				samePicture(t, filepath.Join(sandbox.Dir, "coupled.png"), suite.Source("docs", "pictures", "coupled.png"))
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

// TestHang follows the part of docs/debugging.md about a hang.
func TestHang(t *testing.T) {
	t.Parallel()
	suite.Bin(t, "acpcc")
	r := &reader{sandbox: suite.Sandbox(t)}
	list := actions(t, "debugging.md", "")
	i := slices.IndexFunc(list, func(a action) bool { return a.file == "hang.c" })
	if i < 0 || i+2 > len(list) {
		t.Fatalf("the page has no hang.c with commands behind it: %v", list)
	}
	r.follow(t, list[i:i+2])
	if r.commands != 4 {
		t.Errorf("%d commands, expected 4", r.commands)
	}
}
