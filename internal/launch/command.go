package launch

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/goacp/goacp/bridge"
)

// Exit statuses of the launchers themselves.
const (
	statusFailure = 1 // the run could not be started
	statusUsage   = 2 // the command line or a file is wrong
	// statusAbort is that of a run in which a rank has called acp_abort, as of that
	// rank. The program of a rank may choose another one for itself.
	statusAbort = 255
)

// command is what acprun and macprun do before anything is started.
type command struct {
	std     StdIO
	program programs
	opts    *Options
}

// begin reads the command line. If there is nothing left to do, for example
// because help was asked for, done is true and status the exit status.
func begin(p programs, std StdIO) (c *command, status int, done bool) {
	c = &command{std: std, program: p}
	opts, err := parseOptions(p, std.Args)
	if err != nil {
		return c, c.fail(err), true
	}
	c.opts = opts
	switch {
	case opts.Help:
		return c, c.print(func(w io.Writer) error { return writeHelp(w, p) }), true
	case opts.Version:
		return c, c.print(func(w io.Writer) error { _, err := fmt.Fprintln(w, versionText(p)); return err }), true
	}
	if !opts.Multirun {
		for _, warning := range checkEnvironment(std.Environ) {
			c.say("warning: " + warning)
		}
		// A launcher beneath another one starts a run of its own.
		c.std.Environ = withoutCarried(std.Environ)
	}
	return c, 0, false
}

// adoptEnvironment gives options that are not given the values of their variables, where
// the launcher itself needs them, or they must reach every host.
func (c *command) adoptEnvironment() error {
	secure, err := bridge.SecureFromEnv(func(name string) string { v, _ := lookupEnv(c.std.Environ, name); return v })
	if err != nil {
		return err
	}
	c.opts.Secure = c.opts.Secure || secure
	for _, s := range settings() {
		target := map[string]*string{"rsh": &c.opts.RemoteShell, "interface": &c.opts.Interface, "portrange": &c.opts.PortRange}[s.name]
		text, _ := lookupEnv(c.std.Environ, s.env)
		if target == nil || *target != "" || text == "" {
			continue
		}
		option := optionValue{opts: c.opts, setting: s, program: c.program}
		if err := option.Set(text); err != nil {
			return fmt.Errorf("environment: %s: %w", s.env, err)
		}
	}
	return nil
}

// say writes one line to standard error.
func (c *command) say(text string) { fmt.Fprintf(c.std.Stderr, "%v: %s\n", c.program, text) }

// print writes to standard output; the status tells whether that worked.
func (c *command) print(text func(io.Writer) error) int {
	if err := text(c.std.Stdout); err != nil {
		return statusFailure
	}
	return 0
}

// fail reports an error and returns the exit status for it.
func (c *command) fail(err error) int {
	c.say(err.Error())
	var usage *UsageError
	var parse *ParseError
	if errors.As(err, &usage) || errors.As(err, &parse) {
		return statusUsage
	}
	return statusFailure
}

// hosts reads the hosts of the run: -host, or the nodefile, or nil for this host.
func (c *command) hosts() ([]string, error) {
	if c.opts.Hosts != nil || c.opts.Nodefile == "" {
		return c.opts.Hosts, nil
	}
	text, err := readFile(c.opts.Nodefile)
	if err != nil {
		return nil, err
	}
	return ParseNodefile(c.opts.Nodefile, text)
}

// maxFile is the largest description or nodefile that is read, in bytes.
const maxFile = 64 << 20

// readFile reads a description or a nodefile.
func readFile(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, &ParseError{File: name, Err: cause(err)}
	}
	defer f.Close()
	return readAll(name, f)
}

func readAll(name string, f io.Reader) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err != nil {
		return nil, &ParseError{File: name, Err: cause(err)}
	}
	if len(text) > maxFile {
		return nil, &ParseError{File: name, Err: fmt.Errorf("the file is larger than %d bytes", maxFile)}
	}
	return text, nil
}

// cause is what kept a file from being read.
func cause(err error) error { return fmt.Errorf("cannot be read: %w", pathCause(err)) }

// pathCause takes operation and file name off an error of package os, where the
// message names the file already.
func pathCause(err error) error {
	var path *os.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}

// remoteHosts lists the hosts of a plan that are not this one, each once.
func remoteHosts(plan *Plan, isLocal func(string) bool) []string {
	var remote []string
	seen := map[string]bool{}
	for _, job := range plan.Jobs {
		for _, host := range job.Hosts {
			if !seen[host] && !isLocal(host) {
				remote = append(remote, host)
			}
			seen[host] = true
		}
	}
	return remote
}
