// Package command is the program acpweights, which makes files with weights for links.
package command

import (
	"fmt"
	"io"
	"os"

	"github.com/goacp/goacp/internal/ground/release"
	"github.com/goacp/goacp/weights"
)

// The exit statuses.
const (
	failure = 1
	usage   = 2
)

// Run carries out a command line, which has no name of a program, and returns the exit status.
func Run(args []string, stdout, stderr io.Writer) int {
	r, err := parse(args)
	if err != nil {
		fmt.Fprintln(stderr, "acpweights:", err)
		return usage
	}
	switch r.print {
	case "help":
		_, err = io.WriteString(stdout, help())
	case "version":
		_, err = fmt.Fprintln(stdout, "acpweights", release.Version)
	default:
		err = r.carryOut(stdout)
	}
	if err != nil {
		fmt.Fprintln(stderr, "acpweights:", err)
		return failure
	}
	return 0
}

// checkOutput returns an error if the output would replace one of the grids, or something that is no file.
func (r *request) checkOutput() error {
	output, err := os.Stat(r.output)
	if err != nil {
		return nil // it is not there yet, and otherwise writing tells what is wrong
	}
	if !output.Mode().IsRegular() {
		return fmt.Errorf("%s is no file, but %s; expected the name of a file", r.output, output.Mode().Type())
	}
	for _, name := range []string{r.from, r.to} {
		if input, err := os.Stat(name); err == nil && os.SameFile(input, output) {
			return fmt.Errorf("%s is both a grid and OUTPUT; expected another name for OUTPUT", r.output)
		}
	}
	return nil
}

// carryOut makes the weights, and prints a line about them.
func (r *request) carryOut(stdout io.Writer) error {
	if err := r.checkOutput(); err != nil {
		return err
	}
	from, err := weights.ReadGrid(r.from, r.fromVariable)
	if err != nil {
		return err
	}
	to, err := weights.ReadGrid(r.to, r.toVariable)
	if err != nil {
		return err
	}
	m, err := weights.Make(from, to, r.options)
	if err != nil {
		return err
	}
	if err := m.WriteFile(r.output); err != nil {
		return err
	}
	rows := 0
	for i, e := range m.Entries {
		if i == 0 || m.Entries[i-1].Row != e.Row {
			rows++
		}
	}
	_, err = fmt.Fprintf(stdout, "%s: %d weights; %d of %d points have some\n", r.output, len(m.Entries), rows, to.Len())
	return err
}
