package buildfiles

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/goacp/goacp/wrappers/toolchain"
)

// Layout is where the files lie and what they name. All folders are absolute.
type Layout struct {
	Prefix     string // folders below it move together
	IncludeDir string
	LibDir     string
	PkgConfig  string // folder of the files of pkg-config
	CMake      string // folder of the package of CMake
}

// library is a library that programs link.
type library struct {
	name   string // of the file of pkg-config, and of the target of CMake
	about  string
	link   string // name behind -l
	needs  string // another library of GoACP that programs link with it
	main   string // an archive with the beginning of programs, which stands before the library
	mpi    *toolchain.MPI
	static bool // there is an archive only
}

// libraries returns the libraries of an installation. Each one that needs another comes behind it.
func libraries(d *toolchain.Data) []library {
	list := []library{
		{name: "acp", about: "Advanced Communication Primitives", link: "acp"},
		{name: "gp", about: "global pointer arrays on ACP", link: "gp", needs: "acp"},
		{name: "armci", about: "ARMCI on ACP", link: "armci", needs: "acp"},
		{name: "dmi", about: "DMI on ACP", link: "dmi", needs: "acp", main: "dmimain"},
	}
	for i := range d.MPI {
		m := &d.MPI[i]
		with := " for " + m.Flavour + " " + m.Version
		macp := "macp-" + m.Name
		list = append(list,
			library{name: macp, about: "Advanced Communication Primitives" + with, link: "macp", mpi: m},
			library{name: "gp-" + m.Name, about: "global pointer arrays on ACP" + with, link: "gp", needs: macp, mpi: m},
			library{name: "armci-" + m.Name, about: "ARMCI on ACP" + with, link: "armci", needs: macp, mpi: m})
	}
	if len(d.FC) > 0 {
		list = append(list, library{name: "acp-fortran", about: "Fortran modules acp and acp_couple", link: "acpfortran", static: true})
	}
	return list
}

// folder is the folder of a library.
func (l library) folder(libDir string) string {
	if l.mpi == nil {
		return libDir
	}
	return filepath.Join(libDir, l.mpi.Name)
}

// Write writes the files for a layout into two folders, which are those of the layout or go there later. It makes
// the folders, and removes files that it has written there for another configuration.
func Write(d *toolchain.Data, at Layout, pkgConfig, cmake string) error {
	for folder, files := range map[string]map[string]string{pkgConfig: pkgConfigFiles(d, at), cmake: cmakeFiles(d, at)} {
		if err := os.RemoveAll(folder); err != nil {
			return err
		}
		if err := os.MkdirAll(folder, 0o755); err != nil {
			return err
		}
		for name, text := range files {
			if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644); err != nil {
				return err
			}
		}
	}
	return nil
}

// relative returns dir as seen from the folder from, behind the variable that holds from, or the absolute name if the two do
// not move together.
func (at Layout) relative(variable, from, dir string) string {
	if at.Prefix == "/usr" || at.Prefix == "/" || !below(at.Prefix, from) || !below(at.Prefix, dir) {
		return dir
	}
	rest, err := filepath.Rel(from, dir)
	if err != nil {
		return dir
	}
	return variable + "/" + rest
}

func below(prefix, dir string) bool {
	rest, err := filepath.Rel(prefix, dir)
	return err == nil && filepath.IsLocal(rest)
}

// systemFolder reports whether the loader looks in dir anyway, so that programs need no run path.
func systemFolder(dir string) bool {
	rest, ok := strings.CutPrefix(strings.TrimPrefix(dir, "/usr"), "/lib")
	return ok && (rest == "" || rest == "64" || strings.HasPrefix(rest, "/") && strings.Count(rest, "/") == 1 && strings.HasSuffix(rest, "-linux-gnu"))
}
