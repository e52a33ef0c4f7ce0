package segment

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"testing"
	"unsafe"

	"github.com/goacp/goacp/internal/ground/pid"
	"golang.org/x/sys/unix"
)

const starter = 10000 // not a multiple of a page

var layout = Layout{Starter: starter, Heap: 1 << 20}

// newRun returns a Run that differs from every other one.
func newRun() (r Run) {
	binary.LittleEndian.PutUint64(r[:], rand.Uint64())
	return r
}

func newSpace(t *testing.T) (*Space, Run) {
	t.Helper()
	run := newRun()
	s, err := New(run, 3, layout, Slot{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s, run
}

func peerInfo(s *Space, run Run) PeerInfo {
	started, err := pid.StartTime(os.Getpid())
	if err != nil {
		panic(err)
	}
	return PeerInfo{Run: run, Member: 3, PID: os.Getpid(), StartTime: started, FD: s.FD(), Layout: layout}
}

// foreign returns memory that the Go runtime does not manage.
func foreign(t *testing.T, n int) []byte {
	t.Helper()
	b, err := unix.Mmap(-1, 0, n, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { unix.Munmap(b) })
	return b
}

// newView returns a space and what a peer maps of it.
func newView(t *testing.T) (*Space, *View) {
	t.Helper()
	s, run := newSpace(t)
	v, err := Attach(peerInfo(s, run))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { v.Close() })
	return s, v
}

func addr(b []byte) uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(b))) }

func TestStarterIsSharedAndBounded(t *testing.T) {
	s, v := newView(t)
	if !v.Direct() {
		t.Error("a process may not read its own memory with process_vm_readv")
	}
	s.Starter()[starter-1] = 0xa5
	p := v.Mapped(StarterOffset+starter-1, 1)
	if p == nil || *(*byte)(p) != 0xa5 {
		t.Fatal("the last byte of starter memory is not shared")
	}
	for _, c := range []struct {
		pos, n uint64
		ok     bool
	}{
		{StarterOffset, starter, true},
		{StarterOffset, starter + 1, false},
		{StarterOffset + starter, 0, true},
		{StarterOffset + starter, 1, false},
		{StarterOffset + starter + 1, 0, false},
		{StarterOffset - 1, 1, false},
		{0, 0, false},
		{StarterOffset + 8, ^uint64(0), false},
		{65536, 1 << 20, true}, // the heap
		{65536, 1<<20 + 1, false},
		{65536 + 1<<20, 1, false},
		{65535, 1, false},
		{UserBase, 0, false},
		{UserEnd - 1, 8, false},
	} {
		if _, err := s.Resolve(c.pos, c.n); (err == nil) != c.ok {
			t.Errorf("Resolve(%#x, %d) = %v, want ok=%v", c.pos, c.n, err, c.ok)
		}
		if c.pos < UserBase && (v.Mapped(c.pos, c.n) != nil) != c.ok {
			t.Errorf("Mapped(%#x, %d): want ok=%v", c.pos, c.n, c.ok)
		}
	}
}

func TestResetClearsStarter(t *testing.T) {
	s, _ := newSpace(t)
	for i := range s.Starter() {
		s.Starter()[i] = 1
	}
	if err := s.Reset(); err != nil {
		t.Fatal(err)
	}
	for i, b := range s.Starter() {
		if b != 0 {
			t.Fatalf("byte %d is %d", i, b)
		}
	}
}

func TestLayoutLimits(t *testing.T) {
	for name, l := range map[string]Layout{
		"large starter":    {Starter: maxPart + 1},
		"large heap":       {Heap: maxPart + 65536},
		"unaligned heap":   {Heap: 4096},
		"overflowing heap": {Heap: ^uint64(65535)},
	} {
		if s, err := New(newRun(), 0, l, Slot{}); err == nil {
			s.Close()
			t.Errorf("%s: made", name)
		}
	}
}

// A limit of file sizes that is too low is an error, and does not end the process by a signal.
func TestFileLimit(t *testing.T) {
	if os.Getenv("SEGMENT_TEST_LIMIT") != "" {
		s, err := New(newRun(), 0, layout, Slot{})
		fmt.Println(s, err)
		return
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("sh", "-c", `ulimit -f 1000; exec "$0" -test.run='^TestFileLimit$'`, self)
	cmd.Env = append(os.Environ(), "SEGMENT_TEST_LIMIT=1")
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "ulimit -f") {
		t.Errorf("%v: %s", err, out)
	}
}
