// Fortrangen writes the Fortran modules acp and acp_couple from acp.h and acp_couple.h:
//
//	go generate ./gen/fortrangen
//	go run ./gen/fortrangen -check
//
// With -check it writes nothing and fails if a module is not what it would write.
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
//   - If the comment of a function says that an argument may be NULL, the argument is optional.
//   - A macro such as acp_push_back, which puts the name of a structure behind its own, is a
//     generic name of the functions that a compiler tells apart by their first arguments.
//
// The program refuses what it has no rule for.
package main

//go:generate go run .

import (
	"bytes"
	"flag"
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

// path returns where the module is, below the root of the source.
func (m *module) path() string { return "lib/fortran/" + m.name + ".f90" }

var modules = []module{
	{name: "acp", header: "lib/acp/acp.h", about: "Advanced Communication Primitives, specification 2.1."},
	{name: "acp_couple", header: "lib/acp/acp_couple.h", about: "Coupling of programs.", strided: true},
}

func main() {
	check := flag.Bool("check", false, "write nothing, and fail if a module is not current")
	flag.Parse()
	root, err := moduleRoot()
	for _, m := range modules {
		if err == nil {
			err = m.generate(root, *check)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "fortrangen:", err)
		os.Exit(1)
	}
}

// moduleRoot returns the folder of go.mod.
func moduleRoot() (string, error) {
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}").Output()
	return strings.TrimSpace(string(out)), err
}

// generate writes the module below root, or checks that it is current.
func (m *module) generate(root string, check bool) error {
	text, err := os.ReadFile(filepath.Join(root, m.header))
	if err != nil {
		return err
	}
	h, err := parse(string(text))
	if err != nil {
		return fmt.Errorf("%s: %w", m.header, err)
	}
	source, err := h.source(m)
	if err != nil {
		return fmt.Errorf("%s: %w", m.header, err)
	}
	path := filepath.Join(root, m.path())
	if !check {
		return os.WriteFile(path, source, 0o666)
	}
	now, err := os.ReadFile(path)
	if err == nil && !bytes.Equal(now, source) {
		err = fmt.Errorf("%s is not what %s says: run go generate ./gen/fortrangen", m.path(), m.header)
	}
	return err
}
