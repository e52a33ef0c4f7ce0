package liveness

import (
	"net"
	"testing"
	"time"
)

// TestTickAllocatesNothing: the check of a connection, which happens several times within the limit of
// silence, allocates nothing.
func TestTickAllocatesNothing(t *testing.T) {
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
	w := &watch{silence: DefaultSilence}
	if w.raw, err = c.(*net.TCPConn).SyscallConn(); err != nil {
		t.Fatal(err)
	}
	r := &round{silence: time.Hour, watched: map[*watch]bool{w: true}, running: true, reader: newReader()}
	if n := testing.AllocsPerRun(100, r.tick); n != 0 { // the first call makes the timer and is not counted
		t.Errorf("a tick makes %v allocations", n)
	}
	r.timer.Stop()
	if r.reader.info.State == 0 {
		t.Error("a look has read nothing")
	}
}
