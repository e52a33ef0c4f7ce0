package launch

import (
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/goacp/goacp/internal/launch/process"
	"github.com/goacp/goacp/internal/launch/survey"
	"github.com/goacp/goacp/internal/launch/usersocket"
)

// TestStatWithoutAnswer: acpstat does not take a launcher that gives no answer for the end of the run. acpstat -watch goes on until the
// socket of the run is removed, or no process listens at it.
func TestStatWithoutAnswer(t *testing.T) {
	for _, killed := range []bool{false, true} {
		t.Setenv("TMPDIR", t.TempDir())
		const run = "4194999" // above all process ids
		dir := filepath.Join(os.TempDir(), process.RunDirPrefix+run+"-x")
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		asked := make(chan struct{}, 1)
		path := filepath.Join(dir, survey.SocketName)
		server, err := usersocket.Listen(path, func(*net.UnixConn) {
			select {
			case asked <- struct{}{}:
			default:
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		status, _, stderr := acpstatOfTest(t, run)
		if status != 1 || !strings.Contains(stderr, "does not answer") || strings.Contains(stderr, errNoRun.Error()) {
			t.Errorf("status %d, %q; expected that the launcher does not answer", status, stderr)
		}
		<-asked
		type result struct {
			status         int
			stdout, stderr string
		}
		ended := make(chan result, 1)
		go func() {
			var r result
			r.status, r.stdout, r.stderr = acpstatOfTest(t, "-watch", run)
			ended <- r
		}()
		for range 3 { // it goes on
			<-asked
		}
		if killed {
			if err := os.Link(path, path+"2"); err != nil {
				t.Fatal(err)
			}
		}
		server.Close()
		if killed {
			if err := os.Rename(path+"2", path); err != nil {
				t.Fatal(err)
			}
		}
		if r := <-ended; r.status != 0 || !strings.Contains(r.stdout, "does not answer") || r.stderr != "" {
			t.Errorf("killed %v: status %d, %q, %q; expected 0 when the run has ended", killed, r.status, r.stdout, r.stderr)
		}
	}
}

// acpstatOfTest runs acpstat in this process.
func acpstatOfTest(t *testing.T, args ...string) (status int, stdout, stderr string) {
	files := make([]*os.File, 2)
	for i := range files {
		f, err := os.CreateTemp(t.TempDir(), "out")
		if err != nil {
			t.Error(err)
			return
		}
		defer f.Close()
		files[i] = f
	}
	status = Acpstat(StdIO{Args: args, Stdout: files[0], Stderr: files[1]})
	texts := make([]string, 2)
	for i, f := range files {
		_, _ = f.Seek(0, io.SeekStart)
		text, err := io.ReadAll(f)
		if err != nil {
			t.Error(err)
		}
		texts[i] = string(text)
	}
	return status, texts[0], texts[1]
}
