package toolchain

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

func sample() *Data {
	return &Data{
		Version: "2.1.0", IncludeDir: "/x/include", LibDir: "/x/lib",
		CC: []string{"ccache", "gcc"}, CXX: []string{"g++"}, FC: []string{"gfortran"}, Go: "/go/bin/go", Libs: []string{"pthread"},
		MPI: []MPI{
			{Name: "openmpi", Flavour: "openmpi", Given: "mpicc.openmpi", MPICC: "/usr/bin/mpicc.openmpi", LibDir: "/x/lib/openmpi"},
			{Name: "mpich", Flavour: "mpich", Given: "/opt/my mpi/bin/mpicc", MPICC: "/opt/my mpi/bin/mpicc", LibDir: "/x/lib/mpich",
				CFlags: []string{"-I/opt/my mpi/include"}},
			{Name: "mpich-3.2", Flavour: "mpich", Given: "mpicc.old", MPICC: "/opt/old/mpicc.old", LibDir: "/x/lib/mpich-3.2"},
		},
	}
}

func TestSaveLoad(t *testing.T) {
	path := filepath.Join(t.TempDir(), "share", "wrappers.yaml")
	want := sample()
	// yaml writes an absent list as an empty one; both mean nothing.
	for i := range want.MPI {
		if want.MPI[i].CFlags == nil {
			want.MPI[i].CFlags = []string{}
		}
		want.MPI[i].LDFlags = []string{}
	}
	if err := want.Save(path); err != nil {
		t.Fatal(err)
	}
	got, err := Load(path)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("read back\n%+v\nwant\n%+v", got, want)
	}
}

func TestLoadRelative(t *testing.T) {
	dir := t.TempDir()
	d := sample()
	d.LibDir, d.MPI[0].LibDir = "../../lib", "../../lib/openmpi"
	path := filepath.Join(dir, "share", "goacp", "wrappers.yaml")
	if err := d.Save(path); err != nil {
		t.Fatal(err)
	}
	got, err := Load(path)
	if err != nil {
		t.Fatal(err)
	}
	if got.LibDir != filepath.Join(dir, "lib") || got.MPI[0].LibDir != filepath.Join(dir, "lib", "openmpi") {
		t.Errorf("directories %s and %s do not count from the file's folder in %s", got.LibDir, got.MPI[0].LibDir, dir)
	}
	if got.IncludeDir != "/x/include" {
		t.Errorf("absolute directory became %s", got.IncludeDir)
	}
}

// TestLoadMoved: directories below the prefix have moved with the file, others have not. A copy of the file elsewhere
// has the directories of the original.
func TestLoadMoved(t *testing.T) {
	d := sample()
	d.Prefix, d.IncludeDir, d.MPI[0].LibDir = "/x", "/xyz/include", "/x/lib/openmpi"
	top := t.TempDir()
	for _, c := range []struct{ folder, lib, mpi, include string }{
		{"share/goacp", top + "/lib", top + "/lib/openmpi", "/xyz/include"},
		{"share/copy", "/x/lib", "/x/lib/openmpi", "/xyz/include"},
		{"goacp", "/x/lib", "/x/lib/openmpi", "/xyz/include"},
	} {
		path := filepath.Join(top, c.folder, "wrappers.yaml")
		if err := d.Save(path); err != nil {
			t.Fatal(err)
		}
		got, err := Load(path)
		if err != nil {
			t.Fatal(err)
		}
		if got.LibDir != c.lib || got.MPI[0].LibDir != c.mpi || got.IncludeDir != c.include {
			t.Errorf("%s: directories %s, %s, %s, expected %s, %s, %s", c.folder, got.LibDir, got.MPI[0].LibDir, got.IncludeDir, c.lib, c.mpi, c.include)
		}
	}
}

func TestLoadRefuses(t *testing.T) {
	const good = "version: 1\nincludedir: i\nlibdir: l\ncc: [gcc]\ngo: go\n"
	tests := []struct{ name, text, want string }{
		{"empty", "", "empty file"},
		{"misspelt key", good + "lib-dir: x\n", "lib-dir"},
		{"no compiler", strings.Replace(good, "[gcc]", "[]", 1), "key cc"},
		{"no version", strings.Replace(good, "version: 1\n", "", 1), "key version"},
		{"not YAML", "{", "yaml"},
		{"nameless MPI", good + "mpi: [{mpicc: x}]\n", "mpi entry 1"},
		{"two of one name", good + "mpi: [{name: a, mpicc: x, libdir: l}, {name: a, mpicc: y, libdir: l}]\n", "named a"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "wrappers.yaml")
			if err := os.WriteFile(path, []byte(tt.text), 0o600); err != nil {
				t.Fatal(err)
			}
			_, err := Load(path)
			if err == nil || !strings.Contains(err.Error(), tt.want) || !strings.Contains(err.Error(), path) {
				t.Errorf("error %v, want the path and %q", err, tt.want)
			}
		})
	}
}

func TestFindMPI(t *testing.T) {
	d := sample()
	for name, want := range map[string]string{
		"":                       "openmpi",
		"openmpi":                "openmpi",
		"mpich":                  "mpich",
		"mpicc.openmpi":          "openmpi",
		"/usr/bin/mpicc.openmpi": "openmpi",
		"mpicc":                  "mpich",
		"mpich-3.2":              "mpich-3.2",
		"mpicc.old":              "mpich-3.2",
	} {
		if m, err := d.FindMPI(name); err != nil || m.Name != want {
			t.Errorf("FindMPI(%q) = %v, %v, want %s", name, m, err, want)
		}
	}
	if _, err := d.FindMPI("lam"); err == nil || !strings.Contains(err.Error(), "openmpi, mpich, mpich-3.2") {
		t.Errorf("unknown MPI: error %v does not list what there is", err)
	}
	if _, err := (&Data{}).FindMPI(""); err == nil || !strings.Contains(err.Error(), "--with-mpi") {
		t.Errorf("without MPI: error %v does not say how to get it", err)
	}
}
