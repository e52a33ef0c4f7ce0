//go:build mpi

package bridge

import "testing"

func TestAbortLine(t *testing.T) {
	for reason, want := range map[string]string{
		"rank 2 called acp_finalize while rank 0 called acp_sync": "acp: rank 2 called acp_finalize while rank 0 called acp_sync",
		"no more input":                "acp: rank 3: no more input",
		"acp: rank 3: copy of 8 bytes": "acp: rank 3: copy of 8 bytes",
	} {
		if got := abortLine(3, reason); got != want {
			t.Errorf("%q, expected %q", got, want)
		}
	}
}
