package tests

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/goacp/goacp/tests/harness"
)

// dmiExamples are the programs of examples/dmi with arguments for two processes of two threads, and what they print. They check
// their results themselves.
var dmiExamples = []struct{ name, arguments, want string }{
	{"ep_dmi", "24", "2.24 pairs: .*\nthe sums are right\n"},
	{"mandel_dmi", "160 100 12 500 0", "160 x 100: the image is right, .*\n"},
	{"matmat_dmi", "96", "96 x 96 by \\d threads: the product is right; .*\n"},
	{"matmat_doc", "96", "# sum : \\d+.\\d+\n"},
	{"fox_dmi", "1 96", "96 x 96 in 1 blocks: the product is right\n"},
	{"ssort_dmi", "5000 1", "5000 keys by \\d threads: sorted\n"},
	{"nbody_dmi", "3 3", "27 bodies, 3 steps: energy and momentum are right\n"},
	{"sor_dmi", "12 5", "12 x 12 x 12, 5 steps: the result is right, sum .*\n"},
	{"fem_dmi", "6 100", "6 x 6 x 6 cubes: the displacements are right after \\d+ steps\n"},
	{"pagerank_dmi", "7 5", "128 vertices, 5 steps: the ranks are right, .*\n"},
	{"minpath_dmi", "7 0", "128 vertices: \\d+ are reached, .*, all are right\n"},
	{"mutex_dmi", "50", "\\d threads, 50 rounds: the counter is \\d+\n"},
	{"allreduce_dmi", "3", "3 rounds: all results are right\n"},
}

// TestDMIExamples runs the examples on one host, by every fabric and with each number of processes, and on two hosts.
func TestDMIExamples(t *testing.T) {
	for _, e := range dmiExamples {
		program := suite.DMI(t, "examples/dmi/"+e.name)
		run := func(t *testing.T, nodes int, options ...string) {
			t.Helper()
			command := append([]string{"dmimw"}, options...)
			command = append(command, program, fmt.Sprint(nodes), "2")
			whole(t, suite.Sandbox(t).Must(append(command, strings.Fields(e.arguments)...)...), e.want)
		}
		for _, net := range []string{"auto", "shm", "tcp"} {
			for _, nodes := range []int{1, 2, 3} {
				t.Run(fmt.Sprintf("%s/%s/%d", e.name, net, nodes), func(t *testing.T) { run(t, nodes, "-n", fmt.Sprint(nodes), "-net", net) })
			}
		}
		t.Run(e.name+"/alone", func(t *testing.T) {
			command := append([]string{program, "1", "2"}, strings.Fields(e.arguments)...)
			whole(t, suite.Sandbox(t).Must(command...), e.want)
		})
		t.Run(e.name+"/hosts", func(t *testing.T) {
			sandbox := suite.Sandbox(t)
			sandbox.Hosts(2)
			command := append([]string{"dmimw", "-f", sandbox.Nodefile(0, 1, 1), program, "3", "2"}, strings.Fields(e.arguments)...)
			whole(t, sandbox.Must(command...), e.want)
		})
	}
}

// TestDMIExamplesInGo: four of the examples are there in Go, too, and print the same.
func TestDMIExamplesInGo(t *testing.T) {
	for _, name := range []string{"ep", "mandel", "matmat", "mutex"} {
		program, inC := suite.GoAt(t, "examples/dmi/go", name), suite.DMI(t, "examples/dmi/"+name+"_dmi")
		i := slices.IndexFunc(dmiExamples, func(e struct{ name, arguments, want string }) bool { return e.name == name+"_dmi" })
		for _, net := range []string{"auto", "tcp"} {
			t.Run(name+"/"+net, func(t *testing.T) {
				arguments := append([]string{"2", "2"}, strings.Fields(dmiExamples[i].arguments)...)
				out := suite.Sandbox(t).Must(append([]string{"dmimw", "-n", "2", "-net", net, "-pool", "256m", program}, arguments...)...)
				whole(t, out, dmiExamples[i].want)
				if name == "mandel" || name == "mutex" { // the others print times, or sums in no fixed order
					if c := suite.Sandbox(t).Must(append([]string{"dmimw", "-n", "2", inC}, arguments...)...); c != out {
						t.Errorf("%q, and in C %q", out, c)
					}
				}
			})
		}
	}
}

