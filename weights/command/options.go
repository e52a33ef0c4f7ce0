package command

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/goacp/goacp/weights"
)

// Option is an option of the command, for its help, its manual page and its completion.
type Option struct {
	Spellings []string
	Value     string   // the name of the value; "" if there is none
	Choices   []string // the values, if they are few
	Help      string

	set func(o *request, value string) error
}

// request is a command line.
type request struct {
	from, to, output string
	fromVariable     string
	toVariable       string
	options          weights.Options
	print            string // what is printed in place of making weights: "help" or "version"
}

// chosen returns the place of a value in a list of choices, or an error.
func chosen(value string, choices []string) (int, error) {
	for i, c := range choices {
		if value == c {
			return i, nil
		}
	}
	return 0, fmt.Errorf("%q; expected %s", value, strings.Join(choices, ", "))
}

var (
	methods        = []string{weights.Nearest.String(), weights.Bilinear.String(), weights.Conservative.String()}
	normalizations = []string{weights.CoveredArea.String(), weights.CellArea.String()}
)

// Options returns the options, in the order of the help.
func Options() []Option {
	return []Option{
		{
			Spellings: []string{"-method", "--method"}, Value: "METHOD", Choices: methods, Help: "how weights are made; conservative by default",
			set: func(r *request, value string) error {
				i, err := chosen(value, methods)
				r.options.Method = weights.Method(i)
				return err
			},
		},
		{
			Spellings: []string{"-neighbours", "--neighbours"}, Value: "N", Help: "how many points the method nearest takes; 1 by default",
			set: func(r *request, value string) error {
				n, err := strconv.Atoi(value)
				if err != nil || n < 1 {
					return fmt.Errorf("%q; expected a number from 1 on", value)
				}
				r.options.Neighbours = n
				return nil
			},
		},
		{
			Spellings: []string{"-norm", "--norm"}, Value: "AREA", Choices: normalizations,
			Help: "the area by which the method conservative divides: that which sending cells cover (fracarea), the default, or the whole cell (destarea)",
			set: func(r *request, value string) error {
				i, err := chosen(value, normalizations)
				r.options.Normalization = weights.Normalization(i)
				return err
			},
		},
		{
			Spellings: []string{"-fill", "--fill"}, Help: "points outside of all quadrilaterals of the method bilinear take the nearest point",
			set: func(r *request, _ string) error { r.options.FillNearest = true; return nil },
		},
		{
			Spellings: []string{"-from-variable", "--from-variable"}, Value: "NAME", Help: "a variable of the first file that has the grid, if the file has several grids",
			set: func(r *request, value string) error { r.fromVariable = value; return nil },
		},
		{
			Spellings: []string{"-to-variable", "--to-variable"}, Value: "NAME", Help: "the same for the second file",
			set: func(r *request, value string) error { r.toVariable = value; return nil },
		},
		{
			Spellings: []string{"-help", "--help", "-h"}, Help: "print this text and exit",
			set: func(r *request, _ string) error { r.print = "help"; return nil },
		},
		{
			Spellings: []string{"-version", "--version"}, Help: "print the version and exit",
			set: func(r *request, _ string) error { r.print = "version"; return nil },
		},
	}
}

// help returns the text of -help.
func help() string {
	var b strings.Builder
	b.WriteString(`usage: acpweights [options] FROM TO OUTPUT
Makes the weights of a link from a field on one grid to a field on another grid. FROM and TO are netCDF files with the
grids, in the format of SCRIP, or by the CF or UGRID conventions. OUTPUT is written in the Matrix Market format if its name
ends in .mtx, and otherwise as a netCDF file with the variables of ESMF_RegridWeightGen.

`)
	for _, o := range Options() {
		spellings := strings.Join(o.Spellings, ", ")
		if o.Value != "" {
			spellings += " " + o.Value
		}
		fmt.Fprintf(&b, "  %s\n        %s", spellings, o.Help)
		if len(o.Choices) > 0 {
			fmt.Fprintf(&b, "; one of %s", strings.Join(o.Choices, ", "))
		}
		b.WriteString("\n")
	}
	return b.String()
}

// parse reads the arguments.
func parse(args []string) (*request, error) {
	r := &request{options: weights.Options{Method: weights.Conservative}}
	var files []string
	for len(args) > 0 {
		arg := args[0]
		args = args[1:]
		if !strings.HasPrefix(arg, "-") || arg == "-" {
			files = append(files, arg)
			continue
		}
		o := find(arg)
		if o == nil {
			return nil, fmt.Errorf("there is no option %s; acpweights -help lists the options", arg)
		}
		_, value, joined := strings.Cut(arg, "=")
		switch {
		case o.Value == "" && joined:
			return nil, fmt.Errorf("option %s has no value", o.Spellings[0])
		case o.Value != "" && !joined && len(args) == 0:
			return nil, fmt.Errorf("option %s needs a value, %s", arg, o.Value)
		case o.Value != "" && !joined:
			value, args = args[0], args[1:]
		}
		if err := o.set(r, value); err != nil {
			return nil, fmt.Errorf("option %s: %w", o.Spellings[0], err)
		}
	}
	if r.print != "" {
		return r, nil
	}
	if len(files) != 3 {
		return nil, fmt.Errorf("%d files; expected FROM, TO and OUTPUT", len(files))
	}
	r.from, r.to, r.output = files[0], files[1], files[2]
	return r, nil
}

// find returns the option with a spelling, which a value may follow behind an equals sign; nil if there is none.
func find(arg string) *Option {
	spelling, _, _ := strings.Cut(arg, "=")
	all := Options()
	for i := range all {
		for _, s := range all[i].Spellings {
			if s == spelling {
				return &all[i]
			}
		}
	}
	return nil
}
