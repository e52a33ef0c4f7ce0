package remote

import (
	"slices"
	"strings"
	"testing"
)

// TestShellOfOtherJob: srun reaches the hosts of another job of Slurm by its number, and without the variables of the job around the
// launcher. A remote shell that is not srun stays as it is.
func TestShellOfOtherJob(t *testing.T) {
	environ := []string{"HOME=/", "SLURM_CONF=/c", "SLURM_JOB_ID=7", "SLURM_NNODES=2"}
	for _, test := range []struct{ shell, job, want, environ string }{
		{"", "8", "srun --jobid=8", "HOME SLURM_CONF"},
		{"srun -q", "8", "srun -q --jobid=8", "HOME SLURM_CONF"},
		{"srun -q", "", "srun -q", "HOME SLURM_CONF SLURM_JOB_ID SLURM_NNODES"},
		{"ssh -x", "8", "ssh -x", "HOME SLURM_CONF SLURM_JOB_ID SLURM_NNODES"},
		{"", "", "ssh", "HOME SLURM_CONF SLURM_JOB_ID SLURM_NNODES"},
	} {
		words := (&Hosts{Shell: test.shell}).shellWords("n1", test.job)
		if got := strings.Join(words, " "); got != test.want {
			t.Errorf("shell %q, job %q: %s, expected %s", test.shell, test.job, got, test.want)
		}
		var names []string
		for _, entry := range shellEnviron(words, environ) {
			if name, _, _ := strings.Cut(entry, "="); !slices.Contains([]string{"SLURM_OVERLAP", "SLURM_WHOLE", "SLURM_CPU_BIND"}, name) {
				names = append(names, name)
			}
		}
		if got := strings.Join(names, " "); got != test.environ {
			t.Errorf("%s: variables %s, expected %s", test.want, got, test.environ)
		}
	}
}
