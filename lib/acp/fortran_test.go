//go:build cgo

package libacp

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/goacp/goacp/gen/fortrangen/fortrantest"
	"github.com/goacp/goacp/internal/acptest/machine"
)

// fortranNames are the modules of the library.
var fortranNames = []string{"acp", "acp_couple"}

// fortran compiles with all warnings as errors. Checks combine calls that change nothing, so it is no mistake if
// one is not evaluated.
func fortran(t *testing.T, args ...string) {
	t.Helper()
	words := append(strings.Fields(fortrantest.Compiler(t, "../..")), "-std=f2018", "-Wall", "-Wextra", "-Wno-function-elimination", "-Werror", "-O1", "-g", "-J"+built)
	if err := command(words[0], append(words[1:], args...)...); err != nil {
		t.Fatal(err)
	}
}

var modulesOnce sync.Once

// fortranModules compiles the modules of the library, once, and returns their objects.
func fortranModules(t *testing.T) []string {
	t.Helper()
	var objects []string
	for _, name := range fortranNames {
		objects = append(objects, filepath.Join(built, name+"_module.o"))
	}
	description := filepath.Join(built, "goacp_array.o")
	objects = append(objects, description)
	modulesOnce.Do(func() {
		header := fortrantest.BindingHeader(t, "../..")
		if err := command(machine.CC(), "-std=c11", "-Wall", "-Wextra", "-Werror", "-O1", "-g", "-I.", "-idirafter", filepath.Dir(header), "-c", "../fortran/goacp_array.c", "-o", description); err != nil {
			t.Fatal(err)
		}
		fortrantest.Modules(t, "../..", built)
		for i, name := range fortranNames {
			fortran(t, "-c", filepath.Join(built, name+".f90"), "-o", objects[i])
		}
	})
	for _, object := range objects {
		if _, err := os.Stat(object); err != nil {
			t.Fatal(err)
		}
	}
	return objects
}

// fortranObjects compiles files of testdata/fortran, of which each may use the modules of those before,
// and returns the objects.
func fortranObjects(t *testing.T, names ...string) []string {
	t.Helper()
	fortranModules(t)
	var objects []string
	for _, name := range names {
		object := filepath.Join(t.TempDir(), name+".o")
		fortran(t, "-c", filepath.Join("testdata", "fortran", name+".f90"), "-o", object)
		objects = append(objects, object)
	}
	return objects
}

// fortranProgram links objects with the modules and the archive.
func fortranProgram(t *testing.T, objects ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "program")
	objects = slices.Concat(objects, fortranModules(t), []string{needArchive(t), "-pthread", "-o", path})
	fortran(t, objects...)
	return path
}

// TestFortranEveryFunction: a program in Fortran that calls every function of acp.h works.
func TestFortranEveryFunction(t *testing.T) {
	objects := fortranObjects(t, "checks", "structures", "many", "every")
	if called := calledFromFortran(t, objects); !reflect.DeepEqual(called, specified(t)) {
		t.Errorf("it calls %v, expected %v", names(called), names(specified(t)))
	}
	path := fortranProgram(t, objects...)
	for _, net := range []string{"shm", "tcp"} {
		t.Run(net, func(t *testing.T) {
			allWell(t, together(t, 2, []string{"ACP_NET=" + net, "ACP_STATS=yes"}, path), "")
		})
	}
}

// calledFromFortran returns the functions that objects call, themselves or by procedures of the modules.
func calledFromFortran(t *testing.T, objects []string) map[string]bool {
	t.Helper()
	set := map[string]bool{}
	for _, object := range objects {
		out, err := exec.Command("nm", "-u", object).Output()
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range strings.Fields(string(out)) {
			name := strings.TrimPrefix(strings.TrimPrefix(f, "__acp_MOD_"), "__acp_couple_MOD_")
			if strings.HasPrefix(name, "acp_") {
				set[name] = true
			}
		}
	}
	return set
}

// TestFortranCoupling: a program in Fortran that calls every function of acp_couple.h works.
func TestFortranCoupling(t *testing.T) {
	objects := fortranObjects(t, "checks", "couple")
	want, called := symbols(t, "couple_symbols"), calledFromFortran(t, objects)
	maps.DeleteFunc(called, func(name string, _ bool) bool { return !want[name] })
	if !reflect.DeepEqual(called, want) {
		t.Errorf("it calls %v, expected %v", names(called), names(want))
	}
	path := fortranProgram(t, objects...)
	for _, net := range []string{"shm", "tcp"} {
		t.Run(net, func(t *testing.T) {
			allWell(t, together(t, 2, []string{"ACP_NET=" + net, "ACP_COUPLE=" + everyLink, "STATE_FOLDER=" + t.TempDir()}, path), "")
		})
	}
}

