package tcp

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

const (
	// vectorLen is the number of pieces that one system call sends.
	vectorLen = 64

	// quickBytes is the largest transfer whose system call bypasses the scheduler. No transfer blocks, but
	// copying many bytes takes so long that other goroutines should not have to wait for it.
	quickBytes = stageSize

	// stageSize is how many bytes of headers one system call sends as one piece: the headers of the requests
	// that a link gathers, and of the next one.
	stageSize = gatherMax + headerSize

	// pieceMax keeps the sum of a vector far from the limits of the kernel.
	pieceMax = 1 << 30
)

// vector is a list of pieces of memory for one sendmsg. It lies in the
// heap with its link, so that its use allocates nothing.
type vector struct {
	n     int
	bytes uint64
	stage []byte // copies of headers: a further piece costs the kernel more time than a copy
	joins bool   // the last piece is the end of stage
	iov   [vectorLen]unix.Iovec
	msg   unix.Msghdr
}

func (v *vector) add(p unsafe.Pointer, n uint64) {
	n = min(n, pieceMax)
	v.iov[v.n].Base = (*byte)(p)
	v.iov[v.n].SetLen(int(n))
	v.n++
	v.bytes += n
	v.joins = false
}

// addCopy adds a copy of b, together with the piece before if that is a copy, too. It reports false
// if there is no room for copies.
func (v *vector) addCopy(b []byte) bool {
	at := len(v.stage)
	if at+len(b) > cap(v.stage) {
		return false
	}
	v.stage = append(v.stage, b...)
	if !v.joins {
		v.add(unsafe.Pointer(&v.stage[at]), uint64(len(b)))
		v.joins = true
		return true
	}
	last := &v.iov[v.n-1]
	last.SetLen(int(last.Len) + len(b))
	v.bytes += uint64(len(b))
	return true
}

// send sends the pieces as far as the socket takes them, without blocking, and
// empties the vector.
func (v *vector) send(fd int) (int, unix.Errno) {
	v.msg.Iov = &v.iov[0]
	v.msg.SetIovlen(v.n)
	n, errno := transfer(unix.SYS_SENDMSG, fd, &v.msg, v.bytes > quickBytes)
	v.empty()
	return n, errno
}

// empty removes all pieces.
func (v *vector) empty() {
	// The garbage collector must not find pointers to memory that is unmapped by now.
	clear(v.iov[:v.n])
	v.n, v.bytes, v.stage, v.joins = 0, 0, v.stage[:0], false
}

// transfer makes one system call, sendmsg or recvmsg, that does not block. long is true if it may copy many
// bytes.
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
