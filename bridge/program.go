package bridge

import (
	"strconv"
	"strings"

	"github.com/goacp/goacp/mpi"
)

// One launcher may start several programs (mpirun -np 2 ./ocean : -np 2 ./air). Each of them is a
// job, although all of them have one MPI_COMM_WORLD.

// program distinguishes the programs of one launcher.
type program struct {
	app  uint32 // 1 + the number that the launcher gives to the program; 0: it gives none
	name string // base name, as that of a job
}

// differs reports whether two processes of one launcher run different programs. If the launcher gives
// numbers, they decide: two programs may be one executable with other arguments.
func (p program) differs(q program) bool {
	if p.app != 0 && q.app != 0 {
		return p.app != q.app
	}
	return p.name != q.name
}

// Program distinguishes the program of this process from the other programs that its launcher has started. It
// returns 1 + the program's number on the command line of the launcher, or 0 if that is unknown, and the
// program's base name. getenv is os.Getenv. MPI gives the number once it is initialized. Does not block.
func Program(getenv func(string) string) (app uint32, name string) {
	app = openMPIApp(getenv)
	if app == 0 && !bySlurmPMIx(getenv) {
		if n, found := mpi.AppNumber(); found && n >= 0 {
			app = uint32(n) + 1
		}
	}
	return app, ownJobName()
}

// bySlurmPMIx reports whether srun has started this process with PMIx, whose number is 0 for all programs of
// srun --multi-prog.
func bySlurmPMIx(getenv func(string) string) bool {
	return getenv("SLURM_PROCID") != "" && getenv("PMIX_RANK") != "" && getenv("OMPI_COMM_WORLD_RANK") == ""
}

// openMPIApp returns 1 + the number of the program from the variables of Open MPI, which list the
// numbers of processes of all programs, or 0.
func openMPIApp(getenv func(string) string) uint32 {
	rank, err := strconv.Atoi(getenv("OMPI_COMM_WORLD_RANK"))
	if err != nil {
		return 0
	}
	for app, word := range strings.Fields(getenv("OMPI_APP_CTX_NUM_PROCS")) {
		n, err := strconv.Atoi(word)
		if err != nil || n < 0 {
			return 0
		}
		if rank < n {
			return uint32(app) + 1
		}
		rank -= n
	}
	return 0
}

// nameJobs gives names to the jobs. A launcher with one program has one job, with the name in its first
// process. Several programs of a launcher have their own names. If such a name is taken, a number follows it.
func (m *Members) nameJobs() {
	wanted := make(map[string]int)
	split := func(j int) bool {
		first, end := m.JobRange(m.origin.Job + j)
		a, b := m.WorldRange(m.World(first))
		return first != a || end != b
	}
	for j := range m.names {
		if split(j) {
			m.names[j] = m.programs[j].name
		}
		wanted[m.names[j]]++
	}
	last := make(map[string]int)
	for j, base := range m.names {
		if !split(j) || wanted[base] == 1 {
			continue
		}
		for m.names[j] == base || wanted[m.names[j]] > 0 {
			last[base]++
			m.names[j] = NumberedJobName(base, last[base])
		}
		wanted[m.names[j]]++
	}
}

// NumberedJobName returns the name of a job with a number behind it. The end of a long name is cut
// off. Pure.
func NumberedJobName(name string, number int) string {
	suffix := "-" + strconv.Itoa(number)
	return name[:min(len(name), MaxJobName-len(suffix))] + suffix
}
