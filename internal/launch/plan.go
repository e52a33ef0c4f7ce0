package launch

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/goacp/goacp/bridge"
	"github.com/goacp/goacp/internal/endpoint"
	"github.com/goacp/goacp/internal/envvar"
)

// Names of the variables that launchers give to processes.
const (
	envRendezvous    = envvar.Rendezvous
	envTokenFile     = envvar.TokenFile
	envJob           = envvar.Job
	envJobRank       = envvar.JobRank
	envNet           = envvar.Net
	envStarterSize   = envvar.StarterSize
	envStarterSizeDL = envvar.HeapSize
	envChannelSize   = envvar.ChannelSize
	envRemoteShell   = envvar.RemoteShell
	envOnError       = envvar.OnError
	envReport        = envvar.Report // acprun as part of macprun: where to report its processes
)

// Plan says completely what is to be started. It holds no secret: the
// variables of the rendezvous are added when the run starts.
type Plan struct {
	Jobs  []Job
	DVMs  []DVM // beneath which jobs of Open MPI 5 meet
	Total int   // members of the run
}

// Job is one job of a plan.
type Job struct {
	Number int     // from 0
	First  int     // first member
	Size   int     // number of processes
	Acprun bool    // started by acprun, not by an MPI launcher
	Name   string  // what the user calls the launcher, for messages
	MPI    Flavour // of an MPI launcher
	// Launcher is the launcher as the runtime line names it.
	Launcher string
	Line     string   // command in shell syntax; jobs of macprun only
	Argv     []string // program and arguments; the job of acprun only
	Env      []string // variables beside those of the rendezvous and of the launcher
	Mode     bridge.Mode
	// Windows says that processes of the job may access others by windows of MPI.
	Windows bool
	// DVM is the file with the address of the DVM beneath which the job's launcher
	// starts it, or empty, and Apart the same job without one.
	DVM   string
	Apart *Job
	// Carried says that acprun starts the job's launcher on the host of its processes.
	Carried bool
	Dir     string   // working directory; "" = that of the launcher
	Hosts   []string // host of each process; nil = this one
	// MachineFile is the path and MachineText the content of the file that tells
	// the job's launcher its hosts; both are empty without hosts.
	MachineFile, MachineText string
}

// World is what a plan depends on beside the description and the options.
type World struct {
	Environ  []string               // of the launcher
	Root     bool                   // the launcher runs as root
	RunDir   string                 // private directory of the run on this host and on those of MPI jobs
	Host     string                 // name of this host
	IsLocal  func(host string) bool // whether a host name means this host
	Flavours map[string]Flavour     // by runtime line, of jobs that acprun doesn't start
	RDMA     bool                   // between hosts there is RDMA hardware

	asked   bool   // a job asks for network rma
	several bool   // there is more than one job
	dvm     string // file with the address of the DVM of the job
}

// NewPlan places the jobs of a description on hosts and decides what is started
// for each. hosts are the lines of the nodefile, nil for this host alone. The
// options are those of the command line merged with the description's.
//
// Pure, as far as w.IsLocal is. Errors name the option or the line that is wrong.
func NewPlan(input *Inputfile, opts *Options, hosts []string, w World) (*Plan, error) {
	plan := &Plan{}
	line := 0 // of the size that completes the sum
	for _, spec := range input.Jobs {
		plan.Total += spec.Size
		line = max(line, spec.SizeLine)
	}
	if plan.Total > maxProcs {
		return nil, parseErrorf(input.File, line, "the jobs have %d processes in total, more than the %d that a run can hold", plan.Total, maxProcs)
	}
	if opts.NP != 0 && opts.NP != plan.Total {
		return nil, parseErrorf(input.File, line, "the sizes of the jobs add up to %d, but -np is %d", plan.Total, opts.NP)
	}
	w.several = len(input.Jobs) > 1
	w.asked = asksForRMA(input.Jobs, opts, w.Environ)
	first := 0
	for j, spec := range input.Jobs {
		job, err := planJob(j, first, input.File, spec, opts, hosts, w)
		if err != nil {
			return nil, err
		}
		plan.Jobs = append(plan.Jobs, job)
		first += spec.Size
	}
	for _, group := range plan.findDVMs() {
		dvm := plan.newDVM(group, w)
		w.dvm = dvm.Address
		for _, j := range group {
			apart := plan.Jobs[j]
			job, err := planJob(j, apart.First, input.File, input.Jobs[j], opts, hosts, w)
			if err != nil {
				return nil, err
			}
			job.Apart = &apart
			plan.Jobs[j] = job
		}
		plan.DVMs = append(plan.DVMs, dvm)
	}
	return plan, nil
}

