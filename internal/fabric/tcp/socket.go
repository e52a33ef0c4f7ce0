package tcp

import (
	"fmt"
	"net"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

const (
	// vectorLen is the number of pieces that one system call sends.
	vectorLen = 64

	// quickBytes is the largest transfer for which the scheduler is not told of
	// the system call: none of them blocks, but copying many bytes takes so long
	// that other goroutines should not have to wait for it.
	quickBytes = 16 << 10

	// pieceMax keeps the sum of a vector far from the limits of the kernel.
	pieceMax = 1 << 30

	// silence is how long a peer's host may be silent before it counts as gone.
	silence = 10 * time.Second
)

// vector is a list of pieces of memory for one sendmsg. It lies in the
// heap with its link, so that its use allocates nothing.
type vector struct {
	n     int
	bytes uint64
	iov   [vectorLen]unix.Iovec
	msg   unix.Msghdr
}

func (v *vector) add(p unsafe.Pointer, n uint64) {
	n = min(n, pieceMax)
	v.iov[v.n].Base = (*byte)(p)
	v.iov[v.n].SetLen(int(n))
	v.n++
	v.bytes += n
}

// send sends the pieces as far as the socket takes them, without blocking, and
// empties the vector.
func (v *vector) send(fd int) (int, unix.Errno) {
	v.msg.Iov = &v.iov[0]
	v.msg.SetIovlen(v.n)
	n, errno := transfer(unix.SYS_SENDMSG, fd, &v.msg, v.bytes > quickBytes)
	// The collector should not meet pointers to memory that is unmapped by now.
	clear(v.iov[:v.n])
	v.n, v.bytes = 0, 0
	return n, errno
}

// transfer does one system call, sendmsg or recvmsg, that does not block. long
// says that it may copy many bytes.
func transfer(trap uintptr, fd int, msg *unix.Msghdr, long bool) (int, unix.Errno) {
	const flags = unix.MSG_DONTWAIT | unix.MSG_NOSIGNAL
	for {
		var n uintptr
		var errno unix.Errno
		if long {
			n, _, errno = unix.Syscall(trap, uintptr(fd), uintptr(unsafe.Pointer(msg)), flags)
		} else {
			n, _, errno = unix.RawSyscall(trap, uintptr(fd), uintptr(unsafe.Pointer(msg)), flags)
		}
		if errno != unix.EINTR {
			return int(n), errno
		}
	}
}

// tune sets the options that every socket between agents has.
func tune(c *net.TCPConn) error {
	if err := c.SetNoDelay(true); err != nil {
		return err
	}
	err := c.SetKeepAliveConfig(net.KeepAliveConfig{Enable: true, Idle: silence * 2 / 5, Interval: silence / 5, Count: 3})
	if err != nil {
		return err
	}
	raw, err := c.SyscallConn()
	if err != nil {
		return err
	}
	// Keepalive probes are not sent while data wait for an acknowledgement.
	var inner error
	err = raw.Control(func(fd uintptr) {
		inner = unix.SetsockoptInt(int(fd), unix.IPPROTO_TCP, unix.TCP_USER_TIMEOUT, int(silence/time.Millisecond))
	})
	if err == nil {
		err = inner
	}
	if err != nil {
		return fmt.Errorf("cannot set TCP_USER_TIMEOUT: %w", err)
	}
	return nil
}
