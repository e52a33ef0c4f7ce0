package launch

import (
	"os"
	"strings"
	"testing"

	"github.com/goacp/goacp/internal/launch/tabletest"
)

// TestBadInput runs the real programs on wrong command lines and files: each must print one line on standard
// error and end with a status that is not 0, before it starts any process.
func TestBadInput(t *testing.T) {
	count := tabletest.Run(t, "testdata/bad-*.txt", func(t *testing.T, c *tabletest.Case) string {
		t.Chdir(t.TempDir())
		for _, f := range c.Files {
			if err := os.WriteFile(f.Name, []byte(f.Text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		null, err := os.Open(os.DevNull)
		if err != nil {
			t.Fatal(err)
		}
		defer null.Close()
		out, err := os.Create("stdout")
		if err != nil {
			t.Fatal(err)
		}
		defer out.Close()
		complaint, err := os.Create("stderr")
		if err != nil {
			t.Fatal(err)
		}
		defer complaint.Close()
		std := StdIO{Args: c.Args, Environ: []string{"PATH=/usr/bin:/bin"}, Stdin: null, Stdout: out, Stderr: complaint}
		program := map[string]func(StdIO) int{"acprun": Acprun, "macprun": Macprun}[c.Program]
		if program == nil {
			t.Fatalf("no program %q", c.Program)
		}
		if status := program(std); status == 0 {
			t.Error("status 0")
		}
		stdout, stderr := content(t, "stdout"), content(t, "stderr")
		if stdout != "" || strings.Count(stderr, "\n") != 1 || !strings.HasSuffix(stderr, "\n") {
			t.Errorf("stdout %q, stderr %q; expected one line on standard error", stdout, stderr)
		}
		return stderr
	})
	if count < 25 && !t.Failed() {
		t.Errorf("%d cases; expected 25 or more", count)
	}
}

func content(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
