//go:build mpi

package mpi_test

import (
	"errors"
	"fmt"
	"runtime"
	"syscall"
	"testing"

	"github.com/goacp/goacp/mpi"
	"github.com/goacp/goacp/mpi/mpitest"
	"golang.org/x/sys/unix"
)

func TestLarge(t *testing.T) {
	if testing.Short() {
		t.Skip("moves 2 GiB")
	}
	mpitest.Run(t, 1, "large", mpitest.Windows()...)
}

// large moves more bytes than an int can count. All but a few are never touched, so only
// the target of the put needs memory.
func large() error {
	if _, err := mpi.InitThread(mpi.ThreadMultiple); err != nil {
		return err
	}
	const n = 1<<31 + 5
	sparse := func() ([]byte, error) {
		return syscall.Mmap(-1, 0, n+1, syscall.PROT_READ|syscall.PROT_WRITE,
			syscall.MAP_PRIVATE|syscall.MAP_ANON|syscall.MAP_NORESERVE)
	}
	src, err := sparse()
	if err != nil {
		return err
	}
	dst, err := sparse()
	if err != nil {
		return err
	}
	// The kernel maps all pages at once, where it can. On some virtual machines a fault for each takes minutes in all.
	_ = unix.Madvise(src, unix.MADV_POPULATE_READ)
	_ = unix.Madvise(dst, unix.MADV_POPULATE_WRITE)
	win, err := mpi.Self().CreateWin(dst, 1, mpi.Info{})
	if err != nil {
		return err
	}
	if err := win.LockAll(mpi.NoCheck); err != nil {
		return err
	}
	marks := []int{0, 1<<30 - 1, 1 << 30, 1<<31 - 1, 1 << 31, n - 2, n - 1}
	for i, m := range marks {
		src[m] = byte(i + 1)
	}
	dst[n] = guard
	if err := win.PutFlush(src[:n], 0, 0); err != nil {
		return err
	}
	for i, m := range marks {
		if dst[m] != byte(i+1) {
			return fmt.Errorf("put: byte %d is %d", m, dst[m])
		}
	}
	if dst[n] != guard {
		return errors.New("put wrote too much")
	}
	if err := largeAccumulates(win, src, dst); err != nil {
		return err
	}
	return errors.Join(win.UnlockAll(), win.Free(), mpi.Finalize())
}

// largeAccumulates works on more elements than one call of MPI can have. They are the
// same in src and dst.
func largeAccumulates(win mpi.Win, src, dst []byte) error {
	const n = 1<<27 + 5
	old := make([]byte, n)
	var p runtime.Pinner
	defer p.Unpin()
	p.Pin(&old[0])
	marks := []int{1<<27 - 1, 1 << 27, n - 1}
	for i, m := range marks {
		src[m], dst[m] = byte(i+10), byte(i+20)
	}
	src[n], dst[n] = 1, guard
	err := errors.Join(win.Accumulate(src[:n], mpi.Uint8, mpi.Sum, 0, 0), win.Flush(0),
		win.GetAccumulate(src[:n], old, mpi.Uint8, mpi.Sum, 0, 0), win.Flush(0))
	if err != nil {
		return err
	}
	for i, m := range marks {
		if once, twice := byte(i+20)+byte(i+10), byte(i+20)+2*byte(i+10); old[m] != once || dst[m] != twice {
			return fmt.Errorf("accumulate: byte %d was %d and is %d", m, old[m], dst[m])
		}
	}
	if dst[n] != guard {
		return errors.New("accumulate wrote too much")
	}
	return nil
}
