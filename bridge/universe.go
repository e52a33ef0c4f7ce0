package bridge

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/goacp/goacp/internal/ground/debuglog"
	"github.com/goacp/goacp/mpi"
)

// JoinLimit is the time limit that programs give to [Join]. Joining takes some hundredths of a
// second for each job.
const JoinLimit = 20 * time.Second

// LocalMPI returns the MPI of this process for its [Contact]: the library that this build has,
// if the library's launcher has started the process or MPI has been initialized. Otherwise it
// returns "". Safe for concurrent use.
func LocalMPI(getenv func(string) string) string {
	if !mpi.Available() || mpi.Finalized() {
		return ""
	}
	found, err := MPILaunchers(getenv)
	if err != nil {
		return ""
	}
	library := mpi.Vendor()
	if _, ok := launcherOf(library.Name, found); !ok && !mpi.Initialized() {
		return ""
	}
	return library.String()
}

// joining is the state of one call of Join in one process.
type joining struct {
	boot    Bootstrap
	members *Members
	limit   time.Duration
	self    int // member
	job     int
	groups  [][]int
	reasons []string          // of each job
	ports   map[int]joinPorts // of the leader, by the job that is to connect there
	base    mpiState
}

// joinPorts are the ports at which one job connects. Each is used once: Open MPI 5 takes the
// messages of a first connection for those of a second one.
type joinPorts struct {
	trial string // of its leader
	join  string // of all its processes
}

// portsPerJob is how many ports a leader opens for each job.
const portsPerJob = 2

// Join makes a communicator of the processes that can have one in common and may use it
// ([Members.MayJoin]). It records the result in members and returns the universe of this
// process, or nil if it is in none. A job that cannot join others is a universe of its own if
// MPI serves pairs of its ranks, and [Members.NotJoined] returns the reason. If the program
// has not initialized MPI yet, Join initializes it with MPI_THREAD_MULTIPLE. Then Close
// finalizes it, unless the program has taken it over.
//
// The jobs of a universe join in their order. All that are in the universe accept at a port of the first
// member, the next job connects, and both merge. Before that, one process of each job connects to the first
// member and disconnects again. So if a job cannot be reached within limit, only these two processes wait for
// it. If joining fails later, or takes longer than limit, the run cannot continue, and the error names the
// jobs.
//
// Collective over all members of the run, with or without MPI. Blocks until all have called it
// and the universes are made. ctx or the loss of the run ends that. Call it on the thread that
// calls MPI.
func Join(ctx context.Context, boot Bootstrap, members *Members, limit time.Duration) (*Universe, error) {
	j := &joining{boot: boot, members: members, limit: limit, self: boot.Member(), ports: map[int]joinPorts{}}
	j.job = members.World(j.self)
	if j.groups, j.reasons = members.groups(); len(j.groups) == 0 {
		debuglog.Bridge.Printf("no jobs are joined: job %d: %s", j.job, j.reasons[j.job])
		return nil, nil
	}
	debuglog.Bridge.Printf("jobs that may be joined, by universe: %v", j.groups)
	ctx, cancel := untilLost(ctx, boot)
	defer cancel()
	u, err := j.run(ctx)
	if err != nil && boot.Err() != nil {
		err = boot.Err()
	}
	j.log(err)
	return u, err
}

// log writes the results of all jobs.
func (j *joining) log(err error) {
	if !debuglog.Bridge.On() {
		return
	}
	if err != nil {
		debuglog.Bridge.Printf("joining has failed: %v", err)
		return
	}
	debuglog.Bridge.Printf("universes: %v", j.members.Universes())
	for job, reason := range j.reasons {
		if reason != "" {
			debuglog.Bridge.Printf("job %d is not joined: %s", job, reason)
		}
	}
}

// untilLost returns a context that ends with ctx or the loss of the run.
func untilLost(ctx context.Context, boot Bootstrap) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	done := make(chan struct{})
	go func() {
		select {
		case <-boot.Lost():
			cancel(boot.Err())
		case <-done:
		}
	}()
	return ctx, func() {
		close(done)
		cancel(nil)
	}
}