// TestDMIManyThreads: one process has 512 threads, which lock a mutex in turn and reduce; 128 threads of two processes lock it 25 600 times.
func TestDMIManyThreads(t *testing.T) {
	for _, c := range []struct{ program, nodes, threads, rounds, want string }{
		{"mutex_dmi", "1", "512", "10", "512 threads, 10 rounds: the counter is 5120\n"},
		{"allreduce_dmi", "1", "512", "1", "1 rounds: all results are right\n"},
		{"mutex_dmi", "2", "64", "200", "128 threads, 200 rounds: the counter is 25600\n"},
	} {
		t.Run(c.program+"/"+c.nodes, func(t *testing.T) {
			whole(t, suite.Sandbox(t).Must("dmimw", "-n", c.nodes, suite.DMI(t, "examples/dmi/"+c.program), c.nodes, c.threads, c.rounds), c.want)
		})
	}
}

// TestDMINear: C and Go access the same pages at the same time, by short and long functions, with and without a status, while pages move between
// hosts and spaces end whose memory is used again.
func TestDMINear(t *testing.T) {
	dmiAtRandom(t, "dmi_near", map[string]string{"auto": "3000", "tcp": "500", "hosts": "500"})
}

// TestDMILocks: C and Go lock and unlock the same mutexes and spin locks, whose pages move between processes and hosts and are copied meanwhile.
func TestDMILocks(t *testing.T) {
	dmiAtRandom(t, "dmi_locks", map[string]string{"auto": "10000", "tcp": "300", "hosts": "300"})
}

// dmiAtRandom runs a program that checks random calls of three processes with three threads each. turns has the calls of a thread: by shared
// memory, by sockets, and with processes on two hosts.
func dmiAtRandom(t *testing.T, name string, turns map[string]string) {
	program := suite.DMI(t, "tests/programs/"+name)
	for where, count := range turns {
		t.Run(where, func(t *testing.T) {
			seed := rand.Uint64()
			t.Logf("seed %d", seed)
			sandbox := suite.Sandbox(t)
			command := []string{"dmimw", "-n", "3", "-net", where}
			if where == "hosts" {
				sandbox.Hosts(2)
				command = []string{"dmimw", "-f", sandbox.Nodefile(0, 1, 1)}
			}
			whole(t, sandbox.Must(append(command, program, "3", "3", count, fmt.Sprint(seed))...), "all is right\n")
		})
	}
}

// TestDMIProcesses: dmimw starts as many processes as it is asked for or as the node file has lines, with the pool that the user
// chooses, and threads have their ranks in order of the processes.
func TestDMIProcesses(t *testing.T) {
	program := suite.DMI(t, "tests/programs/dmi_states")
	of := func(n int, pool string, host func(id int) string) []string {
		var want []string
		for id := range n {
			state := 1
			if id == 0 {
				state = 2
			}
			want = append(want, fmt.Sprintf("process %d on %s: state %d, pool %s MiB$", id, host(id), state, pool))
			for i := range 2 {
				want = append(want, fmt.Sprintf("thread %d of %d on process %d$", 2*id+i, 2*n, id))
			}
		}
		return want
	}
	any := func(int) string { return `\S+` }
	for _, c := range []struct {
		name, env string
		options   []string
		n         int
		pool      string
	}{
		{"one", "", nil, 1, `\d+`},
		{"three", "", []string{"-n", "3"}, 3, `\d+`},
		{"pool", "DMI_POOL=1g", []string{"-n", "2", "-pool", "100m"}, 2, "100"},
		{"variable", "DMI_POOL=1g", []string{"-n", "2"}, 2, "1024"},
	} {
		t.Run(c.name, func(t *testing.T) {
			sandbox := suite.Sandbox(t)
			sandbox.Env = append(sandbox.Env, c.env)
			lines(t, sandbox.Must(append(append([]string{"dmimw"}, c.options...), program)...), of(c.n, c.pool, any)...)
		})
	}
	t.Run("node file", func(t *testing.T) {
		sandbox := suite.Sandbox(t)
		hosts := sandbox.Hosts(2)
		host := func(id int) string { return hosts[[]int{1, 0, 1, 1}[id]].Name }
		file := sandbox.Nodefile(1, 0, 1)
		lines(t, sandbox.Must("dmimw", "-f", file, program), of(3, `\d+`, host)...)
		lines(t, sandbox.Must("dmimw", "-f", file, "-n", "4", program), of(4, `\d+`, host)...)
	})
}

