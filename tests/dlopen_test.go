package tests

import (
	"debug/elf"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/goacp/goacp/tests/harness"
)

// mostTLS bounds the thread-local variables of a shared library. The C library keeps a few hundred bytes for all
// libraries that a process loads by dlopen, and variables of the runtime of Go have to be there.
const mostTLS = 256

// sharedLibraries returns the paths of the shared libraries of the build tree, for all MPIs.
func sharedLibraries(t *testing.T) []string {
	t.Helper()
	suite.C(t, "allgather") // skips if the tree is not built
	folder := filepath.Dir(filepath.Dir(suite.Library(harness.MPI{Name: "any"}, "libacp.so")))
	var all []string
	for _, pattern := range []string{"*.so", "*/*.so"} {
		found, err := filepath.Glob(filepath.Join(folder, pattern))
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, found...)
	}
	if len(all) == 0 {
		t.Fatalf("no shared library in %s", folder)
	}
	return all
}

// TestThreadLocalVariables: each shared library has few.
func TestThreadLocalVariables(t *testing.T) {
	for _, path := range sharedLibraries(t) {
		f, err := elf.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range f.Progs {
			if p.Type == elf.PT_TLS && p.Memsz > mostTLS {
				t.Errorf("%s has %d bytes of thread-local variables, expected at most %d", path, p.Memsz, mostTLS)
			}
		}
		f.Close()
	}
}

// host compiles a program that loads libraries by dlopen.
func host(t *testing.T, sandbox *harness.Sandbox) string {
	t.Helper()
	compiler, err := exec.LookPath("cc")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(sandbox.Dir, "host")
	sandbox.Must(compiler, "-std=gnu11", "-O2", "-Wall", "-Wextra", "-Werror", suite.Source("tests", "testdata", "dlopen.c"), "-ldl", "-pthread", "-o", path)
	return path
}

// TestDlopen loads the libraries without MPI after main has begun, and uses them.
func TestDlopen(t *testing.T) {
	sharedLibraries(t) // skips if the tree is not built
	program := host(t, suite.Sandbox(t))
	library := func(name string) string { return suite.Library(harness.MPI{}, name) }
	for _, load := range [][]string{
		{library("libacp.so")},
		{library("libarmci.so")},
		{library("libgp.so")},
		{library("libacp.so"), library("libgp.so")},
		{library("libgp.so"), library("libacp.so")},
		{library("libacphook.so"), library("libacp.so")},
	} {
		t.Run(names(load), func(t *testing.T) {
			out := suite.Sandbox(t).Must(append([]string{"acprun", "-np", "2", program}, load...)...)
			lines(t, out, "rank 0 of 2$", "rank 1 of 2$")
		})
	}
}

// TestDlopenAlone: libgp.so, libarmci.so and libdmi.so name the library that they need.
func TestDlopenAlone(t *testing.T) {
	sharedLibraries(t) // skips if the tree is not built
	sandbox := suite.Sandbox(t)
	program := host(t, sandbox)
	loader := loaderOf(t, program)
	for _, name := range []string{"libgp.so", "libarmci.so", "libdmi.so"} {
		text, err := os.ReadFile(suite.Library(harness.MPI{}, name))
		if err != nil {
			t.Fatal(err)
		}
		// The cache may have the libraries of an installation.
		r := sandbox.Run("", loader, "--inhibit-cache", program, sandbox.Write(name, string(text)))
		if r.Status == 0 || !strings.Contains(r.Stderr, "libacp.so") {
			t.Errorf("%s alone: %v, expected a line that names libacp.so", name, r)
		}
	}
}

// loaderOf returns the dynamic loader that a program names.
func loaderOf(t *testing.T, program string) string {
	t.Helper()
	file, err := elf.Open(program)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	for _, segment := range file.Progs {
		if segment.Type != elf.PT_INTERP {
			continue
		}
		path, err := io.ReadAll(segment.Open())
		if err != nil {
			t.Fatal(err)
		}
		return strings.TrimRight(string(path), "\x00")
	}
	t.Fatalf("%s names no loader", program)
	return ""
}

// TestDlopenWithMPI loads the libraries of each MPI, with MPI loaded and initialised before and after.
func TestDlopenWithMPI(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"openmpi", "mpich"} {
		t.Run(name, func(t *testing.T) {
			mpi := suite.NeedMPI(t, name)
			program, inMPI := host(t, suite.Sandbox(t)), libmpi(t, mpi)
			library := func(name string) string { return suite.Library(mpi, name) }
			for _, load := range [][]string{
				{inMPI, "init", library("libmacp.so")},
				{library("libmacp.so"), inMPI, "init"},
				{inMPI, library("libmacp.so"), "init"},
				{inMPI, "init", library("libarmci.so")},
				{library("libarmci.so"), inMPI, "init"},
				{inMPI, "init", library("libgp.so")},
				{library("libmacp.so"), library("libgp.so"), inMPI, "init"},
			} {
				t.Run(names(load), func(t *testing.T) {
					out := suite.Sandbox(t).MustRead(jobs(job{mpi.Mpirun, 2, program + " " + strings.Join(load, " ")}), "macprun")
					lines(t, out, "rank 0 of 2$", "rank 1 of 2$")
				})
			}
		})
	}
}

// libmpi returns the file name of the library of an MPI that libmacp.so needs.
func libmpi(t *testing.T, mpi harness.MPI) string {
	t.Helper()
	f, err := elf.Open(suite.Library(mpi, "libmacp.so"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	needed, err := f.ImportedLibraries()
	for _, name := range needed {
		if strings.HasPrefix(name, "libmpi") {
			return name
		}
	}
	t.Fatalf("libmacp.so of %s needs %v (%v), expected one of MPI", mpi.Name, needed, err)
	return ""
}

// names returns the names of files, as a part of the name of a test.
func names(paths []string) string {
	var all []string
	for _, p := range paths {
		all = append(all, filepath.Base(p))
	}
	return strings.Join(all, " ")
}
