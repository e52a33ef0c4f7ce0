package launch

import (
	"errors"
	"fmt"
	"io"

	"github.com/goacp/goacp/internal/launch/config"
	"github.com/goacp/goacp/internal/launch/exit"
)

// command is a command line of acprun or macprun and its surroundings.
type command struct {
	std     StdIO
	program config.Program
	opts    *config.Options
}

// begin parses the command line. If nothing is left to do, for example because the user asks
// for help, done is true and status is the exit status.
func begin(p config.Program, std StdIO) (c *command, status int, done bool) {
	c = &command{std: std, program: p}
	opts, err := config.ParseOptions(p, std.Args)
	if err != nil {
		return c, c.fail(err), true
	}
	c.opts = opts
	switch {
	case opts.Help:
		return c, c.print(func(w io.Writer) error { return config.WriteHelp(w, p) }), true
	case opts.Version:
		return c, c.print(func(w io.Writer) error { _, err := fmt.Fprintln(w, config.VersionText(p)); return err }), true
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
		return exit.Failure
	}
	return 0
}

// fail reports an error and returns the exit status for it.
func (c *command) fail(err error) int {
	c.say(err.Error())
	var usage *config.UsageError
	var parse *config.ParseError
	if errors.As(err, &usage) || errors.As(err, &parse) {
		return exit.Usage
	}
	return exit.Failure
}

// hosts returns the hosts of the run, from -host or the nodefile; nil = this host.
func (c *command) hosts() ([]string, error) {
	if c.opts.Hosts != nil || c.opts.Nodefile == "" {
		return c.opts.Hosts, nil
	}
	text, err := config.ReadFile(c.opts.Nodefile)
	if err != nil {
		return nil, err
	}
	return config.ParseNodefile(c.opts.Nodefile, text)
}
