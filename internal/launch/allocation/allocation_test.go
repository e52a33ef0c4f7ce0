package allocation

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/goacp/goacp/internal/launch/config"
)

// TestFind looks for allocations in environments as batch systems make them.
func TestFind(t *testing.T) {
	file := filepath.Join(t.TempDir(), "hosts")
	if err := os.WriteFile(file, []byte("a\na\nb\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name, environ, system, slots string // environ: variables between blanks
	}{
		{"none", "HOME=/", "", ""},
		{"Slurm", "SLURM_JOB_ID=7 SLURM_JOB_NODELIST=n[08-10],m SLURM_TASKS_PER_NODE=2(x2),1,3", "Slurm", "n08 n08 n09 n09 n10 m m m"},
		{"a step of Slurm on one of two hosts", "SLURM_JOB_ID=7 SLURM_JOB_NODELIST=n[1-2] SLURM_TASKS_PER_NODE=1 SLURM_JOB_CPUS_PER_NODE=2,1",
			"Slurm", "n1 n1 n2"},
		{"Slurm without numbers", "SLURM_JOB_ID=7 SLURM_JOB_NODELIST=n[1-2]", "Slurm", "n1 n2"},
		{"a heterogeneous job", "SLURM_JOB_ID=7 SLURM_HET_SIZE=2 SLURM_JOB_NODELIST=n1 SLURM_TASKS_PER_NODE=1 SLURM_JOB_NODELIST_HET_GROUP_0=n1 " +
			"SLURM_TASKS_PER_NODE_HET_GROUP_0=1 SLURM_JOB_NODELIST_HET_GROUP_1=m[1-2] SLURM_JOB_CPUS_PER_NODE_HET_GROUP_1=2(x2)", "Slurm", "n1 m1 m1 m2 m2"},
		{"a variable that is left of Slurm", "SLURM_JOB_NODELIST=n1", "", ""},
		{"PBS", "PBS_NODEFILE=" + file, "PBS", "a a b"},
		{"LSF", "LSB_DJOB_HOSTFILE=" + file + " LSB_MCPU_HOSTS=x,1", "LSF", "a a b"},
		{"LSF without a file", "LSB_MCPU_HOSTS=x|2|y|1", "LSF", "x x y"},
	} {
		environ := strings.Fields(test.environ)
		for i, entry := range environ {
			environ[i] = strings.ReplaceAll(entry, "|", " ")
		}
		a, err := Find(environ)
		switch {
		case err != nil:
			t.Errorf("%s: %v", test.name, err)
		case a == nil && test.system != "":
			t.Errorf("%s: no allocation", test.name)
		case a != nil && (a.System != test.system || strings.Join(a.Slots, " ") != test.slots):
			t.Errorf("%s: %s with %v, expected %s with %s", test.name, a.System, a.Slots, test.system, test.slots)
		}
		if a.BySrun("n1") != (a.Has("n1") && test.system == "Slurm") {
			t.Errorf("%s: srun reaches n1: %v", test.name, a.BySrun("n1"))
		}
	}
}

// TestFindErrors checks that errors name the variable, or the file, and what was expected.
func TestFindErrors(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "missing")
	const slurm = "SLURM_JOB_ID=7 SLURM_JOB_NODELIST="
	for _, test := range []struct{ environ, want string }{
		{slurm + "n SLURM_HET_SIZE=2 SLURM_JOB_NODELIST_HET_GROUP_0=n", "SLURM_JOB_NODELIST_HET_GROUP_1 is not set"},
		{slurm + "n SLURM_HET_SIZE=x", `SLURM_HET_SIZE="x": expected a number`},
		{slurm + "n SLURM_HET_SIZE=1 SLURM_JOB_NODELIST_HET_GROUP_0=n[1-", `SLURM_JOB_NODELIST_HET_GROUP_0="n[1-": expected a list`},
		{slurm + "n[1-", `SLURM_JOB_NODELIST="n[1-": expected a list of hosts such as gpu7,node[01-03,08]: brackets do not match`},
		{slurm + "n]1", "brackets do not match"},
		{slurm + "n[[1]]", "brackets do not match"},
		{slurm + "n[2-1]", `found "2-1"`},
		{slurm + "n[]", `found ""`},
		{slurm + "n[1-9999999999999999999]", `found "1-9999999999999999999"`},
		{slurm + "n[0-99999999]", "more than 1048576 hosts"},
		{slurm + "n[0-9999][0-9999]", "more than 1048576 hosts"},
		{slurm + "n1,", "expected a list of hosts"},
		{slurm + ",n1", "empty host name"},
		{slurm + "-n", "begins with a dash"},
		{slurm + "n SLURM_TASKS_PER_NODE=0", `SLURM_TASKS_PER_NODE="0": expected a number from 1 to 1048576, found "0"`},
		{slurm + "n SLURM_TASKS_PER_NODE=2(x", `expected numbers such as 2(x3),1, found "2(x"`},
		{slurm + "n SLURM_TASKS_PER_NODE=1(x1048577)", `found "1(x1048577)"`},
		{slurm + "n[1-2] SLURM_TASKS_PER_NODE=1048576(x2)", "more than 1048576 processes"},
		{"PBS_NODEFILE=" + missing, missing + ": cannot be read"},
		{"LSB_MCPU_HOSTS=a|1|b", `found no number behind "b"`},
		{"LSB_MCPU_HOSTS=a|x", `found "x"`},
	} {
		environ := strings.Fields(test.environ)
		for i, entry := range environ {
			environ[i] = strings.ReplaceAll(entry, "|", " ")
		}
		if a, err := Find(environ); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, %v; expected %q", test.environ, a, err, test.want)
		}
	}
}

