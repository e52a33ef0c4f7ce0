package acceptlimit

import (
	"encoding/binary"
	"errors"
	"net/netip"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// uidFinder asks the kernel (NETLINK_SOCK_DIAG) which user has opened the other end of a
// connection within this host. A caller can send anything, but it cannot make the kernel lie.
// If the kernel does not answer, no user is known.
type uidFinder struct {
	mu     sync.Mutex
	fd     int // valid if opened and not failed
	opened bool
	failed bool
	seq    uint32
}

// A question is struct nlmsghdr and struct inet_diag_req_v2. An answer is struct nlmsghdr and
// struct inet_diag_msg. They are in the byte order of the machine, except addresses and ports.
const (
	sockDiagByFamily = 20
	headSize         = 16
	questionSize     = headSize + 56
	answerSize       = headSize + 72
	questionID       = headSize + 8 // struct inet_diag_sockid
	answerID         = headSize + 4
	answerState      = headSize + 1
	answerUID        = headSize + 64
	stateEstablished = 1
)

// find returns the user that has opened the socket at local, connected to remote.
func (u *uidFinder) find(local, remote netip.AddrPort) (uid uint32, ok bool) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if !u.open() {
		return 0, false
	}
	u.seq++
	question := diagQuestion(u.seq, local, remote)
	if err := unix.Sendto(u.fd, question, 0, &unix.SockaddrNetlink{Family: unix.AF_NETLINK}); err != nil {
		return 0, false
	}
	// The kernel answers before Sendto returns.
	for {
		var b [512]byte
		n, _, err := unix.Recvfrom(u.fd, b[:], 0)
		switch {
		case errors.Is(err, unix.EINTR):
			continue
		case err != nil:
			return 0, false
		}
		if n >= headSize && binary.NativeEndian.Uint32(b[8:]) == u.seq {
			return diagAnswer(b[:n], question[questionID:questionID+36])
		}
	}
}

func (u *uidFinder) open() bool {
	if u.opened || u.failed {
		return !u.failed
	}
	fd, err := unix.Socket(unix.AF_NETLINK, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, unix.NETLINK_SOCK_DIAG)
	if err != nil {
		u.failed = true
		return false
	}
	u.fd, u.opened = fd, true
	// The kernel answers at once or never.
	limit := unix.NsecToTimeval(int64(time.Second))
	_ = unix.SetsockoptTimeval(fd, unix.SOL_SOCKET, unix.SO_RCVTIMEO, &limit)
	return true
}

func (u *uidFinder) close() {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.opened && !u.failed {
		unix.Close(u.fd)
	}
	u.failed = true
}

// diagQuestion returns the question about the TCP socket at local, connected to remote.
func diagQuestion(seq uint32, local, remote netip.AddrPort) []byte {
	b := make([]byte, questionSize)
	ne := binary.NativeEndian
	ne.PutUint32(b, questionSize)
	ne.PutUint16(b[4:], sockDiagByFamily)
	ne.PutUint16(b[6:], unix.NLM_F_REQUEST)
	ne.PutUint32(b[8:], seq)
	b[headSize] = unix.AF_INET
	if local.Addr().Is6() {
		b[headSize] = unix.AF_INET6
	}
	b[headSize+1] = unix.IPPROTO_TCP
	ne.PutUint32(b[headSize+4:], 1<<stateEstablished)
	id := b[questionID:]
	binary.BigEndian.PutUint16(id, local.Port())
	binary.BigEndian.PutUint16(id[2:], remote.Port())
	copy(id[4:20], local.Addr().AsSlice())
	copy(id[20:36], remote.Addr().AsSlice())
	ne.PutUint64(id[40:], 1<<64-1) // any cookie
	return b
}

// diagAnswer decodes the answer. It must be about an open connection between the addresses in
// id: if there is none, the kernel may have found a listening socket.
func diagAnswer(b, id []byte) (uid uint32, ok bool) {
	if len(b) < answerSize || binary.NativeEndian.Uint16(b[4:]) != sockDiagByFamily ||
		b[answerState] != stateEstablished || string(b[answerID:answerID+36]) != string(id) {
		return 0, false
	}
	return binary.NativeEndian.Uint32(b[answerUID:]), true
}
