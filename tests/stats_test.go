package tests

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// statsRow is a line of the table of -stats, without the path.
type statsRow struct{ from, to, kind string }

// volume is operations and bytes.
type volume struct{ operations, bytes uint64 }

var (
	statsLine = regexp.MustCompile(`(?m)^(?:acprun|macprun): (\S+) +(\S+) +(put|get|atomic|copy|message|structure) +(shm|rma|tcp) +(\d+) +(\d+)(?: \(.*\))?$`)
	statsSum  = regexp.MustCompile(`(?m)^(?:acprun|macprun): all +(\d+) +(\d+)(?: \(.*\))?$`)
)

// number returns the number in a text that a pattern has matched.
func number(text string) uint64 {
	n, _ := strconv.ParseUint(text, 10, 64)
	return n
}

// readStats returns the table of -stats in the output of a launcher, and the paths in it.
func readStats(t *testing.T, text string) (rows map[statsRow]volume, paths []string) {
	t.Helper()
	rows = map[statsRow]volume{}
	var all volume
	for _, m := range statsLine.FindAllStringSubmatch(text, -1) {
		row, n := statsRow{m[1], m[2], m[3]}, volume{number(m[5]), number(m[6])}
		rows[row] = volume{rows[row].operations + n.operations, rows[row].bytes + n.bytes}
		all = volume{all.operations + n.operations, all.bytes + n.bytes}
		if !slices.Contains(paths, m[4]) {
			paths = append(paths, m[4])
		}
	}
	sum := statsSum.FindStringSubmatch(text)
	if sum == nil || all != (volume{number(sum[1]), number(sum[2])}) {
		t.Fatalf("the rows have %+v together, which the last line does not say:\n%s", all, text)
	}
	slices.Sort(paths)
	return rows, paths
}

// expectedStats are the transfers of the program traffic in jobs with these numbers of ranks, in order.
func expectedStats(names []string, sizes ...int) map[statsRow]volume {
	var jobOf []string
	for i, size := range sizes {
		jobOf = append(jobOf, slices.Repeat(names[i:i+1], size)...)
	}
	rows := map[statsRow]volume{}
	for rank, from := range jobOf {
		to := jobOf[(rank+1)%len(jobOf)]
		for kind, n := range map[string]volume{"put": {uint64(10 + rank), 24 * uint64(10+rank)}, "get": {20, 160}, "atomic": {30, 240},
			"message": {5, 15000}, "structure": {2, 40}} {
			row := rows[statsRow{from, to, kind}]
			rows[statsRow{from, to, kind}] = volume{row.operations + n.operations, row.bytes + n.bytes}
		}
	}
	return rows
}

// checkStats compares the table in the output of a launcher with the expected table.
func checkStats(t *testing.T, text string, want map[statsRow]volume, wantPaths ...string) {
	t.Helper()
	rows, paths := readStats(t, text)
	if fmt.Sprint(rows) != fmt.Sprint(want) || !slices.Equal(paths, wantPaths) {
		t.Errorf("the table has %v by %v, expected %v by %v:\n%s", rows, paths, want, wantPaths, text)
	}
}

// TestStats compares the table of -stats with the known transfers of a program, on every fabric, in jobs of
// both launchers and of MPI, and on several hosts.
func TestStats(t *testing.T) {
	program := suite.C(t, "traffic")
	for _, net := range []string{"auto", "tcp"} {
		t.Run(net, func(t *testing.T) {
			paths := []string{"shm"}
			if net == "tcp" {
				paths = []string{"tcp"}
			}
			r := suite.Sandbox(t).Run("", "acprun", "-stats", "-net", net, "-np", "3", program)
			checkStats(t, r.Stderr, expectedStats([]string{"traffic"}, 3), paths...)
		})
	}
	t.Run("variable", func(t *testing.T) {
		sandbox := suite.Sandbox(t)
		sandbox.Env = append(sandbox.Env, "ACP_STATS=yes")
		r := sandbox.Run("", "acprun", "-np", "2", program)
		checkStats(t, r.Stderr, expectedStats([]string{"traffic"}, 2), "shm")
	})
	two := jobs(job{"acprun", 2, program + " #name=ocean"}, job{"acprun", 1, program + " #name=ice"})
	t.Run("two jobs", func(t *testing.T) {
		r := suite.Sandbox(t).Run(two, "macprun", "-stats")
		checkStats(t, r.Stderr, expectedStats([]string{"ocean", "ice"}, 2, 1), "shm")
	})
	t.Run("two hosts", func(t *testing.T) {
		sandbox := suite.Sandbox(t)
		sandbox.Hosts(2)
		r := sandbox.Run("", "acprun", "-stats", "-np", "3", "-nodefile", sandbox.Nodefile(0, 1, 1), program)
		checkStats(t, r.Stderr, expectedStats([]string{"traffic"}, 3), "shm", "tcp")
	})
	t.Run("two jobs on two hosts", func(t *testing.T) {
		sandbox := suite.Sandbox(t)
		sandbox.Hosts(2)
		r := sandbox.Run(two, "macprun", "-stats", "-nodefile", sandbox.Nodefile(1, 0, 1))
		checkStats(t, r.Stderr, expectedStats([]string{"ocean", "ice"}, 2, 1), "shm", "tcp")
	})
}

