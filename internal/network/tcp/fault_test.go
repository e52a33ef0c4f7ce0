package tcp

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/goacp/goacp/internal/fabric"
	"github.com/goacp/goacp/internal/ground/acceptlimit"
	"github.com/goacp/goacp/internal/ground/endpoint/endpointtest"
	"github.com/goacp/goacp/internal/network/fabrictest"
)

// deadline bounds every wait of a test.
const deadline = 30 * time.Second

// impostor is a member played by the test byte by byte.
type impostor struct {
	t *testing.T
	c *net.TCPConn
}

// intrude connects to member 0 of w and introduces itself as member self.
func intrude(t *testing.T, w *world, self int) *impostor {
	t.Helper()
	c, err := net.Dial("tcp", w.addrs[0].String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	if err := c.SetDeadline(time.Now().Add(deadline)); err != nil {
		t.Fatal(err)
	}
	if _, err := word.Answer(context.Background(), c, 0); err != nil {
		t.Fatal(err)
	}
	p := &impostor{t, c.(*net.TCPConn)}
	p.send(header{kind: kindHello, member: uint32(self), id: helloWord, size: uint64(len(w.transports))}, nil)
	return p
}

func (p *impostor) send(h header, payload []byte) {
	p.t.Helper()
	var b [headerSize]byte
	h.encode(&b)
	if _, err := p.c.Write(append(b[:], payload...)); err != nil {
		p.t.Fatalf("cannot send: %v", err)
	}
}

func (p *impostor) read() (h header, err error) {
	var b [headerSize]byte
	if _, err := io.ReadFull(p.c, b[:]); err != nil {
		return h, err
	}
	return h, h.decode(&b)
}

func (p *impostor) expect(k kind, s status) header {
	p.t.Helper()
	h, err := p.read()
	if err != nil || h.kind != k || k != kindData && k < kindNotify && status(h.code) != s {
		p.t.Fatalf("got %+v, %v, want kind %d with status %d", h, err, k, s)
	}
	return h
}

// lost waits for PeerLost of o.
func lost(t *testing.T, o *fabrictest.Owner) error {
	t.Helper()
	select {
	case err := <-o.Lost:
		return err
	case <-time.After(deadline):
		t.Fatal("PeerLost was not called")
		return nil
	}
}

// healthy checks that members 0 and 1 of w still serve each other.
func (w *world) healthy(t *testing.T) {
	t.Helper()
	scratch := fabrictest.Pages(t, 4096)
	for from := range 2 {
		o := fabrictest.NewOutcome()
		w.transports[from].Put(1-from, startPos, unsafe.Pointer(&scratch[0]), 4096, o)
		o.Must(t)
	}
}

// TestCutPayload cuts the connection in the middle of a put and of a get.
func TestCutPayload(t *testing.T) {
	w := newWorld(t, 3, 1<<20)
	w.healthy(t)
	p := intrude(t, w, 2)
	p.expect(kindWelcome, statusOK)

	scratch := fabrictest.Pages(t, 1<<20)
	half := fabrictest.NewOutcome()
	w.transports[0].Get(2, startPos, unsafe.Pointer(&scratch[0]), 1<<20, half)
	waiting := fabrictest.NewOutcome()
	w.transports[0].Atomic(2, startPos, fabric.Atomic{Op: fabric.OpAdd, Width: 8}, waiting)
	get := p.expect(kindGet, 0)
	p.send(header{kind: kindPut, id: 1, pos: startPos, size: 50_000}, make([]byte, 50_000))
	p.send(header{kind: kindData, id: get.id, size: get.size}, make([]byte, 100_000))
	p.c.Close()

	if err := lost(t, w.owners[0]); !errors.Is(err, fabric.ErrPeerDead) {
		t.Errorf("PeerLost: %v, want ErrPeerDead", err)
	}
	for _, o := range []*fabrictest.Outcome{half, waiting} {
		_, err := o.Wait()
		var dead *PeerError
		if !errors.Is(err, fabric.ErrPeerDead) || !errors.As(err, &dead) || dead.Peer != 2 {
			t.Errorf("operation under way: %v, want a PeerError of member 2", err)
		}
	}
	after := fabrictest.NewOutcome()
	w.transports[0].Put(2, startPos, unsafe.Pointer(&scratch[0]), 8, after)
	if _, err := after.Wait(); !errors.Is(err, fabric.ErrPeerDead) {
		t.Errorf("later operation: %v, want ErrPeerDead", err)
	}
	if err := w.transports[0].Notify(2, 1, 0, 1); !errors.Is(err, fabric.ErrPeerDead) {
		t.Errorf("later message: %v, want ErrPeerDead", err)
	}
	w.healthy(t)
	if n := w.owners[0].LostCount(2); n != 1 {
		t.Errorf("PeerLost was called %d times", n)
	}
}

// TestBrokenRules lets an authenticated peer break the protocol. Its link ends, and the other links are not
// affected.
func TestBrokenRules(t *testing.T) {
	garbage := make([]byte, headerSize)
	cases := []struct {
		name string
		do   func(p *impostor)
		want string
	}{
		{"garbage", func(p *impostor) { _, _ = p.c.Write(garbage) }, "another version"},
		{"second hello", func(p *impostor) { p.send(header{kind: kindHello, id: helloWord}, nil) }, "frame of kind 1"},
		{"reply to nothing", func(p *impostor) { p.send(header{kind: kindReply, id: 5}, nil) }, "to no request"},
		{"half an outcome", func(p *impostor) { p.send(header{kind: kindReply, id: 5, size: 24}, nil) }, "bytes of outcomes"},
		{"too many outcomes", func(p *impostor) { p.send(header{kind: kindReply, id: 5, size: 1 << 20}, nil) }, "bytes of outcomes"},
		{"answer to nothing", func(p *impostor) { p.send(header{kind: kindAnswer, id: 5, size: 8}, nil) }, "without a request for them"},
		{"long call", func(p *impostor) { p.send(header{kind: kindCall, code: 1, size: fabric.CallMax + 1}, nil) }, "call or answer of more"},
		{"long reply wanted", func(p *impostor) { p.send(header{kind: kindCall, code: 1, arg: fabric.CallMax + 1}, nil) }, "call or answer of more"},
		{"data for no request", func(p *impostor) { p.send(header{kind: kindData, id: 5, size: 1 << 60}, nil) }, "without a request for them"},
		{"too many gets", func(p *impostor) {
			var b [headerSize]byte
			(&header{kind: kindGet, pos: startPos, size: 1 << 20}).encode(&b)
			for range requestLimit + 100 {
				if _, err := p.c.Write(b[:]); err != nil {
					return
				}
			}
		}, "requests under way"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t, 3, 1<<20)
			p := intrude(t, w, 2)
			p.expect(kindWelcome, statusOK)
			c.do(p)
			if err := lost(t, w.owners[0]); !strings.Contains(err.Error(), c.want) {
				t.Errorf("PeerLost: %v, want %q in it", err, c.want)
			}
			w.healthy(t)
		})
	}
}

