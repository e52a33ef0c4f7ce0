package buildfiles

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/goacp/goacp/wrappers/toolchain"
)

func sample() *toolchain.Data {
	return &toolchain.Data{
		Version: "2.1.0", Libs: []string{"resolv", "pthread"},
		MPI: []toolchain.MPI{{Name: "mpich", Flavour: "mpich", Version: "4.0.2",
			CFlags: []string{"-I/opt/my mpi/include", "-DX=$a;b"}, LDFlags: []string{"-L/opt/my mpi/lib", "-lmpich"}}},
	}
}

func layout(prefix, lib string) Layout {
	return Layout{
		Prefix: prefix, IncludeDir: prefix + "/include", LibDir: lib,
		PkgConfig: lib + "/pkgconfig", CMake: lib + "/cmake/GoACP",
	}
}

// TestFolders: folders that move together are relative, and programs have no run path to folders in which the loader
// looks anyway.
func TestFolders(t *testing.T) {
	for _, c := range []struct {
		name, prefix, lib string
		want              []string
	}{
		{"usual", "/opt/goacp", "/opt/goacp/lib", []string{
			"includedir=${pcfiledir}/../../include\n", "libdir=${pcfiledir}/..\n", "-Wl,-rpath,${libdir} -lacp\n"}},
		{"libraries elsewhere", "/opt/goacp", "/data/lib", []string{"includedir=/opt/goacp/include\n", "libdir=/data/lib\n", "-Wl,-rpath"}},
		{"a folder with a similar name", "/opt/goacp", "/opt/goacp2/lib", []string{"libdir=/opt/goacp2/lib\n"}},
		{"the system's", "/usr", "/usr/lib/x86_64-linux-gnu", []string{
			"includedir=/usr/include\n", "libdir=/usr/lib/x86_64-linux-gnu\n", "Libs: -L${libdir} -lacp\n"}},
		{"the local one", "/usr/local", "/usr/local/lib", []string{"libdir=${pcfiledir}/..\n", "-Wl,-rpath"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			text := pkgConfigFiles(sample(), layout(c.prefix, c.lib))["acp.pc"]
			for _, want := range c.want {
				if !strings.Contains(text, want) {
					t.Errorf("no %q in\n%s", want, text)
				}
			}
		})
	}
}

// TestFlagsOfMPI: words of the flags of an MPI stay words.
func TestFlagsOfMPI(t *testing.T) {
	at := layout("/opt/goacp", "/opt/goacp/lib")
	pc := pkgConfigFiles(sample(), at)["macp-mpich.pc"]
	for _, want := range []string{"'-I/opt/my mpi/include' '-DX=$$a;b'\n", "-lmacp '-L/opt/my mpi/lib' -lmpich\n", "Libs.private: -lresolv -lpthread\n"} {
		if !strings.Contains(pc, want) {
			t.Errorf("no %q in\n%s", want, pc)
		}
	}
	cmake := cmakeFiles(sample(), at)["GoACPConfig.cmake"]
	for _, want := range []string{";/opt/my mpi/include\"", `COMPILE_OPTIONS "-DX=\$a\\;b"`, `"-L/opt/my mpi/lib;-lmpich"`} {
		if !strings.Contains(cmake, want) {
			t.Errorf("no %q in\n%s", want, cmake)
		}
	}
}

// TestWrite: files of a former configuration do not stay.
func TestWrite(t *testing.T) {
	top := t.TempDir()
	pkgConfig, cmake := filepath.Join(top, "pkgconfig"), filepath.Join(top, "cmake")
	d := sample()
	d.FC = []string{"gfortran"}
	for _, want := range []string{
		"acp-fortran.pc acp.pc armci-mpich.pc armci.pc dmi.pc gp-mpich.pc gp.pc macp-mpich.pc", "acp.pc armci.pc dmi.pc gp.pc",
	} {
		if err := Write(d, layout("/opt/goacp", "/opt/goacp/lib"), pkgConfig, cmake); err != nil {
			t.Fatal(err)
		}
		entries, err := os.ReadDir(pkgConfig)
		var names []string
		for _, e := range entries {
			names = append(names, e.Name())
		}
		if got := strings.Join(names, " "); err != nil || got != want {
			t.Errorf("%s, %v, expected %s", got, err, want)
		}
		d.FC, d.MPI = nil, nil
	}
}
