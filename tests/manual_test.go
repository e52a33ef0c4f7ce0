package tests

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// tutorialBlock is a block of a page: a file, or commands with their output.
var tutorialBlock = regexp.MustCompile("(?s)```(c|inputfile|)\n(.*?)```\n")

// fileName is the last name of a file before a block that has its contents.
var fileName = regexp.MustCompile("`(\\w+\\.(?:c|inputfile))`")

// TestTutorial follows docs/couple-two-codes.md, with each MPI: it writes the files, executes the commands in order,
// and compares the output of each, line by line in any order.
func TestTutorial(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(suite.Source("docs", "couple-two-codes.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"openmpi", "mpich"} {
		t.Run(name, func(t *testing.T) {
			mpi := suite.NeedMPI(t, name)
			sandbox := suite.Sandbox(t)
			bin := filepath.Join(sandbox.Dir, "bin")
			if err := os.Mkdir(bin, 0o755); err != nil {
				t.Fatal(err)
			}
			for command, line := range map[string]string{"mpirun": sandbox.Mpirun(mpi), "mpicc": strings.Replace(mpi.Mpirun, "mpirun", "mpicc", 1)} {
				sandbox.Script(filepath.Join("bin", command), "exec "+line+" \"$@\"\n")
			}
			commands := 0
			for _, at := range tutorialBlock.FindAllSubmatchIndex(text, -1) {
				kind, body := string(text[at[2]:at[3]]), string(text[at[4]:at[5]])
				if kind == "" {
					commands += follow(t, sandbox.Dir, func(line string) string {
						return sandbox.Must("/bin/sh", "-c", "PATH="+bin+":$PATH; "+strings.ReplaceAll(line, "macpcc", "macpcc -mpi "+name))
					}, body)
					continue
				}
				names := fileName.FindAllSubmatch(text[:at[0]], -1)
				sandbox.Write(string(names[len(names)-1][1]), body)
			}
			if commands < 8 {
				t.Errorf("the page has %d commands", commands)
			}
		})
	}
}

// follow executes the commands of a block in a folder and compares their output. It returns the number of commands.
func follow(t *testing.T, folder string, run func(line string) string, block string) int {
	t.Helper()
	sorted := func(text string) []string { return slices.Sorted(strings.Lines(text)) }
	commands := strings.Split("\n"+block, "\n$ ")[1:]
	for _, c := range commands {
		line, want, _ := strings.Cut(c, "\n")
		if want != "" && !strings.HasSuffix(want, "\n") {
			want += "\n"
		}
		if got := run("cd " + folder + " && " + line); !slices.Equal(sorted(got), sorted(want)) {
			t.Errorf("%s prints\n%swhere the page says\n%s", line, got, want)
		}
	}
	return len(commands)
}
