package config

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
)

// JobSpec is one job as an inputfile or a YAML description describes it.
type JobSpec struct {
	Line     int    // line of the description that introduces the job
	Name     string // "" = that of its program
	NameLine int    // line that holds the name
	Launcher string // runtime line: launcher and its options, in shell syntax
	MPI      string // that the launcher belongs to: openmpi, mpich, with or without -VERSION, other; "" = the launcher is asked
	Size     int    // number of processes
	SizeLine int    // line that holds the size
	Max      int    // ranks that the job can ever have; 0 = their number is fixed; YAML only
	MaxLine  int    // line that holds Max
	Command  string // program and arguments, in shell syntax
	// CommandLine is the line that holds the command.
	CommandLine int
	Env         []string // NAME=VALUE added to the environment; YAML only
	Dir         string   // working directory; "" = that of macprun; YAML only
}

// Inputfile is the description of a run: its jobs, and the options that a YAML description
// sets.
type Inputfile struct {
	File     string // as the user named it
	Jobs     []JobSpec
	Defaults Options  // top level of a YAML description; the command line wins
	Warnings []string // each is one line, with file and line
}

// maxJobs is the largest number of jobs of a run. A misprint in the first line must not use up
// the memory of the machine.
const maxJobs = 4096

// item is a line of an inputfile that is neither a comment nor empty.
type item struct {
	line    int
	text    string
	comment string // behind the text, without its #
}

// ParseInputfile parses an inputfile: the number of jobs N, then N runtime lines, N sizes and N commands, one
// item per line. Comments begin with # and cannot be quoted. A comment name=NAME behind a command names the
// job, and mpi=MPI behind a runtime line the MPI of its launcher. Empty lines and lines after the last item
// are ignored; a warning reports such lines. Errors are of type *ParseError and name the line.
//
// It does not block. Safe for concurrent use. Spec A.4.
func ParseInputfile(file string, text []byte) (*Inputfile, error) {
	items, last, err := inputItems(file, text)
	if err != nil {
		return nil, err
	}
	r := &itemReader{file: file, items: items, last: last}
	count, n, err := r.count(bytes.HasPrefix(text, []byte("#!")))
	if err != nil {
		return nil, err
	}
	input := &Inputfile{File: file, Jobs: make([]JobSpec, n)}
	for j := range input.Jobs {
		it, err := r.next(fmt.Sprintf("the runtime line of job %d of %d", j, n))
		if err != nil {
			return nil, err
		}
		input.Jobs[j] = JobSpec{Line: it.line, Launcher: it.text}
		name, given := valueInComment(it.comment, "mpi=")
		if !given {
			continue
		}
		if err := checkMPIName(name, j); err != nil {
			return nil, Errorf(file, it.line, "%w", err)
		}
		input.Jobs[j].MPI = name
	}
	for j := range input.Jobs {
		it, err := r.next(fmt.Sprintf("the size of job %d of %d", j, n))
		if err != nil {
			return nil, err
		}
		size, err := parseCount(it.text)
		switch {
		case err != nil && !strings.ContainsRune("+-0123456789", rune(it.text[0])): // a runtime line?
			return nil, Errorf(file, it.line, "size of job %d: %w, as the number of jobs in line %d is %d", j, err, count.line, n)
		case err != nil:
			return nil, Errorf(file, it.line, "size of job %d: %w", j, err)
		}
		input.Jobs[j].Size, input.Jobs[j].SizeLine = size, it.line
	}
	for j := range input.Jobs {
		it, err := r.next(fmt.Sprintf("the command of job %d of %d", j, n))
		if err != nil {
			return nil, err
		}
		if err := input.Jobs[j].takeCommand(it, j); err != nil {
			return nil, Errorf(file, it.line, "%w", err)
		}
	}
	if len(r.items) > 0 {
		rest := r.items[0]
		input.Warnings = append(input.Warnings, fmt.Sprintf("%s:%d: %q and what follows is ignored: the number of jobs in line %d is %d, and the last command is in line %d",
			file, rest.line, rest.text, count.line, n, input.Jobs[n-1].CommandLine))
	}
	return input, checkDifferentNames(input)
}

// takeCommand takes the item with the command of job number j, and the name in its comment.
func (job *JobSpec) takeCommand(it item, j int) (err error) {
	job.Command, job.CommandLine, job.NameLine = it.text, it.line, it.line
	if name, given := valueInComment(it.comment, "name="); given {
		job.Name, err = jobName(name, j)
	}
	return err
}

// itemReader gives out the items of an inputfile.
type itemReader struct {
	file  string
	items []item // those that are left
	last  int    // number of the last line
}

// next returns the next item. what describes it in errors.
func (r *itemReader) next(what string) (item, error) {
	if len(r.items) == 0 {
		return item{}, &ParseError{File: r.file, Line: r.last, Err: fmt.Errorf("%w where %s was expected", errEnded, what)}
	}
	it := r.items[0]
	r.items = r.items[1:]
	return it, nil
}

// count returns the item with the number of jobs, and the number. script is true if the file is a script.
func (r *itemReader) count(script bool) (item, int, error) {
	it, err := r.next("the number of jobs")
	if err != nil {
		return it, 0, err
	}
	n, err := parseCount(it.text)
	switch {
	case err != nil && script:
		return it, 0, Errorf(r.file, it.line, "number of jobs: %w; this is a script, and acprun -np N starts programs", err)
	case err != nil:
		return it, 0, Errorf(r.file, it.line, "number of jobs: %w", err)
	case n > maxJobs:
		return it, 0, Errorf(r.file, it.line, "number of jobs: %d is more than the %d that a run can hold", n, maxJobs)
	}
	return it, n, nil
}

// notText returns an error if text is a program or is not in UTF-8.
func notText(file string, text []byte) error {
	switch {
	case bytes.HasPrefix(text, []byte("\x7fELF")):
		return &ParseError{File: file, Err: errors.New("this is a program, not the description of a run; acprun -np N starts programs")}
	case bytes.HasPrefix(text, []byte("\xff\xfe")) || bytes.HasPrefix(text, []byte("\xfe\xff")):
		return &ParseError{File: file, Err: errors.New("the text is in UTF-16; expected UTF-8")}
	}
	return nil
}

// inputItems returns the items of an inputfile and the number of its last line.
func inputItems(file string, text []byte) (items []item, last int, err error) {
	if err := notText(file, text); err != nil {
		return nil, 0, err
	}
	text = bytes.TrimPrefix(text, []byte(byteOrderMark))
	for line := range strings.Lines(string(text)) {
		last++
		if strings.ContainsRune(line, 0) {
			return nil, 0, Errorf(file, last, "the line holds a zero byte; expected text")
		}
		before, comment, _ := strings.Cut(line, "#")
		if before = strings.TrimSpace(before); before != "" {
			items = append(items, item{line: last, text: before, comment: comment})
		}
	}
	return items, last, nil
}
