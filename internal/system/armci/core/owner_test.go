package core_test

import (
	"context"
	"encoding/binary"
	"math"
	"testing"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/bridge"
	"github.com/goacp/goacp/internal/acptest/extensiontest"
	"github.com/goacp/goacp/internal/fabric"
	"github.com/goacp/goacp/internal/system/armci/core"
	"github.com/goacp/goacp/internal/system/armci/element"
	"github.com/goacp/goacp/internal/system/armci/shape"
	"github.com/goacp/goacp/internal/system/armci/transfer"
)

// open returns the system of a process that lives until the end of a test.
func open(t testing.TB) *core.System {
	t.Helper()
	opened, over, ended := make(chan *acp.Process), make(chan struct{}), make(chan error, 1)
	go func() {
		cfg := acp.Config{Mode: bridge.ModeTCP, HeapSize: acp.MinHeapSize}
		ended <- extensiontest.Ranks(context.Background(), 1, cfg, func(p *acp.Process) error {
			opened <- p
			<-over
			return nil
		})
	}()
	select {
	case p := <-opened:
		t.Cleanup(func() {
			close(over)
			<-ended // requests may have damaged the heap, which is an error then
		})
		return core.Of(p)
	case err := <-ended:
		t.Fatal(err)
		return nil
	}
}

// FuzzOwner: whatever requests other processes send, an owner touches no memory but its shared memory,
// and answers.
func FuzzOwner(f *testing.F) {
	s := open(f)
	p := s.Process()
	addr, err := s.Local().Alloc(4096)
	if err != nil {
		f.Fatal(err)
	}
	at := uint64(addr - p.Memory.OwnerAddress(p.Ranks.Self(), 0))
	const put, get, accumulate, flag, notify = 0, 1, 2, 3, 4
	for _, t := range hostileTargets(at) {
		target := t.Append(nil)
		f.Add(uint8(put), append(target, make([]byte, max(0, min(t.N, 100)))...))
		f.Add(uint8(get), target)
		for kind := range byte(element.Complex128 + 2) { // and one that is none
			head := append([]byte{kind}, make([]byte, 7+element.MaxSize)...)
			f.Add(uint8(accumulate), append(append(head, target...), make([]byte, max(0, min(t.N, 100)))...))
		}
	}
	f.Add(uint8(flag), binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint64(nil, at), 7))
	f.Add(uint8(flag), binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint64(nil, math.MaxUint64-3), 7))
	f.Add(uint8(notify), make([]byte, 8))
	f.Fuzz(func(t *testing.T, op uint8, body []byte) {
		o := transfer.NewOwner(p)
		locks := new(transfer.PageLocks)
		o.SetLocks(locks)
		r := fabric.Request{Body: body, Reply: make([]byte, 1000)}
		serve := []func(fabric.Request) (int, error){o.ServePut, o.ServeGet, o.ServeAccumulate, o.ServeFlag, o.ServeNotify}[op%5]
		n, err := serve(r)
		if err != nil || n < 1 || n > len(r.Reply) {
			t.Fatalf("an answer of %d bytes: %v", n, err)
		}
		for i, l := range locks {
			if l != (transfer.PageLock{}) {
				t.Fatalf("lock %d is held", i)
			}
		}
		if r.Reply[0] != 0 || op%5 > accumulate {
			return
		}
		if op%5 == accumulate {
			body = body[8+element.MaxSize:]
		}
		target, _, err := shape.Decode(body)
		if err != nil {
			t.Fatal("accepted: ", err)
		}
		_ = target.Each(func(pos uint64, n int64) error {
			if _, ok := p.Memory.PositionOf(p.Ranks.Self(), p.Memory.OwnerAddress(p.Ranks.Self(), pos), uint64(n)); !ok {
				t.Fatalf("%d bytes at position %#x have been touched", n, pos)
			}
			return nil
		})
	})
}

// hostileTargets returns targets at a position of shared memory, of which some go far beyond it.
func hostileTargets(at uint64) []shape.Target {
	side := func(at uint64, n, block, count, stride int64) shape.Target {
		s := shape.Side{Block: block, Levels: 1}
		s.Count[0], s.Stride[0] = count, stride
		return shape.Target{At: at, Side: s, N: n}
	}
	list := func(segments ...shape.Segment) shape.Target {
		var t shape.Target
		for _, s := range segments {
			t.List, t.N = t.List.Append(s), t.N+s.N
		}
		return t
	}
	return []shape.Target{
		side(at, 64, 16, 4, 32), side(at+2048, 64, 16, 4, -32), side(at, 64, 16, 4, 0), side(at+4088, 48, 16, 3, 4096),
		side(at, 64, 16, 4, math.MaxInt64), side(at, 64, 16, 4, math.MinInt64), side(at, 64, 16, 1<<40, 1<<40),
		side(at, 64, math.MaxInt64, 2, 8), side(math.MaxUint64, 64, 16, 4, 1), side(0, 64, 16, 4, -8), side(at, 1<<40, 1<<41, 1, 0),
		side(at, -1, 16, 4, 32), side(at, 64, -16, 4, 32), side(at, 64, 16, -4, 32),
		list(shape.Segment{At: at, N: 16}, shape.Segment{At: at + 4088, N: 16}),
		list(shape.Segment{At: at, N: 8}, shape.Segment{At: math.MaxUint64 - 3, N: 8}), list(shape.Segment{At: 0, N: math.MaxUint32}),
	}
}
