package tcp

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"runtime"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/goacp/goacp/internal/fabric"
	"github.com/goacp/goacp/internal/network/driver"
	"github.com/goacp/goacp/internal/network/fabrictest"
	"golang.org/x/sys/unix"
)

// within returns the function that Withdraw takes, for the memory b.
func within(b []byte) func(p unsafe.Pointer, n uint64) bool {
	return func(p unsafe.Pointer, n uint64) bool {
		return overlap(address(p), n, address(unsafe.Pointer(unsafe.SliceData(b))), uint64(len(b)))
	}
}

// rangeError checks that o has failed because of the owner's memory.
func rangeError(t *testing.T, o *fabrictest.Outcome) {
	t.Helper()
	var bad *fabric.RangeError
	if _, err := o.Wait(); !errors.As(err, &bad) {
		t.Errorf("got %v, want a range error", err)
	}
}

// payload reads the payload of the header that was read last.
func (p *impostor) payload(n uint64) {
	p.t.Helper()
	if _, err := io.CopyN(io.Discard, p.c, int64(n)); err != nil {
		p.t.Fatal(err)
	}
}

// TestWithdrawTarget withdraws memory into which half of a put has been received. The other half comes later
// and does not change it.
func TestWithdrawTarget(t *testing.T) {
	w := newWorld(t, 3, 1<<20)
	p := intrude(t, w, 2)
	p.expect(kindWelcome, statusOK)
	owner := w.owners[0]
	ones := bytes.Repeat([]byte{1}, 1<<20)
	p.send(header{kind: kindPut, id: 1, pos: startPos, size: 1 << 20}, ones[:1<<19])
	// The first half has arrived when its last byte has arrived, because the reader takes bytes in order.
	last := (*uint32)(unsafe.Pointer(&owner.Memory[1<<19-4]))
	for end := time.Now().Add(deadline); load(unsafe.Pointer(last), 4) == 0; {
		if time.Now().After(end) {
			t.Fatal("the first half does not arrive")
		}
		runtime.Gosched()
	}
	w.transports[0].Withdraw(within(owner.Memory), nil)
	clear(owner.Memory)
	if _, err := p.c.Write(ones[1<<19:]); err != nil {
		t.Fatal(err)
	}
	if h := p.expect(kindReply, statusRange); h.pos != startPos || h.size != 1<<20 {
		t.Errorf("the error is about %d bytes at %#x", h.size, h.pos)
	}
	if i := bytes.IndexByte(owner.Memory, 1); i >= 0 {
		t.Errorf("byte %d was written after Withdraw", i)
	}
	w.healthy(t)
}

// TestWithdrawSource withdraws and unmaps memory that a peer has asked for and does not receive. Bytes that
// were not sent before do not arrive, and the gets fail.
func TestWithdrawSource(t *testing.T) {
	const size, gets = 4 << 20, 8
	w := newWorld(t, 3, size)
	p := intrude(t, w, 2)
	p.expect(kindWelcome, statusOK)
	owner := w.owners[0]
	for id := range uint64(gets) {
		p.send(header{kind: kindGet, id: id, pos: startPos, size: size}, nil)
	}
	// A request behind them shows when the gets have begun.
	p.send(header{kind: kindNotify, member: 1}, nil)
	<-owner.Notes
	w.transports[0].Withdraw(within(owner.Memory), nil)
	if err := unix.Mprotect(owner.Memory, unix.PROT_NONE); err != nil {
		t.Fatal(err)
	}
	failed := 0
	for got := 0; got < gets; {
		h, err := p.read()
		switch {
		case err != nil:
			t.Fatal(err)
		case h.kind == kindData:
			p.payload(h.size)
		case h.kind == kindReply:
			got++
			if status(h.code) == statusRange && h.pos == startPos && h.size == size {
				failed++
			}
		}
	}
	if failed < gets-4 { // the socket has room for some of them
		t.Errorf("%d of %d gets have failed", failed, gets)
	}
	if err := unix.Mprotect(owner.Memory, unix.PROT_READ|unix.PROT_WRITE); err != nil {
		t.Fatal(err)
	}
	w.healthy(t)
}

