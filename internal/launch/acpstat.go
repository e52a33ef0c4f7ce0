package launch

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/goacp/goacp/internal/launch/config"
	"github.com/goacp/goacp/internal/launch/exit"
	"github.com/goacp/goacp/internal/launch/explain"
	"github.com/goacp/goacp/internal/launch/process"
	"github.com/goacp/goacp/internal/launch/survey"
	"github.com/goacp/goacp/internal/launch/usersocket"
)

const acpstatHelp = `usage: acpstat [options] [RUN]
Prints the state of each rank of a run, and the rank for which it waits. RUN is the process id of acprun or
macprun. Without RUN acpstat lists the runs of this user on this host.

  -json, --json
        print JSON, with times in nanoseconds and memory in bytes
  -watch, --watch
        repeat every second, until the run has ended
  -help, --help, -h
        print this text and exit
  -version, --version
        print the version and exit

What the states mean, and how to find the cause of a hang:  man acpstat, and docs/debugging.md of the source
`

// acpstat is a command line of acpstat.
type acpstat struct {
	std   StdIO
	run   string // "" = list the runs
	json  bool
	watch bool
}

// Acpstat is the program acpstat: it prints the states of the ranks of a run, and returns the exit status.
func Acpstat(std StdIO) int {
	a := &acpstat{std: std}
	for _, arg := range std.Args {
		switch arg {
		case "-json", "--json":
			a.json = true
		case "-watch", "--watch":
			a.watch = true
		case "-help", "--help", "-h":
			return a.print(func(w io.Writer) error { _, err := io.WriteString(w, acpstatHelp); return err })
		case "-version", "--version":
			return a.print(func(w io.Writer) error { _, err := fmt.Fprintln(w, config.VersionText("acpstat")); return err })
		default:
			if strings.HasPrefix(arg, "-") || a.run != "" {
				fmt.Fprintf(std.Stderr, "acpstat: unexpected argument %q; see acpstat -help\n", arg)
				return exit.Usage
			}
			a.run = arg
		}
	}
	if a.watch {
		return a.repeat()
	}
	status, err := a.once(std.Stdout)
	return a.end(status, err)
}

// end reports an error and returns the exit status.
func (a *acpstat) end(status int, err error) int {
	if err != nil {
		fmt.Fprintln(a.std.Stderr, "acpstat:", explain.Line(err.Error(), a.std.Stderr))
		return max(status, exit.Failure)
	}
	return status
}

func (a *acpstat) print(text func(io.Writer) error) int {
	return a.end(0, text(a.std.Stdout))
}

// errNoRun: there is no run with the name.
var errNoRun = errors.New("no such run of this user on this host")

// once prints the output once. A launcher that does not answer is an error; the answers of other launchers
// are still printed.
func (a *acpstat) once(to io.Writer) (status int, err error) {
	runs, problems, err := a.find()
	if err != nil {
		return exit.Failure, errors.Join(err, problems)
	}
	return 0, errors.Join(a.write(to, runs), problems)
}

// find returns the run of the command line, or all runs.
func (a *acpstat) find() (runs []survey.Run, problems, err error) {
	host, err := os.Hostname()
	if err != nil {
		host = "this host"
	}
	prefix := process.RunDirPrefix
	_, notNumber := strconv.Atoi(a.run)
	if notNumber == nil {
		prefix += a.run + "-"
	}
	sockets := usersocket.Find(runDirs().Directories, prefix, survey.SocketName)
	all, problems := survey.Find(sockets, host)
	if a.run == "" {
		return all, problems, nil
	}
	for i := range all {
		if all[i].Name == a.run {
			return all[i : i+1], nil, nil
		}
	}
	if notNumber == nil && problems != nil && slices.ContainsFunc(sockets, usersocket.Served) {
		return nil, nil, problems // the launcher of the run may be stopped
	}
	return nil, problems, fmt.Errorf("%s: %w", a.run, errNoRun)
}

// write writes runs in the form that the options select.
func (a *acpstat) write(to io.Writer, runs []survey.Run) error {
	switch {
	case a.json && a.run != "":
		return json.NewEncoder(to).Encode(&runs[0])
	case a.json:
		if runs == nil {
			runs = []survey.Run{}
		}
		return json.NewEncoder(to).Encode(runs)
	case a.run != "":
		return runs[0].Write(to)
	case len(runs) == 0:
		_, err := fmt.Fprintln(to, "no runs of this user on this host")
		return err
	}
	return survey.List(to, runs)
}

// watchInterval is the time between two outputs of -watch.
const watchInterval = time.Second

// repeat prints again and again. On a terminal each output takes the place of the one before. It ends when
// the run of the command line has ended.
func (a *acpstat) repeat() int {
	terminal := false
	if info, err := a.std.Stdout.Stat(); err == nil {
		terminal = info.Mode()&os.ModeCharDevice != 0 && !a.json
	}
	for first := true; ; first = false {
		var text strings.Builder
		_, err := a.once(&text)
		if errors.Is(err, errNoRun) {
			if first {
				return a.end(0, err)
			}
			return 0
		}
		switch {
		case err == nil:
		case a.json:
			fmt.Fprintln(a.std.Stderr, "acpstat:", err)
		default:
			fmt.Fprintln(&text, "acpstat:", err)
		}
		if err := a.show(text.String(), first, terminal); err != nil {
			return a.end(exit.Failure, err)
		}
		time.Sleep(watchInterval)
	}
}

// show writes one output of -watch.
func (a *acpstat) show(text string, first, terminal bool) error {
	switch {
	case terminal:
		// Move to the upper left corner, clear the rest of each line, and finally clear the screen below.
		text = "\x1b[H" + strings.ReplaceAll(text, "\n", "\x1b[K\n") + "\x1b[J"
	case !first && !a.json:
		text = "\n" + text
	}
	_, err := io.WriteString(a.std.Stdout, text)
	return err
}
