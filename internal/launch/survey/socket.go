package survey

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"
)

// SocketName is the name of the socket of a launcher in the private directory of its run.
const SocketName = "survey"

// PartSocketName is the name of the socket of an acprun that starts a job as a part of a run.
func PartSocketName(job int) string { return fmt.Sprintf("%s-%d", SocketName, job) }

// PartCountName is the name of another socket of that acprun. Before it answers there, it saves the changed
// tables of its ranks on other hosts in that directory.
func PartCountName(job int) string { return fmt.Sprintf("count-%d", job) }

// answerLimit is how long an answer may take to be written or read.
const answerLimit = 10 * time.Second

// maxAnswer bounds the bytes of an answer.
const maxAnswer = 1 << 30

// Server answers every connection to a socket.
type Server struct{ listener *net.UnixListener }

// Listen begins to answer connections to the socket path, whose directory is closed to other users.
// It calls answer on goroutines of its own and sends the result as JSON.
func Listen(path string, answer func() any) (*Server, error) {
	listener, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		return nil, fmt.Errorf("socket for acpstat: %w", err)
	}
	s := &Server{listener}
	go s.serve(answer)
	return s, nil
}

func (s *Server) serve(answer func() any) {
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
			if !ofThisUser(conn) {
				return
			}
			_ = conn.SetDeadline(time.Now().Add(answerLimit))
			// The other side may have closed the connection.
			_ = json.NewEncoder(conn).Encode(answer())
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

// Close ends answering and removes the socket. It does nothing on a nil Server.
func (s *Server) Close() {
	if s != nil {
		_ = s.listener.Close()
	}
}

// Ask connects to the socket path and stores the reply in answer.
func Ask(path string, answer any) error {
	conn, err := net.DialTimeout("unix", path, answerLimit)
	if err != nil {
		return err
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(answerLimit))
	if err := json.NewDecoder(io.LimitReader(conn, maxAnswer)).Decode(answer); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// Sockets returns the sockets of the launchers of this user that are in directories such as
// /dev/shm, each in a directory whose name begins with prefix.
func Sockets(directories []string, prefix string) (paths []string) {
	for _, dir := range directories {
		runs, _ := filepath.Glob(filepath.Join(dir, prefix+"*"))
		for _, run := range runs {
			path := filepath.Join(run, SocketName)
			if private(run) && isSocket(path) {
				paths = append(paths, path)
			}
		}
	}
	return paths
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
