package launch

import (
	"errors"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// childStdin returns what the process that reads the run's standard input gets.
// A file or pipe is handed on as it is. A terminal is not: the process runs in
// another session, in which some launchers refuse to read from it; so it gets a
// pipe that is filled while this process is in the foreground. The caller
// closes the file when the child has it.
func childStdin(stdin *os.File) (*os.File, error) {
	if !isTerminal(stdin) {
		return dup(stdin)
	}
	read, write, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	go pumpTerminal(stdin, write)
	return read, nil
}

// dup makes a second descriptor for f that can be closed on its own.
func dup(f *os.File) (*os.File, error) {
	fd, err := unix.FcntlInt(f.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return nil, os.NewSyscallError("fcntl", err)
	}
	return os.NewFile(uintptr(fd), f.Name()), nil
}

func isTerminal(f *os.File) bool {
	_, err := unix.IoctlGetTermios(int(f.Fd()), unix.TCGETS)
	return err == nil
}

// pumpTerminal copies from a terminal until it ends or the reader is gone. It
// reads only while this process is in the foreground, because the kernel stops
// a background process that reads from its terminal.
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
