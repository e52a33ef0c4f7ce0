package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/goacp/goacp/wrappers/mpiflags"
	"github.com/goacp/goacp/wrappers/toolchain"
)

// TestPlan runs the cases of testdata/*.txt, whose form is described there.
func TestPlan(t *testing.T) {
	data, err := toolchain.Load("testdata/wrappers.yaml")
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	for _, file := range files {
		for _, c := range readCases(t, file) {
			t.Run(c.typed, func(t *testing.T) {
				if got := outcome(t, data, c.typed); !matches(got, c.want) {
					t.Errorf("%s: %s\n got %s\nwant %s", file, c.typed, got, c.want)
				}
			})
		}
	}
}

type planCase struct{ typed, want string }

func readCases(t *testing.T, file string) []planCase {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var cases []planCase
	var lines []string
	for line := range strings.SplitSeq(string(text)+"\n", "\n") {
		switch {
		case strings.HasPrefix(line, "#"):
		case line != "":
			lines = append(lines, line)
		case len(lines) == 3 && lines[1] == "----":
			cases = append(cases, planCase{lines[0], lines[2]})
			lines = nil
		case len(lines) != 0:
			t.Fatalf("%s: %q is not a command, ---- and a result", file, lines)
		}
	}
	return cases
}

// outcome is what the command does, in the words of testdata.
func outcome(t *testing.T, data *toolchain.Data, typed string) string {
	t.Helper()
	words, err := mpiflags.Split(typed)
	if err != nil {
		t.Fatal(err)
	}
	env := map[string]string{}
	for strings.Contains(words[0], "=") {
		name, value, _ := strings.Cut(words[0], "=")
		env[name] = value
		words = words[1:]
	}
	tool, err := toolNamed(words[0])
	if err != nil {
		return "error: " + err.Error()
	}
	p, err := tool.plan(data, words[1:], func(name string) string { return env[name] })
	switch {
	case err != nil:
		return "error: " + err.Error()
	case p.argv == nil:
		return "say: " + p.say
	}
	return p.command()
}

// matches compares whole commands; of messages and of texts of several lines the
// beginning or a part is enough.
func matches(got, want string) bool {
	if message, ok := strings.CutPrefix(want, "error: "); ok {
		return strings.HasPrefix(got, "error: ") && strings.Contains(got, message)
	}
	return got == want || strings.HasPrefix(got, want+"\n")
}

// TestNamesInMakefile checks that a link is made for every name, and no other.
func TestNamesInMakefile(t *testing.T) {
	text, err := os.ReadFile("../Makefile")
	if err != nil {
		t.Fatal(err)
	}
	_, after, found := strings.Cut(strings.ReplaceAll(string(text), "\\\n", " "), "\nWRAPPERS := ")
	if !found {
		t.Fatal("the Makefile does not set WRAPPERS")
	}
	list, _, _ := strings.Cut(after, "\n")
	linked := strings.Fields(list)
	names := make([]string, len(tools))
	for i, tool := range tools {
		names[i] = tool.name
	}
	if strings.Join(linked, " ") != strings.Join(names, " ") {
		t.Errorf("the Makefile makes links for\n%v\nthe program knows\n%v", linked, names)
	}
}

// TestWithoutMPI checks that the names for MPI say what is missing.
func TestWithoutMPI(t *testing.T) {
	data := &toolchain.Data{CC: []string{"gcc"}, Go: "go"}
	for _, typed := range []string{"macpcc x.c", "macpgo build", "macpc++ -showme:link", "macpfc x.f90"} {
		if got := outcome(t, data, typed); !strings.Contains(got, "built without MPI") {
			t.Errorf("%s: %s", typed, got)
		}
	}
	if got := outcome(t, data, "acpc++ x.cc"); !strings.Contains(got, "no C++ compiler") {
		t.Errorf("acpc++ without a C++ compiler: %s", got)
	}
	data.MPI = []toolchain.MPI{{Name: "openmpi", MPIFC: "mpifort"}}
	for _, typed := range []string{"acpfc x.f90", "macpfc x.f90"} { // module acp is missing, too
		if got := outcome(t, data, typed); !strings.Contains(got, "no Fortran compiler at configuration") {
			t.Errorf("%s without a Fortran compiler: %s", typed, got)
		}
	}
}

// TestBackEndIsFresh checks that planning twice with the same data gives the same
// commands, that is, that no plan writes into the data's lists.
func TestBackEndIsFresh(t *testing.T) {
	data := &toolchain.Data{CC: append(make([]string, 0, 9), "gcc"), IncludeDir: "/i", LibDir: "/l", Go: "go"}
	first := outcome(t, data, "acpcc a.c")
	if second := outcome(t, data, "acpcc -c b.c"); first == second {
		t.Fatal("different arguments, same command")
	}
	if again := outcome(t, data, "acpcc a.c"); again != first {
		t.Errorf("first %s, then %s", first, again)
	}
}
