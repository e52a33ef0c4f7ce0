package main

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/goacp/goacp/wrappers/mpiflags"
	"github.com/goacp/goacp/wrappers/toolchain"
)

func TestAnswer(t *testing.T) {
	tests := []struct {
		name, out        string
		flavour, version string
		fails            string
	}{
		{"Open MPI 4", "# 1 \"q.c\"\nextern int x;\ngoacp_mpi openmpi 3 4.1.4\n", "openmpi", "4.1.4", ""},
		{"Open MPI as some preprocessors space it", "goacp_mpi openmpi 3 5 . 0 . 1\n", "openmpi", "5.0.1", ""},
		{"MPICH", "goacp_mpi mpich 4 \"4.0.2\"\n", "mpich", "4.0.2", ""},
		{"another MPI", "goacp_mpi unknown 3 0\n", "", "", "neither Open MPI nor MPICH"},
		{"too old", "goacp_mpi mpich 2 \"1.4\"\n", "", "", "implements MPI 2"},
		{"silence", "int x;\n", "", "", "says nothing"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f, v, err := answer(tt.out)
			if f != tt.flavour || v != tt.version || (err == nil) != (tt.fails == "") {
				t.Fatalf("got %q, %q, %v", f, v, err)
			}
			if err != nil && !strings.Contains(err.Error(), tt.fails) {
				t.Errorf("error %q does not say %q", err, tt.fails)
			}
		})
	}
}

func TestCompanionNames(t *testing.T) {
	tests := []struct {
		mpicc string
		want  string
	}{
		{"/usr/bin/mpicc.openmpi", "/usr/bin/mpirun.openmpi /usr/bin/mpiexec.openmpi mpirun.openmpi mpiexec.openmpi"},
		{"/opt/m/bin/mpicc", "/opt/m/bin/mpirun /opt/m/bin/mpirun.openmpi /opt/m/bin/mpiexec /opt/m/bin/mpiexec.openmpi mpirun mpirun.openmpi mpiexec mpiexec.openmpi"},
	}
	for _, tt := range tests {
		m := &toolchain.MPI{MPICC: tt.mpicc, Flavour: "openmpi"}
		if got := strings.Join(companionNames(m, []string{"mpirun", "mpiexec"}), " "); got != tt.want {
			t.Errorf("%s\n got %s\nwant %s", tt.mpicc, got, tt.want)
		}
	}
}

func TestLauncherFlavour(t *testing.T) {
	for text, want := range map[string]string{
		"mpirun (Open MPI) 5.0.1\n":              "openmpi",
		"mpirun.openmpi (OpenRTE) 4.1.4\n":       "openmpi",
		"HYDRA build details:\n    Version: 4.0": "mpich",
		"srun 23.02":                             "unknown",
	} {
		if got := launcherFlavour(text); got != want {
			t.Errorf("%q is %s, want %s", text, got, want)
		}
	}
}

// A machine is a folder of programs in the search path, and what each says: the key
// is its name and first argument.
type machine struct {
	says map[string]string
	log  []string
}