// TestBadRequests sends requests that are refused one by one. The connection
// remains usable.
func TestBadRequests(t *testing.T) {
	w := newWorld(t, 2, 1<<20)
	p := intrude(t, w, 1)
	p.expect(kindWelcome, statusOK)
	p.send(header{kind: kindPut, id: 1, pos: 1, size: 40_000}, make([]byte, 40_000))
	if h := p.expect(kindReply, statusRange); h.id != 1 || h.pos != 1 || h.size != 40_000 {
		t.Errorf("refused put: %+v", h)
	}
	p.send(header{kind: kindPut, id: 2, pos: ^uint64(0) - 3, size: 8}, nil)
	p.expect(kindReply, statusRange)
	p.send(header{kind: kindGet, id: 3, pos: startPos, size: ^uint64(0)}, nil)
	p.expect(kindReply, statusRange)
	p.send(header{kind: kindAtomic, code: 200, width: 8, id: 4, pos: startPos}, nil)
	p.expect(kindReply, statusInvalid)
	p.send(header{kind: kindAtomic, code: 1, width: 0, id: 4, pos: startPos}, nil)
	p.expect(kindReply, statusInvalid)
	p.send(header{kind: kindAtomic, code: 1, width: 8, id: 5, pos: startPos + 4}, nil)
	p.expect(kindReply, statusInvalid)
	p.send(header{kind: kindCopy, member: 99, id: 6, pos: startPos, size: 8, arg: startPos}, nil)
	h := p.expect(kindReply, statusOther)
	text := make([]byte, h.arg)
	if _, err := io.ReadFull(p.c, text); err != nil || string(text) != "no rank 99 in a run of 2" {
		t.Errorf("copy to rank 99 of 2 is refused with %q, %v", text, err)
	}
	p.send(header{kind: kindPut, id: 7, pos: startPos, size: 2, arg: 0x0201}, nil)
	p.expect(kindReply, statusOK)
	if m := w.owners[0].Memory; m[0] != 1 || m[1] != 2 || m[2] != 0 {
		t.Errorf("memory begins % x, want 01 02 00", m[:3])
	}
	p.send(header{kind: kindGoodbye}, nil)
	if _, err := io.Copy(io.Discard, p.c); err != nil {
		t.Errorf("after goodbye: %v, want the end of the stream", err)
	}
	if n := w.owners[0].LostCount(1); n != 0 {
		t.Error("PeerLost was called for a peer that took leave")
	}
}

