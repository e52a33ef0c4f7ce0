package plan

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/goacp/goacp/internal/ground/envvar"
	"github.com/goacp/goacp/internal/launch/config"
	"github.com/goacp/goacp/internal/launch/shell"
)

// acprunLine returns the shell command of a job that acprun starts. The numbers of processes
// and the hosts stand after the user's options, so that they take precedence. By -max acprun knows that macprun decides
// whether the run goes on without a rank.
func acprunLine(job Job, spec config.JobSpec, opts *config.Options) string {
	line := fmt.Sprintf("%s -multirun -offsetrank %d", spec.Launcher, job.InRun.Rank)
	if spec.Max > 0 {
		line += fmt.Sprintf(" -max %d", spec.Max)
	}
	if job.HeapSize > 0 {
		line += fmt.Sprintf(" -startermemsize-dl %d", job.HeapSize)
	}
	if job.SlurmJob != "" {
		line += " -slurmjob " + shell.Quote(job.SlurmJob)
	}
	if job.MachineFile != "" {
		line += " -machinefile " + shell.Quote(job.MachineFile)
	}
	for _, flag := range []struct {
		on   bool
		text string
	}{{opts.TagOutput, " -tag-output"}, {opts.Debug, " -debug"}} {
		if flag.on {
			line += flag.text
		}
	}
	return shell.WithExec(fmt.Sprintf("%s -np %d %s", line, job.Size, shell.AssignByEnv(spec.Command)))
}

// mpiLine returns the shell command of a job that an MPI launcher starts.
func mpiLine(job Job, spec config.JobSpec, opts *config.Options, around jobContext) string {
	line := spec.Launcher
	if around.dvm != "" {
		line = dvmClientLine(line, around)
	}
	if job.MPI.forwardsByOption(around) {
		line += " -x " + strings.Join(around.forward, " -x ")
	}
	switch {
	case opts.TagOutput && job.MPI.Family == MPICH:
		line += " -prepend-rank"
	case opts.TagOutput && job.MPI.Family == OpenMPI && job.MPI.major() >= 5:
		line += " --output tag"
	}
	p, several := programsOf(spec.Command)
	if !several {
		line += fmt.Sprintf(" -np %d", job.Size)
	}
	if job.ProgramFiles {
		return shell.WithExec(line + " " + job.programsWithFiles(p))
	}
	if job.MachineFile != "" {
		line += " -machinefile " + shell.Quote(job.MachineFile)
	}
	if several {
		return shell.WithExec(line + " " + spec.Command)
	}
	return shell.WithExec(line + " " + shell.AssignByEnv(spec.Command))
}

// checkAcprunLine finds mistakes in the options of a runtime line with acprun before anything
// is started. It skips lines with shell syntax other than quotes.
func checkAcprunLine(file string, spec config.JobSpec) error {
	if strings.ContainsAny(spec.Launcher, "$`|&;<>()*?~{}") {
		return nil
	}
	_, _, options := shell.CutLauncher(spec.Launcher)
	opts, err := config.ParseOptions(config.Acprun, append(shell.Split(options), "program"))
	if err != nil {
		return &config.ParseError{File: file, Line: spec.Line, Err: fmt.Errorf("acprun: %w", err)}
	}
	switch {
	case len(opts.Args) > 1:
		return config.Errorf(file, spec.Line, "the runtime line of acprun holds %q; programs stand in the commands", opts.Args[0])
	case opts.Secure:
		return config.Errorf(file, spec.Line, "acprun -secure: all connections of a run are encrypted or none; -secure is an option for macprun here")
	case opts.Counts():
		return config.Errorf(file, spec.Line, "acprun -stats, -trace: all ranks of a run count or none; both are options for macprun here")
	case opts.Max != 0:
		return config.Errorf(file, spec.Line, "acprun -max %d: the number of ranks to which a job of macprun can grow is the key max of the job in a YAML description", opts.Max)
	case opts.NP != 0 && opts.NP != spec.Size:
		return config.Errorf(file, spec.Line, "acprun -np %d contradicts the size %d of the job", opts.NP, spec.Size)
	}
	return nil
}

// remoteLauncherLine returns a command by which acprun carries out another command on the first host of the
// job's machine file. The MPI ignores the rank that acprun gives to the command, because the MPI assigns
// ranks itself.
func (j *Job) remoteLauncherLine(command string) string {
	return fmt.Sprintf("exec acprun -multirun -offsetrank %d -np 1 -machinefile %s /bin/sh -c %s",
		j.InRun.Rank, shell.Quote(j.MachineFile), shell.Quote("unset "+envvar.JobRank+"; "+command))
}

// dvmClientLine returns a runtime line whose launcher is a client of the DVM. If the launcher
// is killed, it leaves files in its directory for temporary files. So that is the run's
// private directory. The processes do not inherit this variable.
func dvmClientLine(launcher string, around jobContext) string {
	before, word, after := shell.CutLauncher(launcher)
	dir := filepath.Dir(around.dvm)
	return before + "env TMPDIR=" + shell.Quote(dir) + " " + word + after + " --dvm file:" + shell.Quote(around.dvm)
}
