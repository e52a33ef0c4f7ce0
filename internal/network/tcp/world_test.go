package tcp

import (
	"context"
	"crypto/subtle"
	"errors"
	"io"
	"net"
	"net/netip"
	"testing"
	"time"

	"github.com/goacp/goacp/internal/fabric"
	"github.com/goacp/goacp/internal/ground/endpoint"
	"github.com/goacp/goacp/internal/ground/liveness"
	"github.com/goacp/goacp/internal/memory/mailbox"
	"github.com/goacp/goacp/internal/network/driver"
	"github.com/goacp/goacp/internal/network/fabrictest"
)

const startPos = 4096

// password is an Authenticator that sends a word in the clear, which is enough
// between the members of a test.
type password string

func (p password) Challenge(_ context.Context, c net.Conn) (net.Conn, int, error) {
	got := make([]byte, len(p))
	if _, err := io.ReadFull(c, got); err != nil {
		return nil, -1, err
	}
	if subtle.ConstantTimeCompare(got, []byte(p)) != 1 {
		return nil, -1, errors.New("wrong password")
	}
	_, err := c.Write([]byte{1})
	return c, -1, err
}

func (p password) Answer(_ context.Context, c net.Conn, _ int) (net.Conn, error) {
	if _, err := io.WriteString(c, string(p)); err != nil {
		return nil, err
	}
	var b [1]byte
	_, err := io.ReadFull(c, b[:])
	return c, err
}

const word = password("open sesame")

// brief are limits that a test outlasts.
var brief = liveness.Limits{Silence: 100 * time.Millisecond, Connect: time.Second}

// listen opens a socket that only this host reaches.
func listen(t testing.TB) *endpoint.Listener {
	t.Helper()
	l, err := endpoint.NewListener(endpoint.Choice{}, []netip.Addr{endpoint.Loopback()})
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// world is a run of members in one process.
type world struct {
	addrs      []netip.AddrPort
	owners     []*fabrictest.Owner
	transports []*Transport
	boxes      []mailbox.Box
}

func newWorld(t testing.TB, n, memory int) *world {
	t.Helper()
	return newPollingWorld(t, n, memory, func(int) time.Duration { return 0 })
}

// newPollingWorld is newWorld with the budget of each member.
func newPollingWorld(t testing.TB, n, memory int, budget func(member int) time.Duration) *world {
	t.Helper()
	return newProvenWorld(t, n, memory, word, budget)
}

// newProvenWorld is newPollingWorld with a way to authenticate.
func newProvenWorld(t testing.TB, n, memory int, auth driver.Authenticator, budget func(member int) time.Duration) *world {
	t.Helper()
	w := &world{boxes: make([]mailbox.Box, n)}
	var listeners []*endpoint.Listener
	for range n {
		l := listen(t)
		listeners = append(listeners, l)
		w.addrs = append(w.addrs, l.Addrs()[0])
	}
	for i, l := range listeners {
		o := fabrictest.NewOwner(t, startPos, memory)
		f := New(l, Config{
			Self: i, Size: n, Local: true, Addrs: w.addrsOf, Auth: auth, Owner: o, Limits: brief,
			PollBudget: func() time.Duration { return budget(i) },
			Mailbox:    func() *mailbox.Box { return &w.boxes[i] },
		})
		o.Use(f)
		f.Serve()
		w.owners, w.transports = append(w.owners, o), append(w.transports, f)
	}
	t.Cleanup(func() { w.close(t) })
	return w
}

// close closes all members at once, as at the end of a run.
func (w *world) close(t testing.TB) {
	errs := make(chan error)
	for _, f := range w.transports {
		go func() { errs <- f.Close() }()
	}
	for range w.transports {
		if err := <-errs; err != nil {
			t.Errorf("Close: %v", err)
		}
	}
}

func (w *world) addrsOf(member int) []netip.AddrPort {
	return []netip.AddrPort{w.addrs[member]}
}

// members returns w for the conformance suite, each transport passed through wrap.
func (w *world) members(wrap func(fabric.Transport) fabric.Transport) []fabrictest.Member {
	var ms []fabrictest.Member
	for i, f := range w.transports {
		ms = append(ms, fabrictest.Member{
			Transport: wrap(f), Memory: w.owners[i].Memory, Pos: startPos, Bad: startPos + fabrictest.MemorySize,
		})
	}
	return ms
}

func TestConformance(t *testing.T) {
	fabrictest.Run(t, func(t *testing.T, n int) []fabrictest.Member {
		w := newWorld(t, n, fabrictest.MemorySize)
		return w.members(func(f fabric.Transport) fabric.Transport { return f })
	})
}

// TestPollingConformance runs the conformance suite with members that poll for requests.
func TestPollingConformance(t *testing.T) {
	fabrictest.Run(t, func(t *testing.T, n int) []fabrictest.Member {
		w := newPollingWorld(t, n, fabrictest.MemorySize, func(int) time.Duration { return 50 * time.Microsecond })
		return w.members(func(f fabric.Transport) fabric.Transport { return f })
	})
}

// TestHostileConformance checks fabrictest.Hostile over a real transport, whose operations complete at other
// times than those of Hostile.
func TestHostileConformance(t *testing.T) {
	fabrictest.Run(t, func(t *testing.T, n int) []fabrictest.Member {
		w := newWorld(t, n, fabrictest.MemorySize)
		seed := uint64(n)
		ms := w.members(func(f fabric.Transport) fabric.Transport {
			seed++
			return fabrictest.NewHostile(f, seed)
		})
		t.Cleanup(func() {
			for _, m := range ms {
				if err := m.Transport.Close(); err != nil {
					t.Errorf("Close: %v", err)
				}
			}
		})
		return ms
	})
}
