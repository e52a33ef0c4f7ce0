package launch

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write what the code says into testdata, for review")

// tableCase is one case of a file in testdata:
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
type tableCase struct {
	name    string
	program string
	args    []string
	files   []tableFile
	want    string
}

type tableFile struct{ name, text string }

// readTable reads a file of cases; head is the comment before the first.
func readTable(t *testing.T, path string) (head string, cases []*tableCase) {
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
			cases = append(cases, &tableCase{name: strings.TrimSpace(line[3:])})
			into = nil
		case last < 0:
			head += line
		case line == "-- want\n":
			into = &cases[last].want
		case strings.HasPrefix(line, "-- "):
			cases[last].files = append(cases[last].files, tableFile{name: strings.TrimSpace(line[3:])})
			into = &cases[last].files[len(cases[last].files)-1].text
		case into != nil:
			*into += line
		default:
			for word := strings.TrimSpace(line); word != ""; {
				var next string
				next, word = cutWord(word)
				if cases[last].program == "" {
					cases[last].program = next
				} else {
					cases[last].args = append(cases[last].args, next)
				}
			}
		}
	}
	for _, c := range cases {
		for i := range c.files {
			c.files[i].text = strings.ReplaceAll(c.files[i].text, `\0`, "\x00")
		}
		c.want = strings.TrimRight(c.want, "\n") + "\n"
	}
	return head, cases
}

// runTables runs f on every case of the files that match pattern, and compares
// what it returns with what is wanted.
func runTables(t *testing.T, pattern string, f func(t *testing.T, c *tableCase) string) (count int) {
	paths, err := filepath.Glob(filepath.Join("testdata", pattern))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no files %s: %v", pattern, err)
	}
	for _, path := range paths {
		path, err := filepath.Abs(path)
		if err != nil {
			t.Fatal(err)
		}
		head, cases := readTable(t, path)
		for _, c := range cases {
			count++
			t.Run(filepath.Base(path)+"/"+c.name, func(t *testing.T) {
				got := f(t, c)
				if *update {
					c.want = got
				}
				if got != c.want {
					t.Errorf("got\n%s\nwant\n%s", got, c.want)
				}
			})
		}
		if *update {
			writeTable(t, path, head, cases)
		}
	}
	return count
}

