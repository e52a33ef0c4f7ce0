package fabrictest

import (
	"encoding/gob"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/goacp/goacp/internal/fabric"
)

// Processes makes n members in other processes, for transports of which a process can have only
// one. start starts the processes with an additional environment variable. It returns a function
// that kills one of them, or nil. Each process calls Obey. start registers with t a function that
// waits for their end: they end by themselves after the test.
func Processes(t *testing.T, n int, start func(env string) (kill func(member int))) []Member {
	t.Helper()
	dir, err := os.MkdirTemp("", "fabric")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	socket := filepath.Join(dir, "s")
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: socket, Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	kill := start(socketVariable + "=" + socket)
	deadline := time.Now().Add(2 * timeLimit)
	if err := l.SetDeadline(deadline); err != nil {
		t.Fatal(err)
	}
	remotes, addrs := make([]*remote, n), make([]string, n)
	for range n {
		c, err := l.Accept()
		if err != nil {
			t.Fatalf("waiting for ranks: %v", err)
		}
		t.Cleanup(func() { c.Close() })
		if err := c.SetDeadline(deadline); err != nil {
			t.Fatal(err)
		}
		r := &remote{conn: c, in: gob.NewDecoder(c), out: gob.NewEncoder(c), pending: make(map[uint64]*pending)}
		var a address
		if err := r.in.Decode(&a); err != nil || a.Member < 0 || a.Member >= n || remotes[a.Member] != nil {
			t.Fatalf("rank %d of %d: %v", a.Member, n, err)
		}
		remotes[a.Member], addrs[a.Member] = r, a.Addr
	}
	var ms []Member
	for _, r := range remotes {
		if err := r.out.Encode(addrs); err != nil {
			t.Fatal(err)
		}
	}
	for i, r := range remotes {
		m := r.member(t, socket, i)
		if kill != nil {
			m.Kill = func() { kill(i) }
		}
		ms = append(ms, m)
	}
	return ms
}

// member waits until the member is ready.
func (r *remote) member(t *testing.T, socket string, i int) Member {
	t.Helper()
	if err := r.in.Decode(&r.is); err != nil || r.is.Err != "" {
		t.Fatalf("rank %d: %v %s", i, err, r.is.Err)
	}
	if err := r.conn.SetDeadline(time.Time{}); err != nil {
		t.Fatal(err)
	}
	memory, err := share(socket, i)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { unix.Munmap(memory) })
	go r.listen()
	return Member{Transport: r, Memory: memory[4096:], Pos: r.is.Pos, Bad: r.is.Bad}
}

// remote is the transport of a member in another process.
type remote struct {
	is   ready
	conn net.Conn
	in   *gob.Decoder

	mu      sync.Mutex
	out     *gob.Encoder
	last    uint64
	pending map[uint64]*pending
	ended   error
}

// pending is an operation under way.
type pending struct {
	dst  unsafe.Pointer // of a get
	done fabric.Completion
}

// listen takes reports until the connection ends.
func (r *remote) listen() {
	for {
		var a report
		if err := r.in.Decode(&a); err != nil {
			r.end(fmt.Errorf("the process of the rank has ended: %w", err))
			return
		}
		r.mu.Lock()
		p := r.pending[a.ID]
		delete(r.pending, a.ID)
		r.mu.Unlock()
		if p == nil {
			r.end(errTwice)
			return
		}
		if len(a.Data) > 0 {
			copy(unsafe.Slice((*byte)(p.dst), len(a.Data)), a.Data)
		}
		p.done.Complete(a.Old, a.Err.err())
	}
}

func (r *remote) end(err error) {
	r.mu.Lock()
	r.ended = err
	rest := r.pending
	r.pending = nil
	r.mu.Unlock()
	for _, p := range rest {
		p.done.Complete(0, err)
	}
}

// send gives an order.
func (r *remote) send(o order, p *pending) {
	r.mu.Lock()
	err := r.ended
	if err == nil {
		r.last++
		o.ID = r.last
		r.pending[o.ID] = p
		// If this fails, listen fails as well.
		_ = r.out.Encode(o)
	}
	r.mu.Unlock()
	if err != nil {
		p.done.Complete(0, err)
	}
}

// Name implements fabric.Transport.
func (r *remote) Name() string { return r.is.Name }

// Abilities implements fabric.Transport. Nothing is complete before the other process has
// reported it.
func (r *remote) Abilities() fabric.Abilities {
	a := r.is.Abilities
	a.Immediate = false
	return a
}

// Put implements fabric.Transport.
func (r *remote) Put(peer int, pos uint64, src unsafe.Pointer, n uint64, done fabric.Completion) {
	data := unsafe.Slice((*byte)(src), n)
	r.send(order{Do: doPut, Peer: peer, Pos: pos, Size: n, Data: data}, &pending{done: done})
}

// Get implements fabric.Transport.
func (r *remote) Get(peer int, pos uint64, dst unsafe.Pointer, n uint64, done fabric.Completion) {
	r.send(order{Do: doGet, Peer: peer, Pos: pos, Size: n}, &pending{dst: dst, done: done})
}

// Atomic implements fabric.Transport.
func (r *remote) Atomic(peer int, pos uint64, a fabric.Atomic, done fabric.Completion) {
	r.send(order{Do: doAtomic, Peer: peer, Pos: pos, Atomic: a}, &pending{done: done})
}

// Copy implements fabric.Transport.
func (r *remote) Copy(src int, srcPos uint64, dst int, dstPos, n uint64, done fabric.Completion) {
	o := order{Do: doCopy, Peer: src, Pos: srcPos, Dst: dst, DstPos: dstPos, Size: n}
	r.send(o, &pending{done: done})
}

// Close implements fabric.Transport.
func (r *remote) Close() error {
	o := NewOutcome()
	r.send(order{Do: doClose}, &pending{done: o})
	_, err := o.Wait()
	if errors.Is(err, errNever) {
		return fmt.Errorf("Close: %w", err)
	}
	return err
}

var _ fabric.Transport = (*remote)(nil)