// TestRefusedCallers connects in every wrong way. Nothing changes.
func TestRefusedCallers(t *testing.T) {
	w := newWorld(t, 2, 1<<16)
	connect := func(send string) *net.TCPConn {
		c, err := net.Dial("tcp", w.addrs[0].String())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { c.Close() })
		if err := c.SetDeadline(time.Now().Add(deadline)); err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(c, send); err != nil {
			t.Fatal(err)
		}
		return c.(*net.TCPConn)
	}
	silent := func(name string, c *net.TCPConn) {
		if b, err := io.ReadAll(c); len(b) > 1 { // the 1 is the password's approval
			t.Errorf("%s: got % x, %v", name, b, err)
		}
	}
	silent("http", connect("GET / HTTP/1.1\r\n\r\n"))
	silent("wrong password", connect("open barley"))
	silent("garbage after the password", connect(string(word)+strings.Repeat("x", headerSize)))
	silent("half a hello", connect(string(word)+"\x01\x01\x00"))
	silent("nothing", connect(""))

	for _, h := range []header{
		{kind: kindHello, id: helloWord, member: 1, pos: 1, size: 2}, // for member 1, which is not the callee
		{kind: kindHello, id: helloWord, member: 1, pos: 0, size: 3}, // of another run
		{kind: kindHello, id: helloWord, member: 0, pos: 0, size: 2}, // from the callee itself
		{kind: kindHello, id: helloWord, member: 2, pos: 0, size: 2}, // from a member that is not in the run
	} {
		var b [headerSize]byte
		h.encode(&b)
		p := &impostor{t, connect(string(word) + string(b[:]))}
		if _, err := io.ReadFull(p.c, b[:1]); err != nil {
			t.Fatal(err)
		}
		p.expect(kindWelcome, statusStranger)
	}

	var b [headerSize]byte
	(&header{kind: kindHello, id: helloWord, member: 1, size: 2}).encode(&b)
	b[0] = Version + 1
	p := &impostor{t, connect(string(word) + string(b[:]) + "what other versions send")}
	if _, err := io.ReadFull(p.c, b[:1]); err != nil {
		t.Fatal(err)
	}
	p.expect(kindWelcome, statusVersion)
	if rest, err := io.ReadAll(p.c); len(rest) > 0 || err != nil {
		t.Errorf("after the welcome: %q, %v", rest, err)
	}

	if w.transports[0].peers.Load(1) != nil {
		t.Error("a refused caller left a link behind")
	}
	w.healthy(t)
	p = intrude(t, w, 1)
	p.expect(kindWelcome, statusBusy)
	w.healthy(t)
}

// TestSilentCallers takes all places for callers with connections that send nothing. A
// member that connects later is accepted.
func TestSilentCallers(t *testing.T) {
	w := newWorld(t, 2, 1<<16)
	for range acceptlimit.Places + 10 {
		c, err := net.Dial("tcp", w.addrs[1].String())
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
	}
	w.healthy(t)
}