// TestDMIEnds: a process that ends alone ends the run, and a line says which and how.
func TestDMIEnds(t *testing.T) {
	program := suite.DMI(t, "tests/programs/dmi_states")
	for _, c := range []struct {
		how, line string
		status    int
	}{
		{"abort", "rank 1 .* killed by signal 6", 128 + int(syscall.SIGABRT)},
		{"exit", "rank 1 .* without acp_finalize", 1},
		{"more", "dmi_states.c:\\d+: DMI_main of process 0: DMI_rescale\\(0, n . 1, 1\\): .*3 processes, and the run has 2 seats", 1},
	} {
		t.Run(c.how, func(t *testing.T) {
			r := suite.Sandbox(t).Run("", "dmimw", "-n", "2", "-seats", "2", program, c.how)
			if r.Status != c.status || !regexp.MustCompile(c.line).MatchString(r.Stderr) {
				t.Errorf("%v, expected status %d and %q", r, c.status, c.line)
			}
		})
	}
	t.Run("kill", func(t *testing.T) {
		sandbox := suite.Sandbox(t)
		c := sandbox.Start("dmimw", "-n", "2", program, "sleep")
		c.Output(func(text string) bool { return strings.Count(text, "thread ") == 4 })
		for _, p := range sandbox.Processes() {
			if strings.HasSuffix(p.Executable(), "dmi_states") {
				if err := syscall.Kill(p.PID, syscall.SIGKILL); err != nil {
					t.Fatal(err)
				}
				break
			}
		}
		since := time.Now()
		if r := c.Wait(); r.Status != 128+int(syscall.SIGKILL) {
			t.Errorf("a process is killed: %v", r)
		}
		sandbox.GoneWithin(since, 10*time.Second)
	})
}

// TestDMIGrows: the example grows and shrinks while it computes, on one host and on two.
func TestDMIGrows(t *testing.T) {
	program := suite.DMI(t, "examples/dmi/grow_dmi")
	want := []string{"3 steps by 1 processes$", "3 steps by 2 processes$", "3 steps by 3 processes$", "3 steps by 2 processes$", "12 steps: the plate is right$"}
	for _, net := range []string{"auto", "tcp"} {
		t.Run(net, func(t *testing.T) {
			out := suite.Sandbox(t).Must("dmimw", "-net", net, program, "3", "2", "12")
			whole(t, out, strings.ReplaceAll(strings.Join(want, "\n"), "$", "")+"\n")
		})
	}
	t.Run("hosts", func(t *testing.T) {
		sandbox := suite.Sandbox(t)
		sandbox.Hosts(2)
		out := sandbox.Must("dmimw", "-f", sandbox.Nodefile(0, 1), "-n", "1", program, "3", "2", "12")
		whole(t, out, strings.ReplaceAll(strings.Join(want, "\n"), "$", "")+"\n")
	})
}

