// Fortrangen writes the Fortran modules acp and acp_couple from acp.h and acp_couple.h:
//
//	go run ./gen/fortrangen FOLDER
//
// writes them to FOLDER, which exists. It needs no Fortran compiler.
//
// A module has every type, constant, variable and function of the header under its name in C:
//
//   - A typedef of an integer or of a pointer to an unknown struct is the kind of an integer. A
//     struct is a type with the attribute bind(C).
//   - A function is an interface with the attribute bind(C). Functions of type void are
//     subroutines. Arguments are passed by value.
//   - An address without a type is a type(c_ptr), or an array of one of several types: the name of the function is
//     generic. C gets the array as lib/fortran/goacp_array.h describes it. A pointer to something is an argument
//     by reference: an array if its name is a plural, otherwise a scalar.
//   - A function with a string gets a procedure that takes or returns a Fortran string, since
//     those of C end with a character that Fortran does not write.
//   - Numbers of 8 bytes, and arrays of such integers, may also have the kinds of literals: the name of the function is generic.
//   - If the comment of a function says that an argument may be NULL, the argument is optional.
//   - A macro such as acp_push_back, which puts the name of a structure behind its own, is a
//     generic name of the functions that a compiler tells apart by their first arguments.
//
// The program refuses what it has no rule for.
package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// module is a module of Fortran, which is made of a header.
type module struct {
	name   string
	header string // path below the root of the source
	about  string // what it is for

	strided bool // its functions take arrays that are not contiguous
}

var modules = []module{
	{name: "acp", header: "lib/acp/acp.h", about: "Advanced Communication Primitives, specification 2.1."},
	{name: "acp_couple", header: "lib/acp/acp_couple.h", about: "Coupling of programs.", strided: true},
}

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: fortrangen FOLDER")
		os.Exit(2)
	}
	if err := generate(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "fortrangen:", err)
		os.Exit(1)
	}
}

// generate writes all modules to a folder.
func generate(dir string) error {
	root, err := moduleRoot()
	if err != nil {
		return err
	}
	for _, m := range modules {
		source, err := m.source(root)
		if err != nil {
			return fmt.Errorf("%s: %w", m.header, err)
		}
		if err := os.WriteFile(filepath.Join(dir, m.name+".f90"), source, 0o666); err != nil {
			return err
		}
	}
	return nil
}

// moduleRoot returns the folder of go.mod.
func moduleRoot() (string, error) {
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}").Output()
	return strings.TrimSpace(string(out)), err
}

// source returns the source of the module. root is that of the source of this library.
func (m *module) source(root string) ([]byte, error) {
	text, err := os.ReadFile(filepath.Join(root, m.header))
	if err != nil {
		return nil, err
	}
	h, err := parse(string(text))
	if err != nil {
		return nil, err
	}
	return h.source(m)
}
