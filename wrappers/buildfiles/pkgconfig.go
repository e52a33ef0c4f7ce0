package buildfiles

import (
	"fmt"
	"strings"

	"github.com/goacp/goacp/wrappers/mpiflags"
	"github.com/goacp/goacp/wrappers/toolchain"
)

// pkgConfigFiles returns the files of pkg-config by their names.
func pkgConfigFiles(d *toolchain.Data, at Layout) map[string]string {
	files := map[string]string{}
	for _, l := range libraries(d) {
		files[l.name+".pc"] = l.pkgConfig(d, at)
	}
	return files
}

// pkgConfig returns the file of pkg-config for one library.
func (l library) pkgConfig(d *toolchain.Data, at Layout) string {
	var b strings.Builder
	place := func(dir string) string { return at.relative("${pcfiledir}", at.PkgConfig, dir) }
	fmt.Fprintf(&b, "includedir=%s\nlibdir=%s\n\n", place(at.IncludeDir), place(l.folder(at.LibDir)))
	fmt.Fprintf(&b, "Name: %s\nDescription: %s\nURL: https://github.com/goacp/goacp\nVersion: %s\n", l.name, l.about, d.Version)
	if l.needs != "" {
		fmt.Fprintf(&b, "Requires: %s = %s\n", l.needs, d.Version)
	}
	compile, link := []string{"-I${includedir}"}, []string{"-L${libdir}"}
	if l.main != "" {
		link = append(link, "-l"+l.main)
	}
	switch {
	case l.static:
		link = append(link, "-l"+l.link)
	case systemFolder(l.folder(at.LibDir)):
		link = append(link, "-l"+l.link)
	default:
		link = append(link, "-Wl,-rpath,${libdir}", "-l"+l.link)
	}
	if l.mpi != nil {
		// armci_mpi.h of the MPI has the same name as that of builds without MPI.
		compile = append([]string{"-I${libdir}/include"}, compile...)
	}
	if l.mpi != nil && l.needs == "" {
		compile = append(compile, quoted(l.mpi.CFlags)...)
		link = append(link, quoted(l.mpi.LDFlags)...)
	}
	fmt.Fprintf(&b, "Cflags: %s\nLibs: %s\n", strings.Join(compile, " "), strings.Join(link, " "))
	if l.needs == "" && !l.static {
		fmt.Fprintf(&b, "Libs.private: -l%s\n", strings.Join(d.Libs, " -l"))
	}
	return b.String()
}

// quoted returns words as pkg-config reads them back: with the quotes of the shell, and without variables.
func quoted(words []string) []string {
	var list []string
	for _, w := range words {
		list = append(list, strings.ReplaceAll(mpiflags.Quote(w), "$", "$$"))
	}
	return list
}
