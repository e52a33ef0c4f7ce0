package segment

import (
	"errors"
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// readChunk is how much Readable of a peer reads at a time.
const readChunk = 1 << 20

// Readable reports whether the n bytes at an address in the peer's process can be read. It
// reads all of them.
func (v *View) Readable(addr, n uint64) bool {
	scratch := make([]byte, min(n, readChunk))
	for done := uint64(0); done < n; {
		chunk := min(n-done, uint64(len(scratch)))
		if v.Load(unsafe.Pointer(unsafe.SliceData(scratch)), addr+done, chunk) != nil {
			return false
		}
		done += chunk
	}
	return true
}

// maxVectors is how many pieces of memory one system call reads, at most.
const maxVectors = 1024

// Readable reports whether the n bytes at an address in this process can be read, without
// a fault if they cannot. It looks at one byte of each page. Where the kernel does not let
// it, it reports that they can.
func Readable(addr uintptr, n uint64) bool {
	var scratch [maxVectors]byte
	return probe(addr, n, func(pages []unix.RemoteIovec, local []unix.Iovec) []unix.Iovec {
		return append(local, unix.Iovec{Base: &scratch[0], Len: uint64(len(pages))})
	})
}

// Writable is Readable for memory that is to be read and written. It writes one byte of
// each page as it is.
func Writable(addr uintptr, n uint64) bool {
	return probe(addr, n, func(pages []unix.RemoteIovec, local []unix.Iovec) []unix.Iovec {
		for _, p := range pages {
			local = append(local, unix.Iovec{Base: (*byte)(pointer(uint64(p.Base))), Len: 1})
		}
		return local
	})
}

// probe copies one byte of each page of some memory to what to appends to local.
func probe(addr uintptr, n uint64, to func(pages []unix.RemoteIovec, local []unix.Iovec) []unix.Iovec) bool {
	if n == 0 {
		return true
	}
	room := min(maxVectors, n/PageSize+2)
	pages, local := make([]unix.RemoteIovec, 0, room), make([]unix.Iovec, 0, room)
	last := addr + uintptr(n) - 1
	for at := addr; at <= last; {
		pages, local = pages[:0], local[:0]
		for ; at <= last && len(pages) < maxVectors; at = at&^(PageSize-1) + PageSize {
			pages = append(pages, unix.RemoteIovec{Base: at, Len: 1})
		}
		got, err := unix.ProcessVMReadv(os.Getpid(), to(pages, local), pages, 0)
		if errors.Is(err, unix.EFAULT) || err == nil && got < len(pages) {
			return false
		}
		if err != nil {
			return true
		}
	}
	return true
}
