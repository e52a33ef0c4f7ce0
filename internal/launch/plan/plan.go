package plan

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/goacp/goacp/bridge"
	"github.com/goacp/goacp/internal/launch/config"
	"github.com/goacp/goacp/internal/launch/shell"
)

// Plan holds all processes to start. It holds no secret: the launcher adds the variables of the rendezvous
// when it starts the run.
type Plan struct {
	Jobs  []Job
	Later []*Job // processes that have joined jobs of macprun, see Extend
	DVMs  []DVM  // in which jobs of Open MPI 5 join each other
	Total int    // members of the run

	growth growth // of macprun
}

// Job is one job of a plan.
type Job struct {
	Number int    // of its launcher in the plan, from 0
	Name   string // different from those of other jobs
	First  int    // number in the plan of its first member
	Size   int    // number of processes; in the job of acprun with those that have joined the run
	Max    int    // ranks that the job can ever have; 0 = their number is fixed
	InRun  Origin // its numbers in the run
	Acprun bool   // started by acprun, not by an MPI launcher
	MPI    MPI    // of an MPI launcher
	// LauncherName is the base name of the launcher, for messages.
	LauncherName string
	// Launcher is the launcher, as the runtime line names it.
	Launcher string
	Line     string   // command in shell syntax; jobs of macprun only
	Argv     []string // program and arguments; the job of acprun only
	Env      []string // variables besides those of the rendezvous and of the launcher
	Hook     bool     // libacphook is preloaded; the job of acprun only
	Mode     bridge.Mode
	// Windows: the processes of the job may be accessed by windows of MPI.
	Windows bool
	// DVM is the file with the address of the DVM in which the job is started; "" = none.
	// WithoutDVM is the same job without a DVM.
	DVM        string
	WithoutDVM *Job
	// RemoteLauncher: acprun starts the launcher of the job on the host of its processes.
	RemoteLauncher bool
	Dir            string   // working directory; "" = that of the launcher
	Hosts          []string // host of each process; nil = this one
	// SlurmJob is the job of Slurm to which the hosts of processes in Later belong; "" = that around macprun, or none.
	SlurmJob string
	// HeapSize is the size in bytes of the heaps of processes in Later that have a size of their own; 0 = none.
	HeapSize uint64
	// MachineFile is the path and MachineText the content of the file that names the hosts for
	// the job's launcher. Both are empty without hosts.
	MachineFile, MachineText string
	// ShellFile is the path and ShellText the content of the remote shell by which the launcher of the job
	// reaches its component of a heterogeneous job of Slurm. Both are empty if it needs none.
	ShellFile, ShellText string
	// Programs are the programs of a launcher that starts several; nil = one.
	Programs []Program
	// ProgramFiles: each program has a machine file with its part of the lines.
	ProgramFiles bool
}

// KnownLauncher reports whether the launcher of the job is known to start processes.
func (j *Job) KnownLauncher() bool {
	return j.Acprun || j.MPI.Family != UnknownMPI || shell.IsSrun([]string{j.Launcher})
}

// Origin has the numbers that a run gives to a job and to its first process. Those of a whole run are the numbers
// of its plan. A launcher that starts a part of a run, or guests of a run, has a plan that begins elsewhere.
type Origin struct {
	Job     int
	Rank    int
	Process int // number of that process in the job; 0 unless the job has begun before
}

// behind returns the origin of a job that follows with these numbers in the plan of a part.
func (p Origin) behind(number, first int) Origin {
	return Origin{Job: p.Job + number, Rank: p.Rank + first}
}