func (j *joining) run(ctx context.Context) (*Universe, error) {
	var own readiness
	if j.ownGroup() != nil {
		own = j.base.prepare(j)
	}
	if err := j.ready(ctx, own); err != nil {
		return nil, err
	}
	if slices.ContainsFunc(j.groups, func(g []int) bool { return len(g) > 1 }) {
		if err := j.probe(ctx); err != nil {
			return nil, err
		}
	}
	return j.join(ctx)
}

// ownGroup returns the group of this process, or nil.
func (j *joining) ownGroup() []int {
	for _, g := range j.groups {
		if slices.Contains(g, j.job) {
			return g
		}
	}
	return nil
}

// leader returns the member that connects and accepts for a job.
func (j *joining) leader(job int) int {
	first, _ := j.members.WorldRange(job)
	return first
}

// readiness describes how far a process can take part.
type readiness struct {
	problem    string // why it cannot take part, or ""
	ownJobOnly string // why it can take part with its own job only, or ""
	domain     string // a name that jobs must share to join each other
}

// ready removes jobs from their groups if one of their processes cannot take part, or only
// with its own job. It divides groups whose jobs cannot join each other.
func (j *joining) ready(ctx context.Context, own readiness) error {
	blobs, err := j.boot.Exchange(ctx, joinMessage(stepReady, own.problem, own.ownJobOnly, own.domain))
	if err != nil {
		return err
	}
	alone := map[int]string{}
	domains := make([]string, j.members.Worlds())
	for i, b := range blobs {
		texts, err := joinTexts(stepReady, b, 3)
		if err != nil {
			return fmt.Errorf("joining: rank %d: %w", i, err)
		}
		job := j.members.World(i)
		if texts[0] != "" && j.reasons[job] == "" {
			j.reasons[job] = fmt.Sprintf("rank %d: %s", i, texts[0])
		}
		if texts[1] != "" {
			alone[job] = texts[1]
		}
		domains[job] = texts[2]
	}
	j.drop(func(job int) bool { return j.reasons[job] != "" })
	j.separate(alone)
	j.divide(domains)
	return nil
}

// divide makes a group of each domain.
func (j *joining) divide(domains []string) {
	var groups [][]int
	for _, g := range j.groups {
		begin := len(groups)
		for _, job := range g {
			at := slices.IndexFunc(groups[begin:], func(other []int) bool { return domains[other[0]] == domains[job] })
			if at >= 0 {
				groups[begin+at] = append(groups[begin+at], job)
			} else {
				groups = append(groups, []int{job})
			}
			if first := g[0]; domains[job] != domains[first] {
				j.reasons[job] = fmt.Sprintf("it is in %s, job %d in %s", domains[job], first, domains[first])
			}
		}
	}
	j.groups = groups
}

// drop removes jobs from their groups.
func (j *joining) drop(out func(job int) bool) {
	for k := range j.groups {
		j.groups[k] = slices.DeleteFunc(j.groups[k], out)
	}
	j.groups = slices.DeleteFunc(j.groups, func(g []int) bool { return len(g) == 0 })
}

// separate moves every job that has a reason to leave its group into a separate group. A job that was alone
// before needs no reason.
func (j *joining) separate(reasons map[int]string) {
	var groups [][]int
	for _, g := range j.groups {
		if len(g) == 1 {
			groups = append(groups, g)
			continue
		}
		stay := slices.DeleteFunc(slices.Clone(g), func(job int) bool { return reasons[job] != "" })
		if len(stay) > 0 {
			groups = append(groups, stay)
		}
		for _, job := range g {
			if reasons[job] != "" {
				j.reasons[job] = reasons[job]
				groups = append(groups, []int{job})
			}
		}
	}
	j.groups = groups
}

