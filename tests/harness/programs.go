package harness

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"testing"
)

// program is a test program that is compiled when it is first needed.
type program struct {
	once    sync.Once
	path    string
	command []string // compiles it
	err     error
}

// Go returns the path of the compiled Go program tests/programs/NAME, an ACP
// program without MPI.
func (s *Suite) Go(t *testing.T, name string) string {
	t.Helper()
	return s.goProgram(t, "tests/programs", name)
}

// GoAt returns the path of the compiled Go program NAME in a folder of the source tree.
func (s *Suite) GoAt(t *testing.T, folder, name string) string {
	t.Helper()
	return s.goProgram(t, folder, name)
}

// GoMPI is Go for a program of ACP and MPI.
func (s *Suite) GoMPI(t *testing.T, name string, m MPI) string {
	t.Helper()
	return s.goProgramMPI(t, "tests/programs", name, m)
}

// C returns the path of the compiled C program tests/programs/NAME.c without MPI.
func (s *Suite) C(t *testing.T, name string) string {
	t.Helper()
	return s.CAt(t, "tests/programs/"+name)
}

// CMPI is C for the same program with MPI: it is compiled with WITH_MPI defined.
func (s *Suite) CMPI(t *testing.T, name string, m MPI) string {
	t.Helper()
	return s.CAtMPI(t, "tests/programs/"+name, m)
}

// CAt returns the path of the compiled C program SOURCE.c, a path in the source tree, without MPI.
// Further arguments for the compiler follow the source, such as -lgp.
func (s *Suite) CAt(t *testing.T, source string, args ...string) string {
	t.Helper()
	s.needLibrary(t)
	return s.compiled(t, source, s.Bin(t, "acpcc"), append(cArgs(source), args...)...)
}

// DMI returns the path of the compiled program with DMI SOURCE.c, a path in the source tree.
func (s *Suite) DMI(t *testing.T, source string) string {
	t.Helper()
	s.needLibrary(t)
	return s.compiled(t, source, s.Bin(t, "dmicc"), append(cArgs(source), "-lm")...)
}

// CxxAt returns the path of the compiled C++ program SOURCE.cc, a path in the source tree, without MPI.
func (s *Suite) CxxAt(t *testing.T, source string) string {
	t.Helper()
	s.needLibrary(t)
	return s.compiled(t, source, s.Bin(t, "acpc++"), "-O2", "-g", "-std=c++17", "-Wall", "-Wextra", "-Werror", "-o", output, source+".cc")
}

// CAtMPI is CAt for the same program with MPI: it is compiled with WITH_MPI defined.
func (s *Suite) CAtMPI(t *testing.T, source string, m MPI, args ...string) string {
	t.Helper()
	all := append([]string{"-mpi", m.Name, "-DWITH_MPI"}, append(cArgs(source), args...)...)
	return s.compiled(t, source+"-"+m.Name, s.Bin(t, "macpcc"), all...)
}

func cArgs(source string) []string {
	return []string{"-O2", "-g", "-std=gnu11", "-Wall", "-Wextra", "-Werror", "-o", output, source + ".c"}
}

func (s *Suite) needLibrary(t *testing.T) {
	t.Helper()
	if _, err := os.Stat(filepath.Join(s.build, "lib", "libacp.a")); err != nil {
		t.Skip("libacp is not built: run make")
	}
}

// goProgram returns the path of the compiled Go program NAME in a folder.
func (s *Suite) goProgram(t *testing.T, folder, name string) string {
	t.Helper()
	return s.compiled(t, folder+"/"+name+"-go", s.Bin(t, "acpgo"), "-o", output, "./"+folder+"/"+name)
}

// goProgramMPI is goProgram for a program that uses MPI.
func (s *Suite) goProgramMPI(t *testing.T, folder, name string, m MPI) string {
	t.Helper()
	return s.compiled(t, folder+"/"+name+"-go-"+m.Name, s.Bin(t, "macpgo"), "-mpi", m.Name, "-o", output, "./"+folder+"/"+name)
}

