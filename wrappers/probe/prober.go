package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/goacp/goacp/wrappers/mpiflags"
	"github.com/goacp/goacp/wrappers/toolchain"
)

// runner starts a command, waits for it and returns its standard output. The error contains what
// the command wrote to standard error.
type runner func(command string, args ...string) (string, error)

// A prober examines MPIs with one C compiler.
type prober struct {
	cc      []string
	fortran bool   // programs in Fortran are wanted
	scratch string // folder for test programs
	run     runner
	log     func(format string, args ...any)
}

// The question to mpi.h; the marker tells the answer from the rest of what the
// preprocessor prints.
const (
	marker   = "goacp_mpi"
	question = `#include <mpi.h>
#if defined(OPEN_MPI)
goacp_mpi openmpi MPI_VERSION OMPI_MAJOR_VERSION.OMPI_MINOR_VERSION.OMPI_RELEASE_VERSION
#elif defined(MPICH_VERSION)
goacp_mpi mpich MPI_VERSION MPICH_VERSION
#else
goacp_mpi unknown MPI_VERSION 0
#endif
`
	program = `#include <mpi.h>
int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    return MPI_Finalize();
}
`
	// fortranQuestion needs no MPI_Init.
	fortranQuestion = `program question
  use mpi
  implicit none
  character(len=MPI_MAX_LIBRARY_VERSION_STRING) :: version
  integer :: length, ierr
  call MPI_Get_library_version(version, length, ierr)
  print '(a)', version(1:length)
end program question
`
)

// find examines the MPI whose mpicc is called name, which may be a path.
func (p *prober) find(name string) (*toolchain.MPI, error) {
	path, err := exec.LookPath(name)
	if err != nil {
		p.log("MPI: %s: not found", name)
		return nil, errors.New("not found, or not a program")
	}
	if path, err = filepath.Abs(path); err != nil {
		return nil, err
	}
	m := &toolchain.MPI{Given: name, MPICC: path}
	if err := p.identify(m); err != nil {
		p.log("MPI: %s: %v", name, err)
		return nil, err
	}
	p.log("MPI: %s is %s %s", name, m.Flavour, m.Version)
	flags, err := p.flags(path)
	if err != nil {
		return nil, err
	}
	m.CFlags, m.LDFlags = flags.Compile, flags.Link
	p.log("  compile: %s", mpiflags.Join(m.CFlags))
	p.log("  link: %s", mpiflags.Join(m.LDFlags))
	m.MPICXX = p.companion(m, "C++ compiler", []string{"mpicxx", "mpic++", "mpiCC"}, p.preprocesses)
	if p.fortran {
		m.MPIFC = p.companion(m, "Fortran compiler", []string{"mpifort", "mpif90"}, p.compiles)
	}
	m.MPIRun = p.companion(m, "launcher", []string{"mpirun", "mpiexec"}, p.launches)
	return m, nil
}

// identify sets flavour and version by asking mpi.h.
func (p *prober) identify(m *toolchain.MPI) error {
	source := filepath.Join(p.scratch, "question.c")
	if err := os.WriteFile(source, []byte(question), 0o600); err != nil {
		return err
	}
	out, err := p.run(m.MPICC, "-E", source)
	if err != nil {
		return fmt.Errorf("cannot preprocess a program with mpi.h: %w", err)
	}
	m.Flavour, m.Version, err = answer(out)
	return err
}

// answer reads the output of the preprocessor for the question.
func answer(out string) (flavour, version string, err error) {
	for line := range strings.Lines(out) {
		f := strings.Fields(line)
		if len(f) < 4 || f[0] != marker {
			continue
		}
		if f[1] == "unknown" {
			return "", "", errors.New("its mpi.h is of neither Open MPI nor MPICH")
		}
		if f[2] < "3" {
			return "", "", fmt.Errorf("it implements MPI %s, expected 3 or later", f[2])
		}
		// The pieces of Open MPI's version are separated by blanks, MPICH's
		// version is a string literal.
		return f[1], strings.Trim(strings.Join(f[3:], ""), `"`), nil
	}
	return "", "", errors.New("its mpi.h says nothing about flavour and version")
}

// flags asks the wrapper in turn, until an answer is good enough to build an MPI
// program without the wrapper.
func (p *prober) flags(mpicc string) (mpiflags.Flags, error) {
	ways := []struct {
		what string
		ask  func() (mpiflags.Flags, error)
	}{
		{"--showme:compile, --showme:link", p.inParts(mpicc, "--showme:compile", "--showme:link")},
		{"-compile-info, -link-info", p.inParts(mpicc, "-compile-info", "-link-info")},
		{"-show", func() (mpiflags.Flags, error) {
			line, err := p.run(mpicc, "-show")
			if err != nil {
				return mpiflags.Flags{}, err
			}
			return mpiflags.FromShow(line)
		}},
	}
	var failures []error
	for _, way := range ways {
		f, err := way.ask()
		if err == nil {
			err = p.builds(f)
		}
		if err == nil {
			return f, nil
		}
		p.log("  %s: %v", way.what, err)
		failures = append(failures, fmt.Errorf("%s: %w", way.what, err))
	}
	return mpiflags.Flags{}, fmt.Errorf("it does not tell its flags:\n%w", errors.Join(failures...))
}

