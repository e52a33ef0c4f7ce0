// Package usersocket has the Unix sockets of launchers. A socket is in the private directory of a run, and serves
// processes of the same user only.
package usersocket

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"
)

// Server serves every connection to a socket.
type Server struct{ listener *net.UnixListener }

// Listen begins to serve connections to the socket path, whose directory is closed to other users. It calls serve
// on goroutines of its own. The connection is closed when serve returns.
func Listen(path string, serve func(*net.UnixConn)) (*Server, error) {
	listener, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		return nil, err
	}
	s := &Server{listener}
	go s.accept(serve)
	return s, nil
}

// accept accepts connections until the server is closed.
func (s *Server) accept(serve func(*net.UnixConn)) {
	for {
		conn, err := s.listener.AcceptUnix()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil { // such as too many open files
			time.Sleep(100 * time.Millisecond)
			continue
		}
		go func() {
			defer conn.Close()
			if ofThisUser(conn) {
				serve(conn)
			}
		}()
	}
}

// ofThisUser reports whether the other end of a connection is a process of the user of this one.
func ofThisUser(conn *net.UnixConn) bool {
	raw, err := conn.SyscallConn()
	if err != nil {
		return false
	}
	same := false
	err = raw.Control(func(fd uintptr) {
		peer, err := unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED)
		same = err == nil && int(peer.Uid) == os.Geteuid()
	})
	return err == nil && same
}

// Close admits no more connections and removes the socket. Those that are served continue. It does nothing on a
// nil Server.
func (s *Server) Close() {
	if s != nil {
		_ = s.listener.Close()
	}
}

// Find returns the sockets of a name of the launchers of this user. They are in directories such as /dev/shm, each
// in a directory whose name begins with prefix.
func Find(directories []string, prefix, name string) (paths []string) {
	for _, dir := range directories {
		runs, _ := filepath.Glob(filepath.Join(dir, prefix+"*"))
		for _, run := range runs {
			path := filepath.Join(run, name)
			if private(run) && isSocket(path) {
				paths = append(paths, path)
			}
		}
	}
	return paths
}

// Served reports whether a process serves the socket path, even if that process is stopped. A process that was killed leaves its
// socket.
func Served(path string) bool {
	conn, err := net.Dial("unix", path)
	if err == nil {
		conn.Close()
	}
	return !errors.Is(err, unix.ECONNREFUSED) && !errors.Is(err, unix.ENOENT)
}

// private reports whether a directory belongs to this user and is closed to others.
func private(dir string) bool {
	var st unix.Stat_t
	return unix.Lstat(dir, &st) == nil && st.Mode&unix.S_IFMT == unix.S_IFDIR &&
		int(st.Uid) == os.Geteuid() && st.Mode&0o077 == 0
}

func isSocket(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.Mode().Type() == os.ModeSocket
}
