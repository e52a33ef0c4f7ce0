package process

import (
	"errors"
	"os"
	"syscall"
	"time"
	"unsafe"

	"github.com/goacp/goacp/internal/launch/exit"
	"golang.org/x/sys/unix"
)

// ExitWatch keeps a descriptor of a process that is no child of this one, such as a rank below mpirun.
// Through it this process reads the exit status of the ended process: from /proc while the parent has not
// waited for the process, and from the descriptor afterwards. The descriptor has the status since Linux 6.15.
// If both fail, only the status of the launcher above the process is known.
type ExitWatch struct {
	fd     int
	id     Identity
	number int32 // in an ExitQueue
}

// WatchExit watches a process of a run. mark is the variable that the processes of the run have in their
// environment. WatchExit returns nil if the number is not that of such a process, or if the kernel has no
// descriptors of processes.
func WatchExit(pid int, mark string) *ExitWatch {
	fd, err := unix.PidfdOpen(pid, 0)
	if err != nil {
		return nil
	}
	// The descriptor is open, so the kernel cannot give the number to another process between
	// this look and the use of the descriptor.
	id, err := HostProc.Identify(pid)
	if err != nil || !HostProc.hasVariable(pid, mark) {
		unix.Close(fd)
		return nil
	}
	return &ExitWatch{fd: fd, id: id}
}

// PID returns the id of the process, 0 for a nil watch.
func (w *ExitWatch) PID() int {
	if w == nil {
		return 0
	}
	return w.id.PID
}

// Close ends the watch. It does nothing on a nil watch.
func (w *ExitWatch) Close() {
	if w != nil {
		unix.Close(w.fd)
	}
}

// Status waits for the end of the process, but no longer than limit, and returns its status. known is false
// if the process has not ended, or the kernel does not show its status.
func (w *ExitWatch) Status(limit time.Duration) (s exit.Status, known bool) {
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
		// The parent may not have waited for the process yet. mpirun of Open MPI 4 may need
		// more than limit for that.
		if s, known := HostProc.statusOfZombie(w.id); known {
			return s, true
		}
		info, err := w.info()
		switch {
		case err == nil && info.Mask&unix.PIDFD_INFO_EXIT != 0:
			return exit.StatusOf(syscall.WaitStatus(info.Exit_code)), true
		case err != nil && !errors.Is(err, unix.ESRCH) && !HostProc.exists(w.id):
			return exit.Status{}, false // the kernel does not show the status, and the process has left /proc
		}
		time.Sleep(time.Millisecond)
	}
}

// info returns the kernel's information about the process.
func (w *ExitWatch) info() (*unix.PidfdInfo, error) {
	info := unix.PidfdInfo{Mask: unix.PIDFD_INFO_EXIT}
	_, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(w.fd), unix.PIDFD_GET_INFO, uintptr(unsafe.Pointer(&info)))
	if errno != 0 {
		return nil, os.NewSyscallError("ioctl(PIDFD_GET_INFO)", errno)
	}
	return &info, nil
}
