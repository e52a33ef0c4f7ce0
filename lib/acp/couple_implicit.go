//go:build cgo

package libacp

// #include "bind.h"
// #include "../fortran/goacp_array.h"
import "C"

import (
	"context"
	"fmt"
	"unsafe"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/internal/ground/datatype"
	"github.com/goacp/goacp/internal/system/couple/implicit"
	"github.com/goacp/goacp/internal/system/couple/link"
)

//export goacp_create_implicit
func goacp_create_implicit(model C.uintptr_t, other *C.char, leads C.int) C.uintptr_t {
	return coupled(0, func(*acp.Process) (C.uintptr_t, error) {
		m, err := find(&lib.coupling.models, "model", model)
		if err != nil {
			return 0, err
		}
		name, err := text("other", other)
		if err != nil {
			return 0, err
		}
		i, err := m.Implicit(name, leads != 0)
		if err != nil {
			return 0, err
		}
		return lib.coupling.implicits.add(i), nil
	})
}

// doImplicit calls f with an iteration.
func doImplicit(number C.uintptr_t, f func(i *link.Implicit) error) C.int {
	return doCoupled(func(*acp.Process) error {
		i, err := find(&lib.coupling.implicits, "iteration", number)
		if err != nil {
			return err
		}
		return f(i)
	})
}

// iteratedMemory returns n values of the program: float64, or bytes of any type.
func iteratedMemory[T float64 | byte](d fieldData, n int64) ([]T, error) {
	var one T
	at := d.at
	if d.described != nil && n != 0 {
		a := arrayAtC(d.described)
		if at = a.base; unsafe.Sizeof(one) > 1 && !a.holds(datatype.Float64) {
			return nil, fmt.Errorf("%w: %v; expected values of type %v", link.ErrTypes, a, datatype.Float64)
		}
		if err := a.contiguous(uint64(max(n, 0)) * uint64(unsafe.Sizeof(one))); err != nil {
			return nil, err
		}
	}
	return arrayAt("data", (*T)(at), n)
}

//export goacp_add_implicit
func goacp_add_implicit(number C.uintptr_t, name *C.char, data unsafe.Pointer, described *C.struct_goacp_array, count C.int64_t) C.int {
	return doImplicit(number, func(i *link.Implicit) error {
		field, err := text("name", name)
		if err != nil {
			return err
		}
		values, err := iteratedMemory[float64](fieldData{data, described}, int64(count))
		if err != nil {
			return err
		}
		return i.Add(field, values)
	})
}

//export goacp_measure_implicit
func goacp_measure_implicit(number C.uintptr_t, name *C.char, measure C.int, limit C.double) C.int {
	return doImplicit(number, func(i *link.Implicit) error {
		field, err := text("name", name)
		if err != nil {
			return err
		}
		return i.Measure(field, implicit.Measure(measure), float64(limit))
	})
}

//export goacp_accelerate_implicit
func goacp_accelerate_implicit(number C.uintptr_t, method C.int, relaxation C.double, reuse, columns C.int) C.int {
	return doImplicit(number, func(i *link.Implicit) error {
		return i.Accelerate(implicit.Method(method), float64(relaxation), int(reuse), int(columns))
	})
}

//export goacp_limit_implicit
func goacp_limit_implicit(number C.uintptr_t, most C.int) C.int {
	return doImplicit(number, func(i *link.Implicit) error { return i.Limit(int(most)) })
}

//export goacp_keep_implicit
func goacp_keep_implicit(number C.uintptr_t, data unsafe.Pointer, described *C.struct_goacp_array, bytes C.int64_t) C.int {
	return doImplicit(number, func(i *link.Implicit) error {
		memory, err := iteratedMemory[byte](fieldData{data, described}, int64(bytes))
		if err != nil {
			return err
		}
		return i.Keep(memory)
	})
}

//export goacp_begin_implicit
func goacp_begin_implicit(number C.uintptr_t, round *C.int64_t) C.int {
	return doImplicit(number, func(i *link.Implicit) error {
		ctx, cancel := waitTime()
		defer cancel()
		err := i.Begin(ctx)
		if err == nil {
			store(round, C.int64_t(i.Round()))
		}
		return err
	})
}

//export goacp_iterate_implicit
func goacp_iterate_implicit(number C.uintptr_t, round *C.int64_t) C.int {
	return coupled(-1, func(*acp.Process) (C.int, error) {
		i, err := find(&lib.coupling.implicits, "iteration", number)
		if err != nil {
			return -1, err
		}
		ctx, cancel := waitTime()
		defer cancel()
		again, err := i.Iterate(ctx)
		if err != nil {
			return -1, err
		}
		store(round, C.int64_t(i.Round()))
		if again {
			return 1, nil
		}
		return 0, nil
	})
}

//export goacp_query_implicit
func goacp_query_implicit(number C.uintptr_t, count, converged *C.int) C.int {
	return doImplicit(number, func(i *link.Implicit) error {
		last := i.Last()
		store(count, C.int(last.Iterations))
		reached := C.int(0)
		if last.Converged {
			reached = 1
		}
		store(converged, reached)
		return nil
	})
}

//export goacp_free_implicit
func goacp_free_implicit(number C.uintptr_t) C.int {
	return doImplicit(number, func(i *link.Implicit) error {
		if err := i.Close(context.Background()); err != nil {
			return err
		}
		lib.coupling.implicits.drop(number)
		return nil
	})
}
