package weightfile

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/goacp/goacp/internal/ground/netcdf"
	"github.com/goacp/goacp/internal/system/couple/matrixmarket"
)

// ErrWeightFile: a file that has no matrix in a format that is known.
var ErrWeightFile = errors.New("not a file with weights")

// Contents is what a file has besides its entries.
type Contents struct {
	Entries int64    // that the caller of Read has got
	Notes   []string // what was left out, for the user; one line each, without the name of the file
}

// Read calls each for every entry of a file, in the order of the file, with the row and the column beginning with 0. It ends
// if each fails, and returns that error. Errors name the file, and what in it is wrong. It has a part of the entries in
// memory at a time, and a bit for each point of a grid with a mask.
func Read(name string, each func(row, column int64, value float64) error) (Contents, error) {
	if isNetCDF, err := begins(name); err != nil {
		return Contents{}, err
	} else if !isNetCDF {
		return readText(name, each)
	}
	f, err := netcdf.Open(name)
	if err != nil {
		return Contents{}, err
	}
	c, err := readNetCDF(f, each)
	return c, errors.Join(err, f.Close())
}

// Check reads the beginning of a file, and returns an error if it is no file with weights. It opens only files that cannot
// block. It does not look into a netCDF-4 file, since the host need not have the library for them.
func Check(name string) error {
	info, err := os.Stat(name)
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return fmt.Errorf("%s is no file, but %s", name, info.Mode().Type())
	}
	first, err := firstBytes(name)
	switch {
	case err != nil:
		return err
	case netcdf.IsHDF5(first):
		return nil
	case netcdf.IsNetCDF(first):
		f, err := netcdf.Open(name)
		if err != nil {
			return err
		}
		_, err = newReader(f)
		return errors.Join(err, f.Close())
	}
	text, err := os.Open(name)
	if err != nil {
		return err
	}
	defer text.Close()
	if _, err := matrixmarket.NewReader(text).Size(); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// begins returns whether a file begins as netCDF files do.
func begins(name string) (isNetCDF bool, err error) {
	first, err := firstBytes(name)
	return netcdf.IsNetCDF(first), err
}

// firstBytes returns the first 8 bytes of a file, or all that it has.
func firstBytes(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var first [8]byte
	n, err := io.ReadFull(f, first[:])
	if err != nil && err != io.EOF && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, err
	}
	return first[:n], nil
}

// readText is Read for a Matrix Market file.
func readText(name string, each func(row, column int64, value float64) error) (c Contents, err error) {
	text, err := os.Open(name)
	if err != nil {
		return c, err
	}
	defer text.Close()
	r := matrixmarket.NewReader(text)
	size, err := r.Size()
	if err == nil {
		c.Entries = size.Entries
		err = r.Entries(each)
	}
	if err != nil {
		return c, fmt.Errorf("%s: %w", name, err)
	}
	return c, nil
}
