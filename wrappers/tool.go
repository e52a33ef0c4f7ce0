package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/goacp/goacp/wrappers/mpiflags"
	"github.com/goacp/goacp/wrappers/toolchain"
)

// A language is what a tool compiles.
type language int

const (
	langC language = iota
	langCXX
	langFortran
	langGo
)

// A tool is one of the names this program is installed under.
type tool struct {
	name string
	lang language
	mpi  bool
	dmi  bool // for programs with DMI
}

// tools are all names, in the order in which messages list them. The Makefile makes
// a link for each.
var tools = []tool{
	{"acpcc", langC, false, false}, {"acpgcc", langC, false, false},
	{"acpc++", langCXX, false, false}, {"acpcxx", langCXX, false, false},
	{"acpg++", langCXX, false, false}, {"acpgxx", langCXX, false, false}, {"acpCC", langCXX, false, false},
	{"macpcc", langC, true, false}, {"macpgcc", langC, true, false},
	{"macpc++", langCXX, true, false}, {"macpcxx", langCXX, true, false},
	{"macpg++", langCXX, true, false}, {"macpgxx", langCXX, true, false}, {"macpCC", langCXX, true, false},
	{"acpfc", langFortran, false, false}, {"macpfc", langFortran, true, false},
	{"acpgo", langGo, false, false}, {"macpgo", langGo, true, false},
	{"dmicc", langC, false, true}, {"dmic++", langCXX, false, true}, {"dmicxx", langCXX, false, true}, {"dmigo", langGo, false, true},
}

func toolNamed(name string) (tool, error) {
	i := slices.IndexFunc(tools, func(t tool) bool { return t.name == name })
	if i < 0 {
		names := make([]string, len(tools))
		for i, t := range tools {
			names[i] = t.name
		}
		return tool{}, fmt.Errorf("called by an unknown name: expected one of %s", strings.Join(names, " "))
	}
	return tools[i], nil
}

// A plan is what a tool does: become argv with env added to the environment, or,
// if argv is nil, print say.
type plan struct {
	say  string
	argv []string
	env  []string // NAME=value
}

// plan decides what to do with args. It uses only its arguments; getenv reads the environment.
func (t tool) plan(d *toolchain.Data, args []string, getenv func(string) string) (plan, error) {
	o, rest, err := t.ownOptions(args)
	if err != nil {
		return plan{}, err
	}
	var m *toolchain.MPI
	if t.mpi {
		if m, err = d.FindMPI(o.mpi); err != nil {
			if o.mpi != "" {
				err = fmt.Errorf("option -mpi: %w", err)
			}
			return plan{}, err
		}
	}
	if t.lang == langGo {
		return t.planGo(d, m, o, rest, getenv)
	}
	return t.planCompiler(d, m, o, rest, getenv)
}

// command is a command line in shell notation with its environment in front.
func (p plan) command() string {
	var words []string
	for _, e := range p.env {
		name, value, _ := strings.Cut(e, "=")
		words = append(words, name+"="+mpiflags.Quote(value))
	}
	return strings.Join(append(words, mpiflags.Join(p.argv)), " ")
}