// TestWithdrawOwn withdraws memory of the initiator from puts and gets under way.
func TestWithdrawOwn(t *testing.T) {
	const size = 16 << 20
	w := newWorld(t, 3, 1<<20)
	p := intrude(t, w, 2)
	p.expect(kindWelcome, statusOK)
	mine := fabrictest.Pages(t, size)
	get, first, second := fabrictest.NewOutcome(), fabrictest.NewOutcome(), fabrictest.NewOutcome()
	w.transports[0].Get(2, startPos, unsafe.Pointer(&mine[0]), size, get)
	w.transports[0].Put(2, startPos, unsafe.Pointer(&mine[0]), size, first)
	w.transports[0].Put(2, startPos, unsafe.Pointer(&mine[0]), size, second)
	w.transports[0].Withdraw(within(mine), nil)
	if err := unix.Mprotect(mine, unix.PROT_NONE); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		h, err := p.read()
		if err != nil {
			t.Fatal(err)
		}
		if h.kind == kindGet {
			p.send(header{kind: kindData, id: h.id, size: size}, make([]byte, size))
		} else {
			p.payload(h.payload())
		}
		p.send(header{kind: kindReply, id: h.id}, nil)
	}
	for name, o := range map[string]*fabrictest.Outcome{"get": get, "put that was being sent": first, "put": second} {
		if _, err := o.Wait(); !errors.Is(err, fabric.ErrGone) {
			t.Errorf("%s: %v, want ErrGone", name, err)
		}
	}
	w.healthy(t)
}

// TestUnmapped lets peers use memory that the owner's program has unmapped without unregistering
// it.
func TestUnmapped(t *testing.T) {
	const size, gap = 1 << 20, 64 << 10
	w := newWorld(t, 3, size)
	owner := w.owners[1]
	owner.Program = true
	// The second half is inaccessible; in the first half, a gap in the middle can only be read.
	if err := unix.Mprotect(owner.Memory[size/2:], unix.PROT_NONE); err != nil {
		t.Fatal(err)
	}
	if err := unix.Mprotect(owner.Memory[gap:2*gap], unix.PROT_READ); err != nil {
		t.Fatal(err)
	}
	scratch := fabrictest.Pages(t, size)
	here := unsafe.Pointer(&scratch[0])
	f := w.transports[0]
	add := fabric.Atomic{Op: fabric.OpAdd, Width: 8, Operand: 1}
	for name, do := range map[string]func(done fabric.Completion){
		"small put":           func(done fabric.Completion) { f.Put(1, startPos+size/2+4, here, 8, done) },
		"small put at gap":    func(done fabric.Completion) { f.Put(1, startPos+gap, here, 8, done) },
		"put into gap":        func(done fabric.Completion) { f.Put(1, startPos+gap-100, here, 200, done) },
		"put":                 func(done fabric.Completion) { f.Put(1, startPos+size/2-100, here, 1000, done) },
		"long put":            func(done fabric.Completion) { f.Put(1, startPos+size/2-100_000, here, 400_000, done) },
		"small get":           func(done fabric.Completion) { f.Get(1, startPos+size-8, here, 8, done) },
		"get":                 func(done fabric.Completion) { f.Get(1, startPos+size/2-100, here, 1000, done) },
		"long get":            func(done fabric.Completion) { f.Get(1, startPos, here, size, done) },
		"atomic":              func(done fabric.Completion) { f.Atomic(1, startPos+size/2, add, done) },
		"atomic at gap":       func(done fabric.Completion) { f.Atomic(1, startPos+gap, add, done) },
		"copy to third":       func(done fabric.Completion) { f.Copy(1, startPos+size/2, 2, startPos, 100_000, done) },
		"get, then preserved": func(done fabric.Completion) { f.Get(1, startPos+size/2-4096, here, 500_000, done) },
	} {
		o := fabrictest.NewOutcome()
		do(o)
		if name == "get, then preserved" {
			// The agent copies the bytes that the put would change if they have not been sent yet.
			put := fabrictest.NewOutcome()
			f.Put(1, startPos+size/2-4096, here, 8, put)
			put.Must(t)
		}
		if name == "copy to third" {
			if _, err := o.Wait(); err == nil {
				t.Errorf("%s has succeeded", name)
			}
			continue
		}
		t.Run(name, func(t *testing.T) { rangeError(t, o) })
	}
	for _, o := range w.owners {
		if n := len(o.Lost); n != 0 {
			t.Fatalf("a connection was lost: %v", <-o.Lost)
		}
	}
	readable := fabrictest.NewOutcome()
	f.Get(1, startPos+gap, here, gap, readable)
	readable.Must(t)
	w.healthy(t)
}

// TestGetToUnmapped gets bytes to memory that this process cannot write, which is an error
// of the operation alone. Some of the bytes are received together with their header.
func TestGetToUnmapped(t *testing.T) {
	const size, hole = 1 << 20, 64 << 10
	for name, auth := range map[string]driver.Authenticator{"in clear": word, "encrypted": newEncrypting(t)} {
		w := newProvenWorld(t, 2, size, auth, noPollBudget)
		w.healthy(t)
		for _, protection := range []int{unix.PROT_NONE, unix.PROT_READ} {
			mine := fabrictest.Pages(t, size)
			if err := unix.Mprotect(mine[hole:2*hole], protection); err != nil {
				t.Fatal(err)
			}
			for _, g := range []struct{ at, n uint64 }{{hole, 3}, {hole + 8, 8}, {hole - 4, 8}, {hole, 40}, {hole - 1, 4096}, {hole, 20_000}, {hole - 100, 400_000}, {0, size}} {
				o := fabrictest.NewOutcome()
				w.transports[0].Get(1, startPos, unsafe.Pointer(&mine[g.at]), g.n, o)
				if _, err := o.Wait(); !errors.Is(err, fabric.ErrGone) {
					t.Errorf("%s, protection %d, %d bytes at %d: %v, want ErrGone", name, protection, g.n, g.at, err)
				}
			}
			o := fabrictest.NewOutcome()
			w.transports[0].Get(1, startPos, unsafe.Pointer(&mine[2*hole]), size-2*hole, o)
			o.Must(t)
		}
		w.healthy(t)
	}
}

