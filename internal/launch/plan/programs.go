package plan

import (
	"strconv"
	"strings"

	"github.com/goacp/goacp/internal/launch/config"
	"github.com/goacp/goacp/internal/launch/shell"
)

// programs are the programs of a command that has several, with a size for each:
// -np 2 ./ocean : -np 2 ./air.
type programs struct {
	first string // the first program
	size  int    // processes of all
}

// programsOf returns the programs of a command that begins with an option of its launcher. ok is
// false for any other command. The size of a program stands directly before it.
func programsOf(command string) (p programs, ok bool) {
	if !strings.HasPrefix(command, "-") {
		return p, false
	}
	sized := false
	size := 0
	for _, word := range append(shell.Split(command), ":") {
		switch n, err := strconv.Atoi(word); {
		case word == ":":
			sized = false
		case word == "-np" || word == "-n":
			sized, size = true, 0
		case sized && size == 0 && err == nil && n > 0:
			size = n
			p.size += n
		case sized && size > 0:
			if p.first == "" {
				p.first = word
			}
			sized = false
		}
	}
	return p, true
}

// checkPrograms returns an error unless the sizes of the programs of a command add up to that of the
// job.
func checkPrograms(file string, spec config.JobSpec) error {
	if p, several := programsOf(spec.Command); several && p.size != spec.Size {
		return config.Errorf(file, spec.NameLine, "the programs of the command have %d processes, but the size of the job is %d; expected -np N before each program, and the sum as the size", p.size, spec.Size)
	}
	return nil
}
