package bridge

import (
	"fmt"
	"strconv"
)

// MPILauncher is an MPI launcher that has left variables in the environment.
type MPILauncher struct {
	Name string // Open MPI, MPICH, PMIx or Slurm
	Rank int    // number of the process in MPI_COMM_WORLD
	Size int    // number of processes; -1 if the launcher does not set it
}

// launcherMarks are the variables of each launcher, in the order of preference. Open MPI and
// MPICH may both have left variables, if one has started the other. Slurm sets
// SLURM_PROCID in batch scripts as well, where it has launched nothing. Only a job step has a
// number of tasks of the step.
var launcherMarks = [...]struct {
	name, rank, size string
	fallback         bool
	requireSize      bool
}{
	{name: "Open MPI", rank: "OMPI_COMM_WORLD_RANK", size: "OMPI_COMM_WORLD_SIZE"},
	{name: "MPICH", rank: "PMI_RANK", size: "PMI_SIZE"},
	{name: "PMIx", rank: "PMIX_RANK", size: "PMIX_SIZE", fallback: true},
	{name: "Slurm", rank: "SLURM_PROCID", size: "SLURM_STEP_NUM_TASKS", fallback: true, requireSize: true},
}

// MPILaunchers returns the MPI launchers that getenv (os.Getenv) shows.
// Errors name the variable that is no number. Pure. Safe for concurrent use.
func MPILaunchers(getenv func(string) string) ([]MPILauncher, error) {
	var found []MPILauncher
	for _, mark := range launcherMarks {
		rank, size := getenv(mark.rank), getenv(mark.size)
		if rank == "" || mark.fallback && len(found) > 0 || mark.requireSize && size == "" {
			continue
		}
		l := MPILauncher{Name: mark.name, Size: -1}
		var err error
		if l.Rank, err = strconv.Atoi(rank); err != nil || l.Rank < 0 {
			return nil, fmt.Errorf("environment: %s=%q: expected the rank that %s gave to this process", mark.rank, rank, mark.name)
		}
		if size != "" {
			if l.Size, err = strconv.Atoi(size); err != nil || l.Size <= l.Rank {
				return nil, fmt.Errorf("environment: %s=%q: expected the number of processes that %s started, more than rank %d", mark.size, size, mark.name, l.Rank)
			}
		}
		found = append(found, l)
	}
	return found, nil
}

// launcherOf returns the launcher that has started a process which is linked with the MPI
// called library ("Open MPI", "MPICH", or "" without MPI). It is the launcher of that MPI, or
// one that serves any MPI.
func launcherOf(library string, found []MPILauncher) (MPILauncher, bool) {
	for _, l := range found {
		if library == "" || l.Name == library || l.Name == "PMIx" || l.Name == "Slurm" {
			return l, true
		}
	}
	return MPILauncher{}, false
}

// WrongLauncherError is the error of a process that was started by the launcher of another MPI than its own.
// Each process of such a job would be a separate world.
type WrongLauncherError struct {
	Library  string // the MPI the process is linked with, or nothing
	Launcher MPILauncher
}

// Error names the library and the launcher.
func (e *WrongLauncherError) Error() string {
	if e.Library == "" && (e.Launcher.Name == "Slurm" || e.Launcher.Name == "PMIx") {
		return fmt.Sprintf("started by %s with %d processes, which it does not let find each other: use srun --mpi=pmi2 or --mpi=pmix, or start the program with acprun",
			e.Launcher.Name, e.Launcher.Size)
	}
	if e.Library == "" {
		return fmt.Sprintf("started by the launcher of %s with %d processes, but this program is linked with an ACP library without MPI: link it with macpcc, or start it with acprun",
			e.Launcher.Name, e.Launcher.Size)
	}
	return fmt.Sprintf("linked with %s but started by the launcher of %s: every process would be alone; use the mpirun of %s, or link with the library for %s",
		e.Library, e.Launcher.Name, e.Library, e.Launcher.Name)
}

// checkLauncher returns an error if the launcher of another MPI than library has started
// several processes, of which this is one.
func checkLauncher(library string, found []MPILauncher) error {
	if library != "" {
		if _, ok := launcherOf(library, found); ok {
			return nil
		}
	}
	for _, l := range found {
		if l.Size > 1 && (library == "" || l.Name == "Open MPI" || l.Name == "MPICH") {
			return &WrongLauncherError{Library: library, Launcher: l}
		}
	}
	return nil
}

// jobRank returns the number of a process in its job, from the variables of MPI launchers. It
// returns -1 if none has left any.
func jobRank(library string, found []MPILauncher) int {
	if l, ok := launcherOf(library, found); ok {
		return l.Rank
	}
	return -1
}
