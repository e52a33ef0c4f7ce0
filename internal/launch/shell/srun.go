package shell

import "path/filepath"

// Srun is the program by which Slurm starts processes on the hosts of an allocation.
const Srun = "srun"

// IsSrun reports whether the words of a remote shell call srun.
func IsSrun(words []string) bool {
	return len(words) != 0 && filepath.Base(words[0]) == Srun
}

// StepVariables returns the variables for srun with which several steps use the hosts of an allocation at
// once, each with all its processors. Earlier releases of Slurm, which behave like that by default, ignore
// them.
func StepVariables() []string {
	return []string{"SLURM_OVERLAP=1", "SLURM_WHOLE=1", "SLURM_CPU_BIND=none"}
}
