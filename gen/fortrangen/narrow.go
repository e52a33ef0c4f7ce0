package main

import (
	"fmt"
	"slices"
	"strings"
)

// narrower are the types of numbers for which a program may pass one of another kind, that of literals such as 8 and -1.0
// and of most integers. The kinds have names, so that they are not those of C if a compiler is told to make default
// integers larger.
var narrower = map[string]struct{ kind, wider string }{
	"int64_t":  {"integer(c_int32_t)", "int(%s, c_int64_t)"},
	"uint64_t": {"integer(c_int32_t)", "int(%s, c_int64_t)"},
	"size_t":   {"integer(c_int32_t)", "int(%s, c_size_t)"},
	"double":   {"real(c_float)", "real(%s, c_double)"},
}

// convertible returns groups of parameters that a program may pass with narrower kinds: each number alone, and all arrays of
// integers, such as the rows and columns of a matrix, together. There is none for a function whose only arrays are others, such
// as masks: a generic name takes arrays of one rank, and the others take arrays of any rank.
func (f *function) convertible() [][]string {
	var groups [][]string
	var arrays []string
	others := false
	for _, p := range f.parameters {
		_, narrow := narrower[p.base]
		integers := p.base == "int64_t" && p.constant && p.isArray()
		others = others || p.isReference() && p.isArray() && !integers
		switch {
		case !narrow || p.procedure != nil || p.optional:
		case !p.isReference():
			groups = append(groups, []string{p.name})
		case integers:
			arrays = append(arrays, p.name)
		}
	}
	switch {
	case arrays != nil:
		groups = append(groups, arrays)
	case others && f.address() == nil:
		return nil
	}
	return groups
}

// variants returns the sets of parameters with narrower kinds for which a function has procedures of their own. A
// compiler selects a procedure only if the kinds of all arguments are right.
func (f *function) variants() [][]string {
	groups := f.convertible()
	var sets [][]string
	for bits := 1; bits < 1<<len(groups); bits++ {
		var set []string
		for i, g := range groups {
			if bits>>i&1 != 0 {
				set = append(set, g...)
			}
		}
		sets = append(sets, set)
	}
	return sets
}

// narrowNames returns the names of the procedures that convert numbers for one of a name.
func (f *function) narrowNames(name string) []string {
	var names []string
	for i := range f.variants() {
		names = append(names, fmt.Sprintf("%s_narrow%d", name, i+1))
	}
	return names
}

// forms returns the names of all procedures of a function that take an address, if it has one, by a type(c_ptr) or by arrays.
func (f *function) forms() []string {
	names := []string{f.name}
	if f.address() != nil {
		for _, e := range elementTypes {
			names = append(names, f.name+"_"+e.name)
		}
	}
	return names
}

// specifics returns the names of all procedures of a function.
func (f *function) specifics() []string {
	names := f.forms()
	for _, form := range f.forms() {
		names = append(names, f.narrowNames(form)...)
	}
	return names
}

// overloads writes the generic names of functions that have several procedures.
func (w *writer) overloads() {
	for _, s := range w.h.sections {
		for _, f := range s.functions {
			names := f.specifics()
			if slices.Contains(byHand, f.name) || len(names) == 1 {
				continue
			}
			w.private = append(w.private, names[1:]...)
			if slices.ContainsFunc(w.h.generics, func(g *generic) bool { return g.name == f.name }) {
				continue
			}
			w.line("\n  interface %s", f.name)
			w.line("    procedure :: %s", strings.Join(names, ", "))
			w.line("  end interface %s", f.name)
		}
	}
}

// narrow writes the procedures that convert numbers and then call the others.
func (w *writer) narrow(f *function) error {
	for i, form := range f.forms() {
		element := ""
		if i > 0 {
			element = elementTypes[i-1].declared
		}
		names := f.narrowNames(form)
		for j, set := range f.variants() {
			if err := w.narrowed(f, names[j], form, element, set); err != nil {
				return err
			}
		}
	}
	return nil
}

// narrowed writes one procedure, which converts the parameters of a set and calls another one. If element is not empty, it is
// the type of an array that stands for the address.
func (w *writer) narrowed(f *function, name, called, element string, set []string) error {
	result, err := w.h.result(f.result)
	if err != nil {
		return err
	}
	if f.result.isString() {
		result = "character(:), allocatable"
	}
	var declared, passed []string
	for _, p := range f.parameters {
		text, value := "", p.name
		switch {
		case slices.Contains(set, p.name):
			n := narrower[p.base]
			text, value = n.kind+", intent(in) :: "+p.name, fmt.Sprintf(n.wider, p.name)
			if p.pointers > 0 {
				text += "(:)"
			}
		case p.isString() && p.optional:
			text = "character(*), intent(in), optional :: " + p.name
		case p.isString():
			text = "character(*), intent(in) :: " + p.name
		case p.isAddress() && element != "":
			text = takenArray(element, p.name)
		default:
			if text, err = w.outer(p); err != nil {
				return err
			}
		}
		declared, passed = append(declared, text), append(passed, value)
	}
	call := fmt.Sprintf("%s(%s)", called, strings.Join(passed, ", "))
	unit := "function"
	if result == "" {
		unit, call = "subroutine", "call "+call
	} else {
		call = name + " = " + call
	}
	w.line("\n  ! %s with other kinds of %s", f.name, strings.Join(set, ", "))
	w.line("  %s %s(%s)", unit, name, f.arguments())
	for _, d := range declared {
		w.line("    %s", d)
	}
	if unit == "function" {
		w.line("    %s :: %s", result, name)
	}
	w.line("\n    %s", call)
	w.line("  end %s %s", unit, name)
	return nil
}