// probe checks which jobs of each group can be reached: their leaders connect to the leader of the first job.
func (j *joining) probe(ctx context.Context) error {
	reasons, err := j.exchangePorts(ctx)
	if err != nil {
		return err
	}
	var unreached []string
	if g := j.ownGroup(); len(g) > 1 && j.leader(j.job) == j.self {
		unreached = j.tryAll(ctx, g)
	}
	blobs, err := j.boot.Exchange(ctx, joinMessage(stepReached, unreached...))
	if err != nil {
		return err
	}
	for _, g := range j.groups {
		for k, job := range g[1:] {
			leaders, err := joinTexts(stepReached, blobs[j.leader(g[0])], 0)
			var other []string
			if err == nil {
				other, err = joinTexts(stepReached, blobs[j.leader(job)], 0)
			}
			if err != nil {
				return fmt.Errorf("joining: job %d: %w", job, err)
			}
			if len(leaders) > k && len(other) > 0 && reasons[job] == "" {
				reasons[job] = cmp.Or(leaders[k], other[0])
			}
		}
	}
	j.separate(reasons)
	return nil
}

// exchangePorts sends the ports of each leader to all members of its group. reasons are those of jobs whose
// leader has no ports, by job.
func (j *joining) exchangePorts(ctx context.Context) (reasons map[int]string, err error) {
	var texts []string
	if g := j.ownGroup(); len(g) > 1 && j.leader(g[0]) == j.self {
		ports, problem := j.openPorts(portsPerJob * (len(g) - 1))
		texts = append([]string{problem}, ports...)
	}
	blobs, err := j.boot.Exchange(ctx, joinMessage(stepPorts, texts...))
	if err != nil {
		return nil, err
	}
	reasons = map[int]string{}
	for _, g := range j.groups {
		if len(g) == 1 {
			continue
		}
		texts, err := joinTexts(stepPorts, blobs[j.leader(g[0])], 1)
		if err == nil && texts[0] == "" && len(texts) != 1+portsPerJob*(len(g)-1) {
			err = fmt.Errorf("%w: %d ports for %d jobs", ErrProtocol, len(texts)-1, len(g)-1)
		}
		if err != nil {
			return nil, fmt.Errorf("joining: job %d: %w", g[0], err)
		}
		own := slices.Contains(g, j.job)
		for k, job := range g {
			switch {
			case texts[0] != "":
				reasons[job] = texts[0]
			case own && k > 0:
				j.ports[job] = joinPorts{trial: texts[portsPerJob*k-1], join: texts[portsPerJob*k]}
			}
		}
	}
	return reasons, nil
}

// tryAll connects, as leader of a job, to the other leaders of the group one after the other,
// or to the leader of the first job. The result has for each a reason, or "".
func (j *joining) tryAll(ctx context.Context, g []int) []string {
	if len(j.ports) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeoutCause(ctx, j.limit, fmt.Errorf("no answer within %v", j.limit))
	defer cancel()
	if j.job != g[0] {
		err := j.base.try(ctx, j.ports[j.job].trial, false)
		return []string{j.unreached(g[0], err)}
	}
	results := make([]string, len(g)-1)
	for k, job := range g[1:] {
		results[k] = j.unreached(job, j.base.try(ctx, j.ports[job].trial, true))
	}
	return results
}

// unreached returns the reason of a job that could not be reached.
func (j *joining) unreached(job int, err error) string {
	if err == nil {
		return ""
	}
	text := fmt.Sprintf("jobs %d and %d cannot reach each other: %v", min(j.job, job), max(j.job, job), err)
	return text[:min(len(text), maxReason)]
}

// join makes the communicator of this process's group, sends the outcome to the other members, and records
// the outcomes of all members.
func (j *joining) join(ctx context.Context) (*Universe, error) {
	own, result := j.ownGroup(), placement{universe: noUniverse, reason: j.reasons[j.job]}
	var u *Universe
	var err error
	if own != nil {
		limited, cancel := context.WithTimeoutCause(ctx, j.limit, fmt.Errorf("not done within %v", j.limit))
		u, result.first, err = j.build(limited, own)
		cancel()
		result.universe = int32(own[0])
	}
	if err != nil {
		return nil, fmt.Errorf("joining jobs %s into one universe of MPI: %w", jobList(own), err)
	}
	blobs, err := j.boot.Exchange(ctx, outcome(result))
	if err != nil {
		return nil, err
	}
	return u, j.members.Settle(blobs)
}

func jobList(jobs []int) string {
	return strings.Trim(strings.ReplaceAll(fmt.Sprint(jobs), " ", ", "), "[]")
}
