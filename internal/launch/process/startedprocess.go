package process

import (
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"time"

	"github.com/goacp/goacp/bridge"
	"golang.org/x/sys/unix"
)

// StartedProcess is the connection by which a process announces that it has started. The kernel ends the
// connection when the process ends, before it ends those with which the process was started, such as that
// to the server of PMI.
type StartedProcess struct {
	StartedRank // PID is that of the rank: the process, or the command that has started it
	connection  *os.File
	fd          int   // of the connection
	number      int32 // in an ExitQueue
}

// Answer lets the process continue. Call it when the process is watched. Does not block.
func (p *StartedProcess) Answer() {
	// A process that has ended meanwhile needs no answer.
	_ = unix.Sendto(p.fd, []byte{1}, unix.MSG_DONTWAIT|unix.MSG_NOSIGNAL, nil)
}

// Close ends the connection. A process that waits for the answer continues.
func (p *StartedProcess) Close() { _ = p.connection.Close() }

// StartedListener accepts the connections of processes on this host that have been started for a run.
type StartedListener struct {
	listener *net.UnixListener
	finder   *RankFinder
}

// ListenStarted begins to listen in the private directory of a run. mark and environ are those of
// NewRankFinder. It calls started for each rank that has started, on a goroutine of its own, which must
// not block for long: the process waits for Answer. Close ends listening.
func ListenStarted(dir, mark string, environ []string, started func(*StartedProcess)) (*StartedListener, error) {
	path := filepath.Join(dir, bridge.StartedSocketName)
	listener, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		return nil, fmt.Errorf("socket for processes that start: %w", err)
	}
	l := &StartedListener{listener: listener, finder: NewRankFinder(mark, environ)}
	go l.run(started)
	return l, nil
}

// Close ends listening. It does nothing on a nil StartedListener.
func (l *StartedListener) Close() {
	if l != nil {
		_ = l.listener.Close()
	}
}

// run takes connections until Close.
func (l *StartedListener) run(started func(*StartedProcess)) {
	for {
		conn, err := l.listener.AcceptUnix()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil { // such as too many open files
			time.Sleep(10 * time.Millisecond)
			continue
		}
		file, err := conn.File()
		_ = conn.Close()
		if err != nil {
			continue
		}
		if p := l.identify(file); p != nil {
			started(p)
		} else {
			_ = file.Close()
		}
	}
}

// identify returns the rank at the other end of a connection, nil if that is no rank of the run.
func (l *StartedListener) identify(connection *os.File) *StartedProcess {
	fd := int(connection.Fd())
	peer, err := unix.GetsockoptUcred(fd, unix.SOL_SOCKET, unix.SO_PEERCRED)
	if err != nil || int(peer.Uid) != os.Geteuid() {
		return nil
	}
	rank, ok := l.finder.Look(int(peer.Pid))
	if !ok {
		return nil
	}
	return &StartedProcess{StartedRank: rank, connection: connection, fd: fd}
}
