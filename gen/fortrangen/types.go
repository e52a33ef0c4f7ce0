package main

import (
	"fmt"
	"strings"
)

// basic are the types of C that have a kind in module iso_c_binding.
var basic = map[string]string{
	"int": "integer(c_int)", "unsigned": "integer(c_int)", "unsigned int": "integer(c_int)",
	"long": "integer(c_long)", "unsigned long": "integer(c_long)", "size_t": "integer(c_size_t)",
	"int8_t": "integer(c_int8_t)", "uint8_t": "integer(c_int8_t)",
	"int16_t": "integer(c_int16_t)", "uint16_t": "integer(c_int16_t)",
	"int32_t": "integer(c_int32_t)", "uint32_t": "integer(c_int32_t)",
	"int64_t": "integer(c_int64_t)", "uint64_t": "integer(c_int64_t)",
	"intptr_t": "integer(c_intptr_t)", "uintptr_t": "integer(c_intptr_t)",
	"float": "real(c_float)", "double": "real(c_double)", "char": "character(kind=c_char)",
}

// find returns the type that the header calls name, or nil.
func (h *cHeader) find(name string) *cType {
	for _, s := range h.sections {
		for _, t := range s.types {
			if t.name == name {
				return t
			}
		}
	}
	return nil
}

// fortran returns the type in Fortran of what is called base in C.
func (h *cHeader) fortran(base string) (string, error) {
	if f := basic[base]; f != "" {
		return f, nil
	}
	switch t := h.find(base); {
	case t == nil:
		return "", fmt.Errorf("no rule for type %s", base)
	case t.members == nil:
		return "integer(" + t.name + ")", nil
	default:
		return "type(" + t.name + ")", nil
	}
}

// kind returns the kind of the integers that a name for another type stands for.
func (h *cHeader) kind(t *cType) (string, error) {
	if strings.HasSuffix(t.kind, "*") {
		return "c_intptr_t", nil
	}
	f, err := h.fortran(t.kind)
	kind, isInteger := strings.CutPrefix(f, "integer(")
	if err == nil && !isInteger {
		err = fmt.Errorf("type %s is no integer", t.name)
	}
	return strings.TrimSuffix(kind, ")"), err
}

// isString reports whether C passes a string that the function reads, or returns one.
func (p *parameter) isString() bool {
	return p.base == "char" && p.pointers == 1 && p.constant && !p.array
}

// isArray reports whether a pointer leads to several things.
func (p *parameter) isArray() bool {
	return p.array || strings.HasSuffix(p.name, "s") || p.base == "char"
}

// isReference reports whether a pointer leads to arguments that Fortran passes by reference.
func (p *parameter) isReference() bool {
	return (p.array || p.pointers > 0) && p.procedure == nil && p.base != "void" && p.pointers < 2 && !p.isString()
}

// member returns the declaration of a member of a struct.
func (h *cHeader) member(p parameter) (string, error) {
	if p.array || p.procedure != nil {
		return "", fmt.Errorf("no rule for component %s", p.name)
	}
	if p.pointers > 0 {
		return "type(c_ptr) :: " + p.name, nil
	}
	f, err := h.fortran(p.base)
	return f + " :: " + p.name, err
}

// result returns the type that a function of C returns, or "" for void.
func (h *cHeader) result(p parameter) (string, error) {
	switch {
	case p.pointers > 0:
		return "type(c_ptr)", nil
	case p.base == "void":
		return "", nil
	}
	return h.fortran(p.base)
}

// dummy returns the declaration of a parameter of a function of C.
func (h *cHeader) dummy(p parameter) (string, error) {
	switch {
	case p.procedure != nil:
		return "procedure(" + interfaceName(p) + ") :: " + p.name, nil
	case p.pointers == 0:
		f, err := h.fortran(p.base)
		return f + ", value :: " + p.name, err
	case p.base == "void" || p.pointers > 1 || p.isString():
		return "type(c_ptr), value :: " + p.name, nil
	}
	return h.reference(p)
}

// reference returns the declaration of an argument by reference.
func (h *cHeader) reference(p parameter) (string, error) {
	f, err := h.fortran(p.base)
	f += ", intent(inout)"
	if p.constant {
		f = strings.Replace(f, "inout", "in", 1)
	}
	if p.optional {
		f += ", optional"
	}
	f += " :: " + p.name
	if p.isArray() {
		f += "(*)"
	}
	return f, err
}

// interfaceName returns the name of the interface of procedures that are passed as p.
func interfaceName(p parameter) string { return "acp_" + p.name }
