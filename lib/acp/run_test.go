//go:build cgo

package libacp

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/goacp/goacp/bridge"
	"github.com/goacp/goacp/internal/acptest/machine"
)

// runTime bounds a run of a test program.
const runTime = 2 * time.Minute

// ended is how one process of a run ended.
type ended struct {
	status         int // exit status, or minus the signal
	stdout, stderr string
}

func (e ended) String() string {
	return fmt.Sprintf("status %d, output %q, errors %q, with %s", e.status, e.stdout, e.stderr, checkSeed())
}

// checkSeed returns the variable with the seed of the programs (testdata/check.h). That of the tests' own
// environment repeats what the programs have drawn.
var checkSeed = sync.OnceValue(func() string {
	const name = "CHECK_SEED"
	if seed, ok := os.LookupEnv(name); ok {
		return name + "=" + seed
	}
	return fmt.Sprintf("%s=%d", name, rand.Uint32())
})

// cleanEnviron is the environment without the variables of this library, and without those of
// an MPI launcher that has started the tests.
func cleanEnviron() []string {
	var env []string
	for _, v := range os.Environ() {
		switch {
		case strings.HasPrefix(v, "ACP_"), strings.HasPrefix(v, "OMPI_"), strings.HasPrefix(v, "PMI"):
		default:
			env = append(env, v)
		}
	}
	return env
}

// start runs one process until it or ctx ends.
func start(ctx context.Context, t *testing.T, env []string, path string, args ...string) ended {
	var stdout, stderr bytes.Buffer
	cmd := machine.Command(ctx, path, args...)
	cmd.Env = append(append(cleanEnviron(), checkSeed()), env...)
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	cmd.WaitDelay = time.Second
	err := cmd.Run()
	if cmd.ProcessState == nil {
		t.Errorf("%s: %v", path, err)
		return ended{status: -1}
	}
	e := ended{status: cmd.ProcessState.ExitCode(), stdout: stdout.String(), stderr: stderr.String()}
	if ws, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		e.status = -int(ws.Signal())
	}
	if ctx.Err() != nil {
		t.Errorf("%s: not ended in time: %v", path, e)
	}
	return e
}

// alone runs a process that no launcher has started.
func alone(t *testing.T, env []string, path string, args ...string) ended {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), runTime)
	defer cancel()
	return start(ctx, t, env, path, args...)
}

