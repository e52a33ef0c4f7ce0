package bridge

import (
	"net"
	"time"

	"golang.org/x/sys/unix"
)

// A process that dies ends its connections at once. A host that dies, or the
// cable to it, says nothing: then probes find out.
var keepAlive = net.KeepAliveConfig{
	Enable:   true,
	Idle:     5 * time.Second,
	Interval: 2 * time.Second,
	Count:    4,
}

// silence limits how long sent data may stay unacknowledged, for which there
// are no keep-alive probes. It also ends the connection of a process that is
// stopped while more than a socket buffer waits for it, so it is not short.
const silence = 30 * time.Second

// limitSilence sets the limit on a TCP connection. Where the system refuses,
// its own much longer limit stays.
func limitSilence(conn net.Conn) {
	tcp, ok := conn.(*net.TCPConn)
	if !ok {
		return
	}
	raw, err := tcp.SyscallConn()
	if err != nil {
		return
	}
	_ = raw.Control(func(fd uintptr) {
		_ = unix.SetsockoptInt(int(fd), unix.IPPROTO_TCP, unix.TCP_USER_TIMEOUT, int(silence.Milliseconds()))
	})
}
