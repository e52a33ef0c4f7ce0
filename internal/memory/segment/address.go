package segment

import (
	"fmt"
	"math"
	"os"

	"golang.org/x/sys/unix"
)

// reserve is the address space that mappings of peers leave to the rest of the process, if
// the address space is limited: a process that cannot get a thread or a stack dies. Each
// thread of a C program takes 8 MiB for its stack and up to 128 MiB for its first block.
const reserve = 512 << 20

// AddressSpace returns how many bytes of address space shared memory may still take, and
// math.MaxUint64 if address space is not limited.
func AddressSpace() (uint64, error) {
	used, limit, err := addressSpace()
	if err != nil || limit == unix.RLIM_INFINITY {
		return math.MaxUint64, err
	}
	return limit - min(limit, used+reserve), nil
}

// checkAddressSpace fails with ENOMEM if size more bytes of a peer's memory would leave
// less than the reserve.
func checkAddressSpace(size uint64) error {
	used, limit, err := addressSpace()
	if err != nil || limit == unix.RLIM_INFINITY {
		return err
	}
	if limit < reserve || used+size > limit-reserve {
		return fmt.Errorf("%d bytes of its memory: %d of %d bytes of address space are in use (ulimit -v): %w",
			size, used, limit, unix.ENOMEM)
	}
	return nil
}

// addressSpace returns the limit of the address space of this process and, if there is one, how many
// bytes are in use.
func addressSpace() (used, limit uint64, err error) {
	var as unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_AS, &as); err != nil || as.Cur == unix.RLIM_INFINITY {
		return 0, unix.RLIM_INFINITY, err
	}
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0, 0, err
	}
	var pages uint64
	if _, err := fmt.Sscan(string(text), &pages); err != nil {
		return 0, 0, fmt.Errorf("/proc/self/statm: %w", err)
	}
	return pages * uint64(os.Getpagesize()), as.Cur, nil
}
