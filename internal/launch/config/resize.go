package config

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Resizes reports whether the command asks for another number of ranks of a run or for a list of them, and starts no program of its own.
func (o *Options) Resizes() bool { return o.Add > 0 || len(o.Leave) > 0 || o.Nodes }

// errJobAlone is the error of a command that names a job and adds no processes to it.
var errJobAlone = &UsageError{Option: "-job", Err: errors.New("names the job of a run that gets more processes; give their number by -to RUN -np +N")}

// checkResize checks the options of a command that resizes a run, which are in words.
func (o *Options) checkResize(p Program, words []word) error {
	if err := o.checkResizeAlone(p); err != nil {
		return err
	}
	adding := "-np +N"
	if p == Dmimw {
		adding = "-n"
	}
	for _, w := range words {
		switch w.resize {
		case ofRun:
			return &UsageError{Option: w.spelling, Err: errors.New("has no effect on a run that computes already; leave it out, or give it when the run starts")}
		case ofAdded:
			if o.Add == 0 {
				return &UsageError{Option: w.spelling, Err: fmt.Errorf("is for processes that %s adds to a run, and this command adds none", adding)}
			}
		}
	}
	return nil
}

// checkResizeAlone checks the options that make a command one that resizes a run.
func (o *Options) checkResizeAlone(p Program) error {
	option := "-leave"
	switch {
	case o.Nodes:
		return o.checkNodes()
	case o.Add > 0 && p == Dmimw:
		option = "-n"
	case o.Add > 0:
		option = "-np"
	}
	switch {
	case !o.Attaches():
		return &UsageError{Option: option, Err: errors.New("changes the ranks of a run that computes already; name the run by -to")}
	case o.Max > 0:
		return &UsageError{Option: "-max", Err: errors.New("is for a run of its own, and -to names another run")}
	case o.Job != "" && o.Add == 0:
		return errJobAlone
	case len(o.Args) > 0:
		return &UsageError{Option: option, Err: fmt.Errorf("the run has its program; found %q behind the options", o.Args[0])}
	}
	return nil
}

// checkNodes checks the options of a command that lists the processes of a run.
func (o *Options) checkNodes() error {
	var err error
	switch {
	case !o.Attaches():
		err = errors.New("lists the processes of a run that computes already; name the run by -to")
	case o.Add > 0:
		err = errors.New("changes nothing; leave out -n")
	case len(o.Leave) > 0:
		err = errors.New("changes nothing; leave out -leave")
	case len(o.Args) > 0:
		err = fmt.Errorf("the run has its program; found %q behind the options", o.Args[0])
	default:
		return nil
	}
	return &UsageError{Option: "-nodes", Err: err}
}

// parseRanks parses a list of ranks such as 3,5-7, and returns them ascending.
func parseRanks(text string) ([]int, error) {
	var ranks []int
	for _, part := range strings.Split(text, ",") {
		from, to, isRange := strings.Cut(part, "-")
		first, err := strconv.Atoi(from)
		last := first
		if err == nil && isRange {
			last, err = strconv.Atoi(to)
		}
		if err != nil || first < 0 || last < first || last >= MaxProcesses {
			return nil, fmt.Errorf("%q is no list of ranks; expected for example 3,5-7", text)
		}
		for rank := first; rank <= last; rank++ {
			ranks = append(ranks, rank)
		}
	}
	slices.Sort(ranks)
	return slices.Compact(ranks), nil
}
