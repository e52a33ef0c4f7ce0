package segment

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/goacp/goacp/internal/fabric"
	"github.com/goacp/goacp/internal/pid"
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
	s, err := New(run, 3, layout)
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

func place(s *Space, run Run) Place {
	started, err := pid.StartTime(os.Getpid())
	if err != nil {
		panic(err)
	}
	return Place{Run: run, Member: 3, PID: os.Getpid(), StartTime: started, FD: s.FD(), Layout: layout}
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
	v, err := Attach(place(s, run))
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

func TestAttachRefusesWhatIsNotMeant(t *testing.T) {
	s, run := newSpace(t)
	good := place(s, run)
	other, err := os.Open("/dev/null")
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	for name, change := range map[string]func(*Place){
		"other run":       func(p *Place) { p.Run = newRun() },
		"other member":    func(p *Place) { p.Member++ },
		"other size":      func(p *Place) { p.Layout.Starter-- },
		"larger":          func(p *Place) { p.Layout.Heap += 1 << 20 },
		"no memory":       func(p *Place) { p.FD = int(other.Fd()) },
		"no descriptor":   func(p *Place) { p.FD = 1 << 20 },
		"no such process": func(p *Place) { p.PID = 1 << 30 },
		"a later process": func(p *Place) { p.StartTime++ },
		"not sealed":      func(p *Place) { p.FD = unsealed(t, s) },
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

// Nothing makes the memory of a process shorter, so that no process that has mapped it
// dies of that.
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

func TestNeighboursMergeUntilTranslated(t *testing.T) {
	s, _ := newSpace(t)
	mem := foreign(t, 4096)
	reg := func(lo, hi int) Key {
		t.Helper()
		k, err := s.Register(addr(mem)+uintptr(lo), uint64(hi-lo), 0)
		if err != nil {
			t.Fatal(err)
		}
		return k
	}
	a := reg(100, 200)
	if b := reg(200, 300); b != a {
		t.Error("the next neighbour has another key")
	}
	if b := reg(50, 100); b != a {
		t.Error("the previous neighbour has another key")
	}
	if b := reg(120, 130); b != a {
		t.Error("a part has another key")
	}
	far := reg(302, 310)
	if far == a {
		t.Error("separate memory has the same key")
	}
	pos, err := s.Translate(a, addr(mem)+299)
	if err != nil {
		t.Fatal(err)
	}
	if first, _ := s.Translate(a, addr(mem)+50); pos != first+249 {
		t.Errorf("byte 249 is at %#x, byte 0 at %#x", pos, first)
	}
	if pos%PageSize != uint64(addr(mem)+299)%PageSize {
		t.Error("position and address are not congruent")
	}
	if _, err := s.Translate(a, addr(mem)+300); err == nil {
		t.Error("translated an address outside")
	}
	for i := range 4 {
		if _, err := s.Resolve(pos, 1); err != nil {
			t.Fatalf("gone after %d of 4 unregistrations: %v", i, err)
		}
		last, err := s.Unregister(a)
		if err != nil || last != (i == 3) {
			t.Fatalf("unregistration %d: last=%v, %v", i, last, err)
		}
	}
	if _, err := s.Resolve(pos, 1); err == nil {
		t.Error("accessible after the last unregistration")
	}
	if _, err := s.Unregister(a); !errors.Is(err, ErrUnknownKey) {
		t.Errorf("a fifth unregistration: %v", err)
	}
	if b := reg(310, 320); b == far {
		t.Error("merged although an unregistration came in between")
	}
}

func TestRegisterRejects(t *testing.T) {
	s, _ := newSpace(t)
	if _, err := s.Register(0, 8, 0); err == nil {
		t.Error("null was registered")
	}
	if _, err := s.Register(^uintptr(0)-4, 8, 0); err == nil {
		t.Error("memory beyond the end of the address space was registered")
	}
	if _, err := s.Register(4096, 1<<45, 0); err == nil {
		t.Error("more than 44 bits of memory were registered")
	}
	k, err := s.Register(addr(foreign(t, 4096)), 0, 0)
	if err != nil {
		t.Fatalf("size 0: %v", err)
	}
	if _, err := s.Translate(k+1, 1); !errors.Is(err, ErrUnknownKey) {
		t.Errorf("unknown key: %v", err)
	}
}

// TestModel compares random registrations with a plain map of what is accessible,
// seen by the owner and by a peer.
func TestModel(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rnd := rand.New(rand.NewPCG(seed, 1))
	s, v := newView(t)
	mem := foreign(t, 1<<20)
	for i := range mem {
		mem[i] = byte(i * 7 >> 3)
	}
	type reg struct {
		key    Key
		pos    uint64
		lo, hi int
	}
	var live []reg
	for range 3000 {
		if len(live) < 200 && rnd.IntN(3) > 0 {
			lo := rnd.IntN(len(mem) - 1)
			hi := lo + 1 + rnd.IntN(min(5000, len(mem)-lo))
			k, err := s.Register(addr(mem)+uintptr(lo), uint64(hi-lo), 0)
			if err != nil {
				t.Fatal(err)
			}
			pos, err := s.Translate(k, addr(mem)+uintptr(lo))
			if err != nil {
				t.Fatal(err)
			}
			live = append(live, reg{k, pos, lo, hi})
		} else if len(live) > 0 {
			i := rnd.IntN(len(live))
			if _, err := s.Unregister(live[i].key); err != nil {
				t.Fatal(err)
			}
			gone := live[i]
			live = append(live[:i], live[i+1:]...)
			if _, err := s.Resolve(gone.pos, 1); err == nil {
				t.Fatalf("%#x is still accessible", gone.pos)
			}
		}
		if len(live) == 0 {
			continue
		}
		g := live[rnd.IntN(len(live))]
		off := rnd.IntN(g.hi - g.lo)
		n := uint64(rnd.IntN(g.hi-g.lo-off) + 1)
		p, err := s.Resolve(g.pos+uint64(off), n)
		if err != nil || uintptr(p) != addr(mem)+uintptr(g.lo+off) {
			t.Fatalf("Resolve = %p, %v", p, err)
		}
		got := make([]byte, n)
		if err := v.Read(unsafe.Pointer(unsafe.SliceData(got)), g.pos+uint64(off), n); err != nil {
			t.Fatal(err)
		}
		if string(got) != string(mem[g.lo+off:g.lo+off+int(n)]) {
			t.Fatal("a peer reads something else")
		}
		var outside *fabric.RangeError
		if _, err := s.Resolve(g.pos, uint64(g.hi-g.lo)+1); !errors.As(err, &outside) {
			t.Fatalf("one byte too many: %v", err)
		}
		if err := v.Write(g.pos+uint64(g.hi-g.lo), p, 1); !errors.As(err, &outside) {
			t.Fatalf("a write behind the end: %v", err)
		}
	}
	if err := s.Reset(); err != nil {
		t.Fatal(err)
	}
	for _, g := range live {
		if _, err := s.Resolve(g.pos, 1); err == nil {
			t.Fatal("accessible after a reset")
		}
	}
}

// TestPositionsAreNotReusedSoon registers more than would fit if positions were
// never reused, and checks that a position just given back is not the next one.
func TestPositionsAreNotReusedSoon(t *testing.T) {
	s, _ := newSpace(t)
	const size = 1 << 40
	last := uint64(0)
	for i := range 40 {
		k, err := s.Register(1<<46, size, 0)
		if err != nil {
			t.Fatal(err)
		}
		pos, err := s.Translate(k, 1<<46)
		if err != nil {
			t.Fatalf("round %d: %v", i, err)
		}
		if pos == last {
			t.Fatal("reused at once")
		}
		last = pos
		if _, err := s.Unregister(k); err != nil {
			t.Fatal(err)
		}
	}
}

// TestLookupWhileChanging reads the table while the owner changes it.
func TestLookupWhileChanging(t *testing.T) {
	s, v := newView(t)
	mem := foreign(t, 1<<16)
	keep, err := s.Register(addr(mem)+40000, 16, 0)
	if err != nil {
		t.Fatal(err)
	}
	pos, err := s.Translate(keep, addr(mem)+40000)
	if err != nil {
		t.Fatal(err)
	}
	stop := make(chan struct{})
	bad := make(chan uint64, 1)
	go func() {
		defer close(bad)
		for {
			select {
			case <-stop:
				return
			default:
			}
			if a, ok := v.lookup(pos, 16); !ok || a != uint64(addr(mem))+40000 {
				bad <- a
				return
			}
		}
	}()
	for i := range 20000 {
		k, err := s.Register(addr(mem)+uintptr(i%100*64), 8, 0)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Translate(k, addr(mem)+uintptr(i%100*64)); err != nil {
			t.Fatal(err)
		}
		if i%2 == 0 {
			defer s.Unregister(k)
		} else if _, err := s.Unregister(k); err != nil {
			t.Fatal(err)
		}
	}
	close(stop)
	if a, found := <-bad; found {
		t.Fatalf("a reader saw %#x", a)
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

func TestLayoutLimits(t *testing.T) {
	for name, l := range map[string]Layout{
		"large starter":    {Starter: maxPart + 1},
		"large heap":       {Heap: maxPart + 65536},
		"unaligned heap":   {Heap: 4096},
		"overflowing heap": {Heap: ^uint64(65535)},
	} {
		if s, err := New(newRun(), 0, l); err == nil {
			s.Close()
			t.Errorf("%s: made", name)
		}
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

// A limit of file sizes is told and does not end the process by a signal.
func TestFileLimit(t *testing.T) {
	if os.Getenv("SEGMENT_TEST_LIMIT") != "" {
		s, err := New(newRun(), 0, layout)
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
