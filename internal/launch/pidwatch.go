package launch

import (
	"errors"
	"os"
	"syscall"
	"time"
	"unsafe"

	"github.com/goacp/goacp/internal/launch/exit"
	"golang.org/x/sys/unix"
)

// pidWatch holds on to a process that somebody else will wait for, such as a
// rank below mpirun, so that its exit status can be asked for when it is gone.
// That needs Linux 6.15; on older kernels the status of the launcher above the
// process must do.
type pidWatch struct{ fd int }

// watchPID opens a process of the run. It returns nil if the number means another
// process, or none, or if the kernel has no such descriptors.
func watchPID(pid int, mark string) *pidWatch {
	fd, err := unix.PidfdOpen(pid, 0)
	if err != nil {
		return nil
	}
	// Looked at after the descriptor was opened: now the number cannot be reused
	// unnoticed.
	if !hostProc.marked(pid, mark) {
		unix.Close(fd)
		return nil
	}
	return &pidWatch{fd}
}

// close gives the process up.
func (w *pidWatch) close() {
	if w != nil {
		unix.Close(w.fd)
	}
}

// status waits for the end of the process, no longer than limit, and returns its
// status; known is false if the kernel does not tell.
func (w *pidWatch) status(limit time.Duration) (s exit.Status, known bool) {
	deadline := time.Now().Add(limit)
	for {
		left := time.Until(deadline)
		if left <= 0 {
			return exit.Status{}, false
		}
		_, err := unix.Poll([]unix.PollFd{{Fd: int32(w.fd), Events: unix.POLLIN}}, int(left.Milliseconds())+1)
		if err != nil && !errors.Is(err, unix.EINTR) {
			return exit.Status{}, false
		}
		info, err := w.info()
		if err != nil && !errors.Is(err, unix.ESRCH) {
			return exit.Status{}, false
		}
		if err == nil && info.Mask&unix.PIDFD_INFO_EXIT != 0 {
			return exit.StatusOf(syscall.WaitStatus(info.Exit_code)), true
		}
		// The process has ended, but its parent has not waited for it yet.
		time.Sleep(time.Millisecond)
	}
}

func (w *pidWatch) info() (*unix.PidfdInfo, error) {
	info := unix.PidfdInfo{Mask: unix.PIDFD_INFO_EXIT}
	_, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(w.fd), unix.PIDFD_GET_INFO, uintptr(unsafe.Pointer(&info)))
	if errno != 0 {
		return nil, os.NewSyscallError("ioctl(PIDFD_GET_INFO)", errno)
	}
	return &info, nil
}
