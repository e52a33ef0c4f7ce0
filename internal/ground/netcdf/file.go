package netcdf

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"
)

// Errors of a file. The message of an error names the file.
var (
	ErrFormat  = errors.New("not a netCDF file")        // the file has another format, or is damaged
	ErrType    = errors.New("wrong type")               // the variable has values of another type than expected
	ErrLibrary = errors.New("netCDF-4 needs libnetcdf") // the library is not installed
)

// Dimension is a dimension of a file.
type Dimension struct {
	Name   string
	Length int64
}

// Variable is a variable of a file.
type Variable struct {
	Name       string
	Type       Type
	Dimensions []string           // slowest first
	Shape      []int64            // the lengths of Dimensions
	Attributes map[string]string  // those with text
	Numbers    map[string]float64 // the attributes with one number

	// In a classic file:
	begin  int64 // of the data in the file
	record bool  // the first dimension is that of records, which are stride bytes from each other
	stride int64

	// In a netCDF-4 file:
	id int
}

// Rows returns the length of the first dimension, and 1 for a scalar.
func (v *Variable) Rows() int64 {
	if len(v.Shape) == 0 {
		return 1
	}
	return v.Shape[0]
}

// RowLen returns how many values have the same index of the first dimension.
func (v *Variable) RowLen() int64 {
	n := int64(1)
	for i := 1; i < len(v.Shape); i++ {
		n *= v.Shape[i]
	}
	return n
}

// Len returns how many values the variable has.
func (v *Variable) Len() int64 { return v.Rows() * v.RowLen() }

// File is a file that is open for reading.
type File struct {
	Name       string
	Dimensions []Dimension
	Variables  []Variable
	Attributes map[string]string // those with text

	source source
	room   int64 // bytes that the values of a variable may have
}

// mostDense is how many bytes of values each byte of a netCDF-4 file may stand for. Deflate, its usual compression, has 1032
// at most. Chunks that were never written need no bytes at all, so the head alone may name any number of values.
const mostDense = 4096

// source reads values of the variables of a file.
type source interface {
	io.Closer
	// integers and reals read the values of some rows, which all lie in the variable.
	integers(v *Variable, first int64, into []int64) error
	reals(v *Variable, first int64, into []float64) error
}

// signature is the first bytes of a file of HDF5.
const signature = "\x89HDF\r\n\x1a\n"

// IsNetCDF reports whether the first 8 bytes of a file, or all that it has, begin a netCDF file.
func IsNetCDF(first []byte) bool { return isClassic(first) || IsHDF5(first) }

// IsHDF5 reports whether the first 8 bytes of a file begin a file of HDF5, such as one of netCDF-4.
func IsHDF5(first []byte) bool { return string(first) == signature }

func isClassic(first []byte) bool {
	return len(first) >= 4 && string(first[:3]) == "CDF" && (first[3] == 1 || first[3] == 2 || first[3] == 5)
}

// Open opens a file. Fails with ErrFormat, ErrLibrary, and as os.Open does.
func Open(name string) (*File, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	var first [len(signature)]byte
	n, err := io.ReadFull(file, first[:])
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) && err != io.EOF {
		return nil, errors.Join(err, file.Close())
	}
	info, err := file.Stat()
	if IsHDF5(first[:n]) && err == nil {
		if err := file.Close(); err != nil {
			return nil, err
		}
		f, err := openNetCDF4(name)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		f.room = info.Size() * min(mostDense, math.MaxInt64/max(info.Size(), 1))
		return f, nil
	}
	f := &File{Name: name}
	if err == nil {
		err = f.decode(file, info.Size())
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", name, err), file.Close())
	}
	f.source, f.room = &classic{file, file, info.Size()}, info.Size()
	return f, nil
}

// Close closes the file.
func (f *File) Close() error { return f.source.Close() }

// Dimension returns the length of a dimension, and whether the file has it.
func (f *File) Dimension(name string) (int64, bool) {
	for _, d := range f.Dimensions {
		if d.Name == name {
			return d.Length, true
		}
	}
	return 0, false
}

// Variable returns a variable, or nil if the file has none with this name.
func (f *File) Variable(name string) *Variable {
	for i := range f.Variables {
		if f.Variables[i].Name == name {
			return &f.Variables[i]
		}
	}
	return nil
}

// Integers reads len(into) values of a variable of integers, from row first on. They are whole rows. Fails with
// ErrType, with ErrFormat if the file ends before, and as reading the file does.
func (f *File) Integers(v *Variable, first int64, into []int64) error {
	if !v.Type.Integer() {
		return f.errorf(v, "%w: it is %s; expected integers", ErrType, v.Type)
	}
	return read(f, v, first, into, f.source.integers)
}

// Reals is Integers for a variable of numbers of any type.
func (f *File) Reals(v *Variable, first int64, into []float64) error {
	if !v.Type.Number() {
		return f.errorf(v, "%w: it is %s; expected numbers", ErrType, v.Type)
	}
	return read(f, v, first, into, f.source.reals)
}

// read reads values of a variable by a function of the source.
func read[T int64 | float64](f *File, v *Variable, first int64, into []T, by func(v *Variable, first int64, into []T) error) error {
	if err := f.check(v, first, len(into)); err != nil {
		return err
	}
	if err := by(v, first, into); err != nil {
		return f.errorf(v, "%w", err)
	}
	return nil
}

// Fits returns ErrFormat if a file is too short for a variable, so that callers need no memory for values that are not there.
func (f *File) Fits(v *Variable) error {
	if v.Len() <= f.room/v.Type.size() {
		return nil
	}
	return f.errorf(v, "%w: the file is too short for %d values: it has at most %d bytes of values", ErrFormat, v.Len(), f.room)
}

// check returns an error unless the variable has n values from row first on, which are whole rows.
func (f *File) check(v *Variable, first int64, n int) error {
	if row := v.RowLen(); first < 0 || row == 0 && n > 0 || row > 0 && (int64(n)%row != 0 || first > v.Rows()-int64(n)/row) {
		return f.errorf(v, "no %d values from row %d on in the shape %v", n, first, v.Shape)
	}
	return nil
}

// errorf returns an error about a variable.
func (f *File) errorf(v *Variable, format string, args ...any) error {
	return fmt.Errorf("%s: variable %s: %w", f.Name, v.Name, fmt.Errorf(format, args...))
}

// setShape sets the shape of a variable. It returns whether the values have fewer than 2^63 bytes.
func (v *Variable) setShape(all []Dimension, ids []int) bool {
	bytes := v.Type.size()
	for _, id := range ids {
		d := all[id]
		v.Dimensions, v.Shape = append(v.Dimensions, d.Name), append(v.Shape, d.Length)
		if d.Length > 0 && bytes > math.MaxInt64/d.Length {
			return false
		}
		bytes *= max(d.Length, 1)
	}
	return true
}
