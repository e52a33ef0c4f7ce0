//go:build !cgo

package netcdf

import "fmt"

// openNetCDF4 fails, because programs without cgo cannot call libnetcdf.
func openNetCDF4(string) (*File, error) {
	return nil, fmt.Errorf("%w, and this program is built without cgo; convert the file: nccopy -k cdf5 FILE NEWFILE", ErrLibrary)
}