// rendezvous makes this test the launcher of a run of n ranks, and returns the address of its
// rendezvous.
func rendezvous(t *testing.T, n int) bridge.Env {
	t.Helper()
	token, err := bridge.NewToken()
	if err != nil {
		t.Fatal(err)
	}
	server, err := bridge.Listen(bridge.ServerConfig{
		Jobs:  []bridge.Job{{Name: "test", Size: n}},
		Token: token, Listen: []string{"127.0.0.1:0"},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { server.Close() })
	file, err := bridge.WriteTokenFile(t.TempDir(), token)
	if err != nil {
		t.Fatal(err)
	}
	place := bridge.Env{TokenFile: file, Token: token}
	for _, a := range server.Addrs() {
		place.Rendezvous = append(place.Rendezvous, a.String())
	}
	return place
}

// together runs n processes as the ranks of one run. %r and %n in args are the rank and
// the number of processes.
func together(t *testing.T, n int, env []string, path string, args ...string) []ended {
	t.Helper()
	place := rendezvous(t, n)
	ctx, cancel := context.WithTimeout(context.Background(), runTime)
	defer cancel()
	results := make([]ended, n)
	var all sync.WaitGroup
	for r := range n {
		own := place
		own.JobRank = r
		ownArgs := make([]string, len(args))
		for i, a := range args {
			ownArgs[i] = strings.NewReplacer("%r", strconv.Itoa(r), "%n", strconv.Itoa(n)).Replace(a)
		}
		all.Go(func() {
			results[r] = start(ctx, t, append(own.Environ(), env...), path, ownArgs...)
		})
	}
	all.Wait()
	return results
}

// allWell fails the test unless every process succeeded and wrote the expected text to standard
// error.
func allWell(t *testing.T, results []ended, stderr string) {
	t.Helper()
	for r, e := range results {
		if e != (ended{stderr: stderr}) {
			t.Errorf("rank %d: %v", r, e)
		}
	}
}

func TestPrograms(t *testing.T) {
	starter := "ACP_STARTER_MEMSIZE=2097152"
	for _, test := range []struct {
		name   string
		args   []string
		env    []string
		runs   []int
		stderr string
	}{
		{name: "values", args: []string{"%r", "%n"}, runs: []int{1, 2, 3}, stderr: "acp: init: initialised already\n"},
		{name: "copies", env: []string{starter}, runs: []int{1, 2, 3}},
		{name: "atomics", runs: []int{1, 2, 4}},
		{name: "sync", args: []string{"wrap"}, runs: []int{1, 2, 4}},
		{name: "malloc", runs: []int{1, 2, 3}},
		{name: "heap", env: []string{"ACP_STARTER_MEMSIZE_DL=67108864"}, runs: []int{1, 2, 3}},
		{name: "list", runs: []int{1, 2, 3}},
		{name: "sequence", runs: []int{1, 2, 3}},
		{name: "pushes", runs: []int{1, 2, 3}},
		{name: "links", runs: []int{1, 2, 3}},
		{name: "tables", runs: []int{1, 2, 3}},
		{name: "find", runs: []int{1, 2, 3}},
		{name: "change", runs: []int{1, 2, 3}},
		{name: "many", runs: []int{1, 2, 3}},
		{name: "workspace", runs: []int{1, 2, 3}},
		{name: "channel", runs: []int{1, 2, 3, 4}},
		{name: "segbuf", runs: []int{1, 2, 3}},
		{name: "order", runs: []int{1, 2, 4}},
		{name: "reset", runs: []int{1, 2, 3}},
		{name: "fork", runs: []int{1, 3}},
		{name: "signal", runs: []int{1, 3}},
		{name: "handlers", runs: []int{1, 2}},
		{name: "handlers", args: []string{"faults_first"}, runs: []int{2}},
		{name: "handlers", args: []string{"process"}, runs: []int{1, 2}},
		{name: "own", runs: []int{1, 2}},
		{name: "threads", runs: []int{1, 3}},
		{name: "submissions", env: []string{starter}, runs: []int{1, 2, 3}},
		{name: "reasons", runs: []int{1, 2}},
		{name: "timeouts", runs: []int{1, 2, 4}},
		{name: "stats", env: []string{"ACP_STATS=yes"}, runs: []int{1, 2, 3}},
	} {
		path := program(t, test.name)
		for _, net := range []string{"shm", "tcp"} {
			for _, n := range test.runs {
				t.Run(fmt.Sprintf("%s/%s/%d", test.name, net, n), func(t *testing.T) {
					env := append([]string{"ACP_NET=" + net}, test.env...)
					allWell(t, together(t, n, env, path, test.args...), test.stderr)
				})
			}
		}
		t.Run(test.name+"/alone", func(t *testing.T) {
			args := strings.Fields(strings.NewReplacer("%r", "0", "%n", "1").Replace(strings.Join(test.args, " ")))
			allWell(t, []ended{alone(t, test.env, path, args...)}, test.stderr)
		})
	}
}

// TestRecords compares what C and Go do with channels whose rings are small.
func TestRecords(t *testing.T) {
	env := []string{"ACP_NET=shm", "ACP_CHANNEL_MEMSIZE=4096"}
	allWell(t, together(t, 2, env, program(t, "records")), "")
}

// A mistake among GMAs that wait for others in flight ends the run as any other, and is reported.
func TestMistakeInSubmission(t *testing.T) {
	for _, net := range []string{"shm", "tcp"} {
		e := together(t, 2, []string{"ACP_NET=" + net, "ACP_STARTER_MEMSIZE=2097152"}, program(t, "submissions"), "beyond")[0]
		if e.status == 0 || !strings.Contains(e.stderr, "source 0x100000200ffc: rank 1 has 2097152 bytes") {
			t.Errorf("%s: %v", net, e)
		}
	}
}

// TestMail lets C post requests in a mailbox whose owner carries them out, refuses them, or does not look.
func TestMail(t *testing.T) {
	allWell(t, together(t, 2, []string{"ACP_NET=shm"}, program(t, "mail")), "")
}
