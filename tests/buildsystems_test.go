package tests

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/goacp/goacp/tests/harness"
)

// found is a sandbox where build systems find GoACP.
type found struct {
	pkgConfig string // PKG_CONFIG_PATH
	prefix    string // CMAKE_PREFIX_PATH
	bin       string
}

// TestBuildSystems builds programs with the libraries of the build tree by pkg-config and by CMake, and runs them.
func TestBuildSystems(t *testing.T) {
	suite.C(t, "allgather") // skips if the tree is not built
	top := filepath.Dir(filepath.Dir(suite.Bin(t, "acprun")))
	here := found{pkgConfig: filepath.Join(top, "share", "pkgconfig"), prefix: top, bin: filepath.Join(top, "bin")}
	t.Run("pkg-config", func(t *testing.T) { here.byPkgConfig(t, suite.Sandbox(t)) })
	t.Run("CMake", func(t *testing.T) { here.byCMake(t, suite.Sandbox(t)) })
}

// byPkgConfig compiles programs by the C compiler with the flags of pkg-config, and runs them.
func (f found) byPkgConfig(t *testing.T, sandbox *harness.Sandbox) {
	t.Helper()
	sandbox.Env = append(sandbox.Env, "PKG_CONFIG_PATH="+f.pkgConfig)
	compile := func(packages, source string) string {
		t.Helper()
		program := filepath.Join(sandbox.Dir, strings.ReplaceAll(packages, " ", "-"))
		sandbox.Must("/bin/sh", "-c", `cc -o "$0" "$1" $(pkg-config --cflags "$2") $(pkg-config --libs "$2")`, program, source, packages)
		return program
	}
	acprun := filepath.Join(f.bin, "acprun")
	plain := compile("acp", suite.Source("examples", "mixed", "hello_world_acp.c"))
	greetings(t, sandbox.Must(acprun, "-np", "2", plain), 2)
	lines(t, sandbox.Must(acprun, "-np", "2", compile("gp", suite.Source("tests", "programs", "pointers.c")), "1"), "2 ranks: 1 arrays$")
	sandbox.Must(acprun, "-np", "2", compile("armci", sandbox.Write("armci.c", armciHello)))
	if suite.HasFortran() {
		program := filepath.Join(sandbox.Dir, "fortran")
		sandbox.Must("/bin/sh", "-c", `cd "$0" && gfortran -o fortran "$1" "$2" $(pkg-config --cflags --libs acp-fortran acp)`,
			sandbox.Dir, suite.Source(fortranHello[0]+".f90"), suite.Source(fortranHello[1]+".f90"))
		greetings(t, sandbox.Must(acprun, "-np", "2", program), 2)
	}
	for _, name := range []string{"openmpi", "mpich"} {
		t.Run(name, func(t *testing.T) {
			mpi := suite.NeedMPI(t, name)
			mixed := compile("macp-"+name, suite.Source("examples", "mixed", "hello_world_macp.c"))
			inputs := jobs(job{"acprun", 1, plain}, job{mpi.Mpirun, 2, mixed})
			greetings(t, sandbox.MustRead(inputs, filepath.Join(f.bin, "macprun")), 3)
			compile("gp-"+name, suite.Source("tests", "programs", "pointers.c"))
			compile("armci-"+name, sandbox.Write("armci.c", "#include <armci_mpi.h>\n#ifndef ARMCI_MPI\n#error no MPI\n#endif\n"+armciHello))
		})
	}
	if version := sandbox.Must("/bin/sh", "-c", `pkg-config --modversion acp`); version != sandbox.Must("/bin/sh", "-c", `"$0" -version | sed 's/.*(GoACP) \([^,]*\),.*/\1/'`, acprun) {
		t.Errorf("pkg-config prints version %q", version)
	}
}

const armciHello = `#include <armci.h>
int main(void)
{
    void *blocks[2];
    if (ARMCI_Init() != 0 || ARMCI_Malloc(blocks, 8) != 0)
        return 1;
    ARMCI_Barrier();
    ARMCI_Finalize();
    return 0;
}
`

// byCMake builds and installs programs in C and Fortran by CMake, and runs them where they were built and installed.
func (f found) byCMake(t *testing.T, sandbox *harness.Sandbox) {
	t.Helper()
	components, text := "acp gp armci", `
add_executable(plain `+suite.Source("examples", "mixed", "hello_world_acp.c")+`)
target_link_libraries(plain PRIVATE GoACP::acp)
add_executable(pointers `+suite.Source("tests", "programs", "pointers.c")+`)
target_link_libraries(pointers PRIVATE GoACP::gp)
add_executable(armci `+sandbox.Write("armci.c", armciHello)+`)
target_link_libraries(armci PRIVATE GoACP::armci)
install(TARGETS plain pointers armci DESTINATION bin)
`
	languages := "C"
	if suite.HasFortran() {
		languages, components = "C Fortran", components+" fortran"
		text += `
add_executable(infortran ` + suite.Source(fortranHello[0]+".f90") + " " + suite.Source(fortranHello[1]+".f90") + `)
target_link_libraries(infortran PRIVATE GoACP::fortran GoACP::acp)
install(TARGETS infortran DESTINATION bin)
`
	}
	var mpis []harness.MPI
	for _, name := range []string{"openmpi", "mpich"} {
		if mpi, ok := suite.FindMPI(name); ok {
			mpis = append(mpis, mpi)
			components += " macp-" + name
			text += `
add_executable(mixed-` + name + " " + suite.Source("examples", "mixed", "hello_world_macp.c") + `)
target_link_libraries(mixed-` + name + ` PRIVATE GoACP::macp-` + name + `)
install(TARGETS mixed-` + name + ` DESTINATION bin)
`
		}
	}
	sandbox.Write("CMakeLists.txt", "cmake_minimum_required(VERSION 3.13)\nproject(programs LANGUAGES "+languages+")\n"+
		"find_package(GoACP 2.0 REQUIRED COMPONENTS "+components+")\n"+text+
		"find_package(GoACP COMPONENTS pigeons)\nif(GoACP_FOUND)\n  message(FATAL_ERROR \"found pigeons\")\nendif()\n")
	sandbox.Must("/bin/sh", "-c", `cd "$0" && cmake -S . -B built -DCMAKE_PREFIX_PATH="$1" -DCMAKE_INSTALL_PREFIX="$0/installed" && cmake --build built && cmake --install built`,
		sandbox.Dir, f.prefix)
	acprun := filepath.Join(f.bin, "acprun")
	for _, folder := range []string{"built", "installed/bin"} {
		program := func(name string) string { return filepath.Join(sandbox.Dir, folder, name) }
		greetings(t, sandbox.Must(acprun, "-np", "2", program("plain")), 2)
		lines(t, sandbox.Must(acprun, "-np", "2", program("pointers"), "1"), "2 ranks: 1 arrays$")
		sandbox.Must(acprun, "-np", "2", program("armci"))
		if suite.HasFortran() {
			greetings(t, sandbox.Must(acprun, "-np", "2", program("infortran")), 2)
		}
		for _, mpi := range mpis {
			inputs := jobs(job{"acprun", 1, program("plain")}, job{mpi.Mpirun, 2, program("mixed-" + mpi.Name)})
			greetings(t, sandbox.MustRead(inputs, filepath.Join(f.bin, "macprun")), 3)
		}
	}
	// The tree of CMake is large.
	if err := os.RemoveAll(filepath.Join(sandbox.Dir, "built")); err != nil {
		t.Fatal(err)
	}
}
