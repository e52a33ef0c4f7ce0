package tests

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/goacp/goacp/tests/harness"
)

// pools checks one run of the program pools of several ranks on each host.
func pools(t *testing.T, out, size, what string) {
	t.Helper()
	if !strings.Contains(out, "blocks of "+size+" bytes: "+what) {
		t.Errorf("unexpected output %q", out)
	}
}

// TestMalloc: registered memory of malloc is mapped memory for ranks of the host if the options of acprun,
// or the program, choose blocks of its size.
func TestMalloc(t *testing.T) {
	linked := func(t *testing.T, sandbox *harness.Sandbox, options ...string) string {
		path := filepath.Join(sandbox.Dir, "pools")
		suite.Bin(t, "acpcc")
		sandbox.Must(append(append([]string{"acpcc"}, options...), suite.Source("tests", "programs", "pools.c"), "-o", path)...)
		return path
	}
	for _, c := range []struct {
		name    string
		link    []string // options of acpcc; nil: the program is not linked with libacphook
		environ []string
		options []string
		size    string
		what    string
	}{
		{"off", nil, nil, nil, "4096", "copied"},
		{"large", nil, nil, []string{"-mhooklarge"}, "4096", "mapped"},
		{"large, block is huge", nil, nil, []string{"-mhooklarge"}, "1000000", "copied"},
		{"large, other limit", nil, nil, []string{"--acp-malloc-hook-large", "-mhookhigh", "1m"}, "1000000", "mapped"},
		{"small", nil, nil, []string{"-mhooksmall"}, "100", "mapped"},
		{"small, other limit", nil, nil, []string{"-mhooksmall", "-mhooklow", "8k"}, "4096", "mapped"},
		{"huge", nil, nil, []string{"-mhookhuge"}, "1000000", "mapped"},
		{"by variables", nil, []string{"ACP_MHOOK_HUGE=1", "ACP_MHOOK_HIGH=4k"}, nil, "5000", "mapped"},
		{"sockets", nil, nil, []string{"-mhooklarge", "-net", "tcp"}, "4096", "copied"},
		{"linked", []string{"-mhook"}, nil, nil, "4096", "mapped"},
		{"linked, block is small", []string{"-mhooklarge", "-mhooklow=8k"}, nil, nil, "4096", "copied"},
		{"linked, off by variable", []string{"-mhook"}, []string{"ACP_MHOOK_LARGE=0"}, nil, "4096", "copied"},
		{"linked and preloaded", []string{"-mhooksmall"}, nil, []string{"-mhooklarge"}, "4096", "mapped"},
	} {
		t.Run(c.name, func(t *testing.T) {
			sandbox := suite.Sandbox(t)
			sandbox.Env = append(sandbox.Env, c.environ...)
			var program string
			if c.link != nil {
				program = linked(t, sandbox, c.link...)
			} else {
				program = suite.C(t, "pools")
			}
			argv := append(append([]string{"acprun", "-np", "2"}, c.options...), program, c.size, "2", c.what)
			pools(t, sandbox.Must(argv...), c.size, c.what)
		})
	}
}

// TestMallocOnHosts: the library is preloaded on all hosts, and ranks of other hosts access the memory
// like any registered memory.
func TestMallocOnHosts(t *testing.T) {
	sandbox := suite.Sandbox(t)
	program := suite.C(t, "pools")
	sandbox.Hosts(2)
	nodes := sandbox.Nodefile(0, 0, 1, 1)
	pools(t, sandbox.Must("acprun", "-np", "4", "-nodefile", nodes, "-mhooklarge", program, "4096", "2", "mapped"), "4096", "mapped")
	pools(t, sandbox.Must("acprun", "-np", "4", "-nodefile", nodes, program, "4096", "2", "copied"), "4096", "copied")
}

// TestMallocOfJobs: jobs of a run differ in their options; programs of MPI are linked with the library.
func TestMallocOfJobs(t *testing.T) {
	t.Parallel()
	plain := suite.C(t, "pools")
	sandbox := suite.Sandbox(t)
	both := jobs(job{"acprun -mhooklarge", 2, plain + " 4096 2 mapped"}, job{"acprun -mhooklarge", 2, plain + " 4096 2 mapped"})
	pools(t, sandbox.MustRead(both, "macprun"), "4096", "mapped")
	for _, name := range []string{"openmpi", "mpich"} {
		t.Run(name, func(t *testing.T) {
			mpi := suite.NeedMPI(t, name)
			sandbox := suite.Sandbox(t)
			mixed := filepath.Join(sandbox.Dir, "pools")
			sandbox.Must("macpcc", "-mpi", mpi.Name, "-DWITH_MPI", "-mhooklarge", suite.Source("tests", "programs", "pools.c"), "-o", mixed)
			pools(t, sandbox.MustRead(jobs(job{mpi.Mpirun, 2, mixed + " 4096 2 mapped"}), "macprun"), "4096", "mapped")
			windowed(t, sandbox, mpi, []int{2}, mixed+" 4096 2 windows", "-smemsize", "1m")
		})
	}
}

// TestMallocOptions: the messages to users about the options.
func TestMallocOptions(t *testing.T) {
	sandbox := suite.Sandbox(t)
	suite.Bin(t, "acprun")
	r := sandbox.Run("", "acprun", "-mhooklow", "1k", "/bin/true")
	if r.Status != 0 || !strings.Contains(r.Stderr, "warning: -mhooklow and -mhookhigh switch nothing on") {
		t.Errorf("limits alone: %v", r)
	}
	sandbox.Env = append(sandbox.Env, "LD_PRELOAD=/nowhere/libother.so")
	if out := sandbox.Run("", "acprun", "-mhooklarge", "/bin/sh", "-c", "echo $LD_PRELOAD").Stdout; !strings.HasPrefix(out, "/nowhere/libother.so:") ||
		!strings.HasSuffix(out, "/libacphook.so\n") {
		t.Errorf("preloaded: %q", out)
	}
}

// installedMalloc uses the library of an installation, and then an installation without it.
func installedMalloc(t *testing.T, sandbox *harness.Sandbox, prefix string) {
	t.Helper()
	bin := func(name string) string { return filepath.Join(prefix, "bin", name) }
	source := suite.Source("tests", "programs", "pools.c")
	plain, linked := filepath.Join(sandbox.Dir, "pools"), filepath.Join(sandbox.Dir, "pools_linked")
	sandbox.Must(bin("acpcc"), source, "-o", plain)
	sandbox.Must(bin("acpcc"), "-mhook", source, "-o", linked)
	pools(t, sandbox.Must(bin("acprun"), "-np", "2", "-mhooklarge", plain, "4096", "2", "mapped"), "4096", "mapped")
	pools(t, sandbox.Must(bin("acprun"), "-np", "2", linked, "4096", "2", "mapped"), "4096", "mapped")
	library := filepath.Join(prefix, "lib", "libacphook.so")
	if err := os.Rename(library, library+".away"); err != nil {
		t.Fatal(err)
	}
	r := sandbox.Run("", bin("acprun"), "-mhooksmall", "-mhookhuge", plain)
	if want := "acprun: option -mhooksmall, -mhookhuge: libacphook.so is not in " + filepath.Join(prefix, "lib"); r.Status == 0 || !strings.Contains(r.Stderr, want) {
		t.Errorf("without the library: %v, want %q", r, want)
	}
	if err := os.Rename(library+".away", library); err != nil {
		t.Fatal(err)
	}
}
