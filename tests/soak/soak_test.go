// Package soak runs tests/programs/soak and disturbs it, for a given time. `make soak` calls it.
// See docs/testing.md.
package soak

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/goacp/goacp/tests/harness"
)

// suite compiles the programs and has the build tree.
var suite *harness.Suite

var (
	duration = flag.Duration("soak", 0, "begin runs for this long; without it, do the one run of the seed")
	seed     = flag.Uint64("seed", 0, "of the first run; those that follow have the next numbers; 0 is a run without disturbance")
	without  = flag.String("without", "", "actors of the program that do not take part, with commas between")
)

func TestMain(m *testing.M) {
	status := harness.Main(m, &suite)
	if status == 0 && notStarted {
		status = statusNotStarted
	}
	os.Exit(status)
}

// childLimit bounds one run.
const childLimit = 15 * time.Minute

// TestSoak does one run of the plan that the seed makes, or, with -soak, one run after the other.
// With -soak each run is a separate process, so that a failure is reported at once and does not end
// the other runs. If MPI does not start, nothing was tested, and the run is repeated, at most
// twice.
func TestSoak(t *testing.T) {
	if *duration == 0 {
		newPlan(*seed).run(t)
		return
	}
	if !harness.CanHub() {
		fmt.Println("soak: this machine cannot make network interfaces (/dev/net/tun): no frames are lost, delayed or reordered; links go down all the same")
	}
	passed, failed, untested, withoutMPI := 0, 0, 0, 0
	begin := time.Now()
	for next := *seed; time.Since(begin) < *duration; next++ {
		started := time.Now()
		output, err := child(next)
		for again := 0; didNotStart(err) && again < startAgain; again++ {
			withoutMPI++
			fmt.Printf("seed %d: %v: MPI did not start; the same run again\n%s", next, newPlan(next), output)
			output, err = child(next)
		}
		took := time.Since(started).Round(100 * time.Millisecond)
		switch {
		case err == nil:
			passed++
			fmt.Printf("seed %d: %v: passed after %v\n", next, newPlan(next), took)
			continue
		case didNotStart(err):
			untested++
			withoutMPI++
			fmt.Printf("seed %d: %v: MPI did not start; not tested\n%s", next, newPlan(next), output)
			continue
		}
		failed++
		t.Fail()
		fmt.Printf("seed %d: %v: FAILED after %v: %v\n%s", next, newPlan(next), took, err, output)
		fmt.Printf("seed %d: the same run again: make soak SOAK=1s SEED=%d\n", next, next)
	}
	fmt.Printf("soak: %d passed, %d failed, %d not tested; MPI did not start %d times\n", passed, failed, untested, withoutMPI)
	if untested > 1+(passed+failed)/mostUntested {
		t.Errorf("in %d runs MPI did not start", untested)
	}
}

// startAgain is the number of times that a run is repeated because MPI has not started. UCX treats
// the hosts of a test as one machine, so MPICH uses shared memory between them. But each host has
// its own process numbers, by which UCX detects whether a neighbour is alive. On a busy machine
// MPI_Init therefore sometimes fails ("Endpoint timeout").
const startAgain = 2

// mostUntested: at most one of this number of runs, plus one, may test nothing because MPI does not
// start.
const mostUntested = 20

// didNotStart reports whether a process has ended because MPI did not start.
func didNotStart(err error) bool {
	var failed *exec.ExitError
	return errors.As(err, &failed) && failed.ExitCode() == statusNotStarted
}

// child does the run of a seed in a process of its own and returns its output.
func child(seed uint64) ([]byte, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), childLimit)
	defer cancel()
	cmd := exec.CommandContext(ctx, self, "-test.run=^TestSoak$", fmt.Sprintf("-seed=%d", seed), "-without="+*without)
	cmd.Env = append(os.Environ(), suite.Lend())
	var output bytes.Buffer
	cmd.Stdout, cmd.Stderr = &output, &output
	err = cmd.Run()
	return output.Bytes(), err
}
