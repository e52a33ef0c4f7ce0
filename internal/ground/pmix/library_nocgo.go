//go:build !cgo

package pmix

import "errors"

// load fails: only C can call libpmix.
func load(string) (library, error) {
	return nil, errors.New("a launcher that speaks PMIx has started this process, but the program was built without cgo, which calls of libpmix take: build it with CGO_ENABLED=1, or start it with acprun")
}
