//go:build cgo

package pmix

// #cgo LDFLAGS: -ldl
// #include "library.h"
// #include <stdlib.h>
import "C"

import (
	"fmt"
	"sync"
	"unsafe"

	"github.com/goacp/goacp/internal/ground/envvar"
)

// C and Go have one number for each of these.
var (
	_ [0]struct{} = [C.GOACP_PMIX_GARBAGE - statusGarbage]struct{}{}
	_ [0]struct{} = [C.PMIX_ERR_NOT_SUPPORTED - statusUnsupported]struct{}{}
)

// loading is held while libpmix is loaded.
var loading sync.Mutex

// load loads libpmix.
func load(file string) (library, error) {
	loading.Lock()
	defer loading.Unlock()
	path := C.CString(file)
	defer C.free(unsafe.Pointer(path))
	if problem := C.goacp_pmix_load(path); problem != nil {
		return nil, fmt.Errorf("a launcher that speaks PMIx has started this process, but libpmix cannot be loaded: %s: install libpmix2 (Debian) or pmix (Fedora), name the file in %s, or start the program with acprun",
			C.GoString(problem), envvar.PMIxLibrary)
	}
	return loadedLibrary{}, nil
}

// loadedLibrary is the libpmix of this process.
type loadedLibrary struct{}

func (loadedLibrary) version() string { return C.GoString(C.goacp_pmix_version()) }

func (loadedLibrary) errorText(status int) string {
	return C.GoString(C.goacp_pmix_error(C.int(status)))
}

func (loadedLibrary) initialize(lost int) (rank, size uint32, status int) {
	var r, s C.uint32_t
	status = int(C.goacp_pmix_init(C.int(lost), &r, &s))
	return uint32(r), uint32(s), status
}

func (loadedLibrary) put(key, value string) int {
	k, v := C.CString(key), C.CString(value)
	defer C.free(unsafe.Pointer(k))
	defer C.free(unsafe.Pointer(v))
	return int(C.goacp_pmix_put(k, v))
}

func (loadedLibrary) fence() int { return int(C.goacp_pmix_fence()) }

func (loadedLibrary) get(rank int, key string) (string, int) {
	k := C.CString(key)
	defer C.free(unsafe.Pointer(k))
	var value [maxValue + 1]C.char
	if status := C.goacp_pmix_get(C.uint32_t(rank), k, &value[0], C.size_t(len(value))); status != 0 {
		return "", int(status)
	}
	return C.GoString(&value[0]), 0
}

func (loadedLibrary) publish(key, value string) int {
	k, v := C.CString(key), C.CString(value)
	defer C.free(unsafe.Pointer(k))
	defer C.free(unsafe.Pointer(v))
	return int(C.goacp_pmix_publish(k, v))
}

func (loadedLibrary) lookup(key string) (string, int) {
	k := C.CString(key)
	defer C.free(unsafe.Pointer(k))
	var value [maxValue + 1]C.char
	if status := C.goacp_pmix_lookup(k, &value[0], C.size_t(len(value))); status != 0 {
		return "", int(status)
	}
	return C.GoString(&value[0]), 0
}

func (loadedLibrary) abort(code int) int { return int(C.goacp_pmix_abort(C.int(code))) }
func (loadedLibrary) finalize() int      { return int(C.goacp_pmix_finalize()) }