// TestDMIChanges: dmimw -to adds processes to a run and asks others to leave, and SIGINT asks a process as well.
func TestDMIChanges(t *testing.T) {
	program := suite.DMI(t, "tests/programs/dmi_elastic")
	for _, net := range []string{"auto", "tcp"} {
		t.Run(net, func(t *testing.T) {
			sandbox := suite.Sandbox(t)
			c := sandbox.Start("dmimw", "-n", "1", "-net", net, program)
			say := func(lines ...string) {
				t.Helper()
				c.Output(func(text string) bool {
					for _, line := range lines {
						if !strings.Contains(text, line+"\n") {
							return false
						}
					}
					return true
				})
			}
			to := fmt.Sprint(c.PID())
			change := func(options ...string) {
				t.Helper()
				sandbox.Must(append([]string{"dmimw", "-to", to}, options...)...)
			}
			say("begins")
			change("-n", "1")
			say("process 1 joins: phase on 2")
			change("-n", "1")
			say("process 2 joins: phase on 3")
			change("-leave", "1")
			say("process 1 leaves: phase on 2")
			change("-n", "1")
			say("process 3 joins: phase on 3")
			for _, id := range []int{2, 3} {
				interrupt(t, sandbox, "dmi_elastic", id)
				say(fmt.Sprintf("process %d leaves: phase on %d", id, 4-id))
			}
			if r := c.Wait(); r.Status != 0 || r.Stderr != "" {
				t.Errorf("the run: %v", r)
			}
		})
	}
}

// interrupt sends SIGINT to the process of a program with an id.
func interrupt(t *testing.T, sandbox *harness.Sandbox, program string, id int) {
	t.Helper()
	for _, p := range sandbox.Processes() {
		if strings.HasSuffix(p.Executable(), "/"+program) && p.Environ("ACP_JOB_RANK") == fmt.Sprint(id) {
			if err := syscall.Kill(p.PID, syscall.SIGINT); err != nil {
				t.Fatal(err)
			}
			return
		}
	}
	t.Fatalf("there is no process %d", id)
}

// TestDMIUsage: dmimw refuses what it cannot do, and says why.
func TestDMIUsage(t *testing.T) {
	program := suite.DMI(t, "tests/programs/dmi_states")
	for _, c := range []struct{ options, line string }{
		{"-net rma", "dmimw: option -net: rma: windows of MPI cannot take in processes that come later"},
		{"-n 3 -seats 2", "dmimw: option -seats: 2 is less than the 3 processes of -n"},
		{"-n 0", "dmimw: option -n: 0 must be greater than 0"},
		{"-pool none", "dmimw: option -pool: \"none\""},
		{"-host a", "dmimw: option -host: unknown to dmimw"},
		{"-f missing", "missing"},
		{"-leave 1", "dmimw: option -leave: changes the ranks of a run that computes already; name the run by -to"},
		{"-to 1 -n 1", "dmimw: option -n: the run has its program"},
		{"-nodes", "dmimw: option -nodes: lists the processes of a run that computes already; name the run by -to"},
		{"-to 1 -nodes -n 1", "dmimw: option -nodes: changes nothing; leave out -n"},
		{"-to 1 -nodes -leave 1", "dmimw: option -nodes: changes nothing; leave out -leave"},
		{"-to 1 -nodes", "dmimw: option -nodes: the run has its program"},
	} {
		t.Run(c.options, func(t *testing.T) {
			r := suite.Sandbox(t).Run("", append(append([]string{"dmimw"}, strings.Fields(c.options)...), program)...)
			if r.Status == 0 || !strings.HasPrefix(r.Stderr, "dmimw: ") || !strings.Contains(r.Stderr, c.line) || strings.Count(r.Stderr, "\n") != 1 {
				t.Errorf("%v, expected %q", r, c.line)
			}
		})
	}
	sandbox := suite.Sandbox(t)
	r := sandbox.Run("", "acprun", program)
	if r.Status != 0 {
		t.Errorf("a program under acprun: %v", r)
	}
	own := sandbox.Write("own.c", "#include <dmi_api.h>\nint main(void) { int64_t a; catch(DMI_mmap(&a, 1, 1, NULL)); return 0; }\n")
	sandbox.Must("dmicc", own, "-o", strings.TrimSuffix(own, ".c"))
	if r := sandbox.Run("", strings.TrimSuffix(own, ".c")); r.Status != 1 || !strings.Contains(r.Stderr, "the program has a main of its own") {
		t.Errorf("a program with main: %v", r)
	}
}

// whole fails the test unless a pattern matches all of a text.
func whole(t *testing.T, text, pattern string) {
	t.Helper()
	if !regexp.MustCompile("^(?s:" + strings.ReplaceAll(pattern, ".*", "[^\n]*") + ")$").MatchString(text) {
		t.Errorf("%q, expected %q", text, pattern)
	}
}