// TestStatsWithMPI does so for jobs of MPI, also over windows.
func TestStatsWithMPI(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"openmpi", "mpich"} {
		t.Run(name, func(t *testing.T) {
			mpi := suite.NeedMPI(t, name)
			program := suite.CMPI(t, "traffic", mpi)
			t.Run("two jobs", func(t *testing.T) {
				input := jobs(job{mpi.Mpirun, 2, program + " #name=ocean"}, job{"acprun", 1, suite.C(t, "traffic") + " #name=ice"})
				r := suite.Sandbox(t).Run(input, "macprun", "-stats")
				checkStats(t, r.Stderr, expectedStats([]string{"ocean", "ice"}, 2, 1), "shm")
			})
			t.Run("windows", func(t *testing.T) {
				r := suite.Sandbox(t).Run(jobs(job{mpi.Mpirun, 2, program + " #name=ocean"}), "macprun", "-stats", "-net", "rma", "-smemsize", "256k")
				// Messages and operations on structures go through agents.
				checkStats(t, r.Stderr, expectedStats([]string{"ocean"}, 2), "rma", "tcp")
			})
		})
	}
}

// TestStatsOfKilledRun: the table has the transfers of ranks up to the moment when they were killed.
func TestStatsOfKilledRun(t *testing.T) {
	program := suite.C(t, "traffic")
	want := expectedStats([]string{"traffic"}, 3)
	t.Run("rank", func(t *testing.T) {
		r := suite.Sandbox(t).Run("", "acprun", "-stats", "-np", "3", program, "kill", "1")
		checkStats(t, r.Stderr, want, "shm")
		if r.Status == 0 {
			t.Error("the run has succeeded")
		}
	})
	t.Run("rank on another host", func(t *testing.T) {
		sandbox := suite.Sandbox(t)
		sandbox.Hosts(2)
		r := sandbox.Run("", "acprun", "-stats", "-np", "3", "-nodefile", sandbox.Nodefile(0, 1, 1), program, "kill", "1")
		checkStats(t, r.Stderr, want, "shm", "tcp")
	})
	t.Run("interrupt", func(t *testing.T) {
		run := suite.Sandbox(t).Start("acprun", "-stats", "-np", "3", program, "wait")
		ready(t, run, 3)
		run.Signal(syscall.SIGINT)
		checkStats(t, run.Wait().Stderr, want, "shm")
	})
}

// TestStatShowsBytes: acpstat prints the transfers of ranks so far, and the names of jobs.
func TestStatShowsBytes(t *testing.T) {
	sandbox := suite.Sandbox(t)
	sandbox.Hosts(2)
	program := suite.C(t, "traffic")
	input := jobs(job{"acprun", 2, program + " wait #name=ocean"}, job{"acprun", 1, program + " wait #name=ice"})
	s := startStuck(t, sandbox, 3, input, "macprun", "-stats", "-nodefile", sandbox.Nodefile(0, 1, 1))
	r := s.look(t)
	for rank, x := range r.Ranks {
		if x.Seen == nil || x.Seen.Transferred == nil || x.Seen.Transferred.Messages != 5 ||
			x.Seen.Transferred.Operations != uint64(67+rank) || x.Seen.Transferred.Bytes != uint64(15440+24*(10+rank)) {
			t.Errorf("rank %d has transferred %+v", rank, x.Seen)
		}
	}
	text := sandbox.Must("acpstat", s.name)
	for _, pattern := range []string{`(?m)^rank .* messages  bytes +state$`, `(?m)^0 +ocean .* 5 +15 KiB +sleeps`, `(?m)^2 +ice .* 5 +15 KiB +sleeps`} {
		if !regexp.MustCompile(pattern).MatchString(text) {
			t.Errorf("%s is not in\n%s", pattern, text)
		}
	}
	if len(r.Jobs) != 2 || r.Jobs[1].Name != "ice" {
		t.Errorf("jobs %+v", r.Jobs)
	}
}

// TestStatsOfSystems: the counts of C and Go for transfers of ARMCI and global pointer arrays from C equal the
// known transfers of the programs.
func TestStatsOfSystems(t *testing.T) {
	for _, program := range []string{suite.CAt(t, "tests/programs/armci/counts", "-larmci"), suite.CAt(t, "tests/programs/pointercounts", "-lgp")} {
		for _, net := range []string{"shm", "tcp"} {
			for _, np := range []int{1, 3} {
				seed := strconv.Itoa(rand.IntN(1 << 20))
				t.Run(fmt.Sprintf("%s/%s/%d/%s", filepath.Base(program), net, np, seed), func(t *testing.T) {
					out := suite.Sandbox(t).Must("acprun", "-stats", "-np", strconv.Itoa(np), "-net", net, program, net, seed)
					if strings.Count(out, fmt.Sprintf(" of %d agrees\n", np)) != np {
						t.Error(out)
					}
				})
			}
		}
	}
}
