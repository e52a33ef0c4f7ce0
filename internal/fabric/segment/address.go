package segment

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// reserve is the address space that mappings of peers leave to the rest of the process, if
// the address space is limited: a process that cannot get a thread or a stack dies. Each
// thread of a C program takes 8 MiB for its stack and up to 128 MiB for its first block.
const reserve = 512 << 20

// checkAddressSpace fails with ENOMEM if size more bytes of a peer's memory would leave
// less than the reserve.
func checkAddressSpace(size uint64) error {
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_AS, &limit); err != nil || limit.Cur == unix.RLIM_INFINITY {
		return err
	}
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return err
	}
	var pages uint64
	if _, err := fmt.Sscan(string(text), &pages); err != nil {
		return fmt.Errorf("/proc/self/statm: %w", err)
	}
	if used := pages * uint64(os.Getpagesize()); limit.Cur < reserve || used+size > limit.Cur-reserve {
		return fmt.Errorf("%d bytes of its memory: %d of %d bytes of address space are in use (ulimit -v): %w",
			size, used, limit.Cur, unix.ENOMEM)
	}
	return nil
}
