package tests

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/goacp/goacp/tests/harness"
)

// carelessRanks is how many ranks the runs of tests/programs/careless.c have.
const carelessRanks = 3

// mistakes are the wrong calls that careless.c makes, with the line about each: the function that
// rank 1 called, its arguments, the rank, and the wrong address.
var mistakes = []struct {
	name, line string
	late       bool // detected after the function has returned; always ends the run
}{
	{name: "rank", line: "acp: acp_copy(dst=0x100000001000, src=0x300000001000, size=64, order=ACP_HANDLE_NULL) by rank 1: " +
		"bad global address: source 0x300000001000: there is no rank 3, the run has 3"},
	{name: "null", line: "acp: acp_copy(dst=0x0, src=0x100000001000, size=64, order=ACP_HANDLE_ALL) by rank 1: " +
		"bad global address: destination 0x0: null"},
	{name: "beyond", late: true, line: "acp: acp_copy(dst=0x100000001000, src=0x37f6, size=64, order=ACP_HANDLE_NULL) by rank 1: " +
		"bad global address: source 0x37f6: rank 0 has 10240 bytes of starter memory; offset 10230 + 64 bytes is beyond its end"},
}

// carelessWays are the ways to set the action of failing calls. Each runs careless.c with a wrong
// call.
var carelessWays = []struct {
	name string
	slow bool // an MPI job takes a second
	run  func(t *testing.T, p *harness.Sandbox, on, mistake string) *harness.Result
}{
	{"acprun/option", false, func(t *testing.T, p *harness.Sandbox, on, mistake string) *harness.Result {
		return p.Run("", append(carelessOption("acprun", on), "-np", "3", suite.C(t, "careless"), mistake)...)
	}},
	{"acprun/environment", false, func(t *testing.T, p *harness.Sandbox, on, mistake string) *harness.Result {
		if on != "" {
			p.Env = append(p.Env, "ACP_ON_ERROR="+on)
		}
		return p.Run("", "acprun", "-np", "3", suite.C(t, "careless"), mistake)
	}},
	{"openmpi/inputfile", true, carelessInputfile("openmpi")},
	{"mpich/inputfile", true, carelessInputfile("mpich")},
	{"openmpi/YAML", true, carelessYAML("openmpi")},
	{"mpich/YAML", true, carelessYAML("mpich")},
}

// carelessOption returns a launcher with the option for on, if on is not empty.
func carelessOption(launcher, on string) []string {
	if on == "" {
		return []string{launcher}
	}
	return []string{launcher, "-on-error", on}
}

// carelessInputfile runs a job of ACP and one of MPI, to which rank 1 belongs, by an inputfile.
func carelessInputfile(name string) func(*testing.T, *harness.Sandbox, string, string) *harness.Result {
	return func(t *testing.T, p *harness.Sandbox, on, mistake string) *harness.Result {
		mpi := suite.NeedMPI(t, name)
		input := jobs(job{"acprun", 1, suite.C(t, "careless") + " " + mistake},
			job{mpi.Mpirun, carelessRanks - 1, suite.CMPI(t, "careless", mpi) + " " + mistake})
		return p.Run(input, carelessOption("macprun", on)...)
	}
}

// carelessYAML is carelessInputfile with a file in YAML.
func carelessYAML(name string) func(*testing.T, *harness.Sandbox, string, string) *harness.Result {
	return func(t *testing.T, p *harness.Sandbox, on, mistake string) *harness.Result {
		mpi := suite.NeedMPI(t, name)
		setting := ""
		if on != "" {
			setting = "on-error: " + on + "\n"
		}
		return p.Run("", "macprun", p.Write("jobs.yaml", fmt.Sprintf(`%sjobs:
- {launcher: acprun, np: 1, command: %s}
- {launcher: %s, np: 2, command: %s}
`, setting, suite.C(t, "careless")+" "+mistake, mpi.Mpirun, suite.CMPI(t, "careless", mpi)+" "+mistake)))
	}
}

// TestOnError runs a program that ignores its errors, with each value of the setting and each way
// to set it.
func TestOnError(t *testing.T) {
	t.Parallel()
	for _, way := range carelessWays {
		for _, mistake := range mistakes {
			for _, on := range []string{"", "return", "report", "abort"} {
				if way.slow && (on == "" || mistake.name == "null" || mistake.late && on != "return") {
					continue
				}
				t.Run(fmt.Sprintf("%s/%s/%s", way.name, mistake.name, on), func(t *testing.T) {
					t.Parallel()
					r := way.run(t, suite.Sandbox(t), on, mistake.name)
					ends, lines := mistake.late || on == "abort", 0
					if ends || on == "report" {
						lines = 1
					}
					checkCareless(t, r, ends, lines, mistake.line)
				})
			}
		}
	}
}

// checkCareless checks the end of a run of careless.c, and the number of lines about its error.
func checkCareless(t *testing.T, r *harness.Result, ends bool, lines int, line string) {
	t.Helper()
	status := 0
	if ends {
		status = 255
	}
	written := strings.Split(strings.TrimSuffix(r.Stderr, "\n"), "\n")
	about := slices.DeleteFunc(slices.Clone(written), func(l string) bool { return !strings.HasPrefix(l, "acp: ") })
	// Launchers of MPI write on standard output, too, when a process fails.
	goesOn := strings.Contains(r.Stdout, "goes on\n")
	if r.Status != status || goesOn == ends || len(about) != lines || lines == 1 && about[0] != line {
		t.Errorf("expected status %d, whether it goes on %v, and %d times the line %s: %v", status, !ends, lines, line, r)
	}
	// The launcher prints the rank that ended the run, and the reason.
	last := regexp.MustCompile(`^m?acprun: rank 1 \(.*\) aborted: .*` + regexp.QuoteMeta(line) + "$")
	if ends && !last.MatchString(written[len(written)-1]) {
		t.Errorf("expected a last line that matches %v: %v", last, r)
	}
	if !ends && len(written[0]) > 0 && len(written) != lines {
		t.Errorf("expected no other lines: %v", r)
	}
}
