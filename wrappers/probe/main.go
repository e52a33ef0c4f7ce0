package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/goacp/goacp/wrappers/buildfiles"
	"github.com/goacp/goacp/wrappers/mpiflags"
	"github.com/goacp/goacp/wrappers/toolchain"
	"github.com/spf13/pflag"
)

// options are the settings that configure passes on.
type options struct {
	cc, cxx, fc, goCommand, version string
	mpi                             string // see wanted
	prefix, includeDir, libDir      string // of the installed copy
	inPlace, installed, mk          string // files to write
	shareInPlace, shareInstalled    string // folders for the files of pkg-config and CMake
}

func main() {
	var o options
	f := pflag.NewFlagSet("probe", pflag.ExitOnError)
	f.StringVar(&o.cc, "cc", "gcc", "C compiler with its own words")
	f.StringVar(&o.cxx, "cxx", "", "C++ compiler with its own words, empty for none")
	f.StringVar(&o.fc, "fc", "", "Fortran compiler with its own words, empty for none")
	f.StringVar(&o.goCommand, "go", "go", "go command")
	f.StringVar(&o.version, "version", "", "version of the ACP library")
	f.StringVar(&o.mpi, "mpi", "auto", "auto, yes, no, all, or a list of mpicc")
	f.StringVar(&o.prefix, "prefix", "", "installed folder that has share/goacp")
	f.StringVar(&o.includeDir, "includedir", "", "installed folder of acp.h")
	f.StringVar(&o.libDir, "libdir", "", "installed folder of the libraries")
	f.StringVar(&o.inPlace, "in-place", "", "wrappers.yaml to write for the build folder")
	f.StringVar(&o.installed, "installed", "", "wrappers.yaml to write for the installed copy")
	f.StringVar(&o.shareInPlace, "share-in-place", "", "folder for the files of pkg-config and CMake of the build folder")
	f.StringVar(&o.shareInstalled, "share-installed", "", "folder for those of the installed copy")
	f.StringVar(&o.mk, "mk", "", "file of make variables to write")
	if err := f.Parse(os.Args[1:]); err != nil {
		fmt.Fprintf(os.Stderr, "probe: %v\n", err)
		os.Exit(2)
	}
	if err := run(o); err != nil {
		fmt.Fprintf(os.Stderr, "configure: %v\n", err)
		os.Exit(1)
	}
}

