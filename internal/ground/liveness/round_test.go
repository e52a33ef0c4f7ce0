package liveness

import (
	"net"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestOneRound: connections with one limit share a round, which drops connections that are closed or not
// watched any more.
func TestOneRound(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	// The timer of such a long limit never fires; the test calls turn itself.
	limits := Limits{Silence: 1000 * time.Hour}
	r := roundOf(limits.Silence)
	var all []*net.TCPConn
	var stops []func()
	for range 5 {
		c, err := net.Dial("tcp", l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		all = append(all, c.(*net.TCPConn))
		stops = append(stops, Watch(c.(*net.TCPConn), limits, func(err error) { t.Error(err) }))
	}
	check := func(want int) {
		t.Helper()
		if due := r.turn(); due || len(r.watched) != want {
			t.Errorf("%d connections are watched, due %v; expected %d and none due", len(r.watched), due, want)
		}
	}
	check(5)
	stops[0]()
	check(4)
	all[1].Close()
	check(3)
	for _, stop := range stops {
		stop()
	}
	check(0)
}

// TestDueIsLookedAtMoreOften: a connection with data that the peer has not acknowledged makes a
// turn report that an acknowledgement is due.
func TestDueIsLookedAtMoreOften(t *testing.T) {
	r := &round{watched: map[*watch]bool{}, reader: newReader()}
	r.reader.read = func(uintptr) { r.reader.info = unix.TCPInfo{Unacked: 1, Last_ack_recv: 5, Last_data_sent: 5} }
	r.watched[&watch{raw: socket{}, silence: time.Hour}] = true
	if !r.turn() {
		t.Error("expected that an acknowledgement is due")
	}
	r.reader.read = func(uintptr) { r.reader.info = unix.TCPInfo{} }
	if r.turn() {
		t.Error("expected that nothing is due")
	}
}

// socket is a connection of which only Control is called.
type socket struct{ syscall.RawConn }

func (socket) Control(f func(uintptr)) error { f(0); return nil }
