package main

import (
	"fmt"
	"strings"
)

// procedure writes the procedure that converts the strings of a function.
func (w *writer) procedure(f *function) error {
	var declared, locals, before, passed []string
	for _, p := range f.parameters {
		if !p.isString() {
			d, err := w.outer(p)
			if err != nil {
				return err
			}
			declared, passed = append(declared, d), append(passed, p.name)
			continue
		}
		optional, condition := "", ""
		if p.optional {
			optional, condition = ", optional", fmt.Sprintf("if (present(%s)) ", p.name)
		}
		declared = append(declared, fmt.Sprintf("character(*), intent(in)%s :: %s", optional, p.name))
		locals = append(locals, fmt.Sprintf("character(kind=c_char), allocatable, target :: c_%s(:)", p.name))
		before = append(before, fmt.Sprintf("%scall to_c(trim(%s), c_%s)", condition, p.name, p.name))
		passed = append(passed, fmt.Sprintf("address_of(c_%s)", p.name))
	}
	result, err := w.h.result(f.result)
	if err != nil {
		return err
	}
	call := fmt.Sprintf("c_%s(%s)", f.name, strings.Join(passed, ", "))
	unit := "function"
	switch {
	case f.result.isString():
		result, call = "character(:), allocatable", fmt.Sprintf("%s = to_fortran(%s)", f.name, call)
	case result == "":
		unit, call = "subroutine", "call "+call
	default:
		call = f.name + " = " + call
	}
	inC, err := w.interfaceOf(f, "c_"+f.name, fmt.Sprintf("bind(C, name=%q)", f.name))
	if err != nil {
		return err
	}
	w.line("\n  ! %s", f.declaration)
	w.line("  %s %s(%s)", unit, f.name, f.arguments())
	for _, d := range declared {
		w.line("    %s", d)
	}
	if unit == "function" {
		w.line("    %s :: %s", result, f.name)
	}
	for _, l := range locals {
		w.line("    %s", l)
	}
	fmt.Fprintf(w, "    interface\n%s    end interface\n\n", indented(inC))
	for _, b := range before {
		w.line("    %s", b)
	}
	w.line("    %s", call)
	w.line("  end %s %s", unit, f.name)
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
		procedures := g.functions
		for _, s := range w.h.sections {
			for _, f := range s.functions {
				if structure, ok := strings.CutPrefix(f.name, g.name+"_"); ok && f.worksOn(structure) {
					procedures = append(procedures, f.name)
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
