package liveness

import (
	"net"
	"testing"
)

// TestLookAllocatesNothing looks at a connection, as the watch of every connection does
// several times within the limit of silence.
func TestLookAllocatesNothing(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	c, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	w := &watch{}
	if w.raw, err = c.(*net.TCPConn).SyscallConn(); err != nil {
		t.Fatal(err)
	}
	w.read = w.readInfo
	if n := testing.AllocsPerRun(100, func() {
		if _, err := w.silent(); err != nil {
			t.Error(err)
		}
	}); n != 0 {
		t.Errorf("a look makes %v allocations", n)
	}
	if w.info.State == 0 {
		t.Error("a look has read nothing")
	}
}
