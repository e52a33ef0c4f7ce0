package process

import (
	"bufio"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/goacp/goacp/internal/launch/exit"
	"golang.org/x/sys/unix"
)

// TestExitWatch: the status of a process is known before its parent has waited for it.
func TestExitWatch(t *testing.T) {
	const mark = "GOACP_TEST=exitwatch"
	for _, test := range []struct {
		script string
		signal unix.Signal
		want   exit.Status
	}{
		{"echo ready; read x", unix.SIGKILL, exit.Status{Signal: int(unix.SIGKILL)}},
		{"echo ready; read x", unix.SIGTERM, exit.Status{Signal: int(unix.SIGTERM)}},
		{"echo ready; read x; exit 3", 0, exit.Status{Code: 3}},
	} {
		cmd := exec.Command("/bin/sh", "-c", test.script)
		cmd.Env = append(os.Environ(), mark)
		input, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		output, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		// /proc shows no environment for a moment while the program is loaded.
		if _, err := bufio.NewReader(output).ReadString('\n'); err != nil {
			t.Fatal(err)
		}
		if w := WatchExit(cmd.Process.Pid, mark+"x"); w != nil {
			t.Error("a process without the mark is watched")
		}
		w := WatchExit(cmd.Process.Pid, mark)
		if w == nil {
			t.Fatal("the process is not watched")
		}
		if s, known := w.Status(time.Millisecond); known {
			t.Errorf("%v of a process that runs", s)
		}
		if test.signal != 0 {
			err = cmd.Process.Signal(test.signal)
		} else {
			err = input.Close()
		}
		if err != nil {
			t.Fatal(err)
		}
		if s, known := w.Status(time.Minute); !known || s != test.want {
			t.Errorf("%q, %v: %v, known %v; expected %v", test.script, test.signal, s, known, test.want)
		}
		_ = cmd.Wait()
		// Since Linux 6.15 the status stays available. On older kernels Status returns at once.
		if s, known := w.Status(time.Minute); known && s != test.want {
			t.Errorf("%q, %v, afterwards: %v; expected %v", test.script, test.signal, s, test.want)
		}
		w.Close()
	}
}
