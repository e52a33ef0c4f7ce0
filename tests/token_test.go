package tests

import (
	"bytes"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/goacp/goacp/tests/harness"
)

// tokenRun is a run on two hosts with a job of an MPI and one of acprun, each with a
// rank on either host. Every rank copies the token of the run before it begins.
func tokenRun(t *testing.T, sandbox *harness.Sandbox, mpi harness.MPI, way string) *harness.Command {
	t.Helper()
	// The MPI must not detect that the hosts are one machine.
	sandbox.Env = append(sandbox.Env, "UCX_TLS=tcp,self", "OMPI_MCA_btl=tcp,self")
	script := sandbox.Script("rank", `cp "$ACP_TOKEN_FILE" "$0.token.$(hostname).$$" && exec "$@"`)
	return sandbox.StartRead(strings.NewReader(jobs(
		job{mpi.Mpirun, 2, script + " " + suite.CMPI(t, "waiting", mpi) + " " + way},
		job{"acprun", 2, script + " " + suite.C(t, "waiting") + " " + way},
	)), "macprun", "-net", "tcp", "-nodefile", sandbox.Nodefile(0, 1, 0, 1))
}

// copiedToken returns the token that all ranks of a run have copied.
func copiedToken(t *testing.T, sandbox *harness.Sandbox, ranks int) string {
	t.Helper()
	copies, err := filepath.Glob(filepath.Join(sandbox.Dir, "rank.token.*"))
	if err != nil || len(copies) != ranks {
		t.Fatalf("copies of the token %v, %v; expected %d", copies, err, ranks)
	}
	var token string
	for _, name := range copies {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if token == "" {
			token = strings.TrimSpace(string(text))
		}
		if strings.TrimSpace(string(text)) != token {
			t.Fatalf("%s holds another token than the others", name)
		}
	}
	return token
}

// crossed reports whether a listener has seen a part of secret that is too long for a coincidence.
// A frame may end within the secret.
func crossed(seen, secret []byte) bool {
	part := len(secret) / 4
	for at := 0; at+part <= len(secret); at++ {
		if bytes.Contains(seen, secret[at:at+part]) {
			return true
		}
	}
	return false
}

// TestTokenDoesNotCrossTheNetwork listens between two hosts during a run with jobs of
// an MPI, which sends the environment of its ranks in clear, and of acprun.
func TestTokenDoesNotCrossTheNetwork(t *testing.T) {
	for _, name := range []string{"openmpi", "mpich"} {
		t.Run(name, func(t *testing.T) {
			mpi := suite.NeedMPI(t, name)
			sandbox := suite.Sandbox(t)
			sandbox.Hosts(2)
			capture := sandbox.Capture()
			run := tokenRun(t, sandbox, mpi, "sync")
			ready(t, run, 4)
			run.Signal(syscall.SIGTERM)
			run.Wait()
			seen := capture.Seen(t)
			token := copiedToken(t, sandbox, 4)
			raw, err := hex.DecodeString(token)
			if err != nil || len(raw) != 32 {
				t.Fatalf("token %q: %v", token, err)
			}
			// The listener must find the environment that the MPI sends: so it can read its
			// messages.
			if !bytes.Contains(seen, []byte("ACP_RENDEZVOUS")) {
				t.Errorf("the listener has seen %d bytes, but not the environment of the MPI job", len(seen))
			}
			for what, secret := range map[string][]byte{"digits": []byte(token), "capital digits": []byte(strings.ToUpper(token)), "bytes": raw} {
				if crossed(seen, secret) {
					t.Errorf("the token has crossed the network as %s", what)
				}
			}
		})
	}
}

// TestTokenIsRemoved ends a run on two hosts by killing the processes that have the path of the token's
// file on one of them. Nothing may be left on either host, as the sandbox checks.
func TestTokenIsRemoved(t *testing.T) {
	for victim, is := range map[string]func(sandbox *harness.Sandbox, p harness.Process) bool{
		"macprun": func(sandbox *harness.Sandbox, p harness.Process) bool { return p.Name() == "macprun" },
		"acprun on the other host": func(sandbox *harness.Sandbox, p harness.Process) bool {
			return sandbox.On(p, 1) && p.Name() == "acprun"
		},
		"remote shell": func(sandbox *harness.Sandbox, p harness.Process) bool { return sandbox.On(p, 0) && sandbox.IsAgent(p) },
		"rank on the other host": func(sandbox *harness.Sandbox, p harness.Process) bool {
			return sandbox.On(p, 1) && p.Name() == "waiting"
		},
		"cleaner on the other host": func(sandbox *harness.Sandbox, p harness.Process) bool {
			return sandbox.On(p, 1) && p.Name() == "acp-cleaner"
		},
	} {
		for _, name := range []string{"openmpi", "mpich"} {
			t.Run(name+"/"+victim, func(t *testing.T) {
				mpi := suite.NeedMPI(t, name)
				sandbox := suite.Sandbox(t)
				sandbox.Hosts(2)
				run := tokenRun(t, sandbox, mpi, "sync")
				ready(t, run, 4)
				if len(sandbox.Processes()) < 4 {
					t.Fatal("no processes found")
				}
				killed := 0
				since := time.Now()
				for _, p := range sandbox.Processes() {
					if is(sandbox, p) {
						if err := syscall.Kill(p.PID, syscall.SIGKILL); err != nil && err != syscall.ESRCH {
							t.Fatal(err)
						}
						killed++
					}
				}
				if killed == 0 {
					t.Fatalf("no %s", victim)
				}
				if strings.HasPrefix(victim, "cleaner") {
					// The run continues. Another process removes the file at the
					// end.
					run.Signal(syscall.SIGTERM)
				}
				sandbox.GoneWithin(since, afterLauncher)
				run.Wait()
			})
		}
	}
}
