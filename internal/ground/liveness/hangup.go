package liveness

import (
	"io"
	"net"
	"time"
)

// hangUpTime is how long HangUp waits for the peer.
const hangUpTime = time.Second

// HangUp closes a connection so that the peer gets what was sent last. The kernel resets a connection that is
// closed with bytes which have not been read, and the peer then finds the reset in place of the message.
// So HangUp reads and forgets what the peer sends, until it closes as well. Blocks for a second at most.
func HangUp(c *net.TCPConn) {
	defer c.Close()
	if c.CloseWrite() != nil || c.SetReadDeadline(time.Now().Add(hangUpTime)) != nil {
		return
	}
	_, _ = io.Copy(io.Discard, c) // what does not end in time is cut off
}