// planJob decides what is started for one job.
func planJob(number, first int, file string, spec JobSpec, opts *Options, hosts []string, w World) (Job, error) {
	job := Job{
		Number: number, First: first, Size: spec.Size, Dir: spec.Dir,
		Launcher: launcherWord(spec.Launcher), Name: filepath.Base(launcherWord(spec.Launcher)), Acprun: isAcprun(spec.Launcher),
		Hosts: place(hosts, first, spec.Size),
	}
	if launcherWord(spec.Launcher) == "" {
		return job, parseErrorf(file, spec.Line, "runtime line %q names no launcher; expected acprun, mpirun or another MPI launcher", spec.Launcher)
	}
	job.Env = append(optionEnv(opts), spec.Env...)
	job.Mode = netMode(job.Env, w.Environ)
	if job.Hosts != nil {
		job.MachineFile = filepath.Join(w.RunDir, "machinefile."+strconv.Itoa(number))
		job.MachineText = strings.Join(job.Hosts, "\n") + "\n"
	}
	if job.Acprun {
		if err := checkAcprunLine(file, spec); err != nil {
			return job, err
		}
		job.Line = acprunLine(job, spec, opts)
		return job, nil
	}
	job.MPI = w.Flavours[spec.Launcher]
	job.Windows = usesWindows(job.Mode, w.asked, w.RDMA && !allLocal(hosts, w.IsLocal))
	around := surroundings{
		environ: append(append([]string{}, w.Environ...), spec.Env...),
		root:    w.Root, local: allLocal(job.Hosts, w.IsLocal), runDir: w.RunDir,
		rsh: opts.RemoteShell, tagOutput: opts.TagOutput, windows: job.Windows,
		dashX: slices.Contains(strings.Fields(spec.Launcher), "-x"),
		seq:   job.Hosts != nil && !ownMapping(spec.Launcher),
		dvm:   w.dvm,
	}
	job.Carried = w.several && job.elsewhere(w.IsLocal)
	if job.Carried {
		// For the launcher everything is local.
		around.local, around.seq = true, false
	}
	job.DVM = w.dvm
	around.forward = forwarded(job.Env, around.environ)
	if w.dvm != "" {
		around.forward = append(around.forward, beneathDVM(spec.Launcher)...)
	}
	if job.MPI.MPI == MPICH && !around.local && strings.ContainsAny(around.rsh, " \t") {
		return job, parseErrorf(file, spec.Line, "remote shell %q: %s takes one program without arguments; put them into a script", around.rsh, job.Name)
	}
	job.Env = append(job.Env, job.MPI.environment(around)...)
	if job.Carried {
		here := job
		here.MachineFile = ""
		job.Line = job.carriedLine(mpiLine(here, spec, opts, around))
		return job, nil
	}
	if job.MPI.MPI == OpenMPI && job.Hosts != nil {
		job.MachineText = ownName(job.Hosts, w)
	}
	job.Line = mpiLine(job, spec, opts, around)
	return job, nil
}

