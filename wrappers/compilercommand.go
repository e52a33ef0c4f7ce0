package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/goacp/goacp/internal/ground/envvar"
	"github.com/goacp/goacp/wrappers/mpiflags"
	"github.com/goacp/goacp/wrappers/optiontext"
	"github.com/goacp/goacp/wrappers/toolchain"
)

// planCompiler decides for the compilers of C, C++ and Fortran. With m the compiler is the wrapper of
// that MPI, which adds what MPI needs.
func (t tool) planCompiler(d *toolchain.Data, m *toolchain.MPI, o ownOptions, rest []string, getenv func(string) string) (plan, error) {
	backEnd, err := t.backEnd(d, m)
	if err != nil {
		return plan{}, err
	}
	if o.help {
		return plan{argv: append(backEnd, "--help")}, nil
	}
	folders := []string{d.IncludeDir}
	if m != nil && t.lang != langFortran { // a header for this MPI is in the folder of its library
		folders = []string{m.LibDir + "/include", d.IncludeDir}
	}
	var compile []string
	for _, f := range folders {
		compile = append(compile, "-I"+f)
	}
	stages := inspect(expand(rest))
	kind := getenv(envvar.Link)
	if kind == "" && stages.shared {
		kind = "shared"
	}
	libDir, libs, err := libraries(d, m, kind)
	if err != nil {
		return plan{}, err
	}
	fixed := stages.links && !stages.placed && d.NoPIE && strings.HasPrefix(libs[0], ":") // the archive is a part of the program
	if t.dmi {
		libs = append(dmiLibraries(libs), libs...)
	}
	libDirs := []string{libDir}
	if t.lang == langFortran { // procedures of module acp, which are the same with every MPI
		libs = append([]string{":libacpfortran.a"}, libs...)
		if libDir != d.LibDir {
			libDirs = append(libDirs, d.LibDir)
		}
	}
	if o.hook.classes != 0 && !slices.Contains(libDirs, d.LibDir) { // it is the same with every MPI
		libDirs = append(libDirs, d.LibDir)
	}
	var link []string
	for _, f := range libDirs {
		link = append(link, "-L"+f)
	}
	// The shared library needs the run path. With the static one it costs nothing, and lets a plain
	// -lacp of the user work too.
	link = append(link, "-Wl,-rpath,"+libDir)
	for _, l := range libs {
		link = append(link, "-l"+l)
	}
	if o.hook.classes != 0 {
		link = append(link, o.hook.linkFlags(d, libDir)...)
		libs = append(slices.Clone(libs), "acphook")
	}

	if o.showme == "-" && !stages.compiles && len(rest) == 0 {
		// Without a program -showme shows the flags of both steps.
		stages.compiles, stages.links = true, true
	}
	argv := backEnd
	if fixed {
		argv = append(argv, toolchain.FixedOption)
	}
	if stages.compiles {
		argv = append(argv, compile...)
	}
	argv = append(argv, rest...)
	if stages.links {
		argv = append(argv, link...)
	}
	switch o.showme {
	case "":
		return plan{argv: argv}, nil
	case "-":
		return plan{say: plan{argv: argv}.command()}, nil
	case "command":
		return plan{say: mpiflags.Join(backEnd)}, nil
	case "compile":
		return plan{say: mpiflags.Join(compile)}, nil
	case "compile-info":
		return plan{say: mpiflags.Join(append(backEnd, compile...))}, nil
	case "link-info":
		return plan{say: mpiflags.Join(append(backEnd, link...))}, nil
	case "link":
		return plan{say: mpiflags.Join(link)}, nil
	case "incdirs":
		return plan{say: mpiflags.Join(folders)}, nil
	case "libdirs":
		return plan{say: mpiflags.Join(libDirs)}, nil
	case "libs":
		return plan{say: mpiflags.Join(libs)}, nil
	}
	return plan{say: t.about(d, o.showme)}, nil
}

