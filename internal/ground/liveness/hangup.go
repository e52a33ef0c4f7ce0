package liveness

import (
	"io"
	"net"
	"time"
)

// hangUpTime is how long HangUp waits for the peer.
const hangUpTime = time.Second

// HangUp closes a connection so that the peer gets the last message. The kernel resets a connection that is
// closed while received bytes are unread, and then the peer gets the reset in place of the message. So HangUp
// reads and drops bytes of the peer until the peer closes as well. Blocks for a second at most.
func HangUp(c *net.TCPConn) {
	defer c.Close()
	if c.CloseWrite() != nil || c.SetReadDeadline(time.Now().Add(hangUpTime)) != nil {
		return
	}
	_, _ = io.Copy(io.Discard, c) // a peer that does not close in time is cut off
}