func newMachine(t *testing.T, programs []string, says map[string]string) (*prober, *machine) {
	t.Helper()
	dir := t.TempDir()
	for _, p := range programs {
		if err := os.WriteFile(filepath.Join(dir, p), []byte("#!/bin/false\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", dir)
	m := &machine{says: says}
	return &prober{cc: []string{"gcc"}, scratch: t.TempDir(), run: m.run, log: func(format string, args ...any) {
		m.log = append(m.log, fmt.Sprintf(format, args...))
	}}, m
}

func (m *machine) run(command string, args ...string) (string, error) {
	name := filepath.Base(command)
	if name == "gcc" {
		if slices.Contains(args, "-lbroken") {
			return "", errors.New("cannot find -lbroken")
		}
		return "", nil
	}
	first := strings.Join(args[:min(1, len(args))], "")
	if text, ok := m.says[name+" "+first]; ok {
		return text, nil
	}
	return "", fmt.Errorf("%s: unknown option %s", name, first)
}

var debian = map[string]string{
	"mpicc.openmpi -E":               "goacp_mpi openmpi 3 4.1.4\n",
	"mpicc.openmpi --showme:compile": "-I/o/include\n",
	"mpicc.openmpi --showme:link":    "-L/o/lib -lmpi\n",
	"mpicxx.openmpi -E":              "goacp_mpi openmpi 3 4.1.4\n",
	"mpirun.openmpi --version":       "mpirun.openmpi (OpenRTE) 4.1.4\n",
	"mpicc.mpich -E":                 "goacp_mpi mpich 4 \"4.0.2\"\n",
	"mpicc.mpich -show":              "gcc -I/m/include -L/m/lib -lmpich\n",
	"mpicc -E":                       "goacp_mpi openmpi 3 4.1.4\n",
	"mpicc -show":                    "gcc -I/o/include -L/o/lib -lmpi\n",
	"mpirun --version":               "HYDRA build details:\n",
}

var debianPrograms = []string{"mpicc", "mpicc.openmpi", "mpicxx.openmpi", "mpirun.openmpi", "mpicc.mpich", "mpirun"}

func TestFindAll(t *testing.T) {
	tests := []struct {
		name, want string
		programs   []string
		found      string // name of MPI = mpicc as told, mpicxx, mpirun
		fails      string
	}{
		{"the default takes mpicc, and not the launcher of the other MPI", "auto", debianPrograms, "openmpi=mpicc,mpicxx.openmpi,mpirun.openmpi", ""},
		{"the default is content without", "auto", nil, "", ""},
		{"insisting", "yes", nil, "", "mpicc: not found"},
		{"a list, in its order", "mpicc.mpich, mpicc.openmpi", debianPrograms, "mpich=mpicc.mpich,, openmpi=mpicc.openmpi,mpicxx.openmpi,mpirun.openmpi", ""},
		{"one of a list is missing", "mpicc.openmpi,mpicc.lam", debianPrograms, "", "mpicc.lam: not found"},
		{"all, each once", "all", debianPrograms, "openmpi=mpicc.openmpi,mpicxx.openmpi,mpirun.openmpi mpich=mpicc.mpich,,", ""},
		{"all of nothing", "all", nil, "", "apt-get install"},
		{"none", "no", debianPrograms, "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p, m := newMachine(t, tt.programs, debian)
			mpis, err := p.findAll(tt.want)
			if tt.fails != "" {
				if err == nil || !strings.Contains(err.Error(), tt.fails) {
					t.Fatalf("error %v, want %q", err, tt.fails)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			var found []string
			for _, i := range mpis {
				base := func(path string) string {
					if path == "" {
						return ""
					}
					return filepath.Base(path)
				}
				found = append(found, fmt.Sprintf("%s=%s,%s,%s", i.Name, i.Given, base(i.MPICXX), base(i.MPIRun)))
			}
			if got := strings.Join(found, " "); got != tt.found {
				t.Errorf("got %s\nwant %s\nlog:\n%s", got, tt.found, strings.Join(m.log, "\n"))
			}
		})
	}
}

// TestWaysAreTriedInTurn: the probe goes on to the next way if an answer does not build a program.
// If none does, the error names every way with its reason.
func TestWaysAreTriedInTurn(t *testing.T) {
	says := map[string]string{
		"mpicc -E":               "goacp_mpi mpich 3 \"3.4\"\n",
		"mpicc --showme:compile": "",
		"mpicc --showme:link":    "-lbroken",
		"mpicc -show":            "gcc -I/m -lmpich",
	}
	p, m := newMachine(t, []string{"mpicc"}, says)
	found, err := p.find("mpicc")
	if err != nil {
		t.Fatal(err)
	}
	if got := mpiflags.Join(found.LDFlags); got != "-lmpich" {
		t.Errorf("link flags %s", got)
	}
	if log := strings.Join(m.log, "\n"); !strings.Contains(log, "cannot find -lbroken") {
		t.Errorf("the log does not tell why the first way failed:\n%s", log)
	}

	says["mpicc -show"] = "gcc -lbroken"
	_, err = p.find("mpicc")
	for _, want := range []string{"--showme:compile", "-compile-info", "-show", "cannot find -lbroken", "unknown option"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v does not name %q", err, want)
		}
	}
}

// TestFortran: the probe takes the Fortran compiler of the same MPI, if programs in Fortran are wanted.
func TestFortran(t *testing.T) {
	says := maps.Clone(debian)
	says["mpifort.openmpi -o"], says["mpif90.mpich -o"] = "", ""
	says["question "] = "Open MPI v4.1.4, package: Debian OpenMPI\n"
	for wanted, want := range map[bool]string{true: "mpifort.openmpi ", false: " "} {
		p, m := newMachine(t, append([]string{"mpifort.openmpi", "mpif90.mpich"}, debianPrograms...), says)
		p.fortran = wanted
		mpis, err := p.findAll("mpicc.openmpi,mpicc.mpich")
		if err != nil {
			t.Fatal(err)
		}
		found := ""
		for _, i := range mpis {
			if i.MPIFC != "" {
				found += filepath.Base(i.MPIFC)
			}
			found += " "
		}
		if log := strings.Join(m.log, "\n"); found != want+" " || strings.Contains(log, `belongs to "openmpi", not to mpich`) != wanted {
			t.Errorf("wanted %v: found %q, expected %q; log:\n%s", wanted, found, want+" ", log)
		}
	}
}

func TestFreeName(t *testing.T) {
	var found []toolchain.MPI
	var names []string
	for _, version := range []string{"4.1", "5.0", "5.0", "5.0"} {
		m := toolchain.MPI{Flavour: "openmpi", Version: version}
		m.Name = freeName(found, &m)
		found = append(found, m)
		names = append(names, m.Name)
	}
	if got, want := strings.Join(names, " "), "openmpi openmpi-5.0 openmpi-5.0-2 openmpi-5.0-3"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestMakeVariables(t *testing.T) {
	got := makeVariables([]toolchain.MPI{
		{Name: "openmpi", MPICC: "/usr/bin/mpicc", CFlags: []string{"-I/a b", "-DX=$#"}, LDFlags: []string{"-lmpi"}},
		{Name: "mpich", MPICC: "/m/mpicc", MPIRun: "/m/mpirun"},
	})
	want := `MPIS = openmpi mpich
openmpi_MPICC = /usr/bin/mpicc
openmpi_MPIRUN = ''
openmpi_CFLAGS = '-I/a b' '-DX=$$\#'
openmpi_LDFLAGS = -lmpi
mpich_MPICC = /m/mpicc
mpich_MPIRUN = /m/mpirun
mpich_CFLAGS = 
mpich_LDFLAGS = 
`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
