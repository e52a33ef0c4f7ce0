//go:build cgo && !mpi

package libacp

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/goacp/goacp/internal/acptest/machine"
)

// dmiInclude is the option by which compilers find dmi_api.h.
const dmiInclude = "-I../../lib/dmi"

// libdmi compiles libdmi with the beginning of programs, and returns the path of the object file.
func libdmi(t *testing.T) string {
	t.Helper()
	return besideLibrary(t, "dmi", []string{"../../lib/dmi/main/main.c"}, "../../lib/dmi/dmi_api.h", "../../lib/dmi/internal.h", "dmi_bind.h")
}

// dmiFunctions returns the functions that libdmi is to have, apart from those behind macros.
func dmiFunctions(t *testing.T) []string {
	t.Helper()
	text, err := os.ReadFile("../../lib/dmi/symbols.txt")
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, name := range strings.Fields(string(text)) {
		if strings.HasPrefix(name, "DMI_") {
			all = append(all, name)
		}
	}
	slices.Sort(all)
	return all
}

// dmiProgramFunctions are those that programs define.
var dmiProgramFunctions = []string{"DMI_function", "DMI_main", "DMI_scaleunit", "DMI_thread"}

// dmiSymbols returns the names of DMI that nm lists with an option.
func dmiSymbols(t *testing.T, file, option string) []string {
	t.Helper()
	var all []string
	for _, name := range nmNames(t, file, option, "DMI_") {
		if !slices.Contains(dmiProgramFunctions, name) {
			all = append(all, name)
		}
	}
	return all
}

// TestEveryDMIFunction: a program that calls every function of dmi_api.h compiles without a warning in every language
// that the header supports, and works. The library and the header have these functions and no others.
func TestEveryDMIFunction(t *testing.T) {
	want, library := dmiFunctions(t), libdmi(t)
	if got := dmiSymbols(t, library, "--defined-only"); !reflect.DeepEqual(got, want) {
		t.Errorf("the library has %v, want %v", got, want)
	}
	if n := len(want); n != 80+1 { // and DMI_strerror
		t.Errorf("%d functions, want 81", n)
	}
	var found []string
	for _, m := range regexp.MustCompile(`\b(DMI_[a-z]\w+)\(`).FindAllStringSubmatch(declarations(readHeader(t, "../../lib/dmi/dmi_api.h")), -1) {
		found = append(found, m[1])
	}
	slices.Sort(found)
	if !reflect.DeepEqual(found, want) {
		t.Errorf("dmi_api.h declares %v, want %v", found, want)
	}
	for _, l := range languages {
		t.Run(l.standard, func(t *testing.T) {
			object := filepath.Join(t.TempDir(), "every.o")
			l.compile(t, "testdata/dmi_every.c", dmiInclude, "-O1", "-g", "-c", "-o", object)
			if called := dmiSymbols(t, object, "-u"); !reflect.DeepEqual(called, want) {
				t.Errorf("it calls %v, want %v", called, want)
			}
			path := strings.TrimSuffix(object, ".o")
			if err := command(l.compiler, object, library, needArchive(t), "-pthread", "-o", path); err != nil {
				t.Fatal(err)
			}
			for _, net := range []string{"shm", "tcp"} {
				for _, n := range []int{1, 2, 3} {
					t.Run(fmt.Sprintf("%s/%d", net, n), func(t *testing.T) {
						results := together(t, n, []string{"ACP_NET=" + net}, path, "%n")
						if want := "3 helpers\n"; results[0].stdout != want {
							t.Errorf("it prints %q, want %q", results[0].stdout, want)
						}
						results[0].stdout = ""
						allWell(t, results, "")
					})
				}
			}
		})
	}
}

