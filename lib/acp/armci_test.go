//go:build cgo

package libacp

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/goacp/goacp/internal/acptest/machine"
)

// armciFolder has the C library of ARMCI.
const armciFolder = "../../lib/armci"

// armciSymbols returns the names of the functions of the library.
func armciSymbols(t *testing.T) []string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(armciFolder, "symbols.txt"))
	if err != nil {
		t.Fatal(err)
	}
	return strings.Fields(string(text))
}

// armciObjects compiles the library and returns the objects.
func armciObjects(t *testing.T) []string {
	t.Helper()
	sources, err := filepath.Glob(filepath.Join(armciFolder, "*.c"))
	if err != nil {
		t.Fatal(err)
	}
	headers, err := filepath.Glob(filepath.Join(armciFolder, "*.h"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range append(headers, "armci_bind.h", "call.h", "direct.h", "layout.h", "traffic.h") {
		if _, err := os.Stat(file); err != nil { // go test repeats the test when one has changed
			t.Fatal(err)
		}
	}
	var objects []string
	for _, source := range sources {
		object := filepath.Join(t.TempDir(), filepath.Base(source)+".o")
		if err := command(machine.CC(), "-std=gnu11", "-O2", "-Wall", "-Wextra", "-Werror", "-I"+armciFolder, "-I.", "-c", source, "-o", object); err != nil {
			t.Fatal(err)
		}
		objects = append(objects, object)
	}
	return objects
}

var armciName = regexp.MustCompile(`\b((?:P?ARMCI|ARMCIX|p?armci)_[A-Za-z0-9_]+) *\(`)

// TestARMCIHeaders: what the headers declare is what the library defines, and they can be included
// alone and twice, in every language.
func TestARMCIHeaders(t *testing.T) {
	want := armciSymbols(t)
	include := "#include <message.h>\n#include <armci.h>\n#include <armci.h>\n#include <message.h>\n#include <armcix.h>\n#include <parmci.h>\n#include <iterator.h>\n#include <acp.h>\n"
	file := filepath.Join(t.TempDir(), "headers.c")
	if err := os.WriteFile(file, []byte(include), 0o600); err != nil {
		t.Fatal(err)
	}
	text, err := exec.Command(machine.CC(), "-E", "-P", "-I"+armciFolder, "-I.", file).Output()
	if err != nil {
		t.Fatal(err)
	}
	var declared []string
	for _, m := range armciName.FindAllStringSubmatch(string(text), -1) {
		declared = append(declared, m[1])
	}
	slices.Sort(declared)
	slices.Sort(want)
	if declared = slices.Compact(declared); !slices.Equal(declared, want) {
		t.Errorf("declared: %q\nexpected: %q", declared, want)
	}
	out, err := exec.Command("nm", append([]string{"-g", "--defined-only"}, armciObjects(t)...)...).Output()
	if err != nil {
		t.Fatal(err)
	}
	var defined []string
	for _, line := range strings.Split(string(out), "\n") {
		f := strings.Fields(line)
		if len(f) == 3 && !strings.HasPrefix(f[2], "goacp_") {
			defined = append(defined, f[2])
			if weak := f[1] == "W"; weak != (!strings.HasPrefix(strings.ToLower(f[2]), "parmci_") && slices.Contains(want, profiled(f[2]))) {
				t.Errorf("%s is of kind %s", f[2], f[1])
			}
		}
	}
	if slices.Sort(defined); !slices.Equal(defined, want) {
		t.Errorf("defined: %q\nexpected: %q", defined, want)
	}
}

// profiled returns the name for profilers of a function.
func profiled(name string) string {
	if strings.HasPrefix(name, "armci_") {
		return "p" + name
	}
	return "P" + name
}

// TestARMCIInEveryLanguage compiles and links a program that names every function.
func TestARMCIInEveryLanguage(t *testing.T) {
	var b strings.Builder
	b.WriteString("#include <armcix.h>\n#include <iterator.h>\ntypedef void (*any)(void);\n#define OF(f) (any)f\nany all[] = {\n")
	for _, name := range armciSymbols(t) {
		fmt.Fprintf(&b, "\tOF(%s),\n", name)
	}
	b.WriteString("};\nint main(int argc, char **argv) { armci_hdl_t h; int e; (void)e; ARMCI_INIT_HANDLE(&h); (void)argv; return all[argc - 1] == 0 || ARMCI_ACC_DCP != ARMCI_ACC_DCPL || ARMCI_Initialized(); }\n")
	file := filepath.Join(t.TempDir(), "all")
	if err := os.WriteFile(file, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	objects := armciObjects(t)
	for _, l := range languages {
		t.Run(l.standard, func(t *testing.T) {
			object := filepath.Join(t.TempDir(), "all.o")
			// A cast of a function pointer to another type is what this program wants.
			l.compile(t, file, "-Wno-cast-function-type", "-I"+armciFolder, "-c", "-o", object)
			path := filepath.Join(t.TempDir(), "all")
			if err := command(l.compiler, append(append([]string{object}, objects...), needArchive(t), "-pthread", "-o", path)...); err != nil {
				t.Fatal(err)
			}
			if err := command(path); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestARMCILayouts: programs that were compiled with headers of others find the same types.
func TestARMCILayouts(t *testing.T) {
	const checks = `#include <armci.h>
#define HAS(condition) typedef char has[(condition) ? 1 : -1]
void layouts(void);
void layouts(void) {
  { HAS(sizeof(armci_giov_t) == 24 && offsetof(armci_giov_t, dst_ptr_ar) == 8 && offsetof(armci_giov_t, bytes) == 16 && offsetof(armci_giov_t, ptr_ar_len) == 20); (void)sizeof(has); }
  { HAS(sizeof(armci_hdl_t) == 8 && sizeof(armci_size_t) == 8 && sizeof(armci_domain_t) == 4); (void)sizeof(has); }
  { HAS(sizeof(armci_meminfo_t) == 1056 && offsetof(armci_meminfo_t, addr) == 8 && offsetof(armci_meminfo_t, size) == 16 && offsetof(armci_meminfo_t, cpid) == 24 && offsetof(armci_meminfo_t, idlist) == 32); (void)sizeof(has); }
  { HAS(sizeof(ARMCI_Group) == 40 && offsetof(ARMCI_Group, grp_to_abs) == 16 && offsetof(ARMCI_Group, rank) == 32 && offsetof(ARMCI_Group, size) == 36); (void)sizeof(has); }
  { HAS(SCOPE_ALL == 0 && SCOPE_NODE == 1 && SCOPE_MASTERS == 2 && ARMCI_INT == 0 && ARMCI_LONG == 1 && ARMCI_LONG_LONG == 2 && ARMCI_FLOAT == 3 && ARMCI_DOUBLE == 4); (void)sizeof(has); }
  { HAS(ARMCI_ACC_INT == 0 && ARMCI_ACC_DCPL == 5 && ARMCI_SWAP_LONG == 3 && ARMCI_DOMAIN_SMP == 0); (void)sizeof(has); }
}
`
	file := filepath.Join(t.TempDir(), "layouts")
	if err := os.WriteFile(file, []byte(checks), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, l := range languages {
		l.compile(t, file, "-I"+armciFolder, "-fsyntax-only")
	}
}
