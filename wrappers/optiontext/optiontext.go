// Package optiontext describes the options and variables of the wrapper compilers, for their help, the manual and the
// completion of shells.
package optiontext

import (
	"fmt"
	"slices"
	"strings"

	"github.com/goacp/goacp/internal/ground/envvar"
)

// Option is an option that a wrapper compiler takes for itself.
type Option struct {
	Spellings []string // with one dash; each may also begin with two
	Value     string   // the name of the value; "" if the option has none
	Joined    bool     // the value stands behind an equals sign
	Choices   []string // the values, if there are few
	Help      string
	Only      Wrappers // the wrappers that have it
}

// Wrappers is a set of wrapper compilers.
type Wrappers int

const (
	// All are all wrappers.
	All Wrappers = iota
	// WithMPI are those for programs with MPI.
	WithMPI
	// NotGo are those for other languages than Go.
	NotGo
)

// Options are all options, in the order of the help.
var Options = []Option{
	{Spellings: []string{"-showme", "-show"}, Help: "print the complete command"},
	{Spellings: []string{"-showme:command"}, Help: "print the compiler"},
	{Spellings: []string{"-showme:compile"}, Help: "print the flags added for compiling"},
	{Spellings: []string{"-showme:link"}, Help: "print the flags added for linking"},
	{Spellings: []string{"-showme:incdirs"}, Help: "print the folders of the headers"},
	{Spellings: []string{"-showme:libdirs"}, Help: "print the folders of the libraries"},
	{Spellings: []string{"-showme:libs"}, Help: "print the names of the libraries"},
	{Spellings: []string{"-showme:version"}, Help: "print the version of the ACP library"},
	{Spellings: []string{"-showme:help"}, Help: "print all options"},
	{Spellings: []string{"-help"}, Help: "print the most useful options; with two dashes, except for Go, the options of the compiler"},
	{Spellings: []string{"-compile-info", "-compile_info"}, Help: "print the compiler and the flags added for compiling"},
	{Spellings: []string{"-link-info", "-link_info"}, Help: "print the compiler and the flags added for linking"},
	{Spellings: []string{"-ndev"}, Value: "X", Choices: Networks, Help: "network to link for; accepted, since the library has all networks"},
	{Spellings: []string{"-mpi"}, Value: "NAME", Only: WithMPI, Help: "the MPI to build for: openmpi, mpich, or an mpicc that configure has found"},
	{Spellings: []string{"-mhook"}, Only: NotGo, Help: "link libacphook: malloc returns memory that other processes can map"},
	{Spellings: []string{"-mhooksmall"}, Only: NotGo, Help: "link libacphook for blocks of less than -mhooklow bytes"},
	{Spellings: []string{"-mhooklarge"}, Only: NotGo, Help: "link libacphook for blocks of at least -mhooklow and less than -mhookhigh bytes"},
	{Spellings: []string{"-mhookhuge"}, Only: NotGo, Help: "link libacphook for blocks of at least -mhookhigh bytes"},
	{Spellings: []string{"-mhooklow"}, Value: "SIZE", Joined: true, Only: NotGo, Help: "limit between small and large blocks, by default 128 bytes"},
	{Spellings: []string{"-mhookhigh"}, Value: "SIZE", Joined: true, Only: NotGo, Help: "limit between large and huge blocks, by default 128k"},
}

// Networks are the values of -ndev: the historical names and those of the launchers' -net. The library holds
// every network and chooses when the program starts, so none of them changes the command.
var Networks = []string{
	"udp", "UDP", "ib", "IB", "infiniband", "INFINIBAND", "tofu", "TOFU",
	"auto", "shm", "rma", "tcp",
}

// Variable is a variable of the environment that wrapper compilers read.
type Variable struct{ Name, Help string }

// Variables are all of them.
var Variables = []Variable{
	{envvar.Link, "static or shared: the library to link; by default static, and shared with -shared, -larmci, -lgp and -ldmi"},
	{envvar.WrapperData, "wrappers.yaml to read instead of the installed file"},
}

// For returns the options of a wrapper.
func For(mpi, isGo bool) []Option {
	return slices.DeleteFunc(slices.Clone(Options), func(o Option) bool { return o.Only == WithMPI && !mpi || o.Only == NotGo && isGo })
}

// Usage returns the help of the wrapper with that name.
func Usage(name string, mpi, isGo bool) string {
	var b strings.Builder
	fmt.Fprintf(&b, `Usage: %s [option ...] file ...

Runs the compiler with the flags of the ACP library. All other options are options of
the compiler (--help lists them). The forms of -showme and the options that end with
-info only print, and run nothing. Each option may also begin with two dashes.

`, name)
	for _, o := range For(mpi, isGo) {
		words := strings.Join(o.Spellings, ", ")
		if o.Joined {
			words += "=" + o.Value
		} else if o.Value != "" {
			words += " " + o.Value
		}
		entry(&b, words, o.Help)
	}
	b.WriteString("\nEnvironment:\n")
	for _, v := range Variables {
		entry(&b, v.Name, v.Help)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// Brief returns what the option -help of the wrapper with that name prints, on one screen: the most useful options, and where the others are.
// The wrapper builds a program in source, a file with that name.
func Brief(name, source string, mpi, isGo bool) string {
	var b strings.Builder
	program, _, _ := strings.Cut(source, ".")
	fmt.Fprintf(&b, `Usage: %s [option ...] file ...

Runs the compiler with the flags of the ACP library. All other options are those of the compiler.

`, name)
	if mpi {
		entry(&b, "-mpi NAME", "the MPI to build for: openmpi, mpich, or an mpicc that configure has found")
	}
	entry(&b, "-showme", "print the complete command, and run nothing")
	entry(&b, "-showme:compile, -showme:link", "print the flags added for compiling, or for linking")
	entry(&b, "ACP_LINK=shared", "in the environment: link the shared library in place of the static one")
	compiler := name + " --help"
	if isGo {
		compiler = "go help build"
	}
	fmt.Fprintf(&b, `
For example:              %s -o %s %s
All options:              %[1]s -showme:help
Options of the compiler:  %[4]s
The manual:               man %[1]s, and docs/install.md of the source`, name, program, source, compiler)
	return b.String()
}

// entry writes a term and its meaning in two columns.
func entry(b *strings.Builder, term, meaning string) {
	const column, width = 32, 88
	line := fmt.Sprintf("  %-*s", column-2, term)
	if len(term) > column-4 {
		b.WriteString("  " + term + "\n")
		line = strings.Repeat(" ", column)
	}
	for word := range strings.FieldsSeq(meaning) {
		if len(line)+len(word) > width {
			b.WriteString(strings.TrimRight(line, " ") + "\n")
			line = strings.Repeat(" ", column)
		}
		line += word + " "
	}
	b.WriteString(strings.TrimRight(line, " ") + "\n")
}