// Facts are the inputs of a plan besides the description and the options.
type Facts struct {
	Environ []string               // of the launcher
	Root    bool                   // the launcher runs as root
	RunDir  string                 // private directory of the run on this host and on those of MPI jobs
	Host    string                 // name of this host
	IsLocal func(host string) bool // whether a host name means this host
	MPIs    map[string]MPI         // by runtime line, of jobs that acprun does not start
	RDMA    bool                   // between hosts there is RDMA hardware
	InRun   Origin                 // of the first job
	// Srun returns the words by which srun starts processes on a host, nil if it starts none there. nil: it
	// starts none on any host.
	Srun func(host string) []string

	// Components has the hosts on which processes of each job may run, in a heterogeneous job of Slurm. nil: processes of
	// all jobs may run on all hosts.
	Components [][]string

	windowsAsked bool   // a job asks for windows of MPI only
	several      bool   // there is more than one job
	dvm          string // file with the address of the DVM of the job
}

// New places the jobs of a description on hosts and decides the command and the variables of each. hosts are
// the lines of the nodefile; nil = this host alone. opts are the options of the command line merged with
// those of the description.
//
// New is pure if f.IsLocal is. Errors name the option or the line that is wrong.
func New(input *config.Inputfile, opts *config.Options, hosts []string, f Facts) (*Plan, error) {
	plan := &Plan{}
	line := 0 // of the size that completes the sum
	for _, spec := range input.Jobs {
		plan.Total += spec.Size
		line = max(line, spec.SizeLine)
	}
	if plan.Total > config.MaxProcesses {
		return nil, config.Errorf(input.File, line, "the jobs have %d processes in total, more than the %d that a run can hold", plan.Total, config.MaxProcesses)
	}
	if opts.NP != 0 && opts.NP != plan.Total {
		return nil, config.Errorf(input.File, line, "the sizes of the jobs add up to %d, but -np is %d", plan.Total, opts.NP)
	}
	if err := checkLimit(input); err != nil {
		return nil, err
	}
	f.several = len(input.Jobs) > 1
	f.windowsAsked = asksForWindows(input.Jobs, opts, f.Environ)
	first := 0
	jobs := nameJobs(input.Jobs)
	for j, spec := range jobs {
		job, err := planJob(j, first, input.File, spec, opts, hosts, f)
		if err != nil {
			return nil, err
		}
		plan.Jobs = append(plan.Jobs, job)
		first += spec.Size
	}
	plan.growth = growth{specs: jobs, opts: opts, hosts: placeRanks(hosts, plan.Total, plan.Limit()-plan.Total), components: f.Components, runDir: f.RunDir}
	plan.namePrograms()
	for _, group := range plan.findDVMs() {
		dvm := plan.newDVM(group, f)
		f.dvm = dvm.Address
		for _, j := range group {
			apart := plan.Jobs[j]
			job, err := planJob(j, apart.First, input.File, jobs[j], opts, hosts, f)
			if err != nil {
				return nil, err
			}
			job.WithoutDVM, job.Programs = &apart, apart.Programs
			plan.Jobs[j] = job
		}
		plan.DVMs = append(plan.DVMs, dvm)
	}
	return plan, nil
}