// ownMapping reports whether the user tells Open MPI himself how to place ranks.
func ownMapping(launcher string) bool {
	return slices.ContainsFunc(strings.Fields(launcher), func(word string) bool {
		switch strings.TrimLeft(word, "-") {
		case "map-by", "rankfile", "rf", "bynode", "byslot", "npernode", "N", "npersocket", "ppr", "pernode", "rmaps":
			return word[0] == '-' || word == "rmaps"
		}
		return false
	})
}

// ownName is the machine file for Open MPI, whose sequential mapper knows this
// host by its own name only.
func ownName(hosts []string, w World) string {
	var b strings.Builder
	for _, host := range hosts {
		if w.IsLocal(host) {
			host = w.Host
		}
		b.WriteString(host + "\n")
	}
	return b.String()
}

// forwarded names the variables that processes on other hosts need: those of
// the rendezvous, what the plan sets for the job, and what the user has set. They
// cross the network in clear.
func forwarded(jobEnv, environ []string) []string {
	names := append([]string{envRendezvous, envTokenFile, envJob, "UCX_ERROR_SIGNALS", "UCX_POSIX_DIR"}, envNames(jobEnv)...)
	for _, name := range envNames(environ) {
		// A name that no shell knows cannot be named on a command line.
		if strings.HasPrefix(name, "UCX_") && variableName.MatchString(name) && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	for _, s := range settings() {
		if _, set := lookupEnv(environ, s.env); set && s.env != "" && !slices.Contains(names, s.env) {
			names = append(names, s.env)
		}
	}
	return names
}

// acprunLine is the shell command of a job that acprun starts. Numbers of
// processes and hosts stand after the user's options, so that they win.
func acprunLine(job Job, spec JobSpec, opts *Options) string {
	line := fmt.Sprintf("%s -multirun -offsetrank %d", spec.Launcher, job.First)
	if job.MachineFile != "" {
		line += " -machinefile " + shellQuote(job.MachineFile)
	}
	for _, flag := range []struct {
		on   bool
		text string
	}{{opts.TagOutput, " -tag-output"}, {opts.Debug, " -debug"}} {
		if flag.on {
			line += flag.text
		}
	}
	return inPlace(fmt.Sprintf("%s -np %d %s", line, job.Size, withEnvProgram(spec.Command)))
}

// mpiLine is the shell command of a job that an MPI launcher starts.
func mpiLine(job Job, spec JobSpec, opts *Options, around surroundings) string {
	line := spec.Launcher
	if around.dvm != "" {
		line = clientLine(line, around)
	}
	if job.MPI.dashes(around) {
		line += " -x " + strings.Join(around.forward, " -x ")
	}
	switch {
	case opts.TagOutput && job.MPI.MPI == MPICH:
		line += " -prepend-rank"
	case opts.TagOutput && job.MPI.MPI == OpenMPI && job.MPI.major() >= 5:
		line += " --output tag"
	}
	line += fmt.Sprintf(" -np %d", job.Size)
	if job.MachineFile != "" {
		line += " -machinefile " + shellQuote(job.MachineFile)
	}
	return inPlace(line + " " + withEnvProgram(spec.Command))
}

// checkAcprunLine finds mistakes in the options of an acprun runtime line before
// anything is started. Lines that use more shell syntax than quotes are left to
// the shell.
func checkAcprunLine(file string, spec JobSpec) error {
	if strings.ContainsAny(spec.Launcher, "$`|&;<>()*?~{}") {
		return nil
	}
	var words []string
	for line := spec.Launcher; line != ""; {
		var word string
		word, line = cutWord(line)
		if len(words) > 0 || !assignment.MatchString(word) {
			words = append(words, word)
		}
	}
	opts, err := parseOptions(forAcprun, append(words[1:], "program"))
	if err != nil {
		return &ParseError{File: file, Line: spec.Line, Err: fmt.Errorf("acprun: %w", err)}
	}
	switch {
	case len(opts.Args) > 1:
		return parseErrorf(file, spec.Line, "the runtime line of acprun holds %q; programs stand in the commands", opts.Args[0])
	case opts.Secure:
		return parseErrorf(file, spec.Line, "acprun -secure: all connections of a run are encrypted or none; -secure is an option for macprun here")
	case opts.NP != 0 && opts.NP != spec.Size:
		return parseErrorf(file, spec.Line, "acprun -np %d contradicts the size %d of the job", opts.NP, spec.Size)
	}
	return nil
}

// PlanAcprun is the plan of acprun on its own: one job of opts.NP processes.
// hosts are the lines of the nodefile, nil for this host alone. Pure.
func PlanAcprun(opts *Options, hosts []string) *Plan {
	size := max(opts.NP, 1)
	return &Plan{Total: size, Jobs: []Job{{
		First: opts.OffsetRank, Size: size, Acprun: true, Name: filepath.Base(opts.Args[0]),
		Argv: opts.Args, Env: optionEnv(opts), Hosts: place(hosts, 0, size),
	}}}
}

// optionEnv returns the variables by which options reach the processes.
func optionEnv(opts *Options) []string {
	var vars []string
	if opts.Net != "" {
		vars = append(vars, envNet+"="+opts.Net)
	}
	for _, size := range []struct {
		name string
		size Size
	}{{envStarterSize, opts.StarterSize}, {envStarterSizeDL, opts.StarterSizeDL}, {envChannelSize, opts.ChannelSize}} {
		if size.size.Given {
			vars = append(vars, size.name+"="+strconv.FormatInt(size.size.Bytes, 10))
		}
	}
	if opts.RDMA != "" {
		vars = append(vars, bridge.EnvRDMA+"="+opts.RDMA)
	}
	if opts.OnError != "" {
		vars = append(vars, envOnError+"="+opts.OnError)
	}
	if opts.Interface != "" {
		vars = append(vars, endpoint.EnvInterface+"="+opts.Interface)
	}
	if opts.PortRange != "" {
		vars = append(vars, endpoint.EnvPortRange+"="+opts.PortRange)
	}
	if opts.Secure {
		vars = append(vars, bridge.EnvSecure+"=yes")
	}
	if opts.RemoteShell != "" {
		vars = append(vars, envRemoteShell+"="+opts.RemoteShell)
	}
	return vars
}

// envNames returns the names of variables.
func envNames(vars []string) []string {
	names := make([]string, len(vars))
	for i, entry := range vars {
		names[i], _, _ = strings.Cut(entry, "=")
	}
	return names
}

// place gives the processes first … first+n-1 of the run their hosts: line i
// modulo the number of lines.
func place(hosts []string, first, n int) []string {
	if hosts == nil {
		return nil
	}
	placed := make([]string, n)
	for i := range placed {
		placed[i] = hosts[(first+i)%len(hosts)]
	}
	return placed
}

func allLocal(hosts []string, isLocal func(string) bool) bool {
	for _, host := range hosts {
		if !isLocal(host) {
			return false
		}
	}
	return true
}

// merge returns the options of the command line with those of a description
// where the command line says nothing.
func merge(line, description Options) Options {
	if !line.StarterSize.Given {
		line.StarterSize = description.StarterSize
	}
	if !line.StarterSizeDL.Given {
		line.StarterSizeDL = description.StarterSizeDL
	}
	if line.Net == "" {
		line.Net = description.Net
	}
	if line.RDMA == "" {
		line.RDMA = description.RDMA
	}
	line.Secure = line.Secure || description.Secure
	if line.OnError == "" {
		line.OnError = description.OnError
	}
	if line.Interface == "" {
		line.Interface = description.Interface
	}
	if line.PortRange == "" {
		line.PortRange = description.PortRange
	}
	if line.Timeout == 0 {
		line.Timeout = description.Timeout
	}
	if line.Nodefile == "" && line.Hosts == nil {
		line.Nodefile, line.Hosts = description.Nodefile, description.Hosts
	}
	return line
}

// errNoDescription says that standard input held no description.
var errNoDescription = errors.New("no inputfile named and standard input is a terminal; macprun -help says more")
