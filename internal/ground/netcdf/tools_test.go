package netcdf

import (
	"errors"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
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
					continue // which have no 64-bit integers
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
