// Package toolchain is the data that configure hands to the wrapper compilers:
// which compilers to run, which MPIs there are, and where header and libraries
// lie. It is kept in a YAML file, wrappers.yaml, once for use in the build folder
// and once for the installed copy:
//
//	version: 2.1.0
//	prefix: /opt/goacp
//	includedir: /opt/goacp/include
//	libdir: /opt/goacp/lib
//	cc: [gcc]
//	cxx: [g++]
//	fc: [gfortran]
//	go: /usr/local/go/bin/go
//	libs: [resolv, pthread, dl]
//	nopie: true
//	mpi:
//	  - name: openmpi
//	    flavour: openmpi
//	    version: 4.1.4
//	    mpicc: /usr/bin/mpicc.openmpi
//	    ...
//
// Directories that do not begin with a slash count from the folder of the file, so that a build folder can be
// moved as a whole. An installation can be moved as well: if prefix/share/goacp is another folder than that of the
// file, directories below prefix are taken to have moved with it. A copy of the file in a folder that is not
// called share/goacp has the directories of the original.
package toolchain

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"gopkg.in/yaml.v3"
)

// Data is the content of one wrappers.yaml.
type Data struct {
	Version    string   `yaml:"version"`          // of the ACP library
	Prefix     string   `yaml:"prefix,omitempty"` // what has been installed below it can be moved; empty in a build folder
	IncludeDir string   `yaml:"includedir"`       // where acp.h and module acp lie
	LibDir     string   `yaml:"libdir"`           // where libacp lies; libmacp lies in MPI.LibDir
	CC         []string `yaml:"cc"`               // C compiler and its own words, never empty
	CXX        []string `yaml:"cxx"`              // C++ compiler; empty if there is none
	FC         []string `yaml:"fc"`               // Fortran compiler, which has compiled module acp; empty if there is none
	Go         string   `yaml:"go"`               // the go command
	Libs       []string `yaml:"libs"`             // what the static libraries need, without -l
	NoPIE      bool     `yaml:"nopie,omitempty"`  // whether all compilers know -no-pie, see FixedOption
	MPI        []MPI    `yaml:"mpi"`              // the first is the default; empty without MPI
}

// FixedOption has compilers link a program at fixed addresses. In a program at any address the loader changes
// the 50000 addresses in the data of the static library, which takes 0.9 MiB of private memory in each process and a
// quarter of the processor time of its start.
const FixedOption = "-no-pie"

// MPI is one MPI that libmacp was built for.
type MPI struct {
	Name    string   `yaml:"name"`    // unique; what -mpi takes, and the folder of its libmacp
	Flavour string   `yaml:"flavour"` // openmpi or mpich
	Version string   `yaml:"version"` // as mpi.h says
	Given   string   `yaml:"given"`   // the mpicc as configure was told of it
	MPICC   string   `yaml:"mpicc"`   // the same, as an absolute path
	MPICXX  string   `yaml:"mpicxx"`  // empty if there is none
	MPIFC   string   `yaml:"mpifc"`   // empty if there is none
	MPIRun  string   `yaml:"mpirun"`  // empty if there is none
	CFlags  []string `yaml:"cflags"`  // for compiling without mpicc, as cgo does
	LDFlags []string `yaml:"ldflags"` // for linking without mpicc
	LibDir  string   `yaml:"libdir"`  // where libmacp for this MPI lies
}

// Load reads the file at path, makes its directories absolute and checks that
// everything that must be there is. An unknown key is an error, since it is most
// likely a misspelt one.
func Load(path string) (*Data, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	d, err := parse(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	base, err := filepath.Abs(filepath.Dir(path))
	if err != nil {
		return nil, err
	}
	for _, dir := range d.dirs() {
		if !filepath.IsAbs(*dir) {
			*dir = filepath.Join(base, *dir)
		}
	}
	if prefix, ok := strings.CutSuffix(base, "/share/goacp"); ok && d.Prefix != "" {
		d.move(prefix)
	}
	return d, nil
}

// move replaces the prefix of all directories below it.
func (d *Data) move(prefix string) {
	if prefix == "" {
		prefix = "/"
	}
	for _, dir := range d.dirs() {
		rest, err := filepath.Rel(d.Prefix, *dir)
		if err == nil && filepath.IsLocal(rest) {
			*dir = filepath.Join(prefix, rest)
		}
	}
	d.Prefix = prefix
}

func parse(text []byte) (*Data, error) {
	d := new(Data)
	dec := yaml.NewDecoder(bytes.NewReader(text))
	dec.KnownFields(true)
	if err := dec.Decode(d); errors.Is(err, io.EOF) {
		return nil, errors.New("empty file, expected what configure writes")
	} else if err != nil {
		return nil, err
	}
	if err := d.check(); err != nil {
		return nil, err
	}
	return d, nil
}

// check finds mistakes that would otherwise show as an incomprehensible message of a compiler.
func (d *Data) check() error {
	for _, f := range []struct {
		key   string
		empty bool
	}{
		{"version", d.Version == ""},
		{"includedir", d.IncludeDir == ""},
		{"libdir", d.LibDir == ""},
		{"cc", len(d.CC) == 0},
		{"go", d.Go == ""},
	} {
		if f.empty {
			return fmt.Errorf("key %s is missing or empty", f.key)
		}
	}
	seen := map[string]bool{}
	for i, m := range d.MPI {
		switch {
		case m.Name == "" || m.MPICC == "" || m.LibDir == "":
			return fmt.Errorf("mpi entry %d: name, mpicc and libdir must be given", i+1)
		case seen[m.Name]:
			return fmt.Errorf("mpi entry %d: there is another one named %s", i+1, m.Name)
		}
		seen[m.Name] = true
	}
	return nil
}

func (d *Data) dirs() []*string {
	dirs := []*string{&d.IncludeDir, &d.LibDir}
	for i := range d.MPI {
		dirs = append(dirs, &d.MPI[i].LibDir)
	}
	return dirs
}

// Save writes the data to path, making its folder if need be.
func (d *Data) Save(path string) error {
	if err := d.check(); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	text, err := yaml.Marshal(d)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, append([]byte("# Written by configure; read by the wrapper compilers.\n"), text...), 0o644)
}

// FindMPI returns the MPI called name: its name here, its flavour, or its mpicc,
// with or without the folder. An empty name is the default. The error lists what
// there is.
func (d *Data) FindMPI(name string) (*MPI, error) {
	if len(d.MPI) == 0 {
		return nil, errors.New("this GoACP was built without MPI: configure it with --with-mpi")
	}
	if name == "" {
		return &d.MPI[0], nil
	}
	matches := []func(m *MPI) bool{
		func(m *MPI) bool { return m.Name == name },
		func(m *MPI) bool { return m.Flavour == name },
		func(m *MPI) bool { return m.Given == name || m.MPICC == name },
		func(m *MPI) bool { return filepath.Base(m.Given) == name },
	}
	for _, match := range matches {
		for i := range d.MPI {
			if match(&d.MPI[i]) {
				return &d.MPI[i], nil
			}
		}
	}
	names := make([]string, len(d.MPI))
	for i, m := range d.MPI {
		names[i] = m.Name
	}
	return nil, fmt.Errorf("no MPI named %s: expected one of %s", name, strings.Join(names, ", "))
}
