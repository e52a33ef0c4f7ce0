package shm

import (
	"errors"
	"os"
	"runtime"
	"testing"
	"unsafe"

	"github.com/goacp/goacp/internal/fabric"
	"github.com/goacp/goacp/internal/ground/footprinttest"
	"github.com/goacp/goacp/internal/ground/pid"
	"github.com/goacp/goacp/internal/memory/segment"
	"github.com/goacp/goacp/internal/network/fabrictest"
)

// host makes the memory of n members in this process, and a transport for each.
func host(t *testing.T, n int) ([]*segment.Space, []*Transport) {
	t.Helper()
	run := segment.Run{1}
	layout := segment.Layout{Starter: fabrictest.MemorySize}
	var spaces []*segment.Space
	for m := range n {
		s, err := segment.New(run, m, layout, segment.Slot{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { s.Close() })
		spaces = append(spaces, s)
	}
	peerInfo := func(m int) *segment.PeerInfo {
		if m >= n {
			return nil
		}
		return &segment.PeerInfo{Run: run, Member: m, PID: os.Getpid(), StartTime: must(pid.StartTime(os.Getpid())), FD: spaces[m].FD(), Layout: layout}
	}
	var transports []*Transport
	for range n {
		f := New(Config{Size: n + 1, PeerInfo: peerInfo}) // the last member is on another host
		t.Cleanup(func() {
			if err := f.Close(); err != nil {
				t.Error(err)
			}
		})
		transports = append(transports, f)
	}
	return spaces, transports
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// conform runs the conformance suite on the memory of each member that memory describes.
func conform(t *testing.T, memory func(t *testing.T, s *segment.Space) fabrictest.Member) {
	fabrictest.Run(t, func(t *testing.T, n int) []fabrictest.Member {
		spaces, transports := host(t, n)
		var members []fabrictest.Member
		for i, f := range transports {
			m := memory(t, spaces[i])
			m.Transport, m.Bad = f, m.Pos+fabrictest.MemorySize
			members = append(members, m)
		}
		return members
	})
}

func TestStarterMemory(t *testing.T) {
	conform(t, func(_ *testing.T, s *segment.Space) fabrictest.Member {
		return fabrictest.Member{Memory: s.Starter(), Pos: segment.StarterOffset}
	})
}

func TestRegisteredMemory(t *testing.T) {
	conform(t, func(t *testing.T, s *segment.Space) fabrictest.Member {
		mem := fabrictest.Pages(t, fabrictest.MemorySize)
		addr := uintptr(unsafe.Pointer(unsafe.SliceData(mem)))
		key, err := s.Register(addr, uint64(len(mem)), 0)
		if err != nil {
			t.Fatal(err)
		}
		pos, err := s.Translate(key, addr)
		if err != nil {
			t.Fatal(err)
		}
		return fabrictest.Member{Memory: mem, Pos: pos, Unmapped: true}
	})
}

func TestOtherHost(t *testing.T) {
	_, transports := host(t, 2)
	if _, err := transports[0].View(2); !errors.Is(err, fabric.ErrNoPath) {
		t.Errorf("View of a member on another host: %v", err)
	}
	o := fabrictest.NewOutcome()
	transports[0].Atomic(2, segment.StarterOffset, fabric.Atomic{Op: fabric.OpAdd, Width: 8}, o)
	if _, err := o.Wait(); !errors.Is(err, fabric.ErrNoPath) {
		t.Errorf("atomic on another host: %v", err)
	}
}

// TestStatePerPeer pins what a member costs before the first operation on it.
func TestStatePerPeer(t *testing.T) {
	var transport *Transport
	footprinttest.PerItem(t, "peer", 0.25, func(members int) int64 {
		transport = nil
		before := footprinttest.InUse()
		transport = New(Config{Size: members})
		after := footprinttest.InUse()
		runtime.KeepAlive(transport)
		return after - before
	})
}
