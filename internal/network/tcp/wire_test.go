package tcp

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"math/big"
	"net"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/goacp/goacp/internal/fabric"
	"github.com/goacp/goacp/internal/network/driver"
	"github.com/goacp/goacp/internal/network/fabrictest"
	"golang.org/x/sys/unix"
)

// encrypting is an Authenticator that encrypts and trusts every peer, which is enough
// between the members of a test.
type encrypting struct{ server *tls.Config }

func newEncrypting(t testing.TB) encrypting {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1)}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	return encrypting{&tls.Config{
		Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}},
		MinVersion:   tls.VersionTLS13, SessionTicketsDisabled: true, DynamicRecordSizingDisabled: true,
	}}
}

func (e encrypting) Challenge(ctx context.Context, c net.Conn) (net.Conn, int, error) {
	s := tls.Server(c, e.server)
	return s, -1, s.HandshakeContext(ctx)
}

func (e encrypting) Answer(ctx context.Context, c net.Conn, _ int) (net.Conn, error) {
	s := tls.Client(c, &tls.Config{InsecureSkipVerify: true, DynamicRecordSizingDisabled: true})
	return s, s.HandshakeContext(ctx)
}

func noPollBudget(int) time.Duration { return 0 }

// TestEncryptedConformance lets members encrypt their connections.
func TestEncryptedConformance(t *testing.T) {
	fabrictest.Run(t, func(t *testing.T, n int) []fabrictest.Member {
		w := newProvenWorld(t, n, fabrictest.MemorySize, newEncrypting(t), noPollBudget)
		return w.members(func(f fabric.Transport) fabric.Transport { return f })
	})
}

// TestEncryptedStream moves more than buffers hold, in both directions at the same time.
func TestEncryptedStream(t *testing.T) {
	const size = 8 << 20
	w := newProvenWorld(t, 2, size, newEncrypting(t), noPollBudget)
	var outcomes []*fabrictest.Outcome
	var sources, targets [][]byte
	for from, f := range w.transports {
		src := fabrictest.Pages(t, size)
		for i := range src {
			src[i] = byte(i*7 + from)
		}
		dst := fabrictest.Pages(t, size)
		put, get := fabrictest.NewOutcome(), fabrictest.NewOutcome()
		f.Put(1-from, startPos, unsafe.Pointer(&src[0]), size, put)
		f.Get(1-from, startPos, unsafe.Pointer(&dst[0]), size, get)
		outcomes = append(outcomes, put, get)
		sources, targets = append(sources, src), append(targets, dst)
	}
	for _, o := range outcomes {
		o.Must(t)
	}
	for from := range w.transports {
		if !bytes.Equal(w.owners[1-from].Memory[:size], sources[from]) || !bytes.Equal(targets[from], sources[from]) {
			t.Errorf("bytes of member %d have changed on the way", from)
		}
	}
}

// TestTamper changes one bit of an encrypted connection. The link ends, and no changed request is carried
// out.
func TestTamper(t *testing.T) {
	w := newProvenWorld(t, 2, 1<<16, newEncrypting(t), noPollBudget)
	w.healthy(t)
	memory := bytes.Clone(w.owners[1].Memory)
	l := w.transports[0].peers.Load(1)
	// The next record of TLS is not sealed by the keys of the connection: it has content that an attacker has
	// made up.
	l.seal.wire.mu.Lock()
	l.seal.wire.out = append(l.seal.wire.out, 23, 3, 3, 0, 64)
	l.seal.wire.out = append(l.seal.wire.out, make([]byte, 64)...)
	l.seal.wire.mu.Unlock()
	l.seal.wire.flush()
	if err := lost(t, w.owners[1]); !errors.Is(err, fabric.ErrPeerDead) || !strings.Contains(err.Error(), "bad record MAC") {
		t.Errorf("PeerLost: %v", err)
	}
	if !bytes.Equal(memory, w.owners[1].Memory) {
		t.Error("memory has changed")
	}
}

