package bridge

import (
	"fmt"
	"strings"
	"testing"
)

// TestProgramsOfALauncher: the programs of one launcher are jobs with names, and one world.
func TestProgramsOfALauncher(t *testing.T) {
	for _, test := range []struct {
		name  string
		ranks string // of each rank: world, number of the program, program
		jobs  string // first and end of each job, and its name
	}{
		{"one program", "0/0/ocean 0/0/ocean", "0-2 given0"},
		{"two programs", "0/0/ocean 0/0/ocean 0/0/air", "0-2 ocean, 2-3 air"},
		{"the launcher tells the numbers", "0/1/icon 0/1/icon 0/2/icon", "0-2 icon-1, 2-3 icon-2"},
		{"some ranks know the number", "0/1/ocean 0/0/ocean 0/2/air", "0-2 ocean, 2-3 air"},
		{"two launchers", "0/1/ocean 0/2/air 1/0/air 1/0/air", "0-1 ocean, 1-2 air, 2-4 given1"},
		{"a name of another job", "0/1/ocean 0/2/given1 1/0/air", "0-1 ocean, 1-2 given1-1, 2-3 given1"},
	} {
		var blobs [][]byte
		worlds := map[string]uint32{}
		for i, rank := range strings.Fields(test.ranks) {
			words := strings.Split(rank, "/")
			c := testContact()
			c.Member = uint32(i)
			if _, err := fmt.Sscan(words[0]+" "+words[1], &c.Job, &c.App); err != nil {
				t.Fatal(err)
			}
			c.JobRank, c.Program, c.JobName = worlds[words[0]], words[2], "given"+words[0]
			worlds[words[0]]++
			blobs = append(blobs, c.Append(nil))
		}
		m, err := NewMembers(blobs)
		if err != nil {
			t.Fatalf("%s: %v", test.name, err)
		}
		var jobs []string
		for j := range m.Jobs() {
			first, end := m.JobRange(j)
			jobs = append(jobs, fmt.Sprintf("%d-%d %s", first, end, m.JobName(j)))
			if c := m.At(end - 1); int(c.Job) != j || int(c.JobRank) != end-1-first || c.JobName != m.JobName(j) {
				t.Errorf("%s: rank %d is number %d of job %d %s", test.name, end-1, c.JobRank, c.Job, c.JobName)
			}
		}
		if got := strings.Join(jobs, ", "); got != test.jobs || m.Worlds() != len(worlds) {
			t.Errorf("%s: jobs %s in %d worlds; expected %s in %d", test.name, got, m.Worlds(), test.jobs, len(worlds))
		}
	}
}

// TestOpenMPIApp finds the program of a rank from variables of Open MPI.
func TestOpenMPIApp(t *testing.T) {
	for _, test := range []struct {
		rank, counts string
		want         uint32
	}{{"0", "2 3", 1}, {"1", "2 3", 1}, {"2", "2 3", 2}, {"5", "2 3", 0}, {"", "2 3", 0}, {"0", "", 0}, {"0", "x", 0}} {
		vars := map[string]string{"OMPI_COMM_WORLD_RANK": test.rank, "OMPI_APP_CTX_NUM_PROCS": test.counts}
		if got := openMPIApp(func(name string) string { return vars[name] }); got != test.want {
			t.Errorf("rank %q of %q: %d, expected %d", test.rank, test.counts, got, test.want)
		}
	}
}

// TestBySlurmPMIx: the number of a program counts unless srun has started the process by PMIx.
func TestBySlurmPMIx(t *testing.T) {
	for _, test := range []struct {
		vars map[string]string
		want bool
	}{
		{map[string]string{"SLURM_PROCID": "3", "PMIX_RANK": "3"}, true},
		{map[string]string{"SLURM_PROCID": "0", "PMIX_RANK": "3", "OMPI_COMM_WORLD_RANK": "3"}, false}, // mpirun in a step
		{map[string]string{"SLURM_PROCID": "0", "PMI_RANK": "3"}, false},
		{map[string]string{"PMIX_RANK": "3"}, false},
	} {
		if got := bySlurmPMIx(func(name string) string { return test.vars[name] }); got != test.want {
			t.Errorf("%v: %v, expected %v", test.vars, got, test.want)
		}
	}
}
