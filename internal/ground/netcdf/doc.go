// Package netcdf reads variables from netCDF files, and writes files in the classic formats.
//
// Open decides by the first bytes of a file which format it has:
//
//	CDF 1, 2, 5   the classic format, with 64-bit offsets, with 64-bit data
//	\211HDF       netCDF-4, which is a file of HDF5
//
// The package reads and writes the classic formats itself, from their description (NetCDF Classic Format
// Specification). It reads netCDF-4 by the library libnetcdf, which it loads when the first such file is opened: HDF5
// has too many ways to store an array to read them without a library, no module in Go reads all of them, and
// programs that have no netCDF-4 file need no library.
//
// Only variables, dimensions and attributes of the root group can be read, and of attributes those with text
// or one number. A
// File may be used by one goroutine at a time.
package netcdf
