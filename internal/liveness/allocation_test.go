package liveness

import (
	"net"
	"testing"
)

// TestTurnAllocatesNothing looks at a connection, as happens several times within the limit of
// silence.
func TestTurnAllocatesNothing(t *testing.T) {
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
	r := &round{watched: map[*watch]bool{w: true}, reader: newReader()}
	if n := testing.AllocsPerRun(100, func() { r.turn() }); n != 0 {
		t.Errorf("a turn makes %v allocations", n)
	}
	if r.reader.info.State == 0 {
		t.Error("a look has read nothing")
	}
}
