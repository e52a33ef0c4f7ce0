package tests

import (
	"fmt"
	"strings"
	"testing"

	"github.com/goacp/goacp/tests/harness"
)

// lostCopy starts a resident, and a guest that the resident kills. It returns what the resident has written.
func lostCopy(t *testing.T, sandbox *harness.Sandbox, program []string, arguments ...string) string {
	t.Helper()
	run := sandbox.Start(append(append([]string{"acprun", "-np", "1"}, program...), arguments...)...)
	run.Output(func(text string) bool { return strings.Contains(text, "ready\n") })
	guest := sandbox.Start(append([]string{"acprun", "-to", runName(t, sandbox), "-np", "1"}, program...)...)
	result := run.Wait()
	if result.Status != 0 {
		t.Errorf("the resident: %v", result)
	}
	if g := guest.Wait(); g.Status != 128+9 {
		t.Errorf("the guest: %v", g)
	}
	cleaned(t, sandbox)
	return strings.TrimPrefix(result.Stdout, "ready\n")
}

// TestLostCopy: a copy from a guest that is killed fails, whenever and however the program asks for its end, and is reported once.
func TestLostCopy(t *testing.T) {
	for _, way := range []string{"complete", "inquire", "all"} {
		for _, milliseconds := range []string{"0", "300"} {
			t.Run(fmt.Sprintf("%s/%s", way, milliseconds), func(t *testing.T) {
				if out := lostCopy(t, suite.Sandbox(t), []string{suite.C(t, "lostcopy")}, milliseconds, way); out != "3, then 0\n" {
					t.Errorf("%q, expected that the copy has failed with ESRCH", out)
				}
			})
		}
	}
}

// TestPythonLostCopies: the same for futures in Python, each of which fails.
func TestPythonLostCopies(t *testing.T) {
	for _, milliseconds := range []string{"0", "300"} {
		sandbox, python, program := pythonSandbox(t, "lostcopies")
		if out := lostCopy(t, sandbox, []string{python, program}, milliseconds); out != "all have failed\n" {
			t.Errorf("%q", out)
		}
	}
}