// TestPutFromUnmapped puts bytes from memory that this process cannot read, which is an error of the
// operation alone.
func TestPutFromUnmapped(t *testing.T) {
	const size, hole = 1 << 20, 64 << 10
	w := newWorld(t, 2, size)
	mine := fabrictest.Pages(t, size)
	if err := unix.Mprotect(mine[hole:2*hole], unix.PROT_NONE); err != nil {
		t.Fatal(err)
	}
	for _, g := range []struct{ at, n uint64 }{{hole, 1}, {hole, 4}, {hole + 8, 8}, {hole - 4, 8}, {hole, 40}, {hole - 100, 400_000}} {
		o := fabrictest.NewOutcome()
		w.transports[0].Put(1, startPos, unsafe.Pointer(&mine[g.at]), g.n, o)
		if _, err := o.Wait(); !errors.Is(err, fabric.ErrGone) {
			t.Errorf("%d bytes at %d: %v, want ErrGone", g.n, g.at, err)
		}
	}
	w.healthy(t)
}

// TestCallAmongGets lets calls and changes follow gets of much more memory than the owner
// should copy for them, and checks what it allocates and that the gets do not see the
// changes.
func TestCallAmongGets(t *testing.T) {
	const size, gets = 16 << 20, 16
	w := newWorld(t, 2, size)
	f, owner := w.transports[0], w.owners[1]
	w.healthy(t)
	words := unsafe.Slice((*uint64)(unsafe.Pointer(&owner.Memory[0])), size/8)
	for i := range words {
		words[i] = 7
	}
	dst := fabrictest.Pages(t, size)
	eight, call := fabrictest.Pages(t, 4096), fabrictest.Pages(t, 4096)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	var outcomes []*fabrictest.Outcome
	begin := func() *fabrictest.Outcome {
		o := fabrictest.NewOutcome()
		outcomes = append(outcomes, o)
		return o
	}
	for range gets {
		f.Get(1, startPos, unsafe.Pointer(&dst[0]), size, begin())
	}
	f.Call(1, 1, call[:8], call[8:16], begin())
	for range gets {
		f.Get(1, startPos, unsafe.Pointer(&dst[0]), size, begin())
	}
	f.Atomic(1, startPos+size-8, fabric.Atomic{Op: fabric.OpAdd, Width: 8, Operand: 1}, begin())
	f.Put(1, startPos+size/2, unsafe.Pointer(&eight[0]), 8, begin())
	for _, o := range outcomes {
		o.Must(t)
	}
	runtime.ReadMemStats(&after)
	if got := after.TotalAlloc - before.TotalAlloc; got > 3*preserveMax {
		t.Errorf("both members have allocated %d bytes", got)
	}
	for i := 0; i < size; i += 8 {
		if v := binary.NativeEndian.Uint64(dst[i:]); v != 7 {
			t.Fatalf("a get has found %d at %d", v, i)
		}
	}
	if words[size/8-1] != 8 || words[size/16] != 0 {
		t.Errorf("the owner has %d and %d", words[size/8-1], words[size/16])
	}
}

// TestCallNotHeldBack: a peer fails to hold back a request which changes more bytes than the owner copies.
func TestCallNotHeldBack(t *testing.T) {
	const size = 16 << 20
	for name, h := range map[string]header{
		"call":   {kind: kindCall, code: 1, id: 9},
		"put":    {kind: kindPut, pos: startPos + size - 8, size: 8, id: 9},
		"atomic": {kind: kindAtomic, code: uint8(fabric.OpAdd), width: 8, pos: startPos + size - 8, id: 9},
		"copy":   {kind: kindCopy, member: 0, pos: startPos, arg: startPos + size - 8, size: 8, id: 9},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, 3, size)
			p := intrude(t, w, 2)
			p.expect(kindWelcome, statusOK)
			for id := range uint64(8) {
				p.send(header{kind: kindGet, id: id, pos: startPos, size: size}, nil)
			}
			p.send(h, nil)
			if err := lost(t, w.owners[0]); !strings.Contains(err.Error(), "gets under way") {
				t.Errorf("PeerLost: %v", err)
			}
			w.healthy(t)
		})
	}
}