func run(o options) error {
	cc, err := mpiflags.Split(o.cc)
	if err != nil || len(cc) == 0 {
		return fmt.Errorf("CC=%q is not a command: %v", o.cc, err)
	}
	cxx, err := mpiflags.Split(o.cxx)
	if err != nil {
		return fmt.Errorf("CXX=%q is not a command: %v", o.cxx, err)
	}
	fc, err := mpiflags.Split(o.fc)
	if err != nil {
		return fmt.Errorf("FC=%q is not a command: %v", o.fc, err)
	}
	scratch, err := os.MkdirTemp("", "goacp-probe-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(scratch)

	p := &prober{cc: cc, fortran: len(fc) > 0, scratch: scratch, run: runCommand, log: func(format string, args ...any) {
		fmt.Printf(format+"\n", args...)
	}}
	mpis, err := p.findAll(o.mpi)
	if err != nil {
		return err
	}
	d := &toolchain.Data{
		Version: o.version, IncludeDir: "../../include", LibDir: "../../lib",
		CC: cc, CXX: cxx, FC: fc, Go: o.goCommand,
		// The Go runtime inside the static libraries uses threads and, for host
		// names, the resolver of the C library. The libraries load libpmix.
		Libs: []string{"resolv", "pthread", "dl"},
		MPI:  mpis,
	}
	d.NoPIE = p.linksFixed(d)
	setLibDirs(d)
	if err := d.Save(o.inPlace); err != nil {
		return err
	}
	d.Prefix, d.IncludeDir, d.LibDir = o.prefix, o.includeDir, o.libDir
	setLibDirs(d)
	if err := d.Save(o.installed); err != nil {
		return err
	}
	if err := writeBuildFiles(d, o); err != nil {
		return err
	}
	return os.WriteFile(o.mk, []byte(makeVariables(mpis)), 0o644)
}

// writeBuildFiles writes the files of pkg-config and CMake for the build folder, which has them in the folder share,
// and those for the installed copy, which make install puts below libdir.
func writeBuildFiles(d *toolchain.Data, o options) error {
	share, err := filepath.Abs(o.shareInPlace)
	if err != nil {
		return err
	}
	top := filepath.Dir(share)
	build := buildfiles.Layout{
		Prefix: top, IncludeDir: filepath.Join(top, "include"), LibDir: filepath.Join(top, "lib"),
		PkgConfig: filepath.Join(share, "pkgconfig"), CMake: filepath.Join(share, "cmake", "GoACP"),
	}
	if err := buildfiles.Write(d, build, build.PkgConfig, build.CMake); err != nil {
		return err
	}
	installed := buildfiles.Layout{
		Prefix: o.prefix, IncludeDir: o.includeDir, LibDir: o.libDir,
		PkgConfig: filepath.Join(o.libDir, "pkgconfig"), CMake: filepath.Join(o.libDir, "cmake", "GoACP"),
	}
	return buildfiles.Write(d, installed, filepath.Join(o.shareInstalled, "pkgconfig"), filepath.Join(o.shareInstalled, "cmake"))
}

// setLibDirs gives every MPI its folder below the library folder.
func setLibDirs(d *toolchain.Data) {
	for i := range d.MPI {
		d.MPI[i].LibDir = filepath.Join(d.LibDir, d.MPI[i].Name)
	}
}

// findAll returns the MPIs that the argument of --with-mpi asks for. "auto" takes
// the one mpicc of the search path or none, "yes" insists on it, "all" takes every
// MPI in the usual places and insists on one, "no" looks for nothing; anything
// else is a list of mpicc separated by commas, all of which must work.
func (p *prober) findAll(want string) ([]toolchain.MPI, error) {
	if want == "no" {
		p.log("MPI: not wanted (--without-mpi)")
		return nil, nil
	}
	var found []toolchain.MPI
	var failures []error
	for _, name := range candidates(want) {
		m, err := p.find(name)
		if err != nil {
			failures = append(failures, fmt.Errorf("%s: %w", name, err))
			continue
		}
		if same := sameMPI(found, m); same != "" {
			p.log("  %s is the same MPI as %s", name, same)
			continue
		}
		m.Name = freeName(found, m)
		found = append(found, *m)
	}
	insists := want != "auto" && want != "all"
	switch {
	case len(found) > 0 && (len(failures) == 0 || !insists):
		return found, nil
	case want == "auto":
		p.log("MPI: none found, building libacp only (--with-mpi tells why not)")
		return nil, nil
	}
	return nil, fmt.Errorf("%w\n%s", errors.Join(failures...), howToGet)
}

const howToGet = `To get an MPI: run ./bootstrap, or install it by hand
  Debian, Ubuntu:  apt-get install libopenmpi-dev openmpi-bin   (mpicc.openmpi)
                   apt-get install libmpich-dev mpich           (mpicc.mpich)
  Fedora, RHEL:    dnf install openmpi-devel                    (/usr/lib64/openmpi/bin/mpicc)
                   dnf install mpich-devel                      (/usr/lib64/mpich/bin/mpicc)
  your own:        --with-mpi=/path/to/bin/mpicc
  none:            --without-mpi`

// candidates lists the mpicc to try for an argument of --with-mpi.
func candidates(want string) []string {
	switch want {
	case "auto", "yes":
		return []string{"mpicc"}
	case "all":
		return []string{
			"mpicc.openmpi", "mpicc.mpich",
			"/usr/lib64/openmpi/bin/mpicc", "/usr/lib64/mpich/bin/mpicc",
			"mpicc",
		}
	}
	var list []string
	for name := range strings.SplitSeq(want, ",") {
		if name = strings.TrimSpace(name); name != "" {
			list = append(list, name)
		}
	}
	return list
}

// sameMPI returns the mpicc in found that m repeats under another name, or "".
func sameMPI(found []toolchain.MPI, m *toolchain.MPI) string {
	for _, f := range found {
		if f.Flavour == m.Flavour && f.Version == m.Version &&
			mpiflags.Join(f.LDFlags) == mpiflags.Join(m.LDFlags) {
			return f.Given
		}
	}
	return ""
}

// freeName is the flavour, or flavour and version where an earlier MPI has taken
// the flavour, or these and a number.
func freeName(found []toolchain.MPI, m *toolchain.MPI) string {
	taken := func(name string) bool {
		for _, f := range found {
			if f.Name == name {
				return true
			}
		}
		return false
	}
	name := m.Flavour
	if taken(name) {
		name = m.Flavour + "-" + m.Version
	}
	for base, i := name, 2; taken(name); i++ {
		name = fmt.Sprintf("%s-%d", base, i)
	}
	return name
}

// makeVariables is the part of config.mk about MPI. The flags are in shell
// notation, to be put between double quotes in a recipe.
func makeVariables(mpis []toolchain.MPI) string {
	var b strings.Builder
	names := make([]string, len(mpis))
	for i, m := range mpis {
		names[i] = m.Name
	}
	fmt.Fprintf(&b, "MPIS = %s\n", strings.Join(names, " "))
	set := func(m toolchain.MPI, key, value string) {
		fmt.Fprintf(&b, "%s_%s = %s\n", m.Name, key, strings.ReplaceAll(strings.ReplaceAll(value, "$", "$$"), "#", `\#`))
	}
	for _, m := range mpis {
		set(m, "MPICC", mpiflags.Quote(m.MPICC))
		set(m, "MPIRUN", mpiflags.Quote(m.MPIRun))
		set(m, "CFLAGS", mpiflags.Join(m.CFlags))
		set(m, "LDFLAGS", mpiflags.Join(m.LDFlags))
	}
	return b.String()
}
