package soak

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/goacp/goacp/tests/harness"
)

const (
	// runLimit bounds a run that nothing kills.
	runLimit = 4 * time.Minute
	// goneLimit is how long after a kill everything must be gone. goneLimitCut is the same if the
	// network may be silent, which takes half a minute to notice.
	goneLimit    = 15 * time.Second
	goneLimitCut = 75 * time.Second
)

// run is a run of a plan.
type run struct {
	*plan
	t        *testing.T
	sandbox  *harness.Sandbox
	hub      *harness.Hub // nil if the machine cannot have one
	programs []string     // of the parts
	command  *harness.Command
}

// run executes the plan and checks the end of the run.
func (p *plan) run(t *testing.T) {
	fmt.Printf("seed %d: %v\n", p.seed, p)
	r := &run{plan: p, t: t, sandbox: suite.Sandbox(t)}
	r.sandbox.Limit = runLimit
	if p.disturbed {
		if harness.CanHub() {
			_, r.hub = r.sandbox.HostsOnHub(2, p.seed)
			if !p.withMPI() {
				r.hub.Set(p.faults)
			}
		} else {
			r.sandbox.Hosts(2)
		}
	}
	r.start()
	lines, started := r.ready()
	if !started {
		result := r.command.Wait()
		if !mpiNotStarted(result) {
			t.Fatalf("ended before it was ready: %v", result)
		}
		notStarted = true
		fmt.Printf("seed %d: MPI did not start: %v\n", p.seed, result)
		return
	}
	if r.hub != nil {
		r.hub.Set(p.faults)
	}
	var disturbers sync.WaitGroup
	over := make(chan struct{})
	end := sync.OnceFunc(func() { close(over); disturbers.Wait() })
	defer end()
	if p.stops {
		disturbers.Go(func() { r.stopRanks(over) })
	}
	if p.cut > 0 {
		disturbers.Go(func() { r.cutOff(over) })
	}
	if p.kill != noVictim && r.killAndJudge(lines) {
		return
	}
	result := r.command.Wait()
	if complaint := r.unlikeSuccess(result); complaint != "" {
		t.Errorf("%s: %v", complaint, result)
	}
}

// unlikeSuccess returns how the end of a run differs from success, "" if it does not.
func (r *run) unlikeSuccess(result *harness.Result) string {
	if result.Status != 0 {
		return "expected status 0"
	}
	for i := range r.rounds {
		if text := fmt.Sprintf("seed %d round %d: right ", r.seed, i); strings.Count(result.Stdout, text) != 1 {
			return fmt.Sprintf("%q is not there once", text)
		}
	}
	if len(messages(result)) != 0 {
		return "the launcher complains"
	}
	return ""
}

// start starts the launcher.
func (r *run) start() {
	argv := []string{"-net", r.net, "-smemsize", "1m"}
	if r.disturbed {
		argv = append(argv, "-nodefile", r.sandbox.Nodefile(r.nodes...))
	}
	arguments := fmt.Sprintf(" -seed %d -rounds %d -steps %d", r.seed, r.rounds, r.steps)
	if *without != "" {
		arguments += " -without " + *without
	}
	var runtimes, sizes, commands []string
	for _, part := range r.parts {
		program, runtime := r.program(part.launcher)
		r.programs = append(r.programs, program)
		runtimes, sizes, commands = append(runtimes, runtime), append(sizes, strconv.Itoa(part.np)), append(commands, program+arguments)
	}
	if len(r.parts) == 1 {
		argv = append([]string{"acprun", "-np", sizes[0]}, argv...)
		r.command = r.sandbox.Start(append(argv, strings.Fields(commands[0])...)...)
		return
	}
	input := strings.Join(slices.Concat([]string{strconv.Itoa(len(r.parts))}, runtimes, sizes, commands), "\n") + "\n"
	r.command = r.sandbox.StartRead(strings.NewReader(input), append([]string{"macprun"}, argv...)...)
}

// program returns the program for jobs of a launcher, and the command that the launcher is.
func (r *run) program(launcher string) (program, runtime string) {
	if launcher == "acprun" {
		if r.inC {
			return suite.C(r.t, "soak"), launcher
		}
		return suite.Go(r.t, "soak"), launcher
	}
	mpi := suite.NeedMPI(r.t, launcher)
	if r.inC {
		return suite.CMPI(r.t, "soak", mpi), mpi.Mpirun
	}
	return suite.GoMPI(r.t, "soak", mpi), mpi.Mpirun
}

var readyLine = regexp.MustCompile(`(?m)^rank (\d+) host (\S+) pid (\d+)$`)

// started is the line that a rank prints at the start.
type started struct {
	rank int
	host string
	pid  string
}

// ready waits until all ranks have printed their lines, and returns these in the order of the
// ranks. ok is false if the run has ended before.
func (r *run) ready() (all []started, ok bool) {
	r.t.Helper()
	out, ok := r.command.OutputUnlessEnded(func(text string) bool { return len(readyLine.FindAllString(text, -1)) == ranks })
	for _, m := range readyLine.FindAllStringSubmatch(out, -1) {
		rank, _ := strconv.Atoi(m[1])
		all = append(all, started{rank: rank, host: m[2], pid: m[3]})
	}
	slices.SortFunc(all, func(a, b started) int { return a.rank - b.rank })
	return all, ok
}

// inside returns the number of a process in its own namespace.
func inside(pid int) string {
	status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	for line := range strings.Lines(string(status)) {
		if numbers, ok := strings.CutPrefix(line, "NSpid:"); ok {
			fields := strings.Fields(numbers)
			return fields[len(fields)-1]
		}
	}
	return ""
}

