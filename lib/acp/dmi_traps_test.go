//go:build cgo && !mpi

package libacp

import (
	"path/filepath"
	"regexp"
	"testing"

	"github.com/goacp/goacp/internal/acptest/machine"
)

// dmiProgram compiles a program of testdata with the object file of libdmi, and returns its path.
func dmiProgram(t *testing.T, name, library string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := command(machine.CC(), "-Wall", "-Wextra", "-Werror", "-g", "-I.", dmiInclude, "testdata/"+name+".c", library, needArchive(t), "-pthread", "-o", path); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestDMITraps: sizes and ranges that overflow and addresses that are none make functions fail with a reason, as do calls in DMI_function. A
// scheduler refuses what is not its own, and its detached thread sleeps until the end. Buffers for both directions may be one.
func TestDMITraps(t *testing.T) {
	path := dmiProgram(t, "dmi_traps", libdmi(t))
	for _, c := range []struct{ what, stderr string }{
		{"sizes", ""}, {"inside", ""}, {"overlaps", ""}, {"schedule", "dmi: DMI_main has ended while 1 threads run, which end\n"},
	} {
		for _, net := range []string{"shm", "tcp"} {
			t.Run(c.what+"/"+net, func(t *testing.T) {
				results := together(t, 2, []string{"ACP_NET=" + net}, path, c.what)
				if want := (ended{stdout: c.what + " is done\n", stderr: c.stderr}); results[0] != want {
					t.Errorf("%v, want %v", results[0], want)
				}
				allWell(t, results[1:], "")
			})
		}
	}
}

// TestDMIWithoutMemory: if the process does not have the memory that it names, the run ends with one line, which names the function; or the
// function fails, if another thread or the network has missed the memory. There is no trace.
func TestDMIWithoutMemory(t *testing.T) {
	path := dmiProgram(t, "dmi_traps", libdmi(t))
	for _, c := range []struct {
		what, function string
		byNetwork      bool // with sockets
	}{
		{"read", "DMI_read", false}, {"read long", "DMI_read", true}, {"fetch", "DMI_read", false}, {"fetch long", "DMI_read", false},
		{"write", "DMI_write", false}, {"write long", "DMI_write", true}, {"take", "DMI_write", false}, {"take long", "DMI_write", false},
		{"fas", "DMI_fas", false}, {"fas long", "DMI_fas", false}, {"fad", "DMI_fad", false}, {"cas", "DMI_cas", false},
		{"atomic", "DMI_atomic", false}, {"mmap", "DMI_mmap", false}, {"group long", "DMI_group_read", true},
		{"handle of a group", "DMI_group_read", false}, {"handle of a set", "DMI_local_rwset_read", false},
	} {
		for _, status := range []string{"", " status"} {
			for _, net := range []string{"shm", "tcp"} {
				t.Run(c.what+status+"/"+net, func(t *testing.T) {
					t.Parallel()
					first := together(t, 2, []string{"ACP_NET=" + net}, path, c.what+status)[0]
					if c.byNetwork && net == "tcp" {
						want := c.what + status + " returns 0: bad global address: memory was unregistered or unmapped while it was in use\n" + c.what + status + " is done\n"
						if first != (ended{stdout: want}) {
							t.Errorf("%v, want %q", first, want)
						}
						return
					}
					if c.what+status == "read status" { // the thread that receives the answer finds that there is no memory for it
						want := `^read status returns 0: no memory at address 0x[0-9a-f]+\nread status is done\n$`
						if first.status != 0 || first.stderr != "" || !regexp.MustCompile(want).MatchString(first.stdout) {
							t.Errorf("%v, want output that matches %s", first, want)
						}
						return
					}
					function := c.function
					if status != "" {
						function = "(a function that was started|" + function + ")" // some begin at once
					}
					if line := `^dmi: ` + function + ` by process 0: no memory at address 0x[^\n]*\n$`; first.status != 255 || !regexp.MustCompile(line).MatchString(first.stderr) {
						t.Errorf("%v, want status 255 and a line that matches %s", first, line)
					}
				})
			}
		}
	}
}

// TestDMIOwnMain: in a program with a main of its own all functions fail, and say why.
func TestDMIOwnMain(t *testing.T) {
	library := besideLibrary(t, "dmi", nil, "../../lib/dmi/dmi_api.h", "../../lib/dmi/internal.h", "dmi_bind.h") // without the main of DMI
	if e := alone(t, nil, dmiProgram(t, "dmi_ownmain", library)); e != (ended{stdout: "main\n"}) {
		t.Error(e)
	}
}