// TestUnreachable dials addresses that do not answer, answer wrongly, or do not exist.
func TestUnreachable(t *testing.T) {
	gone := endpointtest.Refused(t)
	otherVersion := serve(t, func(c net.Conn) {
		var b [headerSize]byte
		if _, _, err := word.Challenge(context.Background(), c); err == nil {
			_, _ = io.ReadFull(c, b[:])
			(&header{kind: kindWelcome, code: uint8(statusVersion), id: helloWord}).encode(&b)
			b[0] = Version + 1
			_, _ = c.Write(b[:])
		}
	})
	hangUp := serve(t, func(net.Conn) {})
	other := newWorld(t, 3, 4096)
	cases := []struct {
		name string
		at   []netip.AddrPort
		want []string
	}{
		{"no address", nil, []string{"no address is known"}},
		{"no listener", []netip.AddrPort{gone, gone}, []string{"connection refused", gone.String()}},
		{"another version", []netip.AddrPort{otherVersion}, []string{fmt.Sprintf("version %d there, %d here", Version+1, Version)}},
		{"hangs up", []netip.AddrPort{hangUp}, []string{hangUp.String()}},
		{"another member", []netip.AddrPort{other.addrs[2]}, []string{"another rank or another run"}},
		{"another host", []netip.AddrPort{netip.MustParseAddrPort("192.0.2.1:9")}, []string{"not on this host"}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			l := listen(t)
			owner := fabrictest.NewOwner(t, startPos, 4096)
			f := New(l, Config{
				Self: 0, Size: 2, Local: true, Auth: word, Owner: owner,
				Addrs: func(int) []netip.AddrPort { return c.at },
			})
			f.Serve()
			o := fabrictest.NewOutcome()
			f.Put(1, startPos, unsafe.Pointer(&owner.Memory[0]), 8, o)
			_, got := o.Wait()
			var dead *PeerError
			if !errors.Is(got, fabric.ErrPeerDead) || !errors.As(got, &dead) || dead.Peer != 1 {
				t.Fatalf("got %v, want a PeerError of member 1", got)
			}
			for _, want := range append(c.want, "rank 1") {
				if !strings.Contains(got.Error(), want) {
					t.Errorf("got %q, want %q in it", got, want)
				}
			}
			if err := lost(t, owner); !errors.Is(err, fabric.ErrPeerDead) {
				t.Errorf("PeerLost: %v", err)
			}
			if err := f.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestSecondAddress reaches a member whose first address is that of a member of another run.
func TestSecondAddress(t *testing.T) {
	other, w := newWorld(t, 3, 4096), newWorld(t, 2, 1<<16)
	l := listen(t)
	owner := fabrictest.NewOwner(t, startPos, 1<<16)
	f := New(l, Config{
		Self: 1, Size: 2, Local: true, Auth: word, Owner: owner,
		Addrs: func(int) []netip.AddrPort { return []netip.AddrPort{other.addrs[0], w.addrs[0]} },
	})
	f.Serve()
	o := fabrictest.NewOutcome()
	f.Put(0, startPos, unsafe.Pointer(&owner.Memory[0]), 8, o)
	o.Must(t)
	if err := f.Close(); err != nil {
		t.Error(err)
	}
}

// serve returns an address where do serves connections, one after the other. Then it closes
// them.
func serve(t *testing.T, do func(net.Conn)) netip.AddrPort {
	t.Helper()
	l := listen(t)
	done := make(chan struct{})
	t.Cleanup(func() {
		l.Close()
		<-done
	})
	go func() {
		defer close(done)
		for {
			c, err := l.Sockets()[0].Accept()
			if err != nil {
				return
			}
			do(c)
			c.Close()
		}
	}()
	return l.Addrs()[0]
}

// TestWrongOutcomes answers one of two requests twice, and the other with an outcome that does not
// fit it, in replies with several outcomes.
func TestWrongOutcomes(t *testing.T) {
	for name, c := range map[string]struct {
		outcomes func(put, get uint64) []uint64
		want     string
	}{
		"twice":             {func(put, _ uint64) []uint64 { return []uint64{put, put} }, "to no request"},
		"a long get":        {func(put, get uint64) []uint64 { return []uint64{put, get} }, "without bytes"},
		"unknown":           {func(put, _ uint64) []uint64 { return []uint64{put, put + 1<<32} }, "to no request"},
		"twice, far beyond": {func(put, get uint64) []uint64 { return []uint64{1 << 20, put, get} }, "to no request"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, 3, 1<<16)
			p := intrude(t, w, 2)
			p.expect(kindWelcome, statusOK)
			scratch := fabrictest.Pages(t, 4096)
			put, get := fabrictest.NewOutcome(), fabrictest.NewOutcome()
			w.transports[0].Put(2, startPos, unsafe.Pointer(&scratch[0]), 8, put)
			w.transports[0].Get(2, startPos, unsafe.Pointer(&scratch[0]), 64, get)
			ids := c.outcomes(p.expect(kindPut, 0).id, p.expect(kindGet, 0).id)
			var further []byte
			for _, id := range ids[1:] {
				further = binary.LittleEndian.AppendUint64(further, id)
				further = binary.LittleEndian.AppendUint64(further, 0)
			}
			p.send(header{kind: kindReply, id: ids[0], size: uint64(len(further))}, further)
			if err := lost(t, w.owners[0]); !strings.Contains(err.Error(), c.want) {
				t.Errorf("PeerLost: %v, want %q in it", err, c.want)
			}
			if _, err := get.Wait(); err == nil {
				t.Error("the get has succeeded")
			}
			w.healthy(t)
		})
	}
}