// planJob returns the plan of one job, which has a name.
func planJob(number, first int, file string, spec config.JobSpec, opts *config.Options, hosts []string, f Facts) (Job, error) {
	job := Job{
		Number: number, Name: spec.Name, First: first, Size: spec.Size, InRun: f.InRun.behind(number, first), Dir: spec.Dir,
		Launcher: shell.LauncherWord(spec.Launcher), LauncherName: filepath.Base(shell.LauncherWord(spec.Launcher)), Acprun: shell.IsAcprun(spec.Launcher),
		Max: spec.Max,
	}
	job.placeOn(placeRanks(hosts, first, spec.Size), f.RunDir)
	if shell.LauncherWord(spec.Launcher) == "" {
		return job, config.Errorf(file, spec.Line, "runtime line %q names no launcher; expected acprun, mpirun or another MPI launcher", spec.Launcher)
	}
	job.Env = append(optionVariables(opts), spec.Env...)
	job.Mode = netMode(job.Env, f.Environ)
	if err := checkMax(file, &job, spec, opts, f); err != nil {
		return job, err
	}
	if job.Acprun {
		if spec.MPI != "" {
			return job, config.Errorf(file, spec.Line, "mpi=%s: acprun is the launcher of no MPI; expected no MPI for this job", spec.MPI)
		}
		if err := checkAcprunLine(file, spec); err != nil {
			return job, err
		}
		job.Line = acprunLine(job, spec, opts)
		return job, nil
	}
	if err := checkPrograms(file, spec); err != nil {
		return job, err
	}
	job.Programs = programList(spec.Command)
	job.MPI = f.MPIs[spec.Launcher]
	if spec.MPI != "" {
		job.MPI = namedMPI(spec.MPI)
	}
	job.Windows = usesWindows(job.Mode, f.windowsAsked, f.RDMA && !allLocal(hosts, f.IsLocal))
	around := jobContext{
		environ: append(append([]string{}, f.Environ...), spec.Env...),
		root:    f.Root, local: allLocal(job.Hosts, f.IsLocal), runDir: f.RunDir,
		rsh: opts.RemoteShell, tagOutput: opts.TagOutput, windows: job.Windows,
		dashX: slices.Contains(strings.Fields(spec.Launcher), "-x"),
		seq:   job.Hosts != nil && !ownMapping(spec.Launcher),
		dvm:   f.dvm,
		slurm: f.Srun != nil && slices.ContainsFunc(job.Hosts, func(host string) bool { return f.Srun(host) != nil }),
	}
	if shell.IsSrun(shell.Split(around.rsh)) {
		around.rsh = ""
	}
	if around.rsh == "" {
		job.ShellFile, job.ShellText = componentShell(&job, f)
		around.rsh, around.shellHere = job.ShellFile, job.ShellFile != ""
	}
	job.RemoteLauncher = f.several && job.needsRemoteLauncher(f.IsLocal)
	if job.RemoteLauncher {
		// The launcher runs on the host of all its processes.
		around.local, around.seq = true, false
	}
	job.DVM = f.dvm
	around.forward = forwardedVariables(job.Env, around.environ)
	if f.dvm != "" {
		around.forward = append(around.forward, dvmVariables(spec.Launcher)...)
	}
	if job.MPI.Family == MPICH && !around.local && strings.ContainsAny(around.rsh, " \t") {
		return job, config.Errorf(file, spec.Line, "remote shell %q: %s takes one program without arguments; put them into a script", around.rsh, job.LauncherName)
	}
	job.Env = append(job.Env, job.MPI.environment(around)...)
	if job.RemoteLauncher {
		here := job
		here.MachineFile = ""
		job.Line = job.remoteLauncherLine(mpiLine(here, spec, opts, around))
		return job, nil
	}
	if job.MPI.Family == OpenMPI && job.Hosts != nil {
		job.MachineText = machineFileByName(job.Hosts, f)
		if around.seq {
			// The sequential mapper takes a machine file for each program, from its beginning.
			job.ProgramFiles = job.Programs != nil
		}
	}
	job.Line = mpiLine(job, spec, opts, around)
	return job, nil
}

// NewAcprun returns the plan of acprun: one job of opts.NP processes. hosts are the lines of
// the nodefile; nil = this host alone. Pure.
func NewAcprun(opts *config.Options, hosts []string) *Plan {
	size, limit := max(opts.NP, 1), 0
	if opts.Max > 0 && !opts.Multirun {
		limit = max(opts.Max, size)
	}
	return &Plan{Total: size, Jobs: []Job{{
		Name: bridge.JobNameOf(opts.Args[0]), InRun: Origin{Rank: opts.OffsetRank}, Size: size, Max: limit, Acprun: true, LauncherName: filepath.Base(opts.Args[0]),
		Argv: opts.Args, Env: optionVariables(opts), Hook: opts.Hook.On(), Hosts: placeRanks(hosts, 0, max(size, limit)),
	}}}
}

// BecomePart makes the job of acprun a job of the run of another launcher, which has given it the origin and the name.
// The name is "" if the job keeps its own.
func (p *Plan) BecomePart(origin Origin, name string) {
	job := &p.Jobs[0]
	job.InRun = origin
	if name != "" {
		job.Name = name
	}
}
