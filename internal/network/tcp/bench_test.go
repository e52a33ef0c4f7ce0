package tcp

import (
	"bufio"
	"flag"
	"fmt"
	"io"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"strings"
	"testing"
	"unsafe"

	"github.com/goacp/goacp/internal/fabric"
	"github.com/goacp/goacp/internal/ground/endpoint"
	"github.com/goacp/goacp/internal/network/fabrictest"
)

// The benchmarks use another process: this test binary, started again as the peer. To measure between two
// hosts that are network namespaces:
//
//	go test -bench . -peer-exec 'ip netns exec h2' -peer-addr 10.0.0.2 -exec 'ip netns exec h1'
var (
	peerExec = flag.String("peer-exec", "", "`command` that starts the peer of benchmarks elsewhere")
	peerAddr = flag.String("peer-addr", "127.0.0.1", "`address` at which that peer is reached")
)

// peerVariable makes the test binary the peer of a benchmark.
const peerVariable = "GOACP_TCP_BENCH_PEER"

const longPut = 2 << 20

func TestMain(m *testing.M) {
	flag.Parse()
	if self, is := fabrictest.IsMember(); is {
		if err := obey(self); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	if os.Getenv(peerVariable) != "" {
		if err := servePeer(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// listenEverywhere opens a socket at all addresses of the host.
func listenEverywhere() (*endpoint.Listener, error) {
	return endpoint.NewListener(endpoint.Choice{}, []netip.Addr{netip.IPv6Unspecified()})
}

// servePeer is member 1, and a plain socket server, until its input ends.
func servePeer() error {
	agent, err := listenEverywhere()
	if err != nil {
		return err
	}
	raw, err := listenEverywhere()
	if err != nil {
		return err
	}
	owner := fabrictest.NewOwner(new(testing.B), startPos, longPut)
	f := New(agent, Config{Self: 1, Size: 2, Auth: word, Owner: owner, Addrs: func(int) []netip.AddrPort { return nil }})
	f.Serve()
	go func() {
		for {
			c, err := raw.Sockets()[0].Accept()
			if err != nil {
				return
			}
			go serveRaw(c)
		}
	}()
	fmt.Println(agent.Addrs()[0].Port(), raw.Addrs()[0].Port())
	_, _ = io.Copy(io.Discard, os.Stdin)
	raw.Close()
	return f.Close()
}

// serveRaw echoes 8 bytes at a time after the letter p. After the letter s it receives all bytes up to the
// end of the stream and then answers with one byte.
func serveRaw(c net.Conn) {
	defer c.Close()
	b := make([]byte, longPut)
	if _, err := io.ReadFull(c, b[:1]); err != nil {
		return
	}
	if b[0] == 's' {
		for {
			if _, err := c.Read(b); err != nil {
				_, _ = c.Write(b[:1])
				return
			}
		}
	}
	for {
		if _, err := io.ReadFull(c, b[:8]); err != nil {
			return
		}
		if _, err := c.Write(b[:8]); err != nil {
			return
		}
	}
}

// startPeer returns the ports of the agent and of the raw server of a new peer.
func startPeer(b *testing.B) (agent, raw netip.AddrPort) {
	b.Helper()
	args := append(strings.Fields(*peerExec), os.Args[0])
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Env = append(os.Environ(), peerVariable+"=1")
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		in.Close()
		if err := cmd.Wait(); err != nil {
			b.Errorf("peer: %v", err)
		}
	})
	var p, q uint16
	if _, err := fmt.Fscan(bufio.NewReader(out), &p, &q); err != nil {
		b.Fatalf("peer did not tell its ports: %v", err)
	}
	addr := netip.MustParseAddr(*peerAddr)
	return netip.AddrPortFrom(addr, p), netip.AddrPortFrom(addr, q)
}

func dialRaw(b *testing.B, mode string) *net.TCPConn {
	_, raw := startPeer(b)
	c, err := net.Dial("tcp", raw.String())
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { c.Close() })
	if _, err := io.WriteString(c, mode); err != nil {
		b.Fatal(err)
	}
	return c.(*net.TCPConn)
}

// BenchmarkRawPingPong is the reference for the latencies: 8 bytes there and back.
func BenchmarkRawPingPong(b *testing.B) {
	c := dialRaw(b, "p")
	buf := make([]byte, 8)
	for b.Loop() {
		if _, err := c.Write(buf); err != nil {
			b.Fatal(err)
		}
		if _, err := io.ReadFull(c, buf); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkRawStream is the reference for the bandwidths: 2 MiB per write.
func BenchmarkRawStream(b *testing.B) {
	c := dialRaw(b, "s")
	buf := make([]byte, longPut)
	b.SetBytes(longPut)
	for range b.N {
		if _, err := c.Write(buf); err != nil {
			b.Fatal(err)
		}
	}
	if err := c.CloseWrite(); err != nil {
		b.Fatal(err)
	}
	if _, err := io.ReadFull(c, buf[:1]); err != nil {
		b.Fatal(err)
	}
}

// benchTransport returns member 0 with a link to a peer in another process.
func benchTransport(b *testing.B) (f *Transport, scratch unsafe.Pointer) {
	b.Helper()
	agent, _ := startPeer(b)
	l, err := listenEverywhere()
	if err != nil {
		b.Fatal(err)
	}
	f = New(l, Config{
		Self: 0, Size: 2, Auth: word, Owner: fabrictest.NewOwner(b, startPos, 4096),
		Addrs: func(int) []netip.AddrPort { return []netip.AddrPort{agent} },
	})
	f.Serve()
	b.Cleanup(func() { f.Close() })
	return f, unsafe.Pointer(&fabrictest.Pages(b, longPut)[0])
}

// benchOne measures an operation and the wait for it, one at a time.
func benchOne(b *testing.B, bytes int64, do func(f *Transport, scratch unsafe.Pointer, done fabric.Completion)) {
	f, scratch := benchTransport(b)
	p := newPoller(f)
	if bytes > 8 {
		b.SetBytes(bytes)
	}
	b.ReportAllocs()
	b.ResetTimer()
	for range b.N {
		do(f, scratch, p)
		if err := p.wait(); err != nil {
			b.Fatal(err)
		}
	}
	b.StopTimer()
}

func BenchmarkPut8(b *testing.B) {
	benchOne(b, 8, func(f *Transport, s unsafe.Pointer, done fabric.Completion) { f.Put(1, startPos, s, 8, done) })
}

func BenchmarkGet8(b *testing.B) {
	benchOne(b, 8, func(f *Transport, s unsafe.Pointer, done fabric.Completion) { f.Get(1, startPos, s, 8, done) })
}

func BenchmarkAdd8(b *testing.B) {
	add := fabric.Atomic{Op: fabric.OpAdd, Width: 8, Operand: 1}
	benchOne(b, 8, func(f *Transport, _ unsafe.Pointer, done fabric.Completion) { f.Atomic(1, startPos, add, done) })
}

func BenchmarkPut4K(b *testing.B) {
	benchOne(b, 4096, func(f *Transport, s unsafe.Pointer, done fabric.Completion) { f.Put(1, startPos, s, 4096, done) })
}

func BenchmarkPut2M(b *testing.B) {
	benchOne(b, longPut, func(f *Transport, s unsafe.Pointer, done fabric.Completion) { f.Put(1, startPos, s, longPut, done) })
}

func BenchmarkGet2M(b *testing.B) {
	benchOne(b, longPut, func(f *Transport, s unsafe.Pointer, done fabric.Completion) { f.Get(1, startPos, s, longPut, done) })
}

// benchMany keeps depth puts of n bytes under way.
func benchMany(b *testing.B, n uint64, depth int) {
	f, scratch := benchTransport(b)
	p := &poller{f: f, done: make(chan error, depth+1)}
	b.SetBytes(int64(n))
	b.ResetTimer()
	for i := range b.N + depth {
		if i < b.N {
			f.Put(1, startPos, scratch, n, p)
		}
		if i >= depth {
			if err := p.wait(); err != nil {
				b.Fatal(err)
			}
		}
	}
	b.StopTimer()
}

func BenchmarkPut8Pipelined(b *testing.B) { benchMany(b, 8, 64) }

func BenchmarkPut2MPipelined(b *testing.B) { benchMany(b, longPut, 4) }