func (p *prober) inParts(mpicc, compile, link string) func() (mpiflags.Flags, error) {
	return func() (mpiflags.Flags, error) {
		c, err := p.run(mpicc, compile)
		if err != nil {
			return mpiflags.Flags{}, err
		}
		l, err := p.run(mpicc, link)
		if err != nil {
			return mpiflags.Flags{}, err
		}
		return mpiflags.FromParts(c, l)
	}
}

// builds tells whether the plain C compiler builds an MPI program with f.
func (p *prober) builds(f mpiflags.Flags) error {
	source := filepath.Join(p.scratch, "program.c")
	if err := os.WriteFile(source, []byte(program), 0o600); err != nil {
		return err
	}
	args := append([]string{}, p.cc[1:]...)
	args = append(args, f.Compile...)
	args = append(args, source, "-o", filepath.Join(p.scratch, "program"))
	args = append(args, f.Link...)
	_, err := p.run(p.cc[0], args...)
	return err
}

// companion finds a program of the same MPI: beside mpicc, with the ending of its
// name or of the flavour, then in the search path. ok makes sure that it is of this
// MPI. Without one the result is empty.
func (p *prober) companion(m *toolchain.MPI, what string, names []string, ok func(m *toolchain.MPI, path string) error) string {
	for _, name := range companionNames(m, names) {
		path, err := exec.LookPath(name)
		if err != nil {
			continue
		}
		if err := ok(m, path); err != nil {
			p.log("  %s %s: %v", what, path, err)
			continue
		}
		p.log("  %s: %s", what, path)
		return path
	}
	p.log("  %s: none found", what)
	return ""
}

func companionNames(m *toolchain.MPI, names []string) []string {
	dir, base := filepath.Split(m.MPICC)
	suffix := ""
	if i := strings.Index(base, "mpicc"); i >= 0 {
		suffix = base[i+len("mpicc"):]
	}
	var list []string
	for _, d := range []string{dir, ""} {
		for _, name := range names {
			list = append(list, d+name+suffix)
			if suffix == "" {
				list = append(list, d+name+"."+m.Flavour)
			}
		}
	}
	return list
}

// preprocesses checks a C++ compiler by what its mpi.h is.
func (p *prober) preprocesses(m *toolchain.MPI, path string) error {
	other := toolchain.MPI{MPICC: path}
	if err := p.identify(&other); err != nil {
		return err
	}
	if other.Flavour != m.Flavour || other.Version != m.Version {
		return fmt.Errorf("belongs to %s %s", other.Flavour, other.Version)
	}
	return nil
}

// compiles checks a Fortran compiler: a program that uses module mpi, which says what it is.
func (p *prober) compiles(m *toolchain.MPI, path string) error {
	source := filepath.Join(p.scratch, "question.f90")
	if err := os.WriteFile(source, []byte(fortranQuestion), 0o600); err != nil {
		return err
	}
	program := filepath.Join(p.scratch, "question")
	if _, err := p.run(path, "-o", program, source); err != nil {
		return fmt.Errorf("cannot compile a program with module mpi: %w", err)
	}
	out, err := p.run(program)
	if err != nil {
		return err
	}
	if f := launcherFlavour(out); f != m.Flavour {
		return fmt.Errorf("belongs to %q, not to %s", f, m.Flavour)
	}
	return nil
}

// launches checks a launcher by the version text that it prints.
func (p *prober) launches(m *toolchain.MPI, path string) error {
	out, err := p.run(path, "--version")
	if err != nil {
		return err
	}
	if f := launcherFlavour(out); f != m.Flavour {
		return fmt.Errorf("belongs to %q, not to %s", f, m.Flavour)
	}
	return nil
}

func launcherFlavour(version string) string {
	switch {
	case strings.Contains(version, "Open MPI"), strings.Contains(version, "OpenRTE"), strings.Contains(version, "OpenPMIx"), strings.Contains(version, "PRRTE"):
		return "openmpi"
	case strings.Contains(version, "HYDRA"), strings.Contains(version, "MPICH"), strings.Contains(version, "Intel(R) MPI"):
		return "mpich"
	}
	return "unknown"
}

// runCommand is the runner for real commands. A compiler that takes longer than two
// minutes for a program of five lines is stuck.
func runCommand(command string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, command, args...)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		if text := strings.TrimSpace(stderr.String()); text != "" {
			return "", fmt.Errorf("%s: %w: %s", command, err, firstLine(text))
		}
		return "", fmt.Errorf("%s: %w", command, err)
	}
	return string(out), nil
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}
