package acp

import (
	"context"
	"encoding/binary"
	"errors"
	"math"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/goacp/goacp/bridge"
	"github.com/goacp/goacp/internal/am"
	"github.com/goacp/goacp/internal/channel/ring"
	"github.com/goacp/goacp/internal/fabric"
)

// words returns a message of words.
func words(w ...uint64) []byte {
	var b []byte
	for _, v := range w {
		b = binary.LittleEndian.AppendUint64(b, v)
	}
	return b
}

// served opens two ranks and returns the first, whose agent the test asks directly, as if
// the second sent whatever it likes.
func served(t testing.TB) *Process {
	t.Helper()
	token, err := bridge.NewToken()
	if err != nil {
		t.Fatal(err)
	}
	server, err := bridge.Listen(bridge.ServerConfig{
		Jobs: []bridge.Job{{Name: "test", Size: 2}}, Token: token, Listen: []string{"127.0.0.1:0"},
		Events: func(bridge.Event) {},
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	t.Cleanup(cancel)
	ranks, errs := make([]*Process, 2), make([]error, 2)
	each := func(f func(rank int) error) {
		var all sync.WaitGroup
		for rank := range ranks {
			all.Go(func() { errs[rank] = f(rank) })
		}
		all.Wait()
		if err := errors.Join(errs...); err != nil {
			t.Fatal(err)
		}
	}
	each(func(rank int) error {
		env := bridge.Env{Token: token, JobRank: rank}
		for _, a := range server.Addrs() {
			env.Rendezvous = append(env.Rendezvous, a.String())
		}
		boot, err := bridge.Dial(ctx, env, bridge.Identity{PID: os.Getpid(), Host: "test"})
		if err == nil {
			ranks[rank], err = Open(ctx, Config{Bootstrap: boot, Mode: bridge.ModeTCP, HeapSize: MinHeapSize})
		}
		return err
	})
	t.Cleanup(func() {
		each(func(rank int) error { return ranks[rank].Finalize() })
		server.Close()
	})
	return ranks[0]
}

// agentOf returns what the agent of p carries out.
func agentOf(t testing.TB, p *Process) *am.Table {
	t.Helper()
	table, err := am.NewTable(p.mem.Own, p.operations(), p.notices())
	if err != nil {
		t.Fatal(err)
	}
	return table
}

// The operations of package channel.
const (
	opAnnounce = am.OpChannel + iota
	opDeliver
	opCredit
)

// TestHostileAnnouncements: an announcement that cannot be true is refused, and those
// that may be are not kept without limit.
func TestHostileAnnouncements(t *testing.T) {
	p := served(t)
	table := agentOf(t, p)
	announce := func(w []uint64) error {
		_, err := table.Serve(fabric.Request{Service: uint8(opAnnounce), Body: words(w...)})
		return err
	}
	from, size := p.members.Heap(1)
	good := []uint64{1, 1, 1 << 20, from, ring.Data(4096), 0}
	if err := announce(good); err != nil {
		t.Fatalf("a good announcement: %v", err)
	}
	for name, change := range map[string]func(w []uint64){
		"the same again":         func(w []uint64) {},
		"from no rank":           func(w []uint64) { w[0] = 2 },
		"from itself":            func(w []uint64) { w[0] = 0 },
		"from a rank that wraps": func(w []uint64) { w[0] = math.MaxUint64 },
		"number 0":               func(w []uint64) { w[1] = 0 },
		"far too early":          func(w []uint64) { w[1] = ring.MaxEndpoints + 1 },
		"no handle":              func(w []uint64) { w[1], w[2] = 2, 0 },
		"a long handle":          func(w []uint64) { w[1], w[2] = 2, 1<<32 },
		"before the heap":        func(w []uint64) { w[1], w[3] = 2, from-16 },
		"behind the heap":        func(w []uint64) { w[1], w[3] = 2, from+size-4096+16 },
		"not aligned":            func(w []uint64) { w[1], w[3] = 2, from+8 },
		"a position that wraps":  func(w []uint64) { w[1], w[3] = 2, math.MaxUint64-15 },
		"no size":                func(w []uint64) { w[1], w[4] = 2, 0 },
		"an odd size":            func(w []uint64) { w[1], w[4] = 2, 3972 },
		"a size that wraps":      func(w []uint64) { w[1], w[4] = 2, math.MaxUint64-127 },
		"too large":              func(w []uint64) { w[1], w[4] = 2, 1<<30 },
		"near and far":           func(w []uint64) { w[1], w[5] = 2, 2 },
	} {
		w := append([]uint64(nil), good...)
		change(w)
		if err := announce(w); !errors.Is(err, ErrProtocol) {
			t.Errorf("%s: %v", name, err)
		}
	}
	good[1] = 2
	if err := announce(good); err != nil {
		t.Errorf("one of those that were refused is kept: %v", err)
	}
}

// FuzzAgent sends any message to the agent of a process that has channels and segmented
// buffers. It must not crash, hang, or keep what cannot be used.
func FuzzAgent(f *testing.F) {
	p := served(f)
	from, _ := p.members.Heap(1)
	in, err := p.NewChannel(1, 0, ChannelOptions{})
	if err != nil {
		f.Fatal(err)
	}
	out, err := p.NewChannel(0, 1, ChannelOptions{})
	if err != nil {
		f.Fatal(err)
	}
	if _, err := p.NewSegBufSource(1, make([]byte, 64), 16); err != nil {
		f.Fatal(err)
	}
	table := agentOf(f, p)
	var asked *Request
	buf := make([]byte, 100)
	record := func(k ring.Kind, size uint64) uint64 { return uint64(ring.NewRecord(k, size)) }
	handles := uint64(in.end().Handle()) | uint64(out.end().Handle())<<32
	f.Add(uint8(opAnnounce), words(1, 1, 7, from, ring.Data(4096), 0))
	f.Add(uint8(opAnnounce), words(1, 1, 7, from, math.MaxUint64-100, 1))
	f.Add(uint8(opDeliver), words(handles, math.MaxUint64, 0, 0, record(ring.Eager, 8), 42))
	f.Add(uint8(opDeliver), words(handles, math.MaxUint64, 0, 0, record(ring.Eager, 1<<60), 42))
	f.Add(uint8(opDeliver), words(handles, 0, 0, 9, record(ring.Large, 1<<20), 1<<40))
	f.Add(uint8(opDeliver), words(handles, 0, 0, 0, record(ring.Last, 0)))
	f.Add(uint8(opCredit), words(uint64(out.end().Handle())|1<<32, math.MaxUint64, 1, 1))
	f.Add(uint8(am.OpSegbuf), words(1, 0, 1, 0, 1<<40, 1<<40, 16, 4))
	f.Add(uint8(am.OpSegbuf), words(1, 0, 0, 1<<60, 8, 8, 1<<43, 2))
	f.Fuzz(func(t *testing.T, service uint8, request []byte) {
		if service < uint8(am.OpChannel) {
			return // other packages test those
		}
		if asked == nil || asked.Done() { // otherwise the end waits for a message
			if r, err := in.Recv(buf); err == nil {
				asked = r
			}
		}
		answer := make([]byte, 64)
		if n, err := table.Serve(fabric.Request{Service: service, Body: request, Reply: answer}); err == nil && n > len(answer) {
			t.Errorf("an answer of %d bytes", n)
		}
	})
}
