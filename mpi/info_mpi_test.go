//go:build mpi

package mpi_test

import (
	"errors"
	"fmt"
	"maps"
	"strings"
	"unsafe"

	"github.com/goacp/goacp/mpi"
)

func infos(world) error {
	hints := map[string]string{"no_locks": "false", "goacp": strings.Repeat("x", 200)}
	info, err := mpi.NewInfo(hints)
	if err != nil {
		return err
	}
	if got, err := info.Hints(); err != nil || !maps.Equal(got, hints) {
		return fmt.Errorf("hints %v, %v", got, err)
	}
	if err := info.Set("no_locks", "true"); err != nil {
		return err
	}
	if v, found, err := info.Get("no_locks"); err != nil || !found || v != "true" {
		return fmt.Errorf("no_locks is %q, %v, %v", v, found, err)
	}
	if err := info.Delete("no_locks"); err != nil {
		return err
	}
	if v, found, err := info.Get("no_locks"); err != nil || found || v != "" {
		return fmt.Errorf("after Delete no_locks is %q, %v, %v", v, found, err)
	}
	return errors.Join(
		expect("deleting what is not there", info.Delete("no_locks"), mpi.ErrInfoNoKey),
		expect("empty key", info.Set("", "x"), mpi.ErrInfoKey),
		expect("key with a zero byte", info.Set("a\x00b", "x"), mpi.ErrInfoKey),
		expect("long key", info.Set(strings.Repeat("k", 1000), "x"), mpi.ErrInfoKey),
		expect("long value", info.Set("k", strings.Repeat("v", 100000)), mpi.ErrInfoValue),
		expect("setting nothing", mpi.Info{}.Set("k", "v"), mpi.ErrInfo),
		expect("freeing nothing", mpi.Info{}.Free(), mpi.ErrInfo),
		info.Free())
}

func memories(world) error {
	for _, size := range []int{0, 1, 100000} {
		m, err := mpi.AllocMemory(size, mpi.Info{})
		if err != nil {
			return err
		}
		if len(m) != size {
			return fmt.Errorf("%d bytes, expected %d", len(m), size)
		}
		for i := range m {
			m[i] = byte(i)
		}
		if size > 0 {
			first, err := mpi.Address(m)
			if err != nil {
				return err
			}
			last, err := mpi.Address(m[size-1:])
			if err != nil || last != first+size-1 {
				return fmt.Errorf("addresses %#x and %#x, %v", first, last, err)
			}
			if uintptr(first) != uintptr(unsafe.Pointer(&m[0])) {
				return fmt.Errorf("address %#x of %p", first, &m[0])
			}
		}
		if err := mpi.FreeMemory(m); err != nil {
			return err
		}
	}
	_, err := mpi.AllocMemory(-1, mpi.Info{})
	return expect("negative size", err, mpi.ErrSize)
}
