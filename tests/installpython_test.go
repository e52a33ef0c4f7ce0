package tests

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// installedPython runs a program with the Python package of an installation, which finds the libraries of the same installation
// in its folder lib. No launcher of the installation is in PATH.
func installedPython(t *testing.T, prefix, lib string) {
	t.Helper()
	python := suite.NeedPython(t)
	sandbox := suite.Sandbox(t)
	packages := filepath.Join(prefix, "lib", "python3", "site-packages")
	sandbox.Env = append(sandbox.Env, "PYTHONPATH="+packages, "PYTHONDONTWRITEBYTECODE=1")
	program := sandbox.Write("sum.py", `import importlib.metadata, os, goacp
from goacp import _find
os.environ["PATH"] = "/usr/bin:/bin"
found = [next(_find.candidates(family)) for family in (None, "openmpi")] + [goacp.__file__]
with goacp.run() as run:
    assert importlib.metadata.version("goacp") == run.api.acp_version().decode()
    assert importlib.metadata.requires("goacp") == ["numpy>=1.20"]
    run.sync()
    print("rank", run.rank, *found, [line.split()[-1] for line in open("/proc/self/maps") if "/libacp.so" in line][0])
`)
	folder := filepath.Join(prefix, lib)
	libmacp := filepath.Join(folder, "libmacp.so.2")
	if _, ok := suite.FindMPI("openmpi"); ok {
		libmacp = filepath.Join(folder, "openmpi", "libmacp.so.2")
	}
	found := " " + filepath.Join(folder, "libacp.so.2") + " " + libmacp + " " + filepath.Join(packages, "goacp", "__init__.py") + " "
	library, err := filepath.EvalSymlinks(filepath.Join(folder, "libacp.so.2"))
	if err != nil {
		t.Fatal(err)
	}
	lines(t, sandbox.Must(filepath.Join(prefix, "bin", "acprun"), "-np", "2", python, program),
		"rank 0"+found+library+"$", "rank 1"+found+library+"$")
}

// TestOtherFolders: in an installation with other folders below the prefix, as distributions have them, the launchers, the
// wrapper compilers and the Python package find the libraries, also after it has moved, and DESTDIR is honoured.
func TestOtherFolders(t *testing.T) {
	suite.C(t, "allgather") // skips if the tree is not built
	sandbox := suite.Sandbox(t)
	tree := suite.ConfiguredCopy(sandbox, "/usr", "--libdir=/usr/lib/x86_64-linux-gnu", "--includedir=/usr/include/goacp",
		"--pythondir=/usr/lib/python3/site-packages")
	image := filepath.Join(sandbox.Dir, "image")
	sandbox.Must("/bin/sh", "-c", `cd "$0" && make --no-print-directory -o built install DESTDIR="$1"`, tree, image)
	prefix := filepath.Join(sandbox.Dir, "moved")
	if err := os.Rename(filepath.Join(image, "usr"), prefix); err != nil {
		t.Fatal(err)
	}
	installedPython(t, prefix, "lib/x86_64-linux-gnu")
	hello := filepath.Join(sandbox.Dir, "hello")
	sandbox.Must(filepath.Join(prefix, "bin", "acpcc"), suite.Source("examples", "mixed", "hello_world_acp.c"), "-o", hello)
	acprun := filepath.Join(prefix, "bin", "acprun")
	greetings(t, sandbox.Must(acprun, "-np", "2", hello), 2)
	out := sandbox.Must(acprun, "-mhooksmall", "-np", "1", "/bin/sh", "-c", "echo $LD_PRELOAD")
	if want := filepath.Join(prefix, "lib/x86_64-linux-gnu/libacphook.so"); strings.TrimSpace(out) != want {
		t.Errorf("acprun -mhooksmall preloads %q, expected %s", out, want)
	}

	r := sandbox.Run("", "/bin/sh", "-c", `cd "$0" && ./configure --prefix=/opt/a --pythondir=/opt/ab/python`, tree)
	if r.Status != 1 || !strings.Contains(r.Stderr, "option --pythondir: expected a folder below /opt/a, found '/opt/ab/python'") {
		t.Errorf("configure with a folder of Python outside of the prefix: %v", r)
	}
}