// TestFortranNarrow: numbers of default kinds are as good as those of the kinds of C.
func TestFortranNarrow(t *testing.T) {
	path := fortranProgram(t, fortranObjects(t, "checks", "narrow")...)
	for _, net := range []string{"shm", "tcp"} {
		t.Run(net, func(t *testing.T) {
			allWell(t, together(t, 2, []string{"ACP_NET=" + net}, path), "")
		})
	}
}

// TestFortranPrograms runs programs with other numbers of ranks.
func TestFortranPrograms(t *testing.T) {
	for _, name := range []string{"transfers", "exchange", "generic"} {
		path := fortranProgram(t, fortranObjects(t, "checks", name)...)
		for _, net := range []string{"shm", "tcp"} {
			for _, n := range []int{1, 2, 3, 4} {
				t.Run(fmt.Sprintf("%s/%s/%d", name, net, n), func(t *testing.T) {
					allWell(t, together(t, n, []string{"ACP_NET=" + net}, path), "")
				})
			}
		}
	}
}

// TestFortranArguments: acp_init takes the arguments of the library from the command, and refuses wrong
// ones.
func TestFortranArguments(t *testing.T) {
	path := fortranProgram(t, fortranObjects(t, "checks", "arguments")...)
	for _, test := range []struct {
		args   []string
		stdout string
		stderr string
		status int
	}{
		{stdout: "10240\n", stderr: "acp: init: initialised already\n"},
		{args: []string{"", " a ", "--acp-size-smem", "5000"}, stdout: "5000\n", stderr: "acp: init: initialised already\n"},
		{args: []string{"--acp-size-smem", "many"}, stderr: `acp: init: argument --acp-size-smem: expected a number from 1, found "many"` + "\n", status: 1},
		{args: []string{"--acp-x"}, stderr: "acp: init: argument --acp-x: unknown; what begins with --acp- is for the library\n", status: 1},
	} {
		if e := alone(t, nil, path, test.args...); e != (ended{test.status, test.stdout, test.stderr}) {
			t.Errorf("%q: %v, expected %q and %q", test.args, e, test.stdout, test.stderr)
		}
	}
}

// TestFortranAbort: the text of acp_abort is a Fortran string, or there is none.
func TestFortranAbort(t *testing.T) {
	path := fortranProgram(t, fortranObjects(t, "abort")...)
	for text, want := range map[string]string{"": "", "no ocean  ": ": no ocean"} {
		if e, want := alone(t, nil, path, text), (ended{status: 255, stderr: "acp: abort by rank 0" + want + "\n"}); e != want {
			t.Errorf("%q: %v, expected %v", text, e, want)
		}
	}
}

var (
	constantOf = regexp.MustCompile(`(?m)^#define (ACP_\w+)\s+\S`)
	structOf   = regexp.MustCompile(`(?s)typedef struct \{(.*?)\} (\w+);`)
	memberOf   = regexp.MustCompile(`(\w+);`)
	otherType  = regexp.MustCompile(`(?m)^typedef [^{;]*?(\w+);`)
)

