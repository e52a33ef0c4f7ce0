package announce

import (
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/goacp/goacp/bridge"
	"github.com/goacp/goacp/internal/acptest/machine"
	"github.com/goacp/goacp/internal/ground/envvar"
)

// TestProcessAnnouncesItself starts this program as a process of a run, with a macprun that answers, one that closes
// the connection, and none. The connection of a process that is answered stays open until the process ends.
func TestProcessAnnouncesItself(t *testing.T) {
	if os.Getenv("GOACP_TEST_STARTED") != "" {
		return // it is the process
	}
	for _, answer := range []string{"x", "", "none"} {
		t.Run(answer, func(t *testing.T) {
			dir := t.TempDir()
			cmd := machine.Command(t.Context(), os.Args[0], "-test.run", "^TestProcessAnnouncesItself$")
			cmd.Env = append(os.Environ(), "GOACP_TEST_STARTED=1", envvar.TokenFile+"="+filepath.Join(dir, bridge.TokenFileName))
			if answer == "none" {
				if out, err := cmd.CombinedOutput(); err != nil {
					t.Errorf("%v: %s", err, out)
				}
				return
			}
			l, err := net.Listen("unix", filepath.Join(dir, bridge.StartedSocketName))
			if err != nil {
				t.Fatal(err)
			}
			defer l.Close()
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			_ = l.(*net.UnixListener).SetDeadline(time.Now().Add(time.Minute))
			conn, err := l.Accept()
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			if answer == "" {
				_ = conn.Close()
			} else {
				_, err = io.WriteString(conn, answer)
			}
			if err := errors.Join(err, cmd.Wait()); err != nil {
				t.Fatal(err)
			}
			if answer == "" {
				return
			}
			if n, err := conn.Read(make([]byte, 1)); err != io.EOF {
				t.Errorf("read %d bytes, %v; expected the end of the connection", n, err)
			}
			_ = l.(*net.UnixListener).SetDeadline(time.Now().Add(10 * time.Millisecond))
			if _, err := l.Accept(); !errors.Is(err, os.ErrDeadlineExceeded) {
				t.Errorf("the process has announced itself twice: %v", err)
			}
		})
	}
}