// rankProcesses returns the processes that are ranks.
func (r *run) rankProcesses() []harness.Process {
	return slices.DeleteFunc(r.sandbox.Processes(), func(p harness.Process) bool { return !slices.Contains(r.programs, p.Executable()) })
}

// sleep waits, and reports false if the run is over before.
func sleep(over <-chan struct{}, d time.Duration) bool {
	select {
	case <-over:
		return false
	case <-time.After(d):
		return true
	}
}

// stopRanks stops some ranks for some time, again and again.
func (r *run) stopRanks(over <-chan struct{}) {
	const longest = 4000 // milliseconds
	rnd := r.random(1)
	for sleep(over, time.Duration(rnd.IntN(1500))*time.Millisecond) {
		all := r.rankProcesses()
		rnd.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		stopped := all[:min(len(all), 1+rnd.IntN(3))]
		for _, p := range stopped {
			_ = syscall.Kill(p.PID, syscall.SIGSTOP)
		}
		sleep(over, time.Duration(rnd.IntN(longest>>rnd.IntN(5)))*time.Millisecond)
		for _, p := range stopped {
			_ = syscall.Kill(p.PID, syscall.SIGCONT)
		}
	}
}

// cutOff takes host 1 off the network once, for a while.
func (r *run) cutOff(over <-chan struct{}) {
	rnd := r.random(2)
	if !sleep(over, time.Duration(rnd.IntN(4000))*time.Millisecond) {
		return
	}
	set := func(cut bool) {
		if r.link || r.hub == nil {
			if err := r.sandbox.SetLink(1, !cut); err != nil {
				r.t.Error(err)
			}
			return
		}
		r.hub.Cut(1, cut)
	}
	begin := time.Now()
	set(true)
	sleep(over, r.cut)
	set(false)
	r.t.Logf("host1 was off the network for %v", time.Since(begin).Round(time.Millisecond))
}

// killAndJudge kills the process that the plan names and checks the consequences. It returns false if the
// run was over before.
func (r *run) killAndJudge(lines []started) bool {
	r.t.Helper()
	time.Sleep(time.Duration(r.rnd.IntN(5000)) * time.Millisecond)
	pid, message := r.choose(lines)
	since := time.Now()
	if pid == 0 || syscall.Kill(pid, syscall.SIGKILL) != nil {
		return false
	}
	limit := goneLimit
	if r.cut > 0 || r.faults.Loss > 0 {
		limit = goneLimitCut
	}
	r.sandbox.GoneWithin(since, limit)
	result := r.command.Wait()
	fmt.Printf("seed %d: killed %s, expected %s: %v\n", r.seed, r.kill, message, result)
	if r.unlikeSuccess(result) == "" {
		return true // the kill came when everything was done
	}
	if result.Status == 0 {
		r.t.Errorf("ended with status 0: %v", result)
	}
	if r.kill == theLauncher {
		return true // no process is left that could print a message
	}
	if all := messages(result); len(all) != 1 || !regexp.MustCompile(message).MatchString(all[0]) {
		r.t.Errorf("expected one message that matches %s: %v", message, result)
	}
	return true
}

// choose returns the process to kill and the message that the launcher has to print.
func (r *run) choose(lines []started) (pid int, message string) {
	chosen := lines[r.rnd.IntN(len(lines))]
	for _, p := range r.sandbox.Processes() {
		switch r.kill {
		case aRank:
			if slices.Contains(r.programs, p.Executable()) && chosen.pid == inside(p.PID) && chosen.host == r.hostOf(p) {
				return p.PID, r.killed(chosen)
			}
		case aProxy:
			if r.sandbox.On(p, 1) && filepath.Base(p.Executable()) == "acprun" {
				return p.PID, `host1`
			}
		case aRemoteShell:
			// Jobs of an MPI may go on without theirs.
			if r.sandbox.IsAgent(p) && strings.Contains(p.String(), "acprun -proxy") {
				return p.PID, `host1`
			}
		case theLauncher:
			if p.PID == r.command.PID() {
				return p.PID, ""
			}
		}
	}
	return 0, ""
}

// hostOf returns the name of the host on which a process runs.
func (r *run) hostOf(p harness.Process) string {
	if r.sandbox.On(p, 1) {
		return "host1"
	}
	return "host0"
}

// killed returns the line of the launcher about a rank that was killed.
func (r *run) killed(l started) string {
	first, job := 0, 0
	for l.rank >= first+r.parts[job].np {
		first += r.parts[job].np
		job++
	}
	who, how := fmt.Sprintf(`rank %d \(job %d \S+, host \S+, pid %s\)`, l.rank, job, l.pid), "killed by signal 9"
	if r.cut > 0 || r.faults != (harness.Faults{}) || r.stops && r.parts[job].launcher != "acprun" {
		// The message from the other host may not arrive, or may arrive too late. Open MPI
		// reports no signal if it finds the connections of the process closed before the process
		// has ended.
		how += "|died"
	}
	if r.parts[job].launcher == "mpich" {
		// Hydra kills the other ranks of the job with the same signal. The launcher may see their
		// deaths first, and Hydra itself may fail.
		who = fmt.Sprintf(`rank \d+ \(job %d \S+, host \S+, pid \d+\)`, job)
		how += "|died"
	}
	return fmt.Sprintf("%s (%s)", who, how)
}

// messages returns the lines of launchers of ACP.
func messages(result *harness.Result) []string {
	return regexp.MustCompile(`(?m)^m?acprun: .*$`).FindAllString(result.Stderr, -1)
}
