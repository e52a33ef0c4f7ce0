package stdio

import (
	"errors"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// childStdin returns the standard input of the process that reads the input of the run. A file
// or pipe is passed on as it is. In place of a terminal the process gets a pipe, which
// pumpTerminal fills: the process is in another session, where some launchers refuse to read
// from the terminal. The caller closes the file when it has started the process.
func childStdin(stdin *os.File) (*os.File, error) {
	if !IsTerminal(stdin) {
		return dup(stdin)
	}
	read, write, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	go pumpTerminal(stdin, write)
	return read, nil
}

// dup returns a second descriptor of f, which is closed on its own.
func dup(f *os.File) (*os.File, error) {
	fd, err := unix.FcntlInt(f.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return nil, os.NewSyscallError("fcntl", err)
	}
	return os.NewFile(uintptr(fd), f.Name()), nil
}

// IsTerminal reports whether f is a terminal.
func IsTerminal(f *os.File) bool {
	_, err := unix.IoctlGetTermios(int(f.Fd()), unix.TCGETS)
	return err == nil
}

// pumpTerminal copies from a terminal to a pipe until the terminal or the reader of the pipe
// ends. It reads only while this process is in the foreground: the kernel stops a process in
// the background that reads from its terminal.
func pumpTerminal(terminal, to *os.File) {
	defer to.Close()
	fd := int(terminal.Fd())
	buf := make([]byte, 4096)
	for {
		group, err := unix.IoctlGetInt(fd, unix.TIOCGPGRP)
		if err != nil || group != unix.Getpgrp() {
			time.Sleep(time.Second)
			continue
		}
		n, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, 1000)
		if errors.Is(err, unix.EINTR) || (err == nil && n == 0) {
			continue
		}
		if err != nil {
			return
		}
		count, err := unix.Read(fd, buf)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err != nil || count <= 0 {
			return
		}
		if _, err := to.Write(buf[:count]); err != nil {
			return
		}
	}
}
