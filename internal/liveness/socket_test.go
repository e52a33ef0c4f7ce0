package liveness

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestIdleConnectionsAreAsPatient: a cable may be out for as long on an idle connection as
// on a busy one, even if the first probe is sent right after it has been pulled. The
// kernel gives up one interval after the last of Count probes in a row.
func TestIdleConnectionsAreAsPatient(t *testing.T) {
	for _, silence := range []time.Duration{0, time.Second, 3500 * time.Millisecond, 20 * time.Second} {
		l := Limits{Silence: silence}
		k := l.KeepAlive()
		if probing := time.Duration(k.Count) * k.Interval; probing < l.silence() {
			t.Errorf("limit %v: given up %v after the first probe", l.silence(), probing)
		}
		if all, most := k.Idle+time.Duration(k.Count)*k.Interval, l.silence()*3/2+4*time.Second; all > most {
			t.Errorf("limit %v: noticed after %v, expected at most %v", l.silence(), all, most)
		}
		if k.Count < 3 {
			t.Errorf("limit %v: %d lost probes in a row end the connection", l.silence(), k.Count)
		}
	}
}

// TestDialLimit dials a kernel that does not answer, as its queue of connections is full.
func TestDialLimit(t *testing.T) {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(fd)
	if err := unix.Bind(fd, &unix.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		t.Fatal(err)
	}
	if err := unix.Listen(fd, 0); err != nil {
		t.Fatal(err)
	}
	name, err := unix.Getsockname(fd)
	if err != nil {
		t.Fatal(err)
	}
	addr := fmt.Sprintf("127.0.0.1:%d", name.(*unix.SockaddrInet4).Port)
	const most = 8 // far more than the queue holds
	for range most {
		c, err := Dial(context.Background(), addr, Limits{Connect: 100 * time.Millisecond})
		if err == nil {
			defer c.Close()
			continue
		}
		if !strings.Contains(err.Error(), addr+": no answer within 100ms") {
			t.Errorf("%v, expected that there is no answer", err)
		}
		return
	}
	t.Errorf("%d connections fit in a queue for none", most)
}

// TestAwake: a limit is over when all its parts have passed, and a part that takes long,
// because the process is stopped, is one part.
func TestAwake(t *testing.T) {
	called := make(chan bool, 2)
	w := &awake{part: time.Hour, left: steps, f: func() { called <- true }}
	w.timer = time.AfterFunc(time.Hour, w.tick)
	for range steps - 1 {
		w.tick()
	}
	if w.left != 1 || len(called) != 0 {
		t.Fatalf("%d parts are left, called %d times", w.left, len(called))
	}
	w.tick()
	<-called
	w.stop()
	w.tick()
	if len(called) != 0 || w.left != 0 {
		t.Error("called after the end")
	}

	over := make(chan bool, 1)
	defer awakeFor(10*time.Millisecond, func() { over <- true })()
	<-over
	awakeFor(time.Hour, func() { t.Error("called after stop") })()
}
