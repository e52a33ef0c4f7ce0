package fabrictest

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"strconv"
	"testing"
	"time"

	"github.com/goacp/goacp/internal/acptest/machine"
)

// memberVariable is the number of a member that Exec has started.
const memberVariable = "FABRICTEST_MEMBER"

// Exec returns a way for Processes to start the test binary once for each of n members. Its
// TestMain looks with IsMember whether it is one.
func Exec(t *testing.T, n int) func(env string) (kill func(member int)) {
	return func(env string) func(int) {
		cmds := make([]*exec.Cmd, n)
		for i := range cmds {
			cmd := machine.Command(context.Background(), os.Args[0])
			cmd.Env = append(os.Environ(), env, memberVariable+"="+strconv.Itoa(i))
			var output bytes.Buffer
			cmd.Stdout, cmd.Stderr = &output, &output
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			hung := time.AfterFunc(3*timeLimit, func() { _ = cmd.Process.Kill() })
			killed := func() bool { return cmd.ProcessState.ExitCode() < 0 && hung.Stop() }
			t.Cleanup(func() {
				if err := cmd.Wait(); err != nil && !killed() {
					t.Errorf("process of rank %d: %v\n%s", i, err, output.String())
				}
				hung.Stop()
			})
			cmds[i] = cmd
		}
		return func(member int) { _ = cmds[member].Process.Kill() }
	}
}

// IsMember reports whether this process is a member that Exec has started, and which.
func IsMember() (self int, is bool) {
	text, is := os.LookupEnv(memberVariable)
	self, err := strconv.Atoi(text)
	return self, is && err == nil
}
