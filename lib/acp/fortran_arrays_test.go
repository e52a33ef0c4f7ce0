//go:build cgo

package libacp

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/goacp/goacp/gen/fortrangen/fortrantest"
)

// TestFortranSections: sections that are not contiguous are neither registered nor fields.
func TestFortranSections(t *testing.T) {
	path := fortranProgram(t, fortranObjects(t, "sections")...)
	if e := alone(t, nil, path); e != (ended{}) {
		t.Error(e)
	}
}

// TestFortranArrays: fields have their values in arrays and sections of arrays, and functions of acp.h take arrays.
// What cannot be is refused.
func TestFortranArrays(t *testing.T) {
	path := fortranProgram(t, fortranObjects(t, "checks", "arrays")...)
	for _, net := range []string{"shm", "tcp"} {
		t.Run(net, func(t *testing.T) {
			allWell(t, together(t, 2, []string{"ACP_NET=" + net}, path), "")
		})
	}
}

// TestFortranArrayReports: the line about an array that a function of acp.h does not take says why.
func TestFortranArrayReports(t *testing.T) {
	path := fortranProgram(t, fortranObjects(t, "reports")...)
	e := alone(t, []string{"ACP_ON_ERROR=report"}, path)
	row := regexp.QuoteMeta("unsuitable stride: an array of rank 1 with shape [5], float64: dimension 1 has a stride of 32 bytes, elements of 8 bytes, " +
		"and the function takes contiguous memory: give it the whole array, or copy the section to an array of its own\n")
	want := `^acp: acp_address\(data=0x\w+, bytes=0\) by rank 0: ` + row +
		`acp: acp_register_memory\(data=0x\w+, bytes=40\) by rank 0: ` + row +
		`acp: acp_put_value\(data=0x\w+, bytes=161\) by rank 0: bad size: an array of rank 2 with shape \[4 5\], float64, has 160 bytes, and 161 are to be used\n$`
	if e.status != 0 || e.stdout != "" || !regexp.MustCompile(want).MatchString(e.stderr) {
		t.Errorf("%v, expected %s", e, want)
	}
}

// TestFortranRefusals: the compiler refuses programs whose array is gone, copied or of another type when the library uses it,
// and accepts those that differ from them in that alone.
func TestFortranRefusals(t *testing.T) {
	const begin = `module called
  use, intrinsic :: iso_c_binding
  use acp
  use acp_couple
  implicit none
  integer(acp_field_t) :: field
contains
  subroutine use_array(x)
    real(c_double), DUMMY
    if (acp_use_field(field, x(:3)) /= 0) error stop
  end subroutine use_array
end module called
program main
  use called
  implicit none
  DECLARATION
  x = 0
  CALL
end program main
`
	const assumed, explicit = "intent(inout), asynchronous, target :: x(:)", "intent(inout), asynchronous, target :: x(*)"
	const contiguous = "contiguous, intent(inout), asynchronous, target :: x(:)"
	const use, pass, table = "if (acp_use_field(field, x) /= 0) error stop", "call use_array(x(2, :))", "real(c_double), asynchronous, target :: x(3, 3)"
	for name, c := range map[string]struct {
		dummy, declaration, call string
		refusal                  string // "": it is right
	}{
		"array":                     {assumed, "real(c_double), target :: x(3)", use, ""},
		"without target":            {assumed, "real(c_double) :: x(3)", use, "no specific function for the generic .acp_use_field"},
		"asynchronous, no target":   {assumed, "real(c_double), asynchronous :: x(3)", use, "no specific function"},
		"expression":                {assumed, "real(c_double), target :: x(3)", strings.Replace(use, "x)", "2 * x)", 1), "no specific function"},
		"parentheses":               {assumed, "real(c_double), target :: x(3)", strings.Replace(use, "x)", "(x))", 1), "no specific function"},
		"vector subscript":          {assumed, "real(c_double), target :: x(3)", strings.Replace(use, "x)", "x([3, 1]))", 1), "no specific function"},
		"another kind":              {assumed, "real(selected_real_kind(30)), target :: x(3)", use, "no specific function"},
		"row for assumed shape":     {assumed, table, pass, ""},
		"row for assumed size":      {explicit, table, pass, "(?i)simply contiguous"},
		"row for contiguous":        {contiguous, table, pass, "(?i)simply contiguous"},
		"column for assumed size":   {explicit, table, "call use_array(x(:, 2))", ""},
		"dummy without target":      {"intent(inout) :: x(:)", table, pass, "no specific function"},
		"address of what is no end": {assumed, "real(c_double) :: x(3)", "if (acp_use_field(field, c_loc(x)) /= 0) error stop", "TARGET"},
	} {
		said := refused(t, strings.NewReplacer("DUMMY", c.dummy, "DECLARATION", c.declaration, "CALL", c.call).Replace(begin))
		if (said == "") != (c.refusal == "") || !regexp.MustCompile(c.refusal).MatchString(said) {
			t.Errorf("%s: expected %q, the compiler says %q", name, c.refusal, said)
		}
	}
}

// refused returns what the compiler says if it refuses a program, or nothing if it takes it.
func refused(t *testing.T, source string) string {
	t.Helper()
	fortranModules(t)
	dir := t.TempDir()
	file := filepath.Join(dir, "program.f90")
	write(t, file, source)
	words := append(strings.Fields(fortrantest.Compiler(t, "../..")), "-std=f2018", "-fsyntax-only", "-J"+dir, "-I"+built, file)
	if out, err := exec.Command(words[0], words[1:]...).CombinedOutput(); err != nil {
		return fmt.Sprintf("%v\n%s", err, out)
	}
	return ""
}
