package plan

import (
	"fmt"
	"strings"
	"testing"

	"github.com/goacp/goacp/internal/launch/config"
)

// planOf returns the plan of a description in YAML.
func planOf(t *testing.T, hosts []string, f Facts, lines ...string) (*Plan, error) {
	t.Helper()
	input, err := config.ParseYAML("jobs.yaml", []byte("jobs:\n"+strings.Join(lines, "\n")))
	if err != nil {
		t.Fatal(err)
	}
	f.RunDir, f.IsLocal = "/run", func(host string) bool { return host == "here" }
	return New(input, &config.Options{}, hosts, f)
}

// Jobs of descriptions.
const (
	sea     = "  - {name: sea, launcher: acprun -smemsize 8k, np: 1, max: 3, command: ./sea -x, dir: /tmp}"
	coupler = "  - {name: coupler, launcher: mpirun, np: 1, command: ./coupler}"
	air     = "  - {name: air, launcher: acprun, np: 2, max: 5, command: ./air}"
)

// describeLater writes processes that come later for reading.
func describeLater(job *Job) string {
	return fmt.Sprintf("%v %s process %d member %d hosts %v file %s: %s", job, RankRange(job), job.InRun.Process, job.First, job.Hosts, job.MachineFile, job.Line)
}

// TestExtend adds processes to two jobs of three.
func TestExtend(t *testing.T) {
	for _, test := range []struct {
		name  string
		hosts []string
		facts Facts
		named []string // hosts that the last request names
		slurm string   // and their job of Slurm
		heap  uint64   // that the second request asks for
		want  [3]string
	}{
		{name: "this host", heap: 1 << 33, want: [3]string{
			"job 2 air ranks 4-5 process 2 member 4 hosts [] file : exec acprun -multirun -offsetrank 4 -max 5 -np 2 ./air",
			"job 0 sea ranks 6-7 process 1 member 6 hosts [] file : exec acprun -smemsize 8k -multirun -offsetrank 6 -max 3 -startermemsize-dl 8589934592 -np 2 ./sea -x",
			"job 2 air rank 8 process 4 member 8 hosts [] file : exec acprun -multirun -offsetrank 8 -max 5 -np 1 ./air"}},
		{name: "three hosts", hosts: []string{"a", "b", "c"}, named: []string{"d"}, slurm: "17", want: [3]string{
			"job 2 air ranks 4-5 process 2 member 4 hosts [b c] file /run/machinefile.3: exec acprun -multirun -offsetrank 4 -max 5 -machinefile /run/machinefile.3 -np 2 ./air",
			"job 0 sea ranks 6-7 process 1 member 6 hosts [a b] file /run/machinefile.4: exec acprun -smemsize 8k -multirun -offsetrank 6 -max 3 -machinefile /run/machinefile.4 -np 2 ./sea -x",
			"job 2 air rank 8 process 4 member 8 hosts [d] file /run/machinefile.5: exec acprun -multirun -offsetrank 8 -max 5 -slurmjob 17 -machinefile /run/machinefile.5 -np 1 ./air"}},
		{name: "components", hosts: []string{"a", "b", "c", "d"}, facts: Facts{Components: [][]string{{"a"}, {"b"}, {"c", "d", "e"}}}, want: [3]string{
			"job 2 air ranks 4-5 process 2 member 4 hosts [e c] file /run/machinefile.3: exec acprun -multirun -offsetrank 4 -max 5 -machinefile /run/machinefile.3 -np 2 ./air",
			"job 0 sea ranks 6-7 process 1 member 6 hosts [a a] file /run/machinefile.4: exec acprun -smemsize 8k -multirun -offsetrank 6 -max 3 -machinefile /run/machinefile.4 -np 2 ./sea -x",
			"job 2 air rank 8 process 4 member 8 hosts [d] file /run/machinefile.5: exec acprun -multirun -offsetrank 8 -max 5 -machinefile /run/machinefile.5 -np 1 ./air"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			p, err := planOf(t, test.hosts, test.facts, sea, coupler, air)
			if err != nil {
				t.Fatal(err)
			}
			if p.Limit() != 9 || p.Total != 4 || p.Jobs[2].First != 2 || p.Jobs[2].Size != 2 {
				t.Errorf("limit %d, %d members, %+v", p.Limit(), p.Total, p.Jobs[2])
			}
			for i, x := range []struct{ job, count int }{{2, 2}, {0, 2}, {2, 1}} {
				var named []string
				var slurm string
				var heap uint64
				switch i {
				case 1:
					heap = test.heap
				case 2:
					named, slurm = test.named, test.slurm
				}
				job := p.Extend(&p.Jobs[x.job], Addition{Count: x.count, Hosts: named, SlurmJob: slurm, HeapSize: heap})
				if got := describeLater(job); got != test.want[i] {
					t.Errorf("request %d\ngot  %s\nwant %s", i, got, test.want[i])
				}
				if p.Launched(3+i) != job || job.Number != 3+i || p.JobOf(3+i) != x.job || job.Name != p.Jobs[x.job].Name || job.Dir != p.Jobs[x.job].Dir {
					t.Errorf("request %d: launcher %d starts %+v", i, job.Number, job)
				}
			}
			if p.Limit() != 9 || p.Total != 9 || p.Launchers() != 6 || p.Jobs[2].Size != 2 {
				t.Errorf("limit %d, %d members, %d launchers", p.Limit(), p.Total, p.Launchers())
			}
		})
	}
}