func writeTable(t *testing.T, path, head string, cases []*tableCase) {
	t.Helper()
	var b strings.Builder
	b.WriteString(head)
	for i, c := range cases {
		if i > 0 {
			b.WriteString("\n")
		}
		fmt.Fprintf(&b, "== %s\n%s\n", c.name, strings.TrimSpace(c.program+" "+shellJoin(c.args)))
		for _, f := range c.files {
			fmt.Fprintf(&b, "-- %s\n%s", f.name, strings.ReplaceAll(f.text, "\x00", `\0`))
		}
		fmt.Fprintf(&b, "-- want\n%s", c.want)
	}
	if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestBadInput runs the real programs on wrong command lines and files: each
// must answer with one line on standard error and a status that is not 0,
// before anything is started.
func TestBadInput(t *testing.T) {
	count := runTables(t, "bad-*.txt", func(t *testing.T, c *tableCase) string {
		t.Chdir(t.TempDir())
		for _, f := range c.files {
			if err := os.WriteFile(f.name, []byte(f.text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		null, err := os.Open(os.DevNull)
		if err != nil {
			t.Fatal(err)
		}
		defer null.Close()
		out, err := os.Create("stdout")
		if err != nil {
			t.Fatal(err)
		}
		defer out.Close()
		complaint, err := os.Create("stderr")
		if err != nil {
			t.Fatal(err)
		}
		defer complaint.Close()
		std := StdIO{Args: c.args, Environ: []string{"PATH=/usr/bin:/bin"}, Stdin: null, Stdout: out, Stderr: complaint}
		program := map[string]func(StdIO) int{"acprun": Acprun, "macprun": Macprun}[c.program]
		if program == nil {
			t.Fatalf("no program %q", c.program)
		}
		if status := program(std); status == 0 {
			t.Error("status 0")
		}
		stdout, stderr := content(t, "stdout"), content(t, "stderr")
		if stdout != "" || strings.Count(stderr, "\n") != 1 || !strings.HasSuffix(stderr, "\n") {
			t.Errorf("stdout %q, stderr %q; expected one line on standard error", stdout, stderr)
		}
		return stderr
	})
	if count < 25 && !t.Failed() {
		t.Errorf("%d cases; expected 25 or more", count)
	}
}

func content(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestPlans turns command lines and files into plans.
func TestPlans(t *testing.T) {
	runTables(t, "plan-*.txt", func(t *testing.T, c *tableCase) string {
		plan, err := planOfCase(c)
		if err != nil {
			return fmt.Sprintf("error: %v\n", err)
		}
		return describePlan(plan)
	})
}

// planOfCase plans without any input and output.
func planOfCase(c *tableCase) (*Plan, error) {
	files := map[string]string{}
	for _, f := range c.files {
		files[f.name] = f.text
	}
	program := forMacprun
	if c.program == "acprun" {
		program = forAcprun
	}
	opts, err := parseOptions(program, c.args)
	if err != nil {
		return nil, err
	}
	var input *Inputfile
	if program == forMacprun {
		name := opts.Args[0]
		if strings.HasSuffix(name, ".yaml") {
			input, err = ParseYAML(name, []byte(files[name]))
		} else {
			input, err = ParseInputfile(name, []byte(files[name]))
		}
		if err != nil {
			return nil, err
		}
		*opts = merge(*opts, input.Defaults)
	}
	hosts := opts.Hosts
	if hosts == nil && opts.Nodefile != "" {
		if hosts, err = ParseNodefile(opts.Nodefile, []byte(files[opts.Nodefile])); err != nil {
			return nil, err
		}
	}
	if program == forAcprun {
		return PlanAcprun(opts, hosts), nil
	}
	world := World{RunDir: "/run", Host: "here", Environ: []string{"OMPI_MCA_mpi_yield_when_idle=0", "ACP_NET=tcp"}, Flavours: map[string]Flavour{},
		IsLocal: func(host string) bool { return host == "localhost" || host == "here" }}
	for _, job := range input.Jobs {
		switch filepath.Base(launcherWord(job.Launcher)) {
		case "mpirun":
			world.Flavours[job.Launcher] = Flavour{OpenMPI, "4.1.4"}
		case "mpirun5":
			world.Flavours[job.Launcher] = Flavour{OpenMPI, "5.0.3"}
		case "mpiexec":
			world.Flavours[job.Launcher] = Flavour{MPICH, "4.0.2"}
		}
	}
	return NewPlan(input, opts, hosts, world)
}

// describePlan writes a plan for reading.
func describePlan(plan *Plan) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d members\n", plan.Total)
	for _, job := range plan.Jobs {
		fmt.Fprintf(&b, "job %d: %s, %s", job.Number, rankRange(&job), job.Name)
		if !job.Acprun {
			fmt.Fprintf(&b, " (%v)", job.MPI)
		}
		b.WriteString("\n")
		for _, field := range []struct{ name, value string }{{"line", job.Line}, {"argv", strings.Join(job.Argv, " | ")},
			{"dir", job.Dir}, {"hosts", strings.Join(job.Hosts, " ")}, {"machines", strings.Join(strings.Fields(job.MachineText), " ")}} {
			if field.value != "" {
				fmt.Fprintf(&b, "  %s: %s\n", field.name, field.value)
			}
		}
		for _, entry := range job.Env {
			fmt.Fprintf(&b, "  env: %s\n", entry)
		}
		if job.Apart != nil {
			fmt.Fprintf(&b, "  apart: %s\n", job.Apart.Line)
		}
	}
	for _, dvm := range plan.DVMs {
		fmt.Fprintf(&b, "DVM of jobs %s: %s %s %q spread=%v\n", numberList(dvm.Jobs), dvm.Address, dvm.MachineFile, dvm.MachineText, dvm.Spread)
	}
	return b.String()
}
