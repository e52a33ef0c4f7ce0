package launch

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"strings"

	"github.com/goacp/goacp/bridge"
	"github.com/goacp/goacp/internal/ground/envvar"
	"github.com/goacp/goacp/internal/launch/config"
	"github.com/goacp/goacp/internal/launch/plan"
	"github.com/goacp/goacp/internal/launch/shell"
	"github.com/goacp/goacp/internal/launch/stdio"
)

// rdma reports whether MPI has RDMA hardware between hosts, judged by this host.
func (c *command) rdma() (bool, error) {
	found, err := bridge.DetectRDMA(func(name string) string {
		if name == envvar.RDMA && c.opts.RDMA != "" {
			return c.opts.RDMA
		}
		value, _ := envvar.Lookup(c.std.Environ, name)
		return value
	}, os.DirFS(bridge.RDMADevices))
	return found.Usable(), err
}

// description reads the inputfile or YAML description.
func (c *command) description() (input *config.Inputfile, fromStdin bool, err error) {
	if len(c.opts.Args) == 0 || c.opts.Args[0] == "-" {
		if stdio.IsTerminal(c.std.Stdin) {
			return nil, true, &config.UsageError{Err: errNoDescription}
		}
		text, err := config.ReadAll("(standard input)", c.std.Stdin)
		if err != nil {
			return nil, true, err
		}
		input, err := config.ParseInputfile("(standard input)", text)
		return input, true, err
	}
	name := c.opts.Args[0]
	text, err := config.ReadFile(name)
	if err != nil {
		return nil, false, err
	}
	switch strings.ToLower(filepath.Ext(name)) {
	case ".yaml", ".yml":
		input, err = config.ParseYAML(name, text)
	default:
		input, err = config.ParseInputfile(name, text)
	}
	return input, false, err
}

// checkSyntax returns an error if a runtime line or a command is no complete shell command. Each must be
// complete, because the launchers insert other words between them.
func checkSyntax(input *config.Inputfile) error {
	checked := map[string]bool{}
	for j, job := range input.Jobs {
		for _, part := range []struct {
			what, text string
			line       int
		}{{"runtime line", job.Launcher, job.Line}, {"command", job.Command, job.CommandLine}} {
			if checked[part.text] {
				continue
			}
			checked[part.text] = true
			if err := shell.CheckSyntax(part.text); err != nil {
				return config.Errorf(input.File, part.line, "%s of job %d: %w", part.what, j, err)
			}
		}
	}
	return nil
}

// writeMachineFiles writes the files that name the hosts for the launchers, and the remote shells of jobs
// that need a separate one.
func writeMachineFiles(plan *plan.Plan) error {
	files := map[string]string{}
	for _, job := range plan.Jobs {
		maps.Copy(files, job.MachineFiles())
	}
	for _, dvm := range plan.DVMs {
		files[dvm.MachineFile] = dvm.MachineText
	}
	for _, job := range plan.Jobs {
		if job.ShellFile == "" {
			continue
		}
		if err := os.WriteFile(job.ShellFile, []byte(job.ShellText), 0o700); err != nil {
			return err
		}
	}
	delete(files, "")
	return writeFiles(files)
}

// writeFiles writes files of a run. files has the text of each by path.
func writeFiles(files map[string]string) error {
	for name, text := range files {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			return err
		}
	}
	return nil
}

// jobEnviron returns the environment of the jobs. It lets jobs find launchers beside macprun without PATH: an
// acprun beside macprun before any other acprun, an mpirun only if there is no other.
func (c *command) jobEnviron(acprun bool) []string {
	exe, err := os.Executable()
	if err != nil {
		return c.std.Environ
	}
	dir := filepath.Dir(exe)
	path, set := envvar.Lookup(c.std.Environ, "PATH")
	switch {
	case !set || path == "":
		path = dir + ":/usr/local/bin:/usr/bin:/bin"
	case acprun:
		path = dir + ":" + path
	default:
		path += ":" + dir
	}
	return envvar.With(c.std.Environ, "PATH="+path)
}

// errNoDescription: there is no description to read.
var errNoDescription = errors.New("no inputfile named and standard input is a terminal; macprun -help says more")
