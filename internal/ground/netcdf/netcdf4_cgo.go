//go:build cgo

package netcdf

// #include <stdlib.h>
// #include "netcdf4.h"
import "C"

import (
	"errors"
	"fmt"
	"math"
	"sync"
	"unsafe"
)

// library is libnetcdf. Neither it nor HDF5 can be used by two threads at a time.
var library struct {
	sync.Mutex
	loaded bool
}

// netCDF4 reads the values of a netCDF-4 file.
type netCDF4 struct{ id C.int }

// openNetCDF4 opens a netCDF-4 file.
func openNetCDF4(name string) (*File, error) {
	library.Lock()
	defer library.Unlock()
	if !library.loaded {
		if why := C.goacp_netcdf_load(); why != nil {
			return nil, fmt.Errorf("%w, which is not there: %s; install the package libnetcdf19 or libnetcdf22 of Debian and Ubuntu, netcdf of Fedora, or convert the file: nccopy -k cdf5 FILE NEWFILE",
				ErrLibrary, C.GoString(why))
		}
		library.loaded = true
	}
	path := C.CString(name)
	defer C.free(unsafe.Pointer(path))
	n := new(netCDF4)
	if err := status(C.goacp_netcdf_open(path, &n.id)); err != nil {
		return nil, err
	}
	f := &File{Name: name, source: n}
	if err := n.head(f); err != nil {
		return nil, errors.Join(err, n.close())
	}
	return f, nil
}

// status returns the error that a result of a function of libnetcdf stands for.
func status(number C.int) error {
	if number == 0 {
		return nil
	}
	return fmt.Errorf("%w: libnetcdf: %s", ErrFormat, C.GoString(C.goacp_netcdf_text(number)))
}

// head reads the dimensions, attributes and variables of the file, without their values.
func (n *netCDF4) head(f *File) error {
	var dimensions, variables, attributes C.int
	if err := status(C.goacp_netcdf_inquire(n.id, &dimensions, &variables, &attributes)); err != nil {
		return err
	}
	var name [C.GOACP_NETCDF_NAME + 1]C.char
	ids := make([]C.int, dimensions)
	places := make(map[C.int]int)
	if len(ids) > 0 {
		if err := status(C.goacp_netcdf_dimensions(n.id, &ids[0])); err != nil {
			return err
		}
	}
	for i, id := range ids {
		var length C.size_t
		if err := status(C.goacp_netcdf_dimension(n.id, id, &name[0], &length)); err != nil {
			return err
		}
		if length > math.MaxInt64 {
			return fmt.Errorf("%w: dimension %s has the length %d", ErrFormat, C.GoString(&name[0]), uint64(length))
		}
		places[id] = i
		f.Dimensions = append(f.Dimensions, Dimension{C.GoString(&name[0]), int64(length)})
	}
	var err error
	if f.Attributes, _, err = n.attributes(C.GOACP_NETCDF_GLOBAL, attributes); err != nil {
		return err
	}
	for id := range variables {
		if err := n.variable(f, id, places); err != nil {
			return err
		}
	}
	return nil
}

// variable reads the description of a variable.
func (n *netCDF4) variable(f *File, id C.int, places map[C.int]int) error {
	var name [C.GOACP_NETCDF_NAME + 1]C.char
	var ids [C.GOACP_NETCDF_DIMENSIONS]C.int
	var kind, count, attributes C.int
	if err := status(C.goacp_netcdf_variable(n.id, id, &name[0], &kind, &count, &ids[0], &attributes)); err != nil {
		return err
	}
	v := Variable{Name: C.GoString(&name[0]), Type: Type(kind), id: int(id)}
	var own []int
	for _, d := range ids[:count] {
		place, ok := places[d]
		if !ok {
			return nil // the variable has a dimension of another group, so it is left out
		}
		own = append(own, place)
	}
	if !v.setShape(f.Dimensions, own) {
		return fmt.Errorf("%w: variable %s has more than 2^63 bytes", ErrFormat, v.Name)
	}
	var err error
	if v.Attributes, v.Numbers, err = n.attributes(id, attributes); err != nil {
		return err
	}
	f.Variables = append(f.Variables, v)
	return nil
}

// attributes returns the attributes of a variable, or of the file, that have text or one number.
func (n *netCDF4) attributes(variable, count C.int) (texts map[string]string, numbers map[string]float64, err error) {
	texts, numbers = make(map[string]string), make(map[string]float64)
	for i := range count {
		var name [C.GOACP_NETCDF_NAME + 1]C.char
		var text *C.char
		var length C.size_t
		var isNumber C.int
		var number C.double
		if err := status(C.goacp_netcdf_attribute(n.id, variable, i, &name[0], &text, &length, &isNumber, &number)); err != nil {
			return nil, nil, err
		}
		if text != nil {
			texts[C.GoString(&name[0])] = C.GoStringN(text, C.int(length))
			C.free(unsafe.Pointer(text))
		}
		if isNumber != 0 {
			numbers[C.GoString(&name[0])] = float64(number)
		}
	}
	return texts, numbers, nil
}

// place returns where some rows of a variable begin, and how many values they have in each dimension.
func place(v *Variable, first int64, n int) (start, count []C.size_t) {
	start, count = make([]C.size_t, max(len(v.Shape), 1)), make([]C.size_t, max(len(v.Shape), 1))
	for i, length := range v.Shape {
		count[i] = C.size_t(length)
	}
	if len(v.Shape) > 0 {
		start[0], count[0] = C.size_t(first), C.size_t(int64(n)/v.RowLen())
	}
	return start, count
}

func (n *netCDF4) integers(v *Variable, first int64, into []int64) error {
	return readRows(v, first, into, func(start, count *C.size_t) C.int {
		return C.goacp_netcdf_integers(n.id, C.int(v.id), start, count, (*C.longlong)(unsafe.Pointer(&into[0])))
	})
}

func (n *netCDF4) reals(v *Variable, first int64, into []float64) error {
	return readRows(v, first, into, func(start, count *C.size_t) C.int {
		return C.goacp_netcdf_reals(n.id, C.int(v.id), start, count, (*C.double)(unsafe.Pointer(&into[0])))
	})
}

// readRows reads rows of a variable by a function of the library, unless there are no values to read.
func readRows[T any](v *Variable, first int64, into []T, by func(start, count *C.size_t) C.int) error {
	if len(into) == 0 {
		return nil
	}
	library.Lock()
	defer library.Unlock()
	start, count := place(v, first, len(into))
	return status(by(&start[0], &count[0]))
}

// Close closes the file. It implements io.Closer.
func (n *netCDF4) Close() error {
	library.Lock()
	defer library.Unlock()
	return n.close()
}

func (n *netCDF4) close() error { return status(C.goacp_netcdf_close(n.id)) }
