package segment

import (
	"errors"
	"os"
	"os/exec"
	"testing"
	"time"
	"unsafe"

	"github.com/goacp/goacp/internal/fabric"
	"github.com/goacp/goacp/internal/ground/pid"
	"golang.org/x/sys/unix"
)

func TestAttachRefusesWhatIsNotMeant(t *testing.T) {
	s, run := newSpace(t)
	good := peerInfo(s, run)
	other, err := os.Open("/dev/null")
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	for name, change := range map[string]func(*PeerInfo){
		"other run":       func(p *PeerInfo) { p.Run = newRun() },
		"other member":    func(p *PeerInfo) { p.Member++ },
		"other size":      func(p *PeerInfo) { p.Layout.Starter-- },
		"larger":          func(p *PeerInfo) { p.Layout.Heap += 1 << 20 },
		"no memory":       func(p *PeerInfo) { p.FD = int(other.Fd()) },
		"no descriptor":   func(p *PeerInfo) { p.FD = 1 << 20 },
		"no such process": func(p *PeerInfo) { p.PID = 1 << 30 },
		"a later process": func(p *PeerInfo) { p.StartTime++ },
		"not sealed":      func(p *PeerInfo) { p.FD = unsealed(t, s) },
	} {
		p := good
		change(&p)
		if v, err := Attach(p); err == nil {
			v.Close()
			t.Errorf("%s: attached", name)
		}
	}
}

// unsealed returns memory with the contents of s that may be made shorter.
func unsealed(t *testing.T, s *Space) int {
	t.Helper()
	fd, err := unix.MemfdCreate("test", unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { unix.Close(fd) })
	if err := unix.Ftruncate(fd, int64(layout.MapSize())); err != nil {
		t.Fatal(err)
	}
	if _, err := unix.Pwrite(fd, s.Memory()[:PageSize], 0); err != nil {
		t.Fatal(err)
	}
	return fd
}

// The memory of a process cannot be made shorter, which would kill the processes that have mapped
// it.
func TestMemoryIsSealed(t *testing.T) {
	s, v := newView(t)
	for _, size := range []int64{0, PageSize, int64(layout.MapSize()) - 1, int64(layout.MapSize()) + 1} {
		if err := unix.Ftruncate(s.FD(), size); !errors.Is(err, unix.EPERM) {
			t.Errorf("memory of %d bytes is made %d long: %v", layout.MapSize(), size, err)
		}
	}
	copy(s.Starter(), "data")
	if err := s.Reset(); err != nil {
		t.Fatal(err)
	}
	if got := *(*byte)(v.Mapped(StarterOffset, 1)); got != 0 || s.Starter()[0] != 0 {
		t.Error("sealed memory is not cleared")
	}
}

// When the owner has died, its process id may be that of any other process: its memory is
// not written, and what was read is none of the owner's.
func TestDeadOwner(t *testing.T) {
	_, v := newView(t)
	child := exec.Command("true")
	stdin, err := child.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer stdin.Close()
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	started, err := pid.StartTime(child.Process.Pid)
	if err != nil {
		t.Fatal(err)
	}
	living := v.owner
	defer living.Close()
	if v.owner, err = pid.Open(child.Process.Pid, started); err != nil {
		t.Fatal(err)
	}
	if err := child.Wait(); err != nil {
		t.Fatal(err)
	}
	time.Sleep(5 * time.Millisecond) // no id is given again so soon
	mem := foreign(t, 16)
	word := uint64(7)
	if err := v.vm(true, unsafe.Pointer(&word), uint64(addr(mem)), 8); !errors.Is(err, fabric.ErrPeerDead) || mem[0] != 0 {
		t.Errorf("write: %v, %v", err, mem[:8])
	}
	if err := v.Load(unsafe.Pointer(&word), uint64(addr(mem)), 8); !errors.Is(err, fabric.ErrPeerDead) {
		t.Errorf("read: %v", err)
	}
}

// TestHeapIsShared allocates as the owner and frees as a peer.
func TestHeapIsShared(t *testing.T) {
	s, v := newView(t)
	over := func() error { return nil }
	pos, err := s.Heap(over).Alloc(700 << 10)
	if err != nil {
		t.Fatal(err)
	}
	p, err := s.Resolve(pos, 700<<10)
	if err != nil || !layout.Contains(pos, 700<<10) {
		t.Fatalf("a block is not published: %v", err)
	}
	*(*byte)(p) = 9
	if q := v.Mapped(pos, 1); q == nil || *(*byte)(q) != 9 {
		t.Fatal("a block is not shared")
	}
	if err := v.Heap(over).Free(pos); err != nil {
		t.Fatal(err)
	}
	if blocks, _, err := s.Heap(over).Usage(); blocks != 0 || err != nil {
		t.Errorf("%d blocks in use, %v", blocks, err)
	}
	if _, err := s.Heap(over).Alloc(64); err != nil {
		t.Fatal(err)
	}
	if err := s.Reset(); err != nil {
		t.Fatal(err)
	}
	if blocks, _, err := s.Heap(over).Usage(); blocks != 0 || err != nil {
		t.Errorf("%d blocks in use after a reset, %v", blocks, err)
	}
}
