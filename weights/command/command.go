// Package command is the program acpweights, which makes files with weights for links.
package command

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

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

// carryOut makes the weights, and prints a line about them.
func (r *request) carryOut(stdout io.Writer) error {
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
	write := m.WriteNetCDF
	if strings.HasSuffix(r.output, ".mtx") {
		write = m.WriteMatrixMarket
	}
	if err := store(r.output, write); err != nil {
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

// store writes a file. Until it is complete it has another name, so that no file of the name is a part of one.
func store(name string, write func(w io.Writer) error) error {
	file, err := os.CreateTemp(filepath.Dir(name), "."+filepath.Base(name)+".*")
	if err != nil {
		return err
	}
	out := bufio.NewWriterSize(file, 1<<20)
	err = write(out)
	err = errors.Join(err, out.Flush(), file.Chmod(0o644), file.Close())
	if err == nil {
		err = os.Rename(file.Name(), name)
	}
	if err != nil {
		err = errors.Join(fmt.Errorf("%s: %w", name, err), os.Remove(file.Name()))
	}
	return err
}