// TestHostsOfLater: hosts on which processes only come later are hosts of the run.
func TestHostsOfLater(t *testing.T) {
	for _, f := range []Facts{{}, {Components: [][]string{{"here", "far"}, {"nowhere"}}}} {
		p, err := planOf(t, []string{"here", "here", "far"}, f, sea, coupler)
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprint(RemoteHosts(p, func(host string) bool { return host == "here" })); got != "[far]" {
			t.Errorf("%v: remote hosts %s, expected far", f.Components, got)
		}
	}
}

// TestGrowing: a job gets processes by its name, or as the only one that can grow.
func TestGrowing(t *testing.T) {
	for _, test := range []struct {
		jobs []string
		name string
		want string // the job, or the error
	}{
		{[]string{sea, coupler}, "", "job 0 sea"},
		{[]string{sea, coupler, air}, "air", "job 2 air"},
		{[]string{sea, coupler, air}, "", "job 0 sea and job 2 air can grow; name one of them by -job"},
		{[]string{sea, coupler, air}, "coupler", "job 1 coupler cannot grow: it was started without max; expected job 0 sea and job 2 air"},
		{[]string{coupler, air}, "ice", "the run has no job ice; expected job 1 air"},
		{[]string{coupler}, "", "job 0 coupler cannot grow: it was started without max"},
		{[]string{coupler, strings.ReplaceAll(coupler, "coupler", "ice")}, "", "the run cannot grow: no job was started with max"},
		{[]string{coupler}, "ice", "the run has no job ice"},
	} {
		p, err := planOf(t, nil, Facts{}, test.jobs...)
		if err != nil {
			t.Fatal(err)
		}
		got, err := p.Growing(test.name)
		text := fmt.Sprint(err)
		if err == nil {
			text = got.String()
		}
		if text != test.want {
			t.Errorf("job %q of %d: %s, expected %s", test.name, len(test.jobs), text, test.want)
		}
	}
	fixed := NewAcprun(&config.Options{NP: 1, Args: []string{"./visit"}}, nil)
	if _, err := fixed.Growing(""); err == nil || err.Error() != "job 0 visit cannot grow: it was started without -max" {
		t.Error(err)
	}
	growing := NewAcprun(&config.Options{NP: 1, Max: 3, Args: []string{"./visit"}}, nil)
	if job, err := growing.Growing("visit"); err != nil || job != &growing.Jobs[0] {
		t.Errorf("%+v, %v", job, err)
	}
}