// backEnd is a fresh slice with the command of the compiler behind t.
func (t tool) backEnd(d *toolchain.Data, m *toolchain.MPI) ([]string, error) {
	plain := map[language][]string{langC: d.CC, langCXX: d.CXX, langFortran: d.FC}[t.lang]
	name := map[language]string{langC: "C", langCXX: "C++", langFortran: "Fortran"}[t.lang]
	// Module acp is there only if configure has found a compiler for it.
	if len(plain) == 0 && (m == nil || t.lang == langFortran) {
		return nil, fmt.Errorf("there was no %s compiler at configuration: install one and run configure again", name)
	}
	if m == nil {
		return slices.Clone(plain), nil
	}
	wrapper := map[language]string{langC: m.MPICC, langCXX: m.MPICXX, langFortran: m.MPIFC}[t.lang]
	if wrapper == "" {
		return nil, fmt.Errorf("%s %s has no %s compiler: install one and run configure again", m.Flavour, m.Version, name)
	}
	return []string{wrapper}, nil
}

// libraries returns the folder and the names, without -l, of what to link. The
// static library is the default, since calls into it need no detour through the
// procedure linkage table; ACP_LINK=shared takes the shared one, which a program
// needs that holds another archive made by Go.
func libraries(d *toolchain.Data, m *toolchain.MPI, kind string) (dir string, libs []string, err error) {
	dir, name := d.LibDir, "acp"
	if m != nil {
		dir, name = m.LibDir, "macp"
	}
	switch kind {
	case "", "static":
		return dir, append([]string{":lib" + name + ".a"}, d.Libs...), nil
	case "shared":
		return dir, []string{name}, nil
	}
	return "", nil, fmt.Errorf("%s=%s: expected static or shared", envvar.Link, kind)
}

// dmiLibraries returns what programs with DMI link before the libraries of ACP: the beginning of the program, and the functions of
// DMI from an archive or a shared library, as those are.
func dmiLibraries(libs []string) []string {
	if strings.HasPrefix(libs[0], ":") {
		return []string{":libdmimain.a", ":libdmi.a"}
	}
	return []string{":libdmimain.a", "dmi"}
}

// stages says what a compiler does with its arguments.
type stages struct {
	compiles bool // it reads source files, or might
	links    bool // it runs the linker
	shared   bool // to make a shared object, or with one that needs the library: there must be no second copy
	placed   bool // the arguments say whether the result has fixed addresses
}

// inspect reads the arguments as the compiler does. Without an input file the compiler only answers
// a question (--version, -dumpmachine) or complains: then the wrapper adds nothing.
func inspect(args []string) stages {
	var s stages
	stops := false
	for i := 0; i < len(args); i++ {
		arg := args[i]
		switch {
		case slices.Contains([]string{"-c", "-S", "-E", "-M", "-MM", "-fsyntax-only", "-r"}, arg):
			stops = true
		case arg == "-shared":
			s.shared, s.placed = true, true
		case slices.Contains([]string{"-pie", "--pie", "-no-pie", "-nopie", "-static-pie"}, arg):
			s.placed = true
		case arg == "-larmci", arg == "-lgp", arg == "-ldmi":
			s.compiles, s.shared = true, true
		case arg == "-" || !strings.HasPrefix(arg, "-"), strings.HasPrefix(arg, "-l") && arg != "-l":
			s.compiles = true
		case takesWord(langC, arg):
			i++
			if arg == "-l" && i < len(args) {
				s.compiles = true
				s.shared = s.shared || args[i] == "armci" || args[i] == "gp" || args[i] == "dmi"
			}
		}
	}
	s.links = s.compiles && !stops
	return s
}

func (t tool) about(d *toolchain.Data, form string) string {
	if form == "version" {
		return fmt.Sprintf("%s: ACP Library %s", t.name, d.Version)
	}
	if form == brief {
		source := map[language]string{langC: "program.c", langCXX: "program.cc", langFortran: "program.f90", langGo: "program.go"}[t.lang]
		return optiontext.Brief(t.name, source, t.mpi, t.lang == langGo)
	}
	return optiontext.Usage(t.name, t.mpi, t.lang == langGo)
}
