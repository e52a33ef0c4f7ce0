package shell

import (
	"strings"
	"testing"
)

func FuzzShellWords(f *testing.F) {
	for _, line := range []string{"mpirun -x 'a b'", `X="1 2" "my run" \$x`, ". ./env; mpirun", "a\\", "'", "A=b"} {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line string) {
		if prefix := LauncherPrefix(line); !strings.HasPrefix(strings.TrimSpace(line), strings.TrimSpace(prefix)) {
			t.Fatalf("%q is no beginning of %q", prefix, line)
		}
		if placed, plain := WithExec(line), strings.TrimLeft(line, " \t"); placed != plain && strings.Replace(placed, "exec ", "", 1) != plain {
			t.Fatalf("%q became %q", line, placed)
		}
		if word, rest := CutWord(Quote(line)); word != line && !strings.ContainsAny(line, "\n") || rest != "" {
			t.Fatalf("%q became %q and %q", line, word, rest)
		}
	})
}
