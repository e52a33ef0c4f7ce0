package tcp

import (
	"io"
	"math/rand/v2"
	"net"
	"net/netip"
	"sync"
	"testing"
	"time"

	"github.com/goacp/goacp/internal/fabric"
	"github.com/goacp/goacp/internal/ground/endpoint"
	"github.com/goacp/goacp/internal/network/fabrictest"
)

// TestProcessConformance runs each member in a separate process, which can be killed.
func TestProcessConformance(t *testing.T) {
	fabrictest.Run(t, func(t *testing.T, n int) []fabrictest.Member {
		return fabrictest.Processes(t, n, fabrictest.Exec(t, n))
	})
}

// obey is a member of TestProcessConformance.
func obey(self int) error {
	l, err := endpoint.NewListener(endpoint.Choice{}, []netip.Addr{endpoint.Loopback()})
	if err != nil {
		return err
	}
	f, err := fabrictest.Obey(self, l.Addrs()[0].String(), func(s fabrictest.Site) (fabrictest.Member, error) {
		owner := fabrictest.OwnerOf(s.Memory[startPos:], startPos)
		f := New(l, Config{
			Self: self, Size: len(s.Addrs), Local: true, Auth: word, Owner: owner, Limits: brief,
			Addrs: func(m int) []netip.AddrPort { return []netip.AddrPort{netip.MustParseAddrPort(s.Addrs[m])} },
		})
		owner.Use(f)
		f.Serve()
		return fabrictest.Member{Transport: f, Pos: startPos, Bad: startPos + fabrictest.MemorySize}, nil
	})
	if err != nil {
		return err
	}
	return f.Close()
}

// TestSlowConformance has relays between the members, which pass on few bytes at a time,
// through small buffers and with pauses, and which can break all connections of a member.
func TestSlowConformance(t *testing.T) {
	fabrictest.Run(t, func(t *testing.T, n int) []fabrictest.Member {
		w := new(world)
		var listeners []*endpoint.Listener
		relays := make([][]*relay, n) // from, to
		for i := range n {
			l := listen(t)
			listeners = append(listeners, l)
			w.addrs = append(w.addrs, l.Addrs()[0])
			relays[i] = make([]*relay, n)
		}
		for from := range n {
			for to := range n {
				relays[from][to] = newRelay(t, w.addrs[to])
			}
		}
		for i, l := range listeners {
			o := fabrictest.NewOwner(t, startPos, fabrictest.MemorySize)
			f := New(l, Config{
				Self: i, Size: n, Local: true, Auth: word, Owner: o, Limits: brief,
				Addrs: func(m int) []netip.AddrPort { return []netip.AddrPort{relays[i][m].addr} },
			})
			o.Use(f)
			f.Serve()
			w.owners, w.transports = append(w.owners, o), append(w.transports, f)
		}
		t.Cleanup(func() { w.close(t) })
		ms := w.members(func(f fabric.Transport) fabric.Transport { return f })
		for i := range ms {
			ms[i].Kill = func() {
				for other := range n {
					relays[i][other].cut()
					relays[other][i].cut()
				}
			}
		}
		return ms
	})
}

// relay is a slow connection to one member.
type relay struct {
	addr netip.AddrPort
	to   netip.AddrPort

	mu     sync.Mutex
	conns  []net.Conn
	broken bool
}

func newRelay(t *testing.T, to netip.AddrPort) *relay {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	r := &relay{addr: l.Addr().(*net.TCPAddr).AddrPort(), to: to}
	t.Cleanup(func() {
		l.Close()
		r.cut()
	})
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go r.serve(c)
		}
	}()
	return r
}

// keep records a connection, or closes it if the relay is broken.
func (r *relay) keep(c net.Conn) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.broken {
		c.Close()
		return false
	}
	r.conns = append(r.conns, c)
	return true
}

// cut breaks all connections.
func (r *relay) cut() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.broken = true
	for _, c := range r.conns {
		c.Close()
	}
}

func (r *relay) serve(near net.Conn) {
	if !r.keep(near) {
		return
	}
	far, err := net.Dial("tcp", r.to.String())
	if err != nil || !r.keep(far) {
		near.Close()
		return
	}
	// Less than a segment of the loopback interface would add pauses of 40 ms.
	const small = 128 << 10
	for _, c := range []net.Conn{near, far} {
		_ = c.(*net.TCPConn).SetReadBuffer(small)
		_ = c.(*net.TCPConn).SetWriteBuffer(small)
	}
	var both sync.WaitGroup
	both.Go(func() { trickle(far, near) })
	both.Go(func() { trickle(near, far) })
	both.Wait()
	near.Close()
	far.Close()
}

// trickle passes on the bytes from src in pieces of all sizes, and now and then pauses.
func trickle(dst, src net.Conn) {
	rng := rand.New(rand.NewPCG(1, 2))
	b := make([]byte, 16<<10)
	for {
		n, err := src.Read(b[:1+rng.IntN(1<<rng.IntN(15))])
		if _, e := dst.Write(b[:n]); err != nil || e != nil {
			break
		}
		if rng.IntN(64) == 0 {
			time.Sleep(time.Duration(rng.IntN(1000)) * time.Microsecond)
		}
	}
	_ = dst.(*net.TCPConn).CloseWrite()
	_, _ = io.Copy(io.Discard, src)
}