// output is a placeholder for the name of the result in the arguments of a compiler.
const output = "\x00output"

// compiled runs a compiler in the source tree unless that has been done, and returns its
// result. The result is called NAME, a path below the suite's directory: programs with the same file
// name in several folders do not collide. Each name belongs to one command.
func (s *Suite) compiled(t *testing.T, name, compiler string, args ...string) string {
	t.Helper()
	command := append([]string{compiler}, args...)
	s.mu.Lock()
	p := s.programs[name]
	if p == nil {
		p = &program{path: filepath.Join(s.dir, name), command: slices.Clone(command)}
		s.programs[name] = p
	}
	s.mu.Unlock()
	if !slices.Equal(p.command, command) {
		t.Fatalf("two commands compile %s: %q and %q", name, p.command, command)
	}
	p.once.Do(func() {
		if _, err := os.Stat(p.path); err == nil && s.borrowed {
			return
		}
		p.err = s.compile(p.path, command)
	})
	if p.err != nil {
		t.Fatal(p.err)
	}
	return p.path
}

// compile runs a command that compiles to a path.
func (s *Suite) compile(path string, command []string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	if i := slices.Index(command, output); i >= 0 {
		command[i] = path
	}
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Dir = s.source
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%v: %w\n%s", cmd.Args, err, out)
	}
	return nil
}

// Fortran returns the path of the Fortran program that sources without .f90, paths in the source tree,
// are compiled to. The last has the program, the others the modules that it uses. The test is skipped
// if configure has found no Fortran compiler.
func (s *Suite) Fortran(t *testing.T, sources ...string) string {
	t.Helper()
	s.NeedFortran(t)
	s.needLibrary(t)
	name := sources[len(sources)-1] + "-fortran"
	return s.compiled(t, name, s.Bin(t, "acpfc"), s.fortranArgs(t, name, sources)...)
}

// FortranMPI is Fortran for a program that uses MPI.
func (s *Suite) FortranMPI(t *testing.T, m MPI, sources ...string) string {
	t.Helper()
	s.NeedFortran(t)
	name := sources[len(sources)-1] + "-fortran-" + m.Name
	return s.compiled(t, name, s.Bin(t, "macpfc"), append([]string{"-mpi", m.Name}, s.fortranArgs(t, name, sources)...)...)
}

// fortranArgs are the arguments of the compiler for a program called name. Its modules are in a folder
// of its own.
func (s *Suite) fortranArgs(t *testing.T, name string, sources []string) []string {
	t.Helper()
	modules := filepath.Join(s.dir, name+"-modules")
	if err := os.MkdirAll(modules, 0o755); err != nil {
		t.Fatal(err)
	}
	args := []string{"-O2", "-g", "-std=f2018", "-Wall", "-Wextra", "-Werror", "-J", modules, "-o", output}
	for _, source := range sources {
		args = append(args, source+".f90")
	}
	return args
}

// GoExample returns the path of the compiled Go program examples/mixed/NAME.
func (s *Suite) GoExample(t *testing.T, name string) string {
	t.Helper()
	return s.goProgram(t, "examples/mixed", name)
}

// GoExampleMPI returns the path of the compiled Go program examples/mixed/NAME, which
// uses MPI.
func (s *Suite) GoExampleMPI(t *testing.T, name string, m MPI) string {
	t.Helper()
	return s.goProgramMPI(t, "examples/mixed", name, m)
}

// Example returns the path of the compiled C program examples/mixed/NAME.c.
func (s *Suite) Example(t *testing.T, name string) string {
	t.Helper()
	s.needLibrary(t)
	source := "examples/mixed/" + name
	return s.compiled(t, source, s.Bin(t, "acpcc"), "-o", output, source+".c")
}

// ExampleMPI is Example for a program that uses MPI.
func (s *Suite) ExampleMPI(t *testing.T, name string, m MPI) string {
	t.Helper()
	source := "examples/mixed/" + name
	return s.compiled(t, source+"-"+m.Name, s.Bin(t, "macpcc"), "-mpi", m.Name, "-o", output, source+".c", "-lm")
}
