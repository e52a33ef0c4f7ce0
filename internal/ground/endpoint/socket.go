package endpoint

import (
	"errors"
	"net"
	"os"

	"golang.org/x/sys/unix"
)

// Socket is one socket of a listener.
type Socket struct {
	*net.TCPListener

	// waits is another descriptor of the socket, by which Accept waits for callers: package net waits only after an accept that
	// has found none.
	waits *os.File
}

// newSocket returns a socket that closes l.
func newSocket(l *net.TCPListener) (*Socket, error) {
	waits, err := l.File()
	return &Socket{l, waits}, err
}

// Accept waits for a caller and accepts it. The kernel reserves a descriptor for an accept before it looks for a caller. So an
// accept that finds none would take the lowest number for a moment, while the program may expect it from an open. Fails with
// net.ErrClosed when the socket is closed. Callable by one goroutine at a time.
func (s *Socket) Accept() (*net.TCPConn, error) {
	if raw, err := s.waits.SyscallConn(); err == nil {
		_ = raw.Read(called) // fails when the socket is closed, and so does the accept
	}
	return s.AcceptTCP()
}

// called reports whether an accept has something to return: a caller, or an error.
func called(fd uintptr) bool {
	n, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, 0)
	return n > 0 || err != nil
}

// Close closes the socket. Accept ends.
func (s *Socket) Close() error {
	if s.waits == nil {
		return s.TCPListener.Close()
	}
	return errors.Join(s.TCPListener.Close(), s.waits.Close())
}
