package tests

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/goacp/goacp/tests/harness"
)

// TestTimedExample runs the ocean and the air whose links average, lag and interpolate: 24 steps at once print the same
// digits as 12 steps and 12 more after a restart, and files of another link, rank or length are refused.
func TestTimedExample(t *testing.T) {
	text, err := os.ReadFile(suite.Source("examples", "timed", "timed.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	ocean, air := suite.CAt(t, "examples/timed/ocean"), suite.CAt(t, "examples/timed/air")
	for _, net := range []string{"shm", "tcp"} {
		t.Run(net, func(t *testing.T) {
			sandbox := suite.Sandbox(t)
			run := func(name, arguments string) string {
				description := strings.NewReplacer("./ocean 24 .", ocean+" "+arguments, "./air 24 .", air+" "+arguments).Replace(string(text))
				return sandbox.Write(name, description)
			}
			columns := func(out string) []string {
				all := slices.DeleteFunc(strings.Split(out, "\n"), func(line string) bool { return !strings.HasPrefix(line, "column") })
				slices.Sort(all)
				return all
			}
			whole := columns(sandbox.Must("macprun", "-net", net, run("whole.yaml", "24 .")))
			first := columns(sandbox.Must("macprun", "-net", net, run("first.yaml", "12 .")))
			rest := columns(sandbox.Must("macprun", "-net", net, run("rest.yaml", "12 . continue")))
			if len(whole) != 24 || len(first) != 24 || slices.Equal(whole, first) {
				t.Errorf("the whole run prints %q, half of it %q", whole, first)
			}
			if !slices.Equal(whole, rest) {
				t.Errorf("after the restart %q, expected %q", rest, whole)
			}
			refuses(t, sandbox, net, run)
		})
	}
}

// refuses damages files of the example, and expects messages about them.
func refuses(t *testing.T, sandbox *harness.Sandbox, net string, run func(name, arguments string) string) {
	t.Helper()
	const file = "air.heat.to.ocean.heat.sending."
	content := func(rank string) []byte {
		b, err := os.ReadFile(filepath.Join(sandbox.Dir, file+rank))
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	whole, other := content("1"), content("2")
	for want, bad := range map[string][]byte{
		"bad file: truncated: ": whole[:len(whole)-1],
		"bad file: written by process 2 of the model; expected process 1": other,
		"bad file: damaged: the checksum is ":                             append(slices.Clone(whole[:len(whole)-8]), make([]byte, 8)...),
	} {
		sandbox.Write(file+"1", string(bad))
		r := sandbox.Run("", "macprun", "-net", net, run("refused.yaml", "12 . continue"))
		if r.Status == 0 || !strings.Contains(r.Stderr, want) {
			t.Errorf("status %d, %q; expected %q", r.Status, r.Stderr, want)
		}
	}
}
