package harness

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"gopkg.in/yaml.v3"
)

const (
	// envBuild names another build tree than build/ of the source tree.
	envBuild = "ACP_TEST_BUILD"
	// envPrograms names a directory of compiled programs that another suite lends.
	envPrograms = "ACP_TEST_PROGRAMS"
)

// Suite is the data that the tests of one test binary share.
type Suite struct {
	source string // top of the source tree
	build  string // build tree: bin, lib, include, share
	dir    string // compiled programs
	mpis   []MPI
	// fortran reports that configure has found a Fortran compiler.
	fortran bool
	// borrowed means that dir belongs to another process.
	borrowed bool

	mu       sync.Mutex
	programs map[string]*program
}

// MPI is an MPI library of the build tree.
type MPI struct {
	Name   string `yaml:"name"`    // the argument of macpcc -mpi
	Given  string `yaml:"given"`   // the argument of configure
	Flavor string `yaml:"flavour"` // openmpi, mpich …
	Mpirun string `yaml:"mpirun"`  // path of its launcher
}

// Main runs the tests of a package with *suite set, and returns the exit status.
// Call it from TestMain.
func Main(m *testing.M, suite **Suite) int {
	if len(os.Args) > 1 && os.Args[1] == agentArg {
		return agentMain(os.Args[2:])
	}
	s, err := newSuite()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	if !s.borrowed {
		defer os.RemoveAll(s.dir)
	}
	*suite = s
	return m.Run()
}

func newSuite() (*Suite, error) {
	source, err := sourceTree()
	if err != nil {
		return nil, err
	}
	s := &Suite{source: source, build: os.Getenv(envBuild), programs: map[string]*program{}}
	if s.build == "" {
		s.build = filepath.Join(source, "build")
	}
	data, err := os.ReadFile(filepath.Join(s.build, "share", "goacp", "wrappers.yaml"))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	var wrappers struct {
		FC  []string `yaml:"fc"`
		MPI []MPI    `yaml:"mpi"`
	}
	if err := yaml.Unmarshal(data, &wrappers); err != nil {
		return nil, fmt.Errorf("%s: %w", s.build, err)
	}
	s.mpis, s.fortran = wrappers.MPI, len(wrappers.FC) > 0
	if dir := os.Getenv(envPrograms); dir != "" {
		s.dir, s.borrowed = dir, true
		return s, nil
	}
	s.dir, err = os.MkdirTemp("", "acptest-programs-")
	return s, err
}

// Lend returns the entry of the environment by which another process of the test binary uses
// the compiled programs of this process and adds its own. It must not outlive this process, nor
// run at the same time as another such process.
func (s *Suite) Lend() string { return envPrograms + "=" + s.dir }

// sourceTree returns the folder of go.mod above the working directory.
func sourceTree() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", errors.New("no go.mod above the working directory")
		}
		dir = parent
	}
}

// Source returns a path in the source tree.
func (s *Suite) Source(path ...string) string {
	return filepath.Join(append([]string{s.source}, path...)...)
}

// Library returns the path of a library of the build tree for an MPI.
func (s *Suite) Library(m MPI, file string) string {
	return filepath.Join(s.build, "lib", m.Name, file)
}

// Bin returns the path of a command of the build tree. The test is skipped if it
// has not been built.
func (s *Suite) Bin(t *testing.T, name string) string {
	t.Helper()
	path := filepath.Join(s.build, "bin", name)
	if _, err := os.Stat(path); err != nil {
		t.Skipf("%s is not built: run make", name)
	}
	return path
}

// NeedMPI returns the MPI of that name. The test is skipped if there is none, or
// if libmacp has not been built for it.
func (s *Suite) NeedMPI(t *testing.T, name string) MPI {
	t.Helper()
	m, ok := s.FindMPI(name)
	if !ok {
		t.Skipf("configure was not told of an MPI called %s", name)
	}
	if _, err := os.Stat(filepath.Join(s.build, "lib", name, "libmacp.a")); err != nil {
		t.Skipf("libmacp is not built for %s: run make", name)
	}
	return m
}

// FindMPI returns the MPI of that name, if configure has found it.
func (s *Suite) FindMPI(name string) (m MPI, ok bool) {
	i := slices.IndexFunc(s.mpis, func(m MPI) bool { return m.Name == name })
	if i < 0 {
		return MPI{}, false
	}
	return s.mpis[i], true
}

// HasFortran reports whether configure has found a Fortran compiler.
func (s *Suite) HasFortran() bool { return s.fortran }

// NeedFortran skips the test if configure has found no Fortran compiler.
func (s *Suite) NeedFortran(t *testing.T) {
	t.Helper()
	if !s.HasFortran() {
		t.Skip("configure has found no Fortran compiler")
	}
}

// NeedRoot skips the test if it may not make namespaces.
func NeedRoot(t *testing.T) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("network namespaces need root")
	}
}
