package main

import (
	"fmt"
	"slices"
	"strings"
)

// elementTypes are the types of arrays that stand for an address without a type. A procedure for such arrays has
// the name of the function and that of the type.
var elementTypes = []struct{ name, declared string }{
	{"int8", "integer(c_int8_t)"},
	{"int16", "integer(c_int16_t)"},
	{"int32", "integer(c_int32_t)"},
	{"int64", "integer(c_int64_t)"},
	{"real32", "real(c_float)"},
	{"real64", "real(c_double)"},
	{"complex32", "complex(c_float_complex)"},
	{"complex64", "complex(c_double_complex)"},
}

// isAddress reports whether C passes an address without a type, which an array may stand for.
func (p *parameter) isAddress() bool {
	return p.base == "void" && p.pointers == 1 && !p.array && p.procedure == nil
}

// address returns the parameter that is an address without a type, or nil.
func (f *function) address() *parameter {
	if i := slices.IndexFunc(f.parameters, func(p parameter) bool { return p.isAddress() }); i >= 0 {
		return &f.parameters[i]
	}
	return nil
}

// takenArray returns the declaration of an array. An argument that is a pointer makes compilers refuse
// arrays without the attribute target and expressions, and pass no copy.
func takenArray(declared, name string) string {
	return declared + ", pointer, asynchronous, intent(in) :: " + name + "(..)"
}

// descriptions writes the interfaces of the functions of C that take descriptions of arrays, and of those that make
// them.
func (w *writer) descriptions() error {
	var described []*function
	for _, s := range w.h.sections {
		for _, f := range s.functions {
			if f.address() != nil {
				described = append(described, f)
			}
		}
	}
	w.described = described
	switch {
	case len(described) == 0 && !w.takesArguments:
		return nil
	case w.m.strided:
		w.private = append(w.private, "goacp_array", "goacp_describe")
		w.line("\n  ! Arrays\n\n  interface")
		for _, f := range described {
			if err := w.ofDescription(f); err != nil {
				return fmt.Errorf("%s: %w", f.name, err)
			}
		}
		w.line("  end interface")
	default:
		w.describers()
	}
	return nil
}

// describers writes the type of descriptions, and the interfaces of the functions that make or check one. They are public:
// the other module uses those of module acp.
func (w *writer) describers() {
	w.line("\n  ! Arrays\n")
	w.WriteString(arrayType)
	w.line("\n  interface goacp_describe")
	for _, e := range elementTypes {
		w.describe("goacp_describe_"+e.name, takenArray(e.declared, "data"))
	}
	w.line("  end interface goacp_describe\n\n  interface")
	w.describe("goacp_describe_any", "type(*), intent(in), target, asynchronous :: data(..)")
	w.WriteString(usable)
	w.line("  end interface")
}

// describe writes an interface of the function of C that describes an array.
func (w *writer) describe(name, declared string) {
	w.line("    subroutine %s(data, array) bind(C, name=\"goacp_describe\")", name)
	w.line("      import")
	w.line("      %s", declared)
	w.line("      type(goacp_array), intent(out) :: array")
	w.line("    end subroutine %s", name)
}

// ofDescription writes the interface of the function of C that is f for a description in place of the address.
func (w *writer) ofDescription(f *function) error {
	name := describedName(f)
	text, err := w.interfaceOf(f, name, fmt.Sprintf("bind(C, name=%q)", "goacp_fortran_"+strings.TrimPrefix(f.name, "acp_")))
	p := f.address().name
	w.WriteString(strings.Replace(text, "type(c_ptr), value :: "+p+"\n", "type(goacp_array), intent(in) :: "+p+"\n", 1))
	return err
}

// describedName returns the name of the interface of the function of C that is f for a description.
func describedName(f *function) string { return "goacp_" + strings.TrimPrefix(f.name, "acp_") }

// arrays writes the procedures of a function for arrays.
func (w *writer) arrays(f *function) error {
	for _, e := range elementTypes {
		if err := w.procedureOf(f, f.name+"_"+e.name, e.declared); err != nil {
			return err
		}
	}
	return nil
}

// bytes returns how many bytes of the array a function uses: the product of its sizes.
func (f *function) bytes() string {
	var sizes []string
	for _, p := range f.parameters {
		if p.base == "size_t" && p.pointers == 0 {
			sizes = append(sizes, p.name)
		}
	}
	if sizes == nil {
		return "0_c_size_t"
	}
	return strings.Join(sizes, " * ")
}

// failed returns the result of a function that fails.
func (w *writer) failed(f *function) string {
	if w.h.find(f.result.base) != nil {
		return "0"
	}
	return "-1"
}
