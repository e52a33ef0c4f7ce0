package plan

import (
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/goacp/goacp/internal/launch/shell"
)

// Launchers of MPI that call srun reach component 0 of a heterogeneous job of Slurm only. They get a
// remote shell that calls srun with the number of the component of a job.

// componentShell returns the remote shell for a launcher of a job and its text, or "" if the launcher
// reaches the hosts of the job without it.
func componentShell(job *Job, f Facts) (path, text string) {
	for _, host := range job.Hosts {
		var words []string
		if f.Srun != nil {
			words = f.Srun(host)
		}
		if len(words) > 1 && !f.IsLocal(host) {
			return filepath.Join(f.RunDir, "srun."+strconv.Itoa(job.Number)), shellText(words)
		}
	}
	return "", ""
}

// shellText returns a program that is called as a remote shell is, with a host and the words of a command for
// a shell there, and starts the command by srun.
func shellText(srun []string) string {
	quoted := make([]string, len(srun))
	for i, word := range srun {
		quoted[i] = shell.Quote(word)
	}
	return `#!/bin/sh
# Options of ssh come first, such as -x.
while case $1 in -*) ;; *) false ;; esac; do
    shift
done
host=$1
shift
unset SLURM_LABELIO SLURM_STDINMODE SLURM_STDOUTMODE SLURM_STDERRMODE SLURM_EXACT
export ` + strings.Join(shell.StepVariables(), " ") + `
# A daemon of Open MPI looks for its remote shell, although it starts no other daemon. The host has no such file.
command=$*
own='"'$0'"'
case $command in *"$own"*) command=${command%%"$own"*}/bin/false${command#*"$own"} ;; esac
exec ` + strings.Join(slices.Concat(quoted, []string{"--nodes=1", "--ntasks=1", "--ntasks-per-node=1", "--mpi=none", "--export=ALL"}), " ") + ` --nodelist="$host" /bin/sh -c "$command"
`
}