// TestFortranAgrees: constants have the same values in C and in Fortran, types the same sizes, and
// members the same places.
func TestFortranAgrees(t *testing.T) {
	header := comment.ReplaceAllString(readHeader(t, "acp.h"), "")
	var c, f, declared strings.Builder
	both := func(name, inC, inFortran string) {
		fmt.Fprintf(&c, "  printf(\"%%s %%lld\\n\", %q, (long long)(%s));\n", name, inC)
		fmt.Fprintf(&f, "  print '(a, 1x, i0)', '%s', %s\n", name, inFortran)
	}
	for _, m := range constantOf.FindAllStringSubmatch(header, -1) {
		both(m[1], m[1], m[1])
	}
	for _, m := range otherType.FindAllStringSubmatch(header, -1) {
		both(m[1], "sizeof("+m[1]+")", "c_sizeof(0_"+m[1]+")")
	}
	structs := structOf.FindAllStringSubmatch(header, -1)
	for _, m := range structs {
		fmt.Fprintf(&declared, "  type(%s), target :: x_%s\n", m[2], m[2])
		both(m[2], "sizeof("+m[2]+")", "c_sizeof(x_"+m[2]+")")
		for _, member := range memberOf.FindAllStringSubmatch(m[1], -1) {
			both(m[2]+"."+member[1], "offsetof("+m[2]+", "+member[1]+")",
				fmt.Sprintf("address(c_loc(x_%s%%%s)) - address(c_loc(x_%s))", m[2], member[1], m[2]))
		}
	}
	if len(structs) == 0 {
		t.Fatal("the header has no structs")
	}
	inC := filepath.Join(t.TempDir(), "agree")
	write(t, inC+".c", "#include <acp.h>\n#include <stddef.h>\n#include <stdio.h>\nint main(void) {\n"+c.String()+"}\n")
	if err := command(machine.CC(), "-I.", inC+".c", "-o", inC); err != nil {
		t.Fatal(err)
	}
	source := filepath.Join(t.TempDir(), "agree.f90")
	write(t, source, "program agree\n  use, intrinsic :: iso_c_binding\n  use acp\n  implicit none\n"+declared.String()+f.String()+
		"contains\n  function address(p)\n    type(c_ptr), intent(in) :: p\n    integer(c_intptr_t) :: address\n"+
		"    address = transfer(p, address)\n  end function address\nend program agree\n")
	fortranModules(t)
	object := filepath.Join(t.TempDir(), "agree.o")
	fortran(t, "-c", source, "-o", object)
	want, got := alone(t, nil, inC), alone(t, nil, fortranProgram(t, object))
	if want != got || strings.Count(want.stdout, "\n") < 20 {
		t.Errorf("in C %v\nin Fortran %v", want, got)
	}
}

// TestFortranDocumented: the program in docs/fortran.md does what it says, and the other code compiles.
func TestFortranDocumented(t *testing.T) {
	read := func(path string) string {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	var blocks []string
	for _, part := range strings.Split(read("../../docs/fortran.md"), "```fortran\n")[1:] {
		block, _, _ := strings.Cut(part, "```")
		blocks = append(blocks, block)
	}
	if len(blocks) != 6 {
		t.Fatalf("%d blocks of code, expected 6", len(blocks))
	}
	compiled := func(name, text string) string {
		source, object := filepath.Join(t.TempDir(), name+".f90"), filepath.Join(t.TempDir(), name+".o")
		write(t, source, text)
		fortranModules(t)
		fortran(t, "-c", source, "-o", object)
		return object
	}
	compiled("arrays", "subroutine arrays(rows, columns)\n  use, intrinsic :: iso_c_binding\n  use acp\n  implicit none\n"+
		"  integer, intent(in) :: rows, columns\n"+blocks[1]+"  if (acp_query_rank(ga) < 0) error stop\nend subroutine arrays\n")
	compiled("counter", "function counted(here, words)\n  use, intrinsic :: iso_c_binding\n  use acp\n  implicit none\n"+
		"  integer(acp_ga_t), intent(in) :: here\n  integer(c_int64_t), pointer :: words(:)\n  integer(c_int64_t) :: counted\n"+
		blocks[4]+"end function counted\n")
	compiled("ocean", "subroutine ocean_of(nx, ny, rows, first, steps)\n  use, intrinsic :: iso_c_binding\n  use acp\n  use acp_couple\n  implicit none\n"+
		"  integer, intent(in) :: nx, ny, rows, first, steps\n  integer :: step\n"+blocks[5]+"end subroutine ocean_of\n")
	inModule := func(block string) string {
		return "module documented\n  use, intrinsic :: iso_c_binding\n  use acp\n  use acp_couple\n  implicit none\n  integer(acp_field_t) :: row\ncontains\n" +
			block + "end module documented\n"
	}
	compiled("declare", inModule(blocks[2]))
	if said := refused(t, inModule(blocks[3])); !strings.Contains(said, "simply contiguous") {
		t.Errorf("the compiler says about the wrong program: %s", said)
	}
	const procs = 3
	for r, e := range together(t, procs, nil, fortranProgram(t, compiled("before", blocks[0]))) {
		if want := fmt.Sprintf("rank %d of %d: before me is rank %d\n", r, procs, (r+procs-1)%procs); e != (ended{stdout: want}) {
			t.Errorf("rank %d: %v, expected %q", r, e, want)
		}
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
