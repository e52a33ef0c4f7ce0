package tests

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestInstalled installs the build tree somewhere else, moves the installation, compiles there and runs.
func TestInstalled(t *testing.T) {
	suite.C(t, "allgather") // skips if the tree is not built
	for _, tool := range []string{"make", "bash"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Fatal(err)
		}
	}
	temporary := t.TempDir()
	first, prefix := filepath.Join(temporary, "first"), filepath.Join(temporary, "prefix")
	sandbox := suite.Sandbox(t)
	suite.Install(sandbox, first)
	if err := os.Rename(first, prefix); err != nil {
		t.Fatal(err)
	}
	bin := func(name string) string { return filepath.Join(prefix, "bin", name) }

	example := suite.Source("examples", "mixed", "hello_world_acp.c")
	plain := filepath.Join(sandbox.Dir, "hello_world_acp")
	sandbox.Must(bin("acpcc"), "-o", plain, example)
	greetings(t, sandbox.Must(bin("acprun"), "-np", "3", plain), 3)
	// The same in two steps, as makefiles do it, with an object and a library.
	object := filepath.Join(sandbox.Dir, "hello.o")
	sandbox.Must(bin("acpcc"), "-c", example, "-o", object)
	sandbox.Must(bin("acpc++"), object, "-lm", "-o", plain)
	greetings(t, sandbox.Must(bin("acprun"), "-np", "2", plain), 2)

	// Other libraries in the folder of libacp are found by their names.
	pointers := filepath.Join(sandbox.Dir, "pointers")
	sandbox.Must(bin("acpcc"), suite.Source("tests", "programs", "pointers.c"), "-lgp", "-o", pointers)
	lines(t, sandbox.Must(bin("acprun"), "-np", "2", pointers, "1"), "2 ranks: 1 arrays$")

	hooked := filepath.Join(sandbox.Dir, "hooked")
	sandbox.Must(bin("acpcc"), example, "-Wl,--no-as-needed", "-lacphook", "-o", hooked)
	greetings(t, sandbox.Must(bin("acprun"), "-np", "2", hooked), 2)
	installedMalloc(t, sandbox, prefix)

	if suite.HasFortran() {
		hello, modules := filepath.Join(sandbox.Dir, "hello_fortran"), "-J"+sandbox.Dir
		source, program := suite.Source(fortranHello[0]+".f90"), suite.Source(fortranHello[1]+".f90")
		sandbox.Must(bin("acpfc"), modules, source, program, "-o", hello)
		greetings(t, sandbox.Must(bin("acprun"), "-np", "2", hello), 2)
		// Other compilers need the sources of the modules.
		for _, name := range []string{"acp.f90", "acp_couple.f90", "goacp_array.c", "goacp_array.h"} {
			if _, err := os.Stat(filepath.Join(prefix, "share", "goacp", "fortran", name)); err != nil {
				t.Error(err)
			}
		}
	}

	installed := found{pkgConfig: filepath.Join(prefix, "lib", "pkgconfig"), prefix: prefix, bin: filepath.Join(prefix, "bin")}
	t.Run("pkg-config", func(t *testing.T) { installed.byPkgConfig(t, suite.Sandbox(t)) })
	t.Run("CMake", func(t *testing.T) { installed.byCMake(t, suite.Sandbox(t)) })
	t.Run("module file", func(t *testing.T) { moduleFile(t, first, prefix) })
	t.Run("Python", func(t *testing.T) { installedPython(t, prefix, "lib") })

	mpi := suite.NeedMPI(t, "openmpi")
	mixed := filepath.Join(sandbox.Dir, "hello_world_macp")
	sandbox.Must(bin("macpcc"), "-mpi", mpi.Name, suite.Source("examples", "mixed", "hello_world_macp.c"), "-o", mixed)
	greetings(t, sandbox.MustRead(jobs(job{"acprun", 1, plain}, job{mpi.Mpirun, 2, mixed}), bin("macprun")), 3)

	// The folder of ARMCI has the headers for users and no others.
	var headers []string
	paths, err := filepath.Glob(filepath.Join(prefix, "share", "goacp", "armci", mpi.Name, "include", "*"))
	for _, path := range paths {
		headers = append(headers, filepath.Base(path))
	}
	want := []string{"armci.h", "armci_group.h", "armci_iterator.h", "armci_mpi.h", "armci_msg.h", "armcix.h", "iterator.h", "message.h", "parmci.h"}
	if err != nil || !slices.Equal(headers, want) {
		t.Errorf("headers of ARMCI: %q, %v, expected %q", headers, err, want)
	}
}

// TestShowme runs the wrappers of the build tree with -showme.
func TestShowme(t *testing.T) {
	sandbox := suite.Sandbox(t)
	suite.Bin(t, "acpcc")
	for _, form := range []struct{ option, contains string }{
		{"-showme", "-I"}, {"--showme", "-I"}, {"--showme:compile", "-I"}, {"--showme:link", "libacp"}, {"--showme:libs", "acp"},
		{"--showme:incdirs", "include"}, {"--showme:libdirs", "lib"}, {"--showme:version", "ACP Library"}, {"--showme:help", "showme"},
	} {
		out := sandbox.Must("acpcc", form.option, "program.c")
		if !strings.Contains(out, form.contains) {
			t.Errorf("acpcc %s: %q, expected to contain %q", form.option, out, form.contains)
		}
		if entries, _ := os.ReadDir(sandbox.Dir); len(entries) != 0 {
			t.Errorf("acpcc %s made %v", form.option, entries)
		}
	}
	if r := sandbox.Run("", "acpcc", "-ndev", "pigeon", "program.c"); r.Status != 1 || !strings.Contains(r.Stderr, "pigeon") {
		t.Errorf("expected that acpcc refuses the network: %v", r)
	}
}
