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

// ownLimit bounds one run. Some of the programs compute for a minute.
const ownLimit = 4 * time.Minute

// tooLong are programs that spend many minutes in loops of their own.
var tooLong = map[string]bool{"global/testing/cache_test": true, "global/testing/kaczmarz": true, "global/testing/mmatrix": true}

// onlyOn lists the numbers of processes of programs that refuse to run on others.
var onlyOn = map[string][]int{
	"global/testing/ga_lu":     {2, 4},
	"global/testing/mir_perf2": {4},
	"global/testing/perf":      {4},
	"global/testing/perfmod":   {4},
	"global/testing/perform":   {4},
}

// complaint is how programs that end with status 0 say that a result is wrong.
var complaint = regexp.MustCompile(`(?i)mismatch|not ok`)

// ownFailure returns why a program of Global Arrays complains with every implementation of ARMCI, or "".
func ownFailure(program string, procs int) string {
	if program == "global/testing/matrixc" && procs > 1 {
		return "GA_Zero_diagonal begins at the wrong element"
	}
	return ""
}

// ownModes are the ways in which Global Arrays's own programs are run.
var ownModes = []mode{
	{name: "mpirun", plain: true, procs: []int{1, 2, 4, 5}},
	{name: "macprun -net tcp", options: []string{"-net", "tcp"}, procs: []int{2, 4}},
	{name: "two hosts", procs: []int{2, 4}, host: halves},
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
					if tooLong[program] || !accepted || unreliable(name, &mode, procs) {
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
	how, begin := failed, time.Now()
	reason := ownFailure(program, procs)
	t.Cleanup(func() { report(t, mpi.Name, short(program), procs, mode.name, how, reason, begin) })
	place := suite.Place(t)
	place.Limit = ownLimit
	r := mode.start(place, mpi, procs, filepath.Join(*own, mpi.Name, program+".x"))
	complains := complaint.MatchString(r.Stdout)
	switch {
	case r.Status != 0 || complains && reason == "":
		t.Error(r)
	case complains:
		how = known
	case reason != "":
		how = unexpected
		t.Error("a program passes that ownFailure lists")
	default:
		how = passed
	}
}
