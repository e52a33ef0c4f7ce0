package main

import (
	"fmt"
	"slices"
	"strings"
)

// procedure writes the procedure that converts the strings of a function.
func (w *writer) procedure(f *function) error { return w.procedureOf(f, f.name, "") }

// conversion is how a procedure gets its arguments, and gives them to a function of C.
type conversion struct{ declared, locals, before, passed []string }

// convert returns the conversion of the arguments of a function. If element is not empty, it is the type of
// an array that stands for the address.
func (w *writer) convert(f *function, element string) (*conversion, error) {
	c := &conversion{}
	for _, p := range f.parameters {
		switch {
		case p.isString():
			optional, condition := "", ""
			if p.optional {
				optional, condition = ", optional", fmt.Sprintf("if (present(%s)) ", p.name)
			}
			c.declared = append(c.declared, fmt.Sprintf("character(*), intent(in)%s :: %s", optional, p.name))
			if element != "" && !w.m.strided { // the procedure that takes an address converts them
				c.passed = append(c.passed, p.name)
				continue
			}
			c.locals = append(c.locals, fmt.Sprintf("character(kind=c_char), allocatable, target :: c_%s(:)", p.name))
			c.before = append(c.before, fmt.Sprintf("%scall to_c(trim(%s), c_%s)", condition, p.name, p.name))
			c.passed = append(c.passed, fmt.Sprintf("address_of(c_%s)", p.name))
		case p.isAddress() && element != "":
			c.declared = append(c.declared, takenArray(element, p.name))
			c.locals = append(c.locals, "type(goacp_array) :: array")
			c.before = append(c.before, fmt.Sprintf("call goacp_describe(%s, array)", p.name))
			if w.m.strided {
				c.passed = append(c.passed, "array")
			} else {
				c.passed = append(c.passed, "array%base")
			}
		default:
			d, err := w.outer(p)
			if err != nil {
				return nil, err
			}
			c.declared, c.passed = append(c.declared, d), append(c.passed, p.name)
		}
	}
	return c, nil
}

// procedureOf writes a procedure for a function under a name. If element is not empty, it is the type of an
// array that stands for the address.
func (w *writer) procedureOf(f *function, name, element string) error {
	c, err := w.convert(f, element)
	if err != nil {
		return err
	}
	result, err := w.h.result(f.result)
	if err != nil {
		return err
	}
	called := "c_" + f.name
	switch {
	case element != "" && w.m.strided:
		called = describedName(f)
	case element != "":
		called = f.name
		c.before = append(c.before, fmt.Sprintf("%s = %s", name, w.failed(f)),
			fmt.Sprintf("if (goacp_usable(array, %s, '%s' // c_null_char) == 0) return", f.bytes(), f.name))
	}
	call := fmt.Sprintf("%s(%s)", called, strings.Join(c.passed, ", "))
	unit := "function"
	switch {
	case f.result.isString():
		result, call = "character(:), allocatable", fmt.Sprintf("%s = to_fortran(%s)", name, call)
	case result == "":
		unit, call = "subroutine", "call "+call
	default:
		call = name + " = " + call
	}
	w.line("\n  ! %s", f.declaration)
	w.line("  %s %s(%s)", unit, name, f.arguments())
	for _, d := range c.declared {
		w.line("    %s", d)
	}
	if unit == "function" {
		w.line("    %s :: %s", result, name)
	}
	for _, l := range c.locals {
		w.line("    %s", l)
	}
	if element == "" {
		inC, err := w.interfaceOf(f, called, fmt.Sprintf("bind(C, name=%q)", f.name))
		if err != nil {
			return err
		}
		fmt.Fprintf(w, "    interface\n%s    end interface\n", indented(inC))
	}
	w.line("")
	for _, b := range append(c.before, call) {
		w.line("    %s", b)
	}
	w.line("  end %s %s", unit, name)
	return nil
}

// indented returns lines with two more blanks before each.
func indented(lines string) string {
	return "  " + strings.TrimRight(strings.ReplaceAll(lines, "\n", "\n  "), " ")
}

// outer returns the declaration of a parameter that a procedure passes on.
func (w *writer) outer(p parameter) (string, error) {
	declared, err := w.h.dummy(p)
	return strings.Replace(declared, ", value", ", intent(in)", 1), err
}

// generics writes the generic names. A function has that of a macro if its name is that of the macro
// with the name of a structure behind it, and its first argument is of the type of that structure:
// then compilers can tell the functions apart.
func (w *writer) generics() {
	w.line("\n  ! Generic names")
	for _, g := range w.h.generics {
		procedures := slices.Clone(g.functions)
		for _, s := range w.h.sections {
			for _, f := range s.functions {
				structure, ok := strings.CutPrefix(f.name, g.name+"_")
				switch {
				case slices.Contains(g.functions, f.name):
					procedures = append(procedures, f.narrowNames(f.name)...)
				case ok && f.worksOn(structure):
					procedures = append(procedures, f.specifics()...)
				}
			}
		}
		if len(procedures) > 0 {
			w.line("\n  interface %s", g.name)
			w.line("    procedure :: %s", strings.Join(procedures, ", "))
			w.line("  end interface %s", g.name)
		}
	}
}

// worksOn reports whether the first argument is a structure of that name, or an iterator of one.
func (f *function) worksOn(structure string) bool {
	if len(f.parameters) == 0 {
		return false
	}
	first := f.parameters[0].base
	return first == "acp_"+structure+"_t" || first == "acp_"+structure+"_it_t"
}