// TestPlace gives the jobs of a run their components.
func TestPlace(t *testing.T) {
	het := &Allocation{System: "Slurm", Slots: []string{"a", "b", "c"}, Components: [][]string{{"a"}, {"b", "c"}}}
	hosts, err := het.Place([]int{2, 3})
	if got := strings.Join(hosts, " "); err != nil || got != "a a b c b" {
		t.Errorf("%s, %v", got, err)
	}
	if _, err := het.Place([]int{1}); err == nil || !strings.Contains(err.Error(), "SLURM_HET_SIZE=2: the run has 1 jobs") {
		t.Errorf("one job on two components: %v", err)
	}
	for host, want := range map[string]string{"a": "srun --het-group=0", "c": "srun --het-group=1", "x": ""} {
		if got := strings.Join(het.Srun(host), " "); got != want {
			t.Errorf("%s: %q, expected %q", host, got, want)
		}
	}
	one := &Allocation{System: "Slurm", Slots: []string{"a", "b"}, Components: [][]string{{"a", "b"}}}
	if hosts, err := one.Place([]int{1, 1, 1}); err != nil || strings.Join(hosts, " ") != "a b" || strings.Join(one.Srun("b"), " ") != "srun" {
		t.Errorf("%v, %v, %v", hosts, err, one.Srun("b"))
	}
}

// FuzzHostList checks that a list of hosts becomes valid names, and not more than a run can have.
func FuzzHostList(f *testing.F) {
	for _, seed := range []string{"n", "n[1-3]", "gpu7,node[01-03,08]", "r[0-1]n[00-11]s", "a,b,", "[", "n[5-2]", "n[0-999999999]"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, list string) {
		hosts, err := expandHosts(list)
		if err != nil {
			return
		}
		if len(hosts) == 0 || len(hosts) > config.MaxProcesses {
			t.Fatalf("%d hosts", len(hosts))
		}
		// A list of the names is a list of hosts, too.
		if len(hosts) < 1000 {
			again, err := expandHosts(strings.Join(hosts, ","))
			if err != nil || !slices.Equal(again, hosts) {
				t.Fatalf("%v became %v, %v", hosts, again, err)
			}
		}
	})
}

// FuzzCounts checks that numbers of tasks are in range.
func FuzzCounts(f *testing.F) {
	for _, seed := range []string{"1", "2(x3),1", "4(x2)", "(x", "1(x1048576)", "-1"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		counts, err := expandCounts(text)
		if err != nil {
			return
		}
		if len(counts) == 0 || len(counts) > config.MaxProcesses || slices.Min(counts) < 1 || slices.Max(counts) > config.MaxProcesses {
			t.Fatalf("%d numbers from %d to %d", len(counts), slices.Min(counts), slices.Max(counts))
		}
	})
}
