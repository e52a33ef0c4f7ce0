package liveness

import (
	"bytes"
	"io"
	"net"
	"testing"
	"time"
)

// TestHangUp: a peer that has sent more bytes than were read gets the last message and the end of the
// connection, not a reset. HangUp does not wait for a peer that never closes.
func TestHangUp(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	for _, silent := range []bool{false, true} {
		c, err := net.Dial("tcp", l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		accepted, err := l.Accept()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.Write(make([]byte, 1<<16)); err != nil {
			t.Fatal(err)
		}
		if _, err := accepted.Write([]byte("no")); err != nil {
			t.Fatal(err)
		}
		done := make(chan struct{})
		go func() {
			HangUp(accepted.(*net.TCPConn))
			close(done)
		}()
		if err := c.SetReadDeadline(time.Now().Add(time.Minute)); err != nil {
			t.Fatal(err)
		}
		if got, err := io.ReadAll(c); err != nil || !bytes.Equal(got, []byte("no")) {
			t.Errorf("got %q, %v", got, err)
		}
		if !silent {
			c.Close()
		}
		<-done
	}
}
