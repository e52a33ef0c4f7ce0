package plan

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestShellText calls the remote shell for a component as mpirun of Open MPI does, with a srun that prints
// its last word: the command for the host. The daemon there uses the remote shell that the command names,
// which is not the remote shell of this host.
func TestShellText(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
		return path
	}
	srun := write("srun", "#!/bin/sh\nfor word; do :; done\necho \"$word\"\n")
	agent := write("srun.1", shellText([]string{srun, "--het-group=1"}))
	for _, c := range []struct{ given, want string }{
		{`orted -mca plm "rsh" -mca plm_rsh_agent "` + agent + `" -mca pmix "^s1"`, `orted -mca plm "rsh" -mca plm_rsh_agent /bin/false -mca pmix "^s1"`},
		{`hydra_pmi_proxy --proxy-id 1`, `hydra_pmi_proxy --proxy-id 1`},
	} {
		out, err := exec.Command(agent, "-x", "host1", c.given).Output()
		if err != nil || string(out) != c.want+"\n" {
			t.Errorf("%s became %s, %v; expected %s", c.given, out, err, c.want)
		}
	}
}
