package launch

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/goacp/goacp/internal/ground/debuglog"
	"github.com/goacp/goacp/internal/ground/envvar"
	"github.com/goacp/goacp/internal/launch/allocation"
	"github.com/goacp/goacp/internal/launch/config"
	"github.com/goacp/goacp/internal/launch/exit"
	"github.com/goacp/goacp/internal/launch/explain"
	"github.com/goacp/goacp/internal/launch/process"
	"github.com/goacp/goacp/internal/launch/rendezvous"
)

// command is a command line of a launcher and its surroundings.
type command struct {
	std     StdIO
	program config.Program
	opts    *config.Options
	// allocation is that of the batch system around the launcher; nil = none.
	allocation *allocation.Allocation
}

// runCommand parses the command line and calls run. It returns the exit status of the launcher.
func runCommand(p config.Program, std StdIO, run func(*command) (int, error)) int {
	c, status, done := begin(p, std)
	if done {
		return status
	}
	status, err := run(c)
	if err != nil {
		return c.fail(err)
	}
	return status
}

// begin parses the command line. If nothing is left to do, for example because the user asks
// for help, done is true and status is the exit status.
func begin(p config.Program, std StdIO) (c *command, status int, done bool) {
	c = &command{std: std, program: p}
	if err := process.CheckOpenFiles(process.FilesOfLauncher); err != nil {
		return c, c.fail(err), true
	}
	opts, err := config.ParseOptions(p, std.Args)
	if err != nil {
		return c, c.fail(err), true
	}
	c.opts = opts
	switch {
	case opts.Help, opts.HelpAll:
		return c, c.print(func(w io.Writer) error { return config.WriteHelp(w, p, opts.HelpAll) }), true
	case opts.Version:
		return c, c.print(func(w io.Writer) error { _, err := fmt.Fprintln(w, config.VersionText(p.String())); return err }), true
	}
	if !opts.Multirun {
		for _, warning := range config.EnvironmentWarnings(std.Environ) {
			c.say("warning: " + warning)
		}
		// A launcher that another launcher has started starts a run of its own.
		c.std.Environ = config.WithoutRunVariables(std.Environ)
	}
	return c, 0, false
}

// say writes one line to standard error.
func (c *command) say(text string) { fmt.Fprintf(c.std.Stderr, "%v: %s\n", c.program, text) }

// print writes to standard output and returns the exit status.
func (c *command) print(text func(io.Writer) error) int {
	if err := text(c.std.Stdout); err != nil {
		return c.fail(err)
	}
	return 0
}

// fail reports an error and returns the exit status for it.
func (c *command) fail(err error) int {
	c.say(explain.Line(err.Error()+process.LimitAdvice(err), c.std.Stderr))
	var usage *config.UsageError
	var parse *config.ParseError
	if errors.As(err, &usage) || errors.As(err, &parse) {
		return exit.Usage
	}
	return exit.Failure
}

// surroundings adds the settings of the environment to the options. It returns the hosts of the run, see
// hosts, and the names of this host.
func (c *command) surroundings() (hosts []string, local *rendezvous.LocalNames, err error) {
	if err = c.opts.AdoptEnvironment(c.program, c.std.Environ); err != nil {
		return nil, nil, err
	}
	if err = debuglog.Start(debuglog.Config{Layers: c.opts.DebugLayers, File: c.opts.DebugFile, Name: c.logName()}); err != nil {
		return nil, nil, err
	}
	if hosts, err = c.hosts(); err != nil {
		return nil, nil, err
	}
	local, err = rendezvous.NewLocalNames()
	return hosts, local, err
}

// placeJobs returns the hosts of the run for the jobs of input. hosts are those of surroundings.
func (c *command) placeJobs(input *config.Inputfile, hosts []string) ([]string, error) {
	if c.allocation == nil || c.opts.Hosts != nil || c.opts.Nodefile != "" {
		return hosts, nil
	}
	sizes := make([]int, len(input.Jobs))
	for j, job := range input.Jobs {
		sizes[j] = job.Size
	}
	return c.allocation.Place(sizes)
}

// components returns the hosts of each job if the run has those of a heterogeneous allocation, nil otherwise.
func (c *command) components() [][]string {
	if c.allocation == nil || c.opts.Hosts != nil || c.opts.Nodefile != "" || len(c.allocation.Components) < 2 {
		return nil
	}
	return c.allocation.Components
}

// logName returns the name of the launcher in the log. A run may have an acprun for each of several jobs.
func (c *command) logName() string {
	if job, _ := envvar.Lookup(c.std.Environ, envvar.Job); c.opts.Multirun && job != "" {
		return c.program.String() + " of job " + job
	}
	return c.program.String()
}

// hosts returns the hosts of the run; nil = this host. They are those of -host or of the nodefile. If the
// user names none, they are those of the allocation, and acprun starts as many processes as it has slots.
func (c *command) hosts() (hosts []string, err error) {
	hosts = c.opts.Hosts
	source := "the option -host"
	if hosts == nil && c.opts.Nodefile != "" {
		text, err := config.ReadFile(c.opts.Nodefile)
		if err != nil {
			return nil, err
		}
		if hosts, err = config.ParseNodefile(c.opts.Nodefile, text); err != nil {
			return nil, err
		}
		source = "the nodefile " + c.opts.Nodefile
	}
	found, err := allocation.Find(c.std.Environ)
	if hosts != nil || c.opts.Multirun {
		// The hosts are known. Slurm's allocation only decides about the remote shell.
		c.allocation = found
		debuglog.Launch.Printf("hosts %s: from %s", strings.Join(hosts, ","), source)
		return hosts, nil
	}
	if err != nil || found == nil {
		debuglog.Launch.Printf("all processes on this host: neither an option nor a batch system names hosts")
		return nil, err
	}
	c.allocation = found
	if c.program.OneJob() && c.opts.NP == 0 {
		c.opts.NP = len(found.Slots)
	}
	debuglog.Launch.Printf("hosts %s: from the allocation of %s", strings.Join(found.Slots, ","), found.System)
	return found.Slots, nil
}