// TestDMIRounds: no thread leaves a round of a barrier before all have come, and none waits for ever, whether C counts the threads of a round or
// Go, and whether they spin or sleep.
func TestDMIRounds(t *testing.T) {
	path := dmiProgram(t, "dmi_rounds", libdmi(t))
	for _, net := range []string{"shm", "tcp"} {
		for _, c := range []struct{ processes, threads, rounds, late int }{
			{1, 1, 100, 64}, {1, 2, 3000, 64}, {2, 1, 5000, 64}, {2, 3, 1000, 64}, {3, 1, 1000, 64},
			{2, 1, 4000, 2}, // takes minutes if threads are not woken
		} {
			t.Run(fmt.Sprintf("%s/%d/%d/%d", net, c.processes, c.threads, c.late), func(t *testing.T) {
				seed := rand.Int64()
				t.Logf("seed %d", seed)
				results := together(t, c.processes, []string{"ACP_NET=" + net}, path,
					strconv.Itoa(c.processes), strconv.Itoa(c.threads), strconv.Itoa(c.rounds), strconv.FormatInt(seed, 10), strconv.Itoa(c.late))
				if want := fmt.Sprintf("%d rounds\n", c.rounds); results[0].stdout != want {
					t.Errorf("it prints %q, want %q", results[0].stdout, want)
				}
				results[0].stdout = ""
				allWell(t, results, "")
			})
		}
	}
}

// TestEndsOfDMI: the run ends with DMI_main, however that ends.
func TestEndsOfDMI(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ends")
	if err := command(machine.CC(), "-Wall", "-Wextra", "-Werror", "-I.", dmiInclude, "testdata/dmi_main.c", libdmi(t), needArchive(t), "-pthread", "-o", path); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		how, line string
		status    int
	}{
		{"return", "", 0}, {"exit", "", 0},
		{"threads", "dmi: DMI_main has ended while 4 threads run, which end\n", 0},
		{"error", "DMI_main of process 0: error\n", 1},
		{"pthread_exit", "dmi: DMI_main calls pthread_exit instead of returning\n", 1},
		{"function", "calls pthread_exit instead of returning\n", 1},
		{"catch", "DMI_main of process 0: DMI_mmap(&at, 0, 1, NULL): ", 1},
	} {
		t.Run(c.how, func(t *testing.T) {
			results := together(t, 2, nil, path, c.how)
			first := results[0]
			if first.status != c.status || !strings.Contains(first.stderr, c.line) || first.stdout != "DMI_main\n" || c.line == "" && first.stderr != "" {
				t.Errorf("process 0: %v, want status %d and %q", first, c.status, c.line)
			}
			if c.status == 0 {
				allWell(t, results[1:], "")
			}
		})
	}
	if e := alone(t, nil, path, "status"); e.status != 7 {
		t.Errorf("exit(7): %v", e)
	}
}

// TestDMIWithoutFunctions: programs without the functions that they need say so.
func TestDMIWithoutFunctions(t *testing.T) {
	library := libdmi(t)
	for _, c := range []struct{ name, source, line string }{
		{"none", "int none;", "dmi: the program has no DMI_main"},
		{"unit", "void DMI_main(int c, char **v) { (void)c, (void)v; catch(DMI_rescale(1, 1, 1)); }", "the program lacks a function: DMI_scaleunit"},
		{"thread", "void DMI_main(int c, char **v) { DMI_thread_t t; (void)c, (void)v; catch(DMI_create(&t, 0, 0, 0, NULL)); }", "the program lacks a function: DMI_thread"},
		{"function", "void DMI_main(int c, char **v) { int64_t a; (void)c, (void)v; catch(DMI_mmap(&a, 8, 1, NULL)); catch(DMI_atomic(a, 8, NULL, 0, NULL, 0, 0, DMI_PUT, NULL)); }", "DMI_function"},
	} {
		t.Run(c.name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "lacks.c")
			if err := os.WriteFile(file, []byte("#include <dmi_api.h>\n"+c.source+"\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			path := strings.TrimSuffix(file, ".c")
			if err := command(machine.CC(), "-Wall", "-Wextra", "-Werror", "-I.", dmiInclude, file, library, needArchive(t), "-pthread", "-o", path); err != nil {
				t.Fatal(err)
			}
			if e := alone(t, nil, path); e.status != 1 || !strings.Contains(e.stderr, c.line) || strings.Count(e.stderr, "\n") != 1 {
				t.Errorf("%v, want status 1 and %q", e, c.line)
			}
		})
	}
}
