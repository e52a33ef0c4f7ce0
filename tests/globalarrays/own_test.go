//go:build globalarrays

package globalarrays

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/goacp/goacp/tests/harness"
)

// own is the folder of source.sh.
var own = flag.String("own", "", "folder in which Global Arrays was built, one folder for each MPI")

// ownLimit bounds one run. Some of the programs compute for minutes.
const ownLimit = 10 * time.Minute

// tooLong are programs that compute for hours.
var tooLong = map[string]bool{"global/testing/cache_test": true}

// onlyOn lists the numbers of processes of programs that do nothing with other numbers, give up, or need many
// minutes. On 5 processes, one process has no block of an array of global/testing/test, and Global Arrays stores a
// block of another process after the end of its memory. Of 5 processes, the last two are on the second of two hosts.
// There NGA_Set_property("read_only") takes the block of a process by its number in the world, although it needs the
// number in the group of the host, and global/testing/read_only prints all elements, which are gigabytes.
var onlyOn = map[string][]int{
	"ga++/testing/create_irreg_test": {4},
	"global/testing/ga_lu":           {2, 4},
	"global/testing/kaczmarz":        {2},
	"global/testing/mir_perf2":       {4},
	"global/testing/mmatrix":         {2},
	"global/testing/perf":            {4},
	"global/testing/perf2":           {2, 4, 5},
	"global/testing/perfmod":         {4},
	"global/testing/perform":         {4},
	"global/testing/read_only":       {1, 2, 4},
	"global/testing/test":            {1, 2, 4},
	"gparrays/testing/transpose":     {2, 4, 5},
}

// complaint matches the text about a wrong result of programs that end with status 0. Some of them print measures
// that they call errors, and test calls that have to fail.
var complaint = regexp.MustCompile(`(?im)mismatch|not ok|not identical|\b(fails|failed|wrong)\b|\bdiffer!|` +
	`error (found|in testing|testing)|^\s*(\d+\s+)?error:?\s+\d`)

// mismatch matches the text about a wrong result on standard error, where launchers also write.
var mismatch = regexp.MustCompile(`(?i)mismatch`)

// An ownFault is a fault of a program of Global Arrays, which it has with every implementation of ARMCI.
type ownFault struct {
	procs     []int          // numbers of processes on which the program complains
	complaint *regexp.Regexp // how it complains
	always    bool           // false: now and then
	reason    string
}

var ownFaults = map[string]ownFault{
	// On 4 processes the diagonal begins where blocks begin.
	"global/testing/matrixc": {
		procs: []int{2, 5}, complaint: regexp.MustCompile(`Mismatch for zero_diagonal`), always: true,
		reason: "GA_Zero_diagonal begins at the wrong element",
	},
	"ga++/testing/threadsafecpp": {
		procs:     []int{2, 4, 5},
		complaint: regexp.MustCompile(`atomic inc failed|read inc1 failed|cannot locate region: test_correct`),
		reason:    "a counter is set while others count",
	},
	"global/testing/nbtest": {
		procs:     []int{2, 4, 5},
		complaint: regexp.MustCompile(`Error found in (Non-Blocking )?PUT test on process +[1-9]`),
		reason:    "process 0 accumulates while others check what it has put",
	},
	"global/testing/thread_perf_contig":  unguardedThreads,
	"global/testing/thread_perf_strided": unguardedThreads,
	"gparrays/testing/testc": {
		procs: []int{5}, complaint: regexp.MustCompile(`Mismatch in irregular distribution array`), always: true,
		reason: "the program finds no grid of 5 processes",
	},
}

// unguardedThreads is the fault of programs with several threads. Global Arrays protects its handles of non-blocking
// calls, which blocking calls use, too, by a lock only if it is configured with --enable-thread-safety.
var unguardedThreads = ownFault{
	procs:     []int{1, 2, 4, 5},
	complaint: regexp.MustCompile(`inactive slot|(Put|Get|Acc) test failed`),
	reason:    "threads change handles of Global Arrays at the same time",
}

// ownModes are the ways in which Global Arrays's own programs are run.
var ownModes = []mode{
	{name: "mpirun", plain: true, procs: []int{1, 2, 4, 5}},
	{name: "macprun -net tcp", options: []string{"-net", "tcp"}, procs: []int{1, 2, 4, 5}},
	{name: "two hosts", procs: []int{2, 4, 5}, host: halves},
	{name: "two hosts, -net tcp", options: []string{"-net", "tcp"}, procs: []int{2, 4, 5}, host: halves},
}

// TestOwn runs the programs that Global Arrays tests itself with.
func TestOwn(t *testing.T) {
	for _, name := range []string{"openmpi", "mpich"} {
		list, err := os.ReadFile(filepath.Join(*own, name, "tests"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range strings.Fields(string(list)) {
			program := strings.TrimSuffix(file, ".x")
			for _, mode := range ownModes {
				for _, procs := range mode.procs {
					accepted := onlyOn[program] == nil || slices.Contains(onlyOn[program], procs)
					if tooLong[program] || !accepted {
						continue
					}
					t.Run(fmt.Sprintf("%s/%s/%s/%d", name, short(program), mode.name, procs), func(t *testing.T) {
						runOwn(t, suite.NeedMPI(t, name), program, &mode, procs)
					})
				}
			}
		}
	}
}

// short returns a name of a program without slashes, as patterns of tests take it.
func short(program string) string {
	return strings.NewReplacer("/testing/", ".", "/", ".").Replace(program)
}

// runOwn runs a program once. It passes if its status is 0 and it does not complain.
func runOwn(t *testing.T, mpi harness.MPI, program string, mode *mode, procs int) {
	how, reason, begin := failed, "", time.Now()
	t.Cleanup(func() { report(t, mpi.Name, short(program), procs, mode.name, how, reason, begin) })
	sandbox := suite.Sandbox(t)
	sandbox.Limit = ownLimit
	r := mode.start(sandbox, mpi, procs, filepath.Join(*own, mpi.Name, program+".x"))
	fault, faulty := ownFaults[program]
	faulty = faulty && slices.Contains(fault.procs, procs)
	switch {
	case r.Status == 0 && !complaint.MatchString(r.Stdout) && !mismatch.MatchString(r.Stderr):
		how = passed
		if faulty && fault.always {
			how, reason = unexpected, fault.reason
			t.Error("a program passes that ownFaults lists")
		}
	case faulty && fault.complaint.MatchString(r.Stdout+r.Stderr):
		how, reason = known, fault.reason
	default:
		t.Error(r)
	}
}
