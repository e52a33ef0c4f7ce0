package tests

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/goacp/goacp/tests/harness"
)

// TestViewersComeAndGo attaches viewers to a model one after the other, and kills some of them or their launcher at a
// random moment. The model continues, and each of the other viewers sees whole steps.
func TestViewersComeAndGo(t *testing.T) {
	const visits, most = 100, 60 * time.Millisecond
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	rnd := rand.New(rand.NewPCG(seed, 0))
	sandbox := suite.Sandbox(t)
	program := suite.C(t, "viewing")
	model, input := startWithInput(t, sandbox, "acprun", "-np", "3", program, "model")
	ready(t, model, 3)
	attach := []string{"acprun", "-to", runName(t, sandbox), "-np", "2", program, "viewer", "5"}
	killed := 0
	for visit := range visits {
		if rnd.IntN(10) >= 3 {
			r := sandbox.Run("", attach...)
			r.Stderr = removedLine.ReplaceAllString(r.Stderr, "")
			if r.Status != 0 || strings.Count(r.Stdout, "saw 5 steps\n") != 2 || r.Stderr != "" {
				t.Errorf("visit %d: %v", visit, r)
				break
			}
			continue
		}
		killed++
		c := sandbox.Start(attach...)
		time.Sleep(time.Duration(rnd.Int64N(int64(most))))
		kill(c, rnd)
		c.Wait()
	}
	t.Logf("%d of %d visits were killed", killed, visits)
	fmt.Fprintln(input)
	if r := model.Wait(); r.Status != 0 || !strings.Contains(r.Stdout, "longest step") || r.Stderr != "" {
		t.Errorf("the model: %v", r)
	}
	cleaned(t, sandbox)
}

// TestViewersWithOneName lets two sets of viewers wait with one model name while a third one has the link. Both ranks of the set that has
// attached first get an error that names the rank with the name, and the other set gets the link when it is free. The model notices nothing.
func TestViewersWithOneName(t *testing.T) {
	sandbox := suite.Sandbox(t)
	program := suite.C(t, "viewing")
	model, input := startWithInput(t, sandbox, "acprun", "-np", "3", program, "model")
	ready(t, model, 3)
	run := runName(t, sandbox)
	viewers := func(what, says string) *harness.Command {
		c := sandbox.Start("acprun", "-to", run, "-np", "2", program, "viewer", what)
		c.Output(func(text string) bool { return strings.Count(text, says) == 2 })
		return c
	}
	first := viewers("hold", "holds\n")
	earlier := viewers("refused", "opens\n")
	later := viewers("5", "opens\n")
	refused := regexp.MustCompile(`(?m)^refused: .*link ocean\.sst>viewer\.picture: bad model: rank [78], which has attached later, has model viewer$`)
	if r := earlier.Wait(); r.Status != 0 || len(refused.FindAllString(r.Stdout, -1)) != 2 || r.Stderr != "" {
		t.Errorf("the earlier viewers: %v", r)
	}
	first.Signal(syscall.SIGTERM)
	first.Wait()
	if r := later.Wait(); r.Status != 0 || strings.Count(r.Stdout, "saw 5 steps\n") != 2 || r.Stderr != "" {
		t.Errorf("the later viewers: %v", r)
	}
	fmt.Fprintln(input)
	if r := model.Wait(); r.Status != 0 || r.Stderr != "" {
		t.Errorf("the model: %v", r)
	}
	cleaned(t, sandbox)
}

// removedLine is what a launcher prints about an earlier one that was killed together with its cleaner.
var removedLine = regexp.MustCompile(`(?m)^acprun: removed \S+, which a run has left whose launcher was killed\n`)

// kill kills the launcher, or a process that it has started: a viewer, or its cleaner.
func kill(launcher *harness.Command, rnd *rand.Rand) {
	victims := []int{launcher.PID()}
	children, _ := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", launcher.PID(), launcher.PID())) // it may have ended
	for _, word := range strings.Fields(string(children)) {
		if pid, err := strconv.Atoi(word); err == nil {
			victims = append(victims, pid)
		}
	}
	_ = syscall.Kill(victims[rnd.IntN(len(victims))], syscall.SIGKILL) // it may have ended
}

// TestWaitsForLostGuest kills a guest for which a resident waits. The call fails with ESRCH, and the run goes on.
func TestWaitsForLostGuest(t *testing.T) {
	for _, how := range []string{"receive", "send", "copy", "link"} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			losesGuest(t, suite.Sandbox(t), suite.C(t, "partner"), how)
		})
	}
}

// losesGuest runs a program as a resident that waits for its guest, and kills the guest.
func losesGuest(t *testing.T, sandbox *harness.Sandbox, program ...string) {
	t.Helper()
	run := sandbox.Start(slices.Concat([]string{"acprun", "-np", "2"}, program, []string{"resident"})...)
	run.Output(func(text string) bool { return strings.Contains(text, "begins\n") })
	guest := sandbox.Start(slices.Concat([]string{"acprun", "-to", strconv.Itoa(run.PID()), "-np", "1"}, program, []string{"guest"})...)
	run.Output(func(text string) bool { return strings.Contains(text, "waits\n") })
	line := guest.Output(readyLine.MatchString)
	var rank, pid int
	if _, err := fmt.Sscanf(line, "rank %d pid %d", &rank, &pid); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	want := fmt.Sprintf("ended: %d\n", int(syscall.ESRCH))
	if r := run.Wait(); r.Status != 0 || !strings.HasSuffix(r.Stdout, want) || r.Stderr != "" {
		t.Errorf("the run: %v, expected %q", r, want)
	}
	if r := guest.Wait(); r.Status == 0 {
		t.Errorf("the guest: %v", r)
	}
}

// TestPythonViewer attaches the viewer of the examples to a model in C. It sees steps, is interrupted, and comes again.
func TestPythonViewer(t *testing.T) {
	sandbox, python, _ := pythonSandbox(t, "memory")
	program := suite.C(t, "viewing")
	model, input := startWithInput(t, sandbox, "acprun", "-np", "2", program, "model")
	ready(t, model, 2)
	viewer := []string{"acprun", "-to", runName(t, sandbox), python, suite.Source("examples", "python", "viewer.py"), "ocean.sst", "1", "600"}
	for range 3 {
		if r := sandbox.Run("", append(viewer, "3")...); r.Status != 0 || strings.Count(r.Stdout, "step ") != 3 || r.Stderr != "" {
			t.Errorf("a viewer of 3 steps: %v", r)
		}
		endless := sandbox.Start(viewer...)
		endless.Output(func(text string) bool { return strings.Contains(text, "step ") })
		endless.Signal(syscall.SIGINT)
		if r := endless.Wait(); r.Status == 0 {
			t.Errorf("a viewer that was interrupted: %v", r)
		}
	}
	if picture, err := os.ReadFile(filepath.Join(sandbox.Dir, "picture.pgm")); err != nil || !strings.HasPrefix(string(picture), "P5 600 1 255\n") ||
		len(picture) != len("P5 600 1 255\n")+600 {
		t.Errorf("the picture has %d bytes: %v", len(picture), err)
	}
	fmt.Fprintln(input)
	if r := model.Wait(); r.Status != 0 || r.Stderr != "" {
		t.Errorf("the model: %v", r)
	}
}
