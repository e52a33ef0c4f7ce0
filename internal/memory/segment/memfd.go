package segment

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"
)

// memorySeals make the size of the memory of a process final. A process that could shrink the
// memory would kill all that have mapped it.
const memorySeals = unix.F_SEAL_SHRINK | unix.F_SEAL_GROW | unix.F_SEAL_SEAL

// newMemory returns a descriptor of size bytes of shared memory of member, whose size is
// final.
func newMemory(member int, size uint64) (fd int, err error) {
	if err := checkFileLimit(size); err != nil {
		return -1, err
	}
	fd, err = createSealable(fmt.Sprintf("acp-%d", member))
	if err != nil {
		return -1, fmt.Errorf("memfd_create: %w", err)
	}
	if err = unix.Ftruncate(fd, int64(size)); err != nil {
		err = fmt.Errorf("%d bytes of shared memory: %w", size, err)
	} else if _, err = unix.FcntlInt(uintptr(fd), unix.F_ADD_SEALS, memorySeals); err != nil {
		err = fmt.Errorf("sealing the size of shared memory: %w", err)
	}
	if err != nil {
		unix.Close(fd)
		return -1, err
	}
	return fd, nil
}

// createSealable makes a memfd. It tells newer kernels that the memfd holds no programs.
func createSealable(name string) (int, error) {
	const flags = unix.MFD_CLOEXEC | unix.MFD_ALLOW_SEALING
	fd, err := unix.MemfdCreate(name, flags|unix.MFD_NOEXEC_SEAL)
	if errors.Is(err, unix.EINVAL) {
		fd, err = unix.MemfdCreate(name, flags)
	}
	return fd, err
}

// checkFileLimit fails if the limit of file sizes, which holds for shared memory, too, is
// below size. The kernel would end the process by a signal.
func checkFileLimit(size uint64) error {
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_FSIZE, &limit); err != nil {
		return fmt.Errorf("limit of file sizes: %w", err)
	}
	if size > limit.Cur {
		return fmt.Errorf("shared memory of %d bytes: the limit of file sizes is %d bytes (ulimit -f): %w", size, limit.Cur, unix.EFBIG)
	}
	return nil
}

// openMemory returns a descriptor of the memory of a peer, of which size bytes can be
// mapped without danger.
func openMemory(p PeerInfo, size uint64) (fd int, err error) {
	path := fmt.Sprintf("/proc/%d/fd/%d", p.PID, p.FD)
	fd, err = unix.Open(path, unix.O_RDWR|unix.O_CLOEXEC|unix.O_NONBLOCK|unix.O_NOCTTY, 0)
	if err != nil {
		return -1, fmt.Errorf("open %s: %w", path, err)
	}
	if err := checkMemory(fd, size); err != nil {
		unix.Close(fd)
		return -1, fmt.Errorf("%s is not its memory: %w", path, err)
	}
	return fd, nil
}

// file identifies an open file.
type file struct{ device, inode uint64 }

// fileOf returns what identifies the file of a descriptor.
func fileOf(fd int) (file, error) {
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return file{}, fmt.Errorf("stat: %w", err)
	}
	return file{uint64(st.Dev), st.Ino}, nil
}

// checkMemory fails unless a descriptor is one of sealed memory of size bytes or more.
func checkMemory(fd int, size uint64) error {
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return fmt.Errorf("stat: %w", err)
	}
	if st.Mode&unix.S_IFMT != unix.S_IFREG || uint64(st.Size) < size {
		return fmt.Errorf("mode %o and %d bytes, expected a file of %d", st.Mode, st.Size, size)
	}
	seals, err := unix.FcntlInt(uintptr(fd), unix.F_GET_SEALS, 0)
	if err != nil || seals&unix.F_SEAL_SHRINK == 0 {
		return fmt.Errorf("seals %#x (%v), expected that its size is final", seals, err)
	}
	return nil
}