// TestPollEncrypted lets a goroutine other than the reader receive many records of TLS. The encryption reads
// several records at once, and the kernel does not wake the reader for records that the encryption keeps.
func TestPollEncrypted(t *testing.T) {
	const records = 3 * sealedPumps
	w := newProvenWorld(t, 2, 1<<16, newEncrypting(t), noPollBudget)
	w.healthy(t)
	l := w.transports[1].peers.Load(0)
	l.in.lock.Lock() // keeps the reader from receiving
	for i := range records {
		if err := w.transports[0].Notify(1, 0, 0, uint64(i)); err != nil {
			t.Fatal(err)
		}
	}
	// The records are of the same size, and all of them are in the socket before the first
	// is received.
	for waited := time.Now(); ; time.Sleep(time.Millisecond) {
		n, err := unix.IoctlGetInt(l.fd, unix.TIOCINQ)
		if err != nil || time.Since(waited) > deadline {
			t.Fatalf("%d bytes in the socket: %v", n, err)
		}
		if n >= records*headerSize {
			break
		}
	}
	more := l.pumpAll()
	// The reader has been woken. If it gets the lock now, the rest arrives in any case. So the
	// test checks what pumpAll alone has done.
	got := len(w.owners[1].Notes)
	l.in.lock.Unlock()
	if !more || got < sealedPumps {
		t.Errorf("polling delivered %d messages, expected at least %d", got, sealedPumps)
	}
	for i := range records {
		select {
		case n := <-w.owners[1].Notes:
			if n.Value != uint64(i) {
				t.Fatalf("message %d has value %d", i, n.Value)
			}
		case <-time.After(deadline):
			t.Fatalf("message %d did not arrive", i)
		}
	}
}

// TestVanishedWhileEncrypted sends memory that its owner has unmapped, which is an error of
// the operation alone.
func TestVanishedWhileEncrypted(t *testing.T) {
	w := newProvenWorld(t, 2, 1<<16, newEncrypting(t), noPollBudget)
	w.healthy(t)
	page, err := unix.Mmap(-1, 0, 1<<16, unix.PROT_READ, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	p := unsafe.Pointer(&page[0])
	if err := unix.Munmap(page); err != nil {
		t.Fatal(err)
	}
	o := fabrictest.NewOutcome()
	w.transports[0].Put(1, startPos, p, 1<<16, o)
	if _, err := o.Wait(); !errors.Is(err, fabric.ErrGone) {
		t.Errorf("put of memory that is not mapped: %v", err)
	}
	w.healthy(t)
}

// BenchmarkSecure compares connections in clear with encrypted ones: a put of 8 bytes and
// the wait for it, and a stream of puts of 1 MiB.
func BenchmarkSecure(b *testing.B) {
	const long = 1 << 20
	for name, auth := range map[string]driver.Authenticator{"clear": word, "secure": newEncrypting(b)} {
		for _, size := range []uint64{8, long} {
			b.Run(fmt.Sprintf("%s/%d", name, size), func(b *testing.B) {
				w := newProvenWorld(b, 2, long, auth, noPollBudget)
				src := unsafe.Pointer(&fabrictest.Pages(b, long)[0])
				b.SetBytes(int64(size))
				const atOnce = 8
				p := newPoller(w.transports[0])
				put := func() {
					w.transports[0].Put(1, startPos, src, size, p)
					if err := p.wait(); err != nil {
						b.Fatal(err)
					}
				}
				put() // makes contact
				b.ResetTimer()
				if size == 8 {
					for range b.N {
						put()
					}
					return
				}
				for done := 0; done < b.N; done += atOnce {
					c := new(tally)
					c.left.Add(atOnce)
					for range atOnce {
						w.transports[0].Put(1, startPos, src, size, c)
					}
					c.left.Wait()
					if c.err != nil {
						b.Fatal(c.err)
					}
				}
			})
		}
	}
}
