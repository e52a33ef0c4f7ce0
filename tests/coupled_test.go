package tests

import (
	"fmt"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/goacp/goacp/internal/ground/netcdf"
)

// ringOf returns three jobs in a ring of models, each with a launcher, processes and a program.
func ringOf(list ...job) string {
	names := []string{"sea", "air", "land"}
	for i := range list {
		from, to := names[(i+len(list)-1)%len(list)], names[(i+1)%len(list)]
		list[i].command += fmt.Sprintf(" -from %s -to %s #name=%s", from, to, names[i])
	}
	return jobs(list...)
}

// ringLines are the lines that the ranks of a ring print.
var ringLines = []string{"sea has got 50 fields of land$", "air has got 50 fields of sea$", "land has got 50 fields of air$"}

// testRing runs a ring over each net on one host, and on two hosts. hosts has the host of each rank. inputfile
// describes the run; its programs check all values.
func testRing(t *testing.T, nets []string, hosts []int, inputfile func() string) {
	t.Helper()
	for _, net := range nets {
		t.Run(net, func(t *testing.T) {
			lines(t, suite.Sandbox(t).MustRead(inputfile(), "macprun", "-net", net), ringLines...)
		})
	}
	t.Run("two hosts", func(t *testing.T) {
		sandbox := suite.Sandbox(t)
		sandbox.Hosts(2)
		// Transports of MPI that use shared memory would treat the hosts as one.
		sandbox.Env = append(sandbox.Env, "UCX_TLS=tcp,self", "OMPI_MCA_btl=tcp,self")
		lines(t, sandbox.MustRead(inputfile(), "macprun", "-nodefile", sandbox.Nodefile(hosts...)), ringLines...)
	})
}

// TestCoupledJobs couples three jobs in a ring: one of Open MPI, one of MPICH and one without MPI.
func TestCoupledJobs(t *testing.T) {
	openmpi, mpich := suite.NeedMPI(t, "openmpi"), suite.NeedMPI(t, "mpich")
	testRing(t, []string{"auto"}, []int{0, 1, 0, 1, 1, 0, 1}, func() string {
		return ringOf(job{openmpi.Mpirun, 2, suite.GoMPI(t, "coupled", openmpi)},
			job{mpich.Mpirun, 3, suite.GoMPI(t, "coupled", mpich)}, job{"acprun", 2, suite.Go(t, "coupled")})
	})
}

// TestCoupledWithoutMPI is TestCoupledJobs for jobs without MPI, whose links have several levels.
func TestCoupledWithoutMPI(t *testing.T) {
	program := suite.Go(t, "coupled") + " -levels 3"
	testRing(t, []string{"shm", "tcp"}, []int{0, 1, 0, 1, 1, 0}, func() string {
		return ringOf(job{"acprun", 1, program}, job{"acprun", 2, program}, job{"acprun", 3, program})
	})
}

// identity returns a file with the matrix that lets a number of points as they are.
func identity(points int) string {
	var text strings.Builder
	fmt.Fprintf(&text, "%%%%MatrixMarket matrix coordinate real general\n%d %d %d\n", points, points, points)
	for i := range points {
		fmt.Fprintf(&text, "%d %d 1\n", i+1, i+1)
	}
	return text.String()
}

// identityNetCDF returns the same matrix as a netCDF file of SCRIP, with a second weight of each entry, which links leave out.
func identityNetCDF(t *testing.T, points int) string {
	t.Helper()
	numbers, values := make([]int32, points), make([]float64, 2*points)
	for i := range numbers {
		numbers[i], values[2*i], values[2*i+1] = int32(i+1), 1, 7
	}
	var file strings.Builder
	n, entries := int64(points), []string{"num_links"}
	if err := netcdf.Write(&file, []netcdf.Dimension{{Name: "src_grid_size", Length: n}, {Name: "dst_grid_size", Length: n}, {Name: "num_links", Length: n}, {Name: "num_wgts", Length: 2}}, nil, []netcdf.Content{
		{Name: "dst_address", Dimensions: entries, Values: numbers}, {Name: "src_address", Dimensions: entries, Values: numbers},
		{Name: "remap_matrix", Dimensions: []string{"num_links", "num_wgts"}, Values: values},
	}); err != nil {
		t.Fatal(err)
	}
	return file.String()
}

