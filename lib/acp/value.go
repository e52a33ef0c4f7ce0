//go:build cgo

package libacp

// #include "bind.h"
import "C"

import (
	"fmt"
	"unsafe"

	"github.com/goacp/goacp/acp"
)

// nameAt returns a name that the program passes.
func nameAt(name *C.char) (string, error) {
	if name == nil {
		return "", fmt.Errorf("%w: a name at NULL", acp.ErrBadAddress)
	}
	return C.GoString(name), nil
}

//export goacp_put_value
func goacp_put_value(name *C.char, value unsafe.Pointer, size C.size_t) C.int64_t {
	return call(-1, func(p *acp.Process) (C.int64_t, error) {
		text, err := nameAt(name)
		if err != nil {
			return 0, err
		}
		b, err := message(value, uint64(size))
		if err != nil {
			return 0, err
		}
		version, err := p.PutValue(text, b)
		return C.int64_t(version), err
	})
}

//export goacp_get_value
func goacp_get_value(name *C.char, buf unsafe.Pointer, size C.size_t, version *C.int64_t) C.int64_t {
	return storeValue(name, buf, size, version, (*acp.Process).GetValue)
}

//export goacp_wait_value
func goacp_wait_value(name *C.char, version C.int64_t, buf unsafe.Pointer, size C.size_t, got *C.int64_t) C.int64_t {
	return storeValue(name, buf, size, got, func(p *acp.Process, text string) ([]byte, uint64, error) {
		p, cancel := timed(p)
		defer cancel()
		return p.WaitValue(text, uint64(max(version, 1)))
	})
}

// storeValue stores the value that f returns at buf, as much of it as there is room, and its version
// at version unless that is NULL. It returns the length of the value.
func storeValue(name *C.char, buf unsafe.Pointer, size C.size_t, version *C.int64_t, f func(*acp.Process, string) ([]byte, uint64, error)) C.int64_t {
	return call(-1, func(p *acp.Process) (C.int64_t, error) {
		text, err := nameAt(name)
		if err != nil {
			return 0, err
		}
		b, err := message(buf, uint64(size))
		if err != nil {
			return 0, err
		}
		value, v, err := f(p, text)
		if err != nil {
			return 0, err
		}
		copy(b, value)
		if version != nil {
			*version = C.int64_t(v)
		}
		return C.int64_t(len(value)), nil
	})
}
