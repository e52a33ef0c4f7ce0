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
	"github.com/goacp/goacp/internal/fabric"
	"github.com/goacp/goacp/internal/memory/ring"
	"github.com/goacp/goacp/internal/network/am"
)

// words returns a message of words.
func words(w ...uint64) []byte {
	var b []byte
	for _, v := range w {
		b = binary.LittleEndian.AppendUint64(b, v)
	}
	return b
}

// served opens two ranks and returns the first. The test sends arbitrary messages to its agent, in place of
// the second rank.
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

// The operations of package channel.
const (
	opAnnounce = am.OpChannel + iota
	opDeliver
	opCredit
)

// FuzzAgent sends arbitrary messages to the agent of a process that has channels and segmented buffers. The
// agent must not crash, hang, or store unusable data.
func FuzzAgent(f *testing.F) {
	p := served(f)
	from, _ := p.met.Members.Heap(1)
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
	table, err := am.NewTable(p.mem.Own, p.structures.Operations(), p.structures.Notices())
	if err != nil {
		f.Fatal(err)
	}
	var asked Request
	buf := make([]byte, 100)
	record := func(k ring.Kind, size uint64) uint64 { return uint64(ring.NewRecord(k, size)) }
	handles := uint64(in.c.Handle()) | uint64(out.c.Handle())<<32
	f.Add(uint16(opAnnounce), words(1, 1, 7, from, ring.Data(4096), 0))
	f.Add(uint16(opAnnounce), words(1, 1, 7, from, math.MaxUint64-100, 1))
	f.Add(uint16(opDeliver), words(handles, math.MaxUint64, 0, 0, record(ring.Eager, 8), 42))
	f.Add(uint16(opDeliver), words(handles, math.MaxUint64, 0, 0, record(ring.Eager, 1<<60), 42))
	f.Add(uint16(opDeliver), words(handles, 0, 0, 9, record(ring.Large, 1<<20), 1<<40))
	f.Add(uint16(opDeliver), words(handles, 0, 0, 0, record(ring.Last, 0)))
	f.Add(uint16(opCredit), words(uint64(out.c.Handle())|1<<32, math.MaxUint64, 1, 1))
	f.Add(uint16(am.OpSegbuf), words(1, 0, 1, 0, 1<<40, 1<<40, 16, 4))
	f.Add(uint16(am.OpSegbuf), words(1, 0, 0, 1<<60, 8, 8, 1<<43, 2))
	f.Fuzz(func(t *testing.T, service uint16, request []byte) {
		switch am.Op(service).Range() {
		case am.OpHeap, am.OpNamed, am.OpVector, am.OpDeque, am.OpList, am.OpHash:
			return // other packages test those
		}
		if asked == (Request{}) || asked.Done() { // otherwise this end waits for a message
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