// TestCoupledByDescription couples three jobs whose programs do not know each other's names. Some links have weights,
// which are not in the programs either.
func TestCoupledByDescription(t *testing.T) {
	program := suite.Go(t, "coupled")
	sandbox := suite.Sandbox(t)
	var text strings.Builder
	text.WriteString("jobs:\n")
	for _, x := range [][2]string{{"sea", "land"}, {"air", "sea"}, {"land", "air"}} {
		fmt.Fprintf(&text, "  - {name: %s, launcher: acprun, np: 2, command: [%s, -from, %s]}\n", x[0], program, x[1])
	}
	text.WriteString("couple:\n  - {from: sea.out, to: air.in, weights: one to one.mtx}\n  - {from: air.out, to: land.in, levels: 2, weights: one.nc}\n" +
		"  - {from: land.out, to: sea.in, weights: one to one.mtx, weights-at: sender}\n")
	sandbox.Write("one to one.mtx", identity(3000))
	sandbox.Write("one.nc", identityNetCDF(t, 3000))
	run := sandbox.Run("", "macprun", sandbox.Write("run.yaml", text.String()))
	if run.Status != 0 || strings.Count(run.Stderr, "acp: warning: field land.in: ") != 1 || !strings.Contains(run.Stderr, "one.nc: remap_matrix has 2 weights for each entry; the first one is used") {
		t.Errorf("a file with two weights for each entry: %v", run)
	}
	lines(t, run.Stdout, ringLines...)
	r := sandbox.Run("", "acprun", "-np", "2", "-couple", "coupled-go.out:b.in,every=10 coupled-go.fluxes:b.in", program, "-from", "b")
	if r.Status == 0 || !strings.Contains(r.Stderr, "the description of the run couples coupled-go.fluxes, and model coupled-go has no field fluxes; it has ") {
		t.Errorf("a field that the program does not declare: %v", r)
	}
}

// TestCoupledKilled kills a rank that has a link: a rank for which other ranks wait, and a rank that waits itself.
func TestCoupledKilled(t *testing.T) {
	program := suite.Go(t, "coupled")
	for _, net := range []string{"shm", "tcp"} {
		for _, way := range []string{"open", "receive", "send", "exchange"} {
			for victim := range 2 {
				t.Run(fmt.Sprintf("%s/%s/%d", net, way, victim), func(t *testing.T) {
					sandbox := suite.Sandbox(t)
					run := sandbox.Start("acprun", "-np", "3", "-net", net, program, "-in", way)
					pids := ready(t, run, 3)
					fault(t, sandbox, run, pids[victim], afterRank, killed(victim, 0, pids[victim]))
				})
			}
		}
	}
	t.Run("two hosts", func(t *testing.T) {
		sandbox := suite.Sandbox(t)
		sandbox.Hosts(2)
		run := sandbox.Start("acprun", "-np", "3", "-nodefile", sandbox.Nodefile(0, 1, 0), program, "-in", "exchange")
		ready(t, run, 3)
		for _, p := range sandbox.Processes() {
			if sandbox.On(p, 1) && p.Executable() == program {
				fault(t, sandbox, run, p.PID, afterRank, "")
				return
			}
		}
		t.Fatalf("no rank on host 1 among %v", sandbox.Processes())
	})
}

// TestCoupledWatcherStops stops the process that watches a model. The model continues and ends. The watcher detects
// this when it runs again.
func TestCoupledWatcherStops(t *testing.T) {
	program := suite.Go(t, "coupled")
	for _, net := range []string{"shm", "tcp"} {
		t.Run(net, func(t *testing.T) {
			sandbox := suite.Sandbox(t)
			end := filepath.Join(sandbox.Dir, "end")
			run := sandbox.Start("acprun", "-np", "3", "-net", net, program, "-until", end)
			pids := ready(t, run, 3)
			if err := syscall.Kill(pids[0], syscall.SIGSTOP); err != nil {
				t.Fatal(err)
			}
			sandbox.Write("end", "")
			run.Output(func(text string) bool { return strings.Count(text, "has ended") == 2 })
			if err := syscall.Kill(pids[0], syscall.SIGCONT); err != nil {
				t.Fatal(err)
			}
			if r := run.Wait(); r.Status != 0 || r.Stderr != "" {
				t.Errorf("the stopped watcher has disturbed the run: %v", r)
			}
		})
	}
}
