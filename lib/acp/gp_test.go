//go:build cgo

package libacp

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/internal/acptest/machine"
	"github.com/goacp/goacp/internal/system/gp/array"
	"github.com/goacp/goacp/internal/system/gp/grid"
)

// gpInclude is the option by which compilers find gp.h.
const gpInclude = "-I../../lib/gp"

// libgp compiles libgp and returns the path of the object file.
func libgp(t *testing.T) string {
	t.Helper()
	return besideLibrary(t, "gp", nil, "../../lib/gp/gp.h", "../../lib/gp/near.h", "gp_bind.h", "layout.h", "direct.h", "process.h", "traffic.h")
}

// besideLibrary compiles the sources of lib/NAME and further ones, which depend on headers, and returns the path of the object file.
func besideLibrary(t *testing.T, name string, further []string, headers ...string) string {
	t.Helper()
	folder := "../../lib/" + name
	sources, err := filepath.Glob(folder + "/*.c")
	if err != nil || len(sources) == 0 {
		t.Fatalf("no sources in %s: %v", folder, err)
	}
	sources = append(sources, further...)
	dir := t.TempDir()
	var objects []string
	for i, source := range sources {
		objects = append(objects, filepath.Join(dir, fmt.Sprintf("%d.o", i)))
		if err := command(machine.CC(), "-std=gnu11", "-O2", "-g", "-Wall", "-Wextra", "-Werror", "-I.", "-I"+folder, "-c", source, "-o", objects[i]); err != nil {
			t.Fatal(err)
		}
	}
	// So that go test knows that the result depends on them.
	for _, file := range append(sources, headers...) {
		if _, err := os.Stat(file); err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(dir, "lib"+name+".o")
	if err := command(machine.CC(), append([]string{"-nostdlib", "-r", "-o", path}, objects...)...); err != nil {
		t.Fatal(err)
	}
	return path
}

// gpProgram compiles testdata/NAME.c as a program with libgp.
func gpProgram(t *testing.T, name string, options ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	source := filepath.Join("testdata", name+".c")
	if _, err := os.Stat(source); err != nil {
		t.Fatal(err)
	}
	args := append([]string{"-std=gnu11", "-O2", "-g", "-Wall", "-Wextra", "-Werror", "-I.", gpInclude, source, libgp(t), needArchive(t), "-o", path}, options...)
	if err := command(machine.CC(), args...); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestPointerArrayModel compares random gets and puts from C with a serial model, and checks that those of
// mapped memory do not enter Go.
func TestPointerArrayModel(t *testing.T) {
	var count []string
	for _, name := range []string{"get", "put", "gather", "scatter"} {
		count = append(count, "-Wl,--wrap=goacp_gp_"+name)
	}
	path := gpProgram(t, "gp_model", count...)
	seed := strconv.FormatUint(rand.Uint64(), 10)
	t.Log("seed ", seed)
	for _, net := range []string{"shm", "tcp"} {
		for _, n := range []int{1, 2, 3, 5} {
			t.Run(fmt.Sprintf("%s/%d", net, n), func(t *testing.T) {
				allWell(t, together(t, n, []string{"ACP_NET=" + net}, path, seed, net), "")
			})
		}
	}
}

// TestPointerArrays runs programs with global pointer arrays.
func TestPointerArrays(t *testing.T) {
	path := gpProgram(t, "gp")
	env := []string{"ACP_STARTER_MEMSIZE_DL=67108864"}
	for _, net := range []string{"shm", "tcp"} {
		for _, n := range []int{1, 2, 4, 5} {
			t.Run(fmt.Sprintf("%s/%d", net, n), func(t *testing.T) {
				allWell(t, together(t, n, append(env, "ACP_NET="+net), path), "")
			})
		}
	}
	allWell(t, []ended{alone(t, env, path)}, "")
}

// gpFunctions returns the functions that libgp is to have.
func gpFunctions(t *testing.T) []string {
	t.Helper()
	text, err := os.ReadFile("../../lib/gp/symbols.txt")
	if err != nil {
		t.Fatal(err)
	}
	all := strings.Fields(string(text))
	slices.Sort(all)
	return all
}

// gpSymbols returns the names of GP that nm lists with an option.
func gpSymbols(t *testing.T, file, option string) []string {
	t.Helper()
	return nmNames(t, file, option, "GP_")
}

// nmNames returns the names with a prefix that nm lists with an option, in order.
func nmNames(t *testing.T, file, option, prefix string) []string {
	t.Helper()
	out, err := exec.Command("nm", option, file).Output()
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, word := range strings.Fields(string(out)) {
		if strings.HasPrefix(word, prefix) {
			all = append(all, word)
		}
	}
	slices.Sort(all)
	return all
}

// TestEveryPointerArrayFunction: a program that calls every function of gp.h compiles without a
// warning in every language that the header supports, and works. The library and the header have
// these functions and no others.
func TestEveryPointerArrayFunction(t *testing.T) {
	want, library := gpFunctions(t), libgp(t)
	if got := gpSymbols(t, library, "--defined-only"); !reflect.DeepEqual(got, want) {
		t.Errorf("the library has %v, want %v", got, want)
	}
	header, err := os.ReadFile("../../lib/gp/gp.h")
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, m := range regexp.MustCompile(`\b(GP_\w+)\(`).FindAllStringSubmatch(declarations(string(header)), -1) {
		found = append(found, m[1])
	}
	slices.Sort(found)
	if !reflect.DeepEqual(found, want) {
		t.Errorf("gp.h declares %v, want %v", found, want)
	}
	for _, l := range languages {
		t.Run(l.standard, func(t *testing.T) {
			object := filepath.Join(t.TempDir(), "every.o")
			l.compile(t, "testdata/gp_every.c", gpInclude, "-O1", "-g", "-c", "-o", object)
			if called := gpSymbols(t, object, "-u"); !reflect.DeepEqual(called, want) {
				t.Errorf("it calls %v, want %v", called, want)
			}
			path := strings.TrimSuffix(object, ".o")
			if err := command(l.compiler, object, library, needArchive(t), "-pthread", "-o", path); err != nil {
				t.Fatal(err)
			}
			for _, net := range []string{"shm", "tcp"} {
				t.Run(net, func(t *testing.T) {
					results := together(t, 3, []string{"ACP_NET=" + net}, path)
					if table := "          10\n          11\n          12\ntotal 33 bytes\n"; results[0].stdout != table {
						t.Errorf("GP_Debug prints %q, want %q", results[0].stdout, table)
					}
					results[0].stdout = ""
					allWell(t, results, "")
				})
			}
		})
	}
}

// TestPointerArraysEnterGo: each function of libgp calls Go by CALL, which ends forked children, and
// the shared library may call what it calls.
func TestPointerArraysEnterGo(t *testing.T) {
	source, err := os.ReadFile("../../lib/gp/gp.c")
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(source), "goacp_gp_"); n != 2 { // both in CALL
		t.Errorf("gp.c names functions of Go %d times, expected 2", n)
	}
	for _, name := range gpFunctions(t) {
		body := regexp.MustCompile(`(?s)\b` + name + `\([^)]*\) \{.*?CALL\(`)
		if !body.Match(source) {
			t.Errorf("%s does not call Go", name)
		}
	}
	shown, err := os.ReadFile("versions.txt")
	if err != nil || !strings.Contains(string(shown), "goacp_gp_* release\n") {
		t.Errorf("versions.txt does not have what libgp calls: %v", err)
	}
}

// TestPointerArrayHeaderAlone: gp.h needs no other header, and may stand before and after acp.h.
func TestPointerArrayHeaderAlone(t *testing.T) {
	for _, l := range languages {
		for i, headers := range []string{"#include <gp.h>\n", "#include <gp.h>\n#include <acp.h>\n", "#include <acp.h>\n#include <gp.h>\n#include <gp.h>\n"} {
			t.Run(fmt.Sprintf("%s/%d", l.standard, i), func(t *testing.T) {
				file := filepath.Join(t.TempDir(), "use")
				use := "int main(void) { void *p = GP_Malloc((size_t)8); free(malloc(1)); GP_Free(p); return 0; }\n"
				if err := os.WriteFile(file, []byte(headers+use), 0o600); err != nil {
					t.Fatal(err)
				}
				l.compile(t, file, gpInclude, "-fsyntax-only")
			})
		}
	}
}

// TestPointerArrayMistakes: each mistake of a program ends the run with one line that says which.
func TestPointerArrayMistakes(t *testing.T) {
	path := gpProgram(t, "gp_errors")
	for _, c := range []struct{ how, line string }{
		{"early", "gp: GP_Create_handle on process "},
		{"terminated", "GP_Initialize has not been called, or GP_Terminate has"},
		{"zero", "gp: GP_Get_dimension on rank 1: array 0: no such array"},
		{"negative handle", "gp: GP_Allocate on rank 1: array -7: no such array"},
		{"no handle", "gp: GP_Memzero on rank 1: array 12345: no such array"},
		{"ndim", "gp: GP_Set_dimensions on rank 1: array 2: bad shape: 8 dimensions, expected 1 to 7"},
		{"dims", "bad shape: dimension 1 has 0 places"},
		{"null dims", "dims is NULL"},
		{"chunk first", "gp: GP_Set_chunk on rank 1: array 2: GP_Set_dimensions has not been called"},
		{"nothing set", "gp: GP_Allocate on rank 1: array 2: GP_Set_dimensions has not been called"},
		{"late", "gp: GP_Set_chunk on rank 1: array 1: the array has been allocated"},
		{"not allocated", "gp: GP_Distribution on rank 1: array 2: the array has not been allocated"},
		{"many blocks", "bad shape: 4 blocks in dimension 0 of 3 places"},
		{"differ", "array 2: the ranks disagree: rank 1 asks for dimensions [5], rank 0 for [4]"},
		{"proc", "no such rank: rank 2 of 2"},
		{"not mine", "gp: GP_Assign_local_element on rank 1: array 1, place [0 0]: of another rank: rank 0 has it, and not rank 1"},
		{"outside", "outside of the array: place [6 4] of dimensions [6 4]"},
		{"too many", "array 1, place [3 0]: sizes do not fit: 81 bytes of an element that was allocated with 80"},
		{"none", "0 bytes of an element"},
		{"inside", "not the address of an element"},
		{"stack", "gp: GP_Free on rank 1: not the address of an element"},
		{"destroyed", "gp: GP_Get_size on rank 1: array 2: no such array"},
		{"freed", "gp: GP_Free on rank 1: not the address of an element"},
		{"freed before", "gp: GP_Assign_local_element on rank 1: array 1: not the address of an element"},
		{"null element", "gp: GP_Assign_local_element on rank 1: array 1: not the address of an element"},
		{"null pointer", "gp: GP_Access_element on rank 1: array 1: ptr is NULL"},
		{"ld_size", "ld_size[0] is 3, and the section has 4 places along dimension 1"},
		{"null lo", "gp: GP_Get_size on rank 1: array 1: lo is NULL"},
		{"sum", "sizes do not fit: 2516582400 bytes together, which an int cannot hold"},
		{"assigned", "gp: GP_Free on rank 1: the element is assigned to a place: it has 1"},
		{"null subscript", "gp: GP_Release_element on rank 1: array 1: subscript is NULL"},
		{"put too many", "gp: GP_Put on rank 1: array 1, place [3 0]: 96 bytes for an element of 80"},
		{"put not equal", "gp: GP_Put on rank 1: array 1, place [3 0]: 79 bytes for an element of 80"},
		{"get too many", "gp: GP_Get on rank 1: array 1, place [3 0]: 96 bytes for an element of 80"},
		{"put unassigned", "gp: GP_Scatter on rank 1: array 1, place [5 3]: 96 bytes, and no element is assigned"},
		{"section", "outside of the array: section [0 0] to [6 3] of dimensions [6 4]"},
		{"place", "outside of the array: place [6 3] of dimensions [6 4]"},
		{"nv", "nv is -1"},
		{"ld", "ld[0] is 3, and the section has 4 places along dimension 1"},
		{"null ld_size", "ld_size is NULL"},
		{"null buf", "buf is NULL, and there are 80 bytes"},
		{"null buf_ptr", "buf_ptr is NULL"},
		{"null size", "size is NULL"},
		{"low size", "array 1: size: no memory at address 0x18"},
		{"low lo", "array 1: lo: no memory at address 0x18"},
		{"null entry", "gp: GP_Put on rank 1: array 1, place [3 0]: buf_ptr is NULL, and buf_size is 96"},
		{"negative", "gp: GP_Put on rank 1: array 1, place [3 0]: buf_size is -4"},
		{"late start", "bad shape: block 1 of dimension 0 begins at 9"},
	} {
		t.Run(strings.ReplaceAll(c.how, " ", "-"), func(t *testing.T) {
			t.Parallel()
			results := together(t, 2, []string{"ACP_NET=shm"}, path, c.how)
			// If both ranks find the mistake, one of them has the line.
			said := slices.ContainsFunc(results, func(e ended) bool {
				return strings.Contains(e.stderr, c.line) && e.status == abortStatus
			})
			if !said {
				t.Errorf("%v, want %q", results, c.line)
			}
		})
	}
}

// TestPointerArrayLines: lines name function, rank, array and place as far as they are known.
func TestPointerArrayLines(t *testing.T) {
	at := &array.PlaceError{Place: []int{4, 17}, Err: errors.New("96 bytes for an element of 80")}
	for _, c := range []struct {
		err  error
		want string
	}{
		{acp.ErrDisagree, ": " + acp.ErrDisagree.Error()},
		{&gpError{3, grid.ErrShape}, ": array 3: bad shape"},
		{&gpError{3, at}, ": array 3, place [4 17]: 96 bytes for an element of 80"},
	} {
		if got, want := gpFailure("GP_Put", nil, c.err), fmt.Sprintf("gp: GP_Put on process %d%s", os.Getpid(), c.want); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
