package netcdf

import (
	"errors"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestOtherFormats converts random files with nccopy into each format that files of netCDF have, and reads them.
func TestOtherFormats(t *testing.T) {
	nccopy, err := exec.LookPath("nccopy")
	if err != nil {
		t.Skip("no nccopy, of the package netcdf-bin")
	}
	for seed := range uint64(5) {
		c := random(rand.New(rand.NewPCG(seed, 3)))
		path := c.file(t)
		for _, way := range [][]string{{"cdf5"}, {"nc4"}, {"nc4", "-d", "5", "-s"}, {"nc4", "-c", "a/1"}, {"classic"}, {"nc6"}} {
			to := filepath.Join(t.TempDir(), "y.nc")
			arguments := append(append([]string{"-k"}, way...), path, to)
			if output, err := exec.Command(nccopy, arguments...).CombinedOutput(); err != nil {
				if way[0] == "classic" || way[0] == "nc6" {
					continue // the format has no 64-bit integers
				}
				t.Fatalf("nccopy %v: %v, %s", arguments, err, output)
			}
			c.compare(t, to)
			if t.Failed() {
				t.Fatalf("seed %d, %v: %+v", seed, way, c)
			}
		}
	}
}

// TestDamagedNetCDF4: a file with the signature of HDF5 and nothing behind it is an error of the file, not of the library.
func TestDamagedNetCDF4(t *testing.T) {
	path := store(t, []byte(signature+"and nothing else"))
	_, err := Open(path)
	if errors.Is(err, ErrLibrary) {
		t.Skip(err)
	}
	if !errors.Is(err, ErrFormat) {
		t.Errorf("%v", err)
	}
	if _, err := Open(filepath.Join(t.TempDir(), "absent")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%v", err)
	}
}

// TestRoom: a netCDF-4 file whose head alone has a long variable is refused before it gets memory.
func TestRoom(t *testing.T) {
	ncgen, err := exec.LookPath("ncgen")
	if err != nil {
		t.Skip("no ncgen, of the package netcdf-bin")
	}
	path := filepath.Join(t.TempDir(), "x.nc")
	text := "netcdf x { dimensions: n = 2000000000 ; k = 1000 ; m = 4 ; variables: double v(n, k) ; v:_ChunkSizes = 1024, 1 ; double w(m) ; data: w = 1, 2, 3, 4 ; }"
	command := exec.Command(ncgen, "-k", "nc4", "-o", path)
	command.Stdin = strings.NewReader(text)
	if output, err := command.CombinedOutput(); err != nil {
		t.Fatalf("%v, %s", err, output)
	}
	f, err := Open(path)
	if errors.Is(err, ErrLibrary) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := f.Fits(f.Variable("w")); err != nil {
		t.Error(err)
	}
	if err := f.Fits(f.Variable("v")); !errors.Is(err, ErrFormat) || !strings.Contains(err.Error(), path+": variable v: not a netCDF file: the file is too short for 2000000000000 values") {
		t.Errorf("%v", err)
	}
}

// TestWrittenForTools: ncdump reads the files that Write writes.
func TestWrittenForTools(t *testing.T) {
	ncdump, err := exec.LookPath("ncdump")
	if err != nil {
		t.Skip("no ncdump, of the package netcdf-bin")
	}
	for seed := range uint64(5) {
		c := random(rand.New(rand.NewPCG(seed, 4)))
		if output, err := exec.Command(ncdump, c.file(t)).CombinedOutput(); err != nil {
			t.Errorf("seed %d: %v, %s", seed, err, output)
		}
	}
}
