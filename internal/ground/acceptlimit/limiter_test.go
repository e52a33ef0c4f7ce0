package acceptlimit

import (
	"net"
	"net/netip"
	"os"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// line is a connection of which only the end matters.
type line struct {
	net.Conn
	closed bool
}

func (l *line) Close() error {
	l.closed = true
	return nil
}

var (
	own      = source{own: true, uid: 1000}
	stranger = source{uid: 2000}
	afar     = source{uid: -1, host: netip.MustParsePrefix("192.0.2.1/32")}
)

// fill takes n places for callers from a source that came long ago.
func fill(g *Limiter, from source, n int) (lines []*line) {
	for range n {
		l := new(line)
		g.enter(l, from)
		lines = append(lines, l)
	}
	g.age()
	return lines
}

// age makes all callers old.
func (g *Limiter) age() {
	for _, q := range g.sources {
		for _, c := range q.callers {
			c.came = c.came.Add(-time.Hour)
		}
	}
}

func closed(lines []*line) (n int) {
	for _, l := range lines {
		if l.closed {
			n++
		}
	}
	return n
}

// TestEviction fills a limiter with callers and lets others come. It checks which caller is
// evicted.
func TestEviction(t *testing.T) {
	for _, c := range []struct {
		name                     string
		own, strangers, afar     int // inside
		newcomer                 source
		goOwn, goStranger, goFar int // of those inside that must go for ten newcomers
	}{
		{"own among strangers", 0, Places, 0, own, 0, 10, 0},
		{"strangers after own", Places - 5, 5, 0, stranger, 0, 10, 0},
		{"the source that has most", 0, Places - 20, 20, afar, 0, 10, 0},
		{"own after own", Places, 0, 0, own, 10, 0, 0},
		{"none as long as there are places", 10, 10, 10, afar, 0, 0, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := New()
			mine, others, far := fill(g, own, c.own), fill(g, stranger, c.strangers), fill(g, afar, c.afar)
			for range 10 {
				g.enter(new(line), c.newcomer)
				g.age()
			}
			want := [3]int{c.goOwn, min(c.goStranger, c.strangers), c.goFar}
			if got := [3]int{closed(mine), closed(others), closed(far)}; got != want {
				t.Errorf("own, strangers, from afar evicted: %v, expected %v", got, want)
			}
			if g.inside > Places {
				t.Errorf("%d callers inside", g.inside)
			}
		})
	}
}

// TestOldestGoesFirst checks the order within a source, and that callers that have left are
// not evicted.
func TestOldestGoesFirst(t *testing.T) {
	g := New()
	var leaves []func(bool)
	var lines []*line
	for range Places {
		l := new(line)
		lines = append(lines, l)
		leaves = append(leaves, g.enter(l, stranger))
	}
	g.age()
	leaves[0](true)
	fill(g, own, 2)
	if lines[0].closed || !lines[1].closed || lines[2].closed {
		t.Error("not the oldest inside was evicted")
	}
	leaves[1](false) // it learns of it now
	if g.inside != Places {
		t.Errorf("%d callers inside, expected %d", g.inside, Places)
	}
}

// TestCourtesy checks that a new caller waits for the place of a caller that has just come, but
// not if that caller's source has failed many times.
func TestCourtesy(t *testing.T) {
	g := New()
	var lines []*line
	var leaves []func(bool)
	for range Places {
		l := new(line)
		lines = append(lines, l)
		leaves = append(leaves, g.enter(l, stranger))
	}
	if wait := g.try(&caller{conn: new(line), from: afar}); wait <= suspectStay || wait > minStay || closed(lines) > 0 {
		t.Errorf("a newcomer waits %v, %d were evicted", wait, closed(lines))
	}
	g.sources[stranger].failures = manyFailures
	if wait := g.try(&caller{conn: new(line), from: afar}); wait > suspectStay {
		t.Errorf("a newcomer waits %v for a suspicious source", wait)
	}
	entered := make(chan struct{})
	g.sources[stranger].failures = 0
	go func() {
		g.enter(new(line), afar)
		close(entered)
	}()
	leaves[0](true)
	<-entered
}

func TestClose(t *testing.T) {
	g := New()
	lines := fill(g, own, 3)
	g.Close()
	late := new(line)
	g.enter(late, own)(false)
	if closed(lines) != 3 || !late.closed {
		t.Errorf("%d of 3 and late=%v are closed", closed(lines), late.closed)
	}
}

// TestUIDOfCaller asks the kernel whose connection it is, over both families.
func TestUIDOfCaller(t *testing.T) {
	for _, network := range []string{"127.0.0.1:0", "[::1]:0", ":0"} {
		l, err := net.Listen("tcp", network)
		if err != nil {
			t.Logf("%s: %v", network, err)
			continue
		}
		defer l.Close()
		out, err := net.Dial("tcp", l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer out.Close()
		in, err := l.Accept()
		if err != nil {
			t.Fatal(err)
		}
		defer in.Close()
		g := New()
		defer g.Close()
		from := g.sourceOf(in.(*net.TCPConn))
		if g.uids.failed || from.uid < 0 {
			t.Skipf("the kernel has no sock_diag for TCP: %+v", from)
		}
		if !from.own || from.uid != int64(os.Geteuid()) {
			t.Errorf("%s: caller is %+v, expected uid %d", network, from, os.Geteuid())
		}
		// The owner of the socket counts, not the process that holds it now.
		if os.Geteuid() == 0 {
			raw, err := out.(*net.TCPConn).SyscallConn()
			if err != nil {
				t.Fatal(err)
			}
			if err := raw.Control(func(fd uintptr) { err = unix.Fchown(int(fd), 4711, -1) }); err != nil {
				t.Fatal(err)
			}
			if from := g.sourceOf(in.(*net.TCPConn)); from.own || from.uid != 4711 {
				t.Errorf("%s: caller of another user is %+v", network, from)
			}
		}
		// A connection that is closed there belongs to no user.
		out.Close()
		if from := g.sourceOf(in.(*net.TCPConn)); from.own {
			t.Errorf("%s: a closed connection is %+v", network, from)
		}
	}
}

func FuzzDiagAnswer(f *testing.F) {
	local, remote := netip.MustParseAddrPort("127.0.0.1:5"), netip.MustParseAddrPort("127.0.0.1:6")
	id := diagQuestion(1, local, remote)[questionID : questionID+36]
	f.Add([]byte{})
	f.Add(make([]byte, answerSize))
	f.Fuzz(func(t *testing.T, b []byte) {
		if _, ok := diagAnswer(b, id); ok && len(b) < answerSize {
			t.Error("a short answer is taken")
		}
	})
}
