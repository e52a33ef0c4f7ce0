package tcp

import (
	"errors"
	"io"
	"net"
	"sync"
	"unsafe"

	"golang.org/x/sys/unix"
)

// wire is the socket of a link, beneath the encryption if there is one. During the handshake it blocks like
// any connection. Afterwards the link sends and receives by itself: a wire without encryption is not used any
// more, and one with encryption never blocks.
type wire struct {
	*net.TCPConn
	peer net.Conn // the connection for data: the wire itself, or the encryption on top of it
	fd   int      // -1 while the wire blocks

	mu  sync.Mutex
	out []byte // encrypted bytes that the socket has not taken yet
}

func newWire(c *net.TCPConn) *wire {
	w := &wire{TCPConn: c, fd: -1}
	w.peer = w
	return w
}

// secure puts the connection that authentication has made on top of the wire.
func (w *wire) secure(c net.Conn) { w.peer = c }

// encrypted reports whether bytes go through an encryption.
func (w *wire) encrypted() bool { return w.peer != net.Conn(w) }

// Read implements net.Conn. Once the wire does not block, the error EAGAIN, which is
// temporary, means that nothing has arrived.
func (w *wire) Read(b []byte) (int, error) {
	if w.fd < 0 {
		return w.TCPConn.Read(b)
	}
	for {
		n, _, err := unix.Recvfrom(w.fd, b, unix.MSG_DONTWAIT)
		switch {
		case err == unix.EINTR:
			continue
		case err != nil:
			return 0, err
		case n == 0 && len(b) > 0:
			return 0, io.EOF
		}
		return n, nil
	}
}

// Write implements net.Conn. Once the wire does not block it keeps b for flush.
func (w *wire) Write(b []byte) (int, error) {
	if w.fd < 0 {
		return w.TCPConn.Write(b)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.out = append(w.out, b...)
	return len(b), nil
}

// flush sends the bytes that Write has kept, as many as the socket takes. EAGAIN means that bytes remain.
func (w *wire) flush() unix.Errno {
	w.mu.Lock()
	defer w.mu.Unlock()
	for len(w.out) > 0 {
		n, err := unix.SendmsgN(w.fd, w.out, nil, nil, unix.MSG_DONTWAIT|unix.MSG_NOSIGNAL)
		switch {
		case err == unix.EINTR:
			continue
		case err != nil:
			var errno unix.Errno
			errors.As(err, &errno)
			return errno
		}
		w.out = w.out[:copy(w.out, w.out[n:])]
	}
	return 0
}

// empty reports whether all written bytes have been sent.
func (w *wire) empty() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.out) == 0
}

// sealSize is how many bytes are encrypted at a time: some records of TLS.
const sealSize = 64 << 10

// seal is the encryption of an open link. Its methods are those of vector and inbound,
// which a link in clear uses.
type seal struct {
	wire  *wire
	plain []byte // under writeLock: bytes about to be encrypted
	fault error  // under in.lock: the error of the received bytes
}

// newSeal returns the encryption of a wire, or nil if it has none. From then on the wire does not block.
func newSeal(w *wire, fd int) *seal {
	if !w.encrypted() {
		return nil
	}
	w.fd = fd
	return &seal{wire: w, plain: make([]byte, 0, sealSize)}
}

// send encrypts the beginning of the pieces and sends as much as the socket takes. It encrypts only after all
// earlier encrypted bytes have been sent. It empties the vector.
func (s *seal) send(v *vector) (int, unix.Errno) {
	defer v.empty()
	if errno := s.wire.flush(); errno != 0 || v.n == 0 {
		return 0, errno
	}
	n, errno := v.copyTo(s.plain[:sealSize])
	if errno != 0 {
		return 0, errno
	}
	if _, err := s.wire.peer.Write(s.plain[:n]); err != nil {
		return 0, unix.EPROTO
	}
	if errno := s.wire.flush(); errno != 0 && errno != unix.EAGAIN {
		return 0, errno
	}
	return n, 0
}

// receive decrypts the received bytes into the buffer of in, through which all payloads pass.
func (s *seal) receive(in *inbound) (int, unix.Errno) {
	if in.r > 0 {
		in.w = copy(in.buf, in.buf[in.r:in.w])
		in.r = 0
	}
	n, err := s.wire.peer.Read(in.buf[in.w:])
	switch {
	case n > 0:
		return n, 0
	case errors.Is(err, unix.EAGAIN):
		return 0, unix.EAGAIN
	case err == io.EOF:
		return 0, 0
	}
	s.fault = err
	return 0, unix.EBADMSG
}

// copyTo copies the beginning of the pieces to b and returns how many bytes. Like sendmsg, it returns EFAULT
// if memory is not mapped, because its owner may have unmapped it.
func (v *vector) copyTo(b []byte) (int, unix.Errno) {
	want := int(min(v.bytes, uint64(len(b))))
	remote := make([]unix.RemoteIovec, v.n)
	for i := range remote {
		remote[i] = unix.RemoteIovec{Base: uintptr(unsafe.Pointer(v.iov[i].Base)), Len: int(v.iov[i].Len)}
	}
	local := []unix.Iovec{{Base: &b[0]}}
	local[0].SetLen(want)
	n, err := unix.ProcessVMReadv(unix.Getpid(), local, remote, 0)
	switch {
	case err == unix.ENOSYS || err == unix.EPERM:
		// A sandbox may forbid the call. Then unmapped memory crashes the process.
		n = 0
		for i := 0; n < want; i++ {
			n += copy(b[n:want], unsafe.Slice(v.iov[i].Base, v.iov[i].Len))
		}
		return n, 0
	case err != nil || n < want:
		return 0, unix.EFAULT
	}
	return n, 0
}
