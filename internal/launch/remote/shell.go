package remote

import (
	"slices"
	"strings"

	"github.com/goacp/goacp/internal/ground/debuglog"
	"github.com/goacp/goacp/internal/ground/envvar"
	"github.com/goacp/goacp/internal/launch/shell"
)

// defaultShell is the remote shell if neither an option nor the environment names one, and srun does
// not start processes on the host.
const defaultShell = "ssh"

// jobOption is the option of srun that names the job of Slurm whose hosts it uses.
const jobOption = "--jobid="

// shellWords returns the remote shell for a host with its options. job is the job of Slurm to which the host belongs; "" = that
// around this launcher, or none.
func (h *Hosts) shellWords(host, job string) []string {
	words, why := shell.Split(h.Shell), "the user has chosen it"
	switch {
	case job != "" && (len(words) == 0 || shell.IsSrun(words)):
		if len(words) == 0 {
			words = []string{shell.Srun}
		}
		words, why = append(words, jobOption+job), "the host is in job "+job+" of Slurm"
	case len(words) != 0:
	case h.Srun != nil && h.Srun(host) != nil:
		words, why = h.Srun(host), "the host is in the allocation of Slurm"
	default:
		words, why = []string{defaultShell}, "nothing else is chosen, and the host is in no allocation of Slurm"
	}
	debuglog.Remote.Printf("host %s: the remote shell is %s: %s", host, shell.Join(words), why)
	return words
}

// hostCommand returns the words that run a program with one argument on a host. srun takes the host
// as an option, and starts the program itself. Other remote shells take the host as a word, and join
// the words behind it to a command for a shell on that host.
func hostCommand(words []string, host, program, arg string) []string {
	words = slices.Clone(words)
	if shell.IsSrun(words) {
		return append(words, "--nodes=1", "--ntasks=1", "--ntasks-per-node=1", "--mpi=none", "--export=ALL", "--nodelist="+host,
			program, arg)
	}
	return append(words, host, shell.Quote(program), arg)
}

// shellEnviron returns the environment of a remote shell. The input and output of srun has to pass
// unchanged. If srun uses the hosts of another job, the variables of the job around this launcher do not describe them.
func shellEnviron(words, environ []string) []string {
	if !shell.IsSrun(words) {
		return environ
	}
	otherJob := slices.ContainsFunc(words, func(word string) bool { return strings.HasPrefix(word, jobOption) })
	environ = slices.DeleteFunc(slices.Clone(environ), func(entry string) bool {
		name, _, _ := strings.Cut(entry, "=")
		if otherJob && strings.HasPrefix(name, "SLURM_") && name != "SLURM_CONF" {
			return true
		}
		return slices.Contains([]string{"SLURM_LABELIO", "SLURM_STDINMODE", "SLURM_STDOUTMODE", "SLURM_STDERRMODE", "SLURM_EXACT"}, name)
	})
	return envvar.With(environ, shell.StepVariables()...)
}
