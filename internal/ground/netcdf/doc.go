// Package netcdf reads variables from netCDF files, and writes files in the classic formats.
//
// Open decides by the first bytes of a file which format it has:
//
//	CDF 1, 2, 5   the classic format, with 64-bit offsets, with 64-bit data
//	\211HDF       netCDF-4, in a file of HDF5
//
// The package reads and writes the classic formats itself, from their description (NetCDF Classic Format
// Specification). It reads netCDF-4 by the library libnetcdf, since HDF5 stores arrays in many ways, and no module in Go
// reads all of them. It loads the library when it opens the first such file. Programs without such files do not need
// the library.
//
// The package reads variables, dimensions and attributes of the root group. Of the attributes it reads those with text
// and those with one number. One goroutine at a time may use a File.
package netcdf
