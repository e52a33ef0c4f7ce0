package activity

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// newPage makes a page and opens it.
func newPage(t *testing.T) (*Page, *Window) {
	t.Helper()
	b, err := New(Run{1, 2, 3}, 4, 7, 100)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.Free() })
	return b, open(t, b)
}

// open opens a page of this process, which may have several.
func open(t *testing.T, b *Page) *Window {
	t.Helper()
	f, err := os.Open(filepath.Join("/proc/self/fd", strconv.Itoa(b.fd)))
	if err != nil {
		t.Fatal(err)
	}
	w := &Window{f}
	t.Cleanup(func() { w.Close() })
	return w
}

func look(t *testing.T, w *Window) View {
	t.Helper()
	v, err := w.Look(100)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// TestSleep: readers see a thread from Sleep to Wake, and the memory of the owner behind the page.
func TestSleep(t *testing.T) {
	b, w := newPage(t)
	copy(unsafe.Slice((*byte)(b.Counters()), 100), "counters")
	if v := look(t, w); v.Run != (Run{1, 2, 3}) || v.Member != 4 || v.Procs != 7 || v.PID != os.Getpid() ||
		len(v.Sleepers) != 0 || !strings.HasPrefix(string(v.Counters), "counters\x00") || len(v.Counters) != 100 {
		t.Errorf("a new page: %+v", v)
	}
	NameFunctions(func() (string, uint64) { return "acp_sync", 0x1234 })
	defer func() { findCaller = goCaller }()
	first := b.Sleep(For(Barrier))
	findCaller = func() caller {
		return caller{call: strings.Repeat("x", maxCall+1), at: strings.Repeat("y", maxAt) + ".go:7"}
	}
	second := b.Sleep(On(Receive, 0))
	v := look(t, w)
	if len(v.Sleepers) != 2 || v.Sleepers[0].Since < v.Sleepers[1].Since || v.Age < v.Sleepers[0].Since {
		t.Fatalf("two threads sleep: %+v", v)
	}
	for i, want := range []Sleeper{{Kind: Barrier, Member: -1, Call: "acp_sync", Site: 0x1234}, {Kind: Receive, Call: strings.Repeat("x", maxCall), At: strings.Repeat("y", maxAt-5) + ".go:7"}} {
		if want.Since = v.Sleepers[i].Since; v.Sleepers[i] != want {
			t.Errorf("thread %d: %+v, expected %+v", i, v.Sleepers[i], want)
		}
	}
	b.Wake(first)
	if v := look(t, w); len(v.Sleepers) != 1 || v.Sleepers[0].Kind != Receive {
		t.Errorf("one thread sleeps: %+v", v)
	}
	b.Wake(second)
	if v := look(t, w); len(v.Sleepers) != 0 {
		t.Errorf("no thread sleeps: %+v", v)
	}
}

// TestCrowd: threads for which there is no room are counted.
func TestCrowd(t *testing.T) {
	b, w := newPage(t)
	var waits []Wait
	for i := range maxWaits + 5 {
		waits = append(waits, b.Sleep(On(Send, i)))
	}
	if v := look(t, w); len(v.Sleepers) != maxWaits || v.Hidden != 5 {
		t.Errorf("%d sleepers and %d hidden ones", len(v.Sleepers), v.Hidden)
	}
	rand.Shuffle(len(waits), func(i, j int) { waits[i], waits[j] = waits[j], waits[i] })
	for _, wait := range waits {
		b.Wake(wait)
	}
	if v := look(t, w); len(v.Sleepers) != 0 || v.Hidden != 0 {
		t.Errorf("%d sleepers and %d hidden ones are left", len(v.Sleepers), v.Hidden)
	}
}

// TestLookAtChanges: a reader sees no mixture of two waits.
func TestLookAtChanges(t *testing.T) {
	b, w := newPage(t)
	var all sync.WaitGroup
	stop := make(chan struct{})
	for i := range 4 {
		all.Go(func() {
			for n := 0; ; n++ {
				select {
				case <-stop:
					return
				default:
				}
				kind := Kind(1 + (n+i)%int(kinds-1))
				b.Wake(b.Sleep(On(kind, 100*int(kind))))
			}
		})
	}
	seen := 0
	for range 2000 {
		for _, s := range look(t, w).Sleepers {
			seen++
			if s.Member != 100*int(s.Kind) {
				t.Fatalf("a wait of the kind %v for member %d", s.Kind, s.Member)
			}
		}
	}
	close(stop)
	all.Wait()
	t.Logf("%d waits were seen", seen)
}

// TestReadersCannotWrite: only the process itself changes its page.
func TestReadersCannotWrite(t *testing.T) {
	b, _ := newPage(t)
	f, err := os.OpenFile(filepath.Join("/proc/self/fd", strconv.Itoa(b.fd)), os.O_RDWR, 0)
	if err != nil {
		return
	}
	defer f.Close()
	if seals, _ := unix.FcntlInt(f.Fd(), unix.F_GET_SEALS, 0); seals&unix.F_SEAL_FUTURE_WRITE == 0 {
		t.Skip("the kernel is older than 5.1")
	}
	if _, err := f.WriteAt([]byte("x"), 0); !errors.Is(err, unix.EPERM) {
		t.Errorf("writing: %v, expected EPERM", err)
	}
	if _, err := unix.Mmap(int(f.Fd()), 0, 4096, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED); !errors.Is(err, unix.EPERM) {
		t.Errorf("mapping: %v, expected EPERM", err)
	}
}

// TestHide: a hidden page is not found, and an open one shows nothing any more. Its owner can continue to use
// it.
func TestHide(t *testing.T) {
	b, w := newPage(t)
	b.Hide()
	b.Hide()
	if _, err := w.Look(0); !errors.Is(err, ErrNone) {
		t.Errorf("a hidden page: %v", err)
	}
	b.Wake(b.Sleep(For(Barrier)))
}

// TestOpen finds the pages of a process once, although it also has windows, of its own pages here.
func TestOpen(t *testing.T) {
	for member := range 2 {
		b, err := New(Run{9}, member, 7, 100)
		if err != nil {
			t.Fatal(err)
		}
		defer b.Free()
		open(t, b)
	}
	windows, err := Open("/proc", os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	found := map[int]int{}
	for _, w := range windows {
		if v, err := w.Look(0); err == nil && v.Run == (Run{9}) {
			found[v.Member]++
		}
		w.Close()
	}
	if len(found) != 2 || found[0] != 1 || found[1] != 1 {
		t.Errorf("pages by member: %v, expected one of each of 2", found)
	}
	if _, err := Open("/proc", 1<<22+1); !errors.Is(err, ErrNone) {
		t.Errorf("a process that does not exist: %v", err)
	}
}

// TestWithoutMemory: a page that readers cannot see still works for its owner.
func TestWithoutMemory(t *testing.T) {
	var nothing *Page
	nothing.Wake(nothing.Sleep(For(Barrier)))
	nothing.Hide()
	if fd := publicMemory(-1); fd != -1 {
		t.Errorf("memory of -1 bytes has the descriptor %d", fd)
	}
}

// FuzzDecode: whatever a process shows, the reader gets numbers and texts that are fit to print.
func FuzzDecode(f *testing.F) {
	b, err := New(Run{1}, 2, 3, 8)
	if err != nil {
		f.Fatal(err)
	}
	b.Sleep(On(Notify, 1))
	good := bytes.Clone(b.mem[:waitsAt+3*unsafe.Sizeof(wait{})])
	b.Wake(1)
	f.Add(good, good, uint64(1<<40))
	f.Add(good, bytes.Clone(b.mem[:len(good)]), uint64(0))
	f.Add(good[:waitsAt+5], good[:7], uint64(0))
	b.Free()
	f.Fuzz(func(t *testing.T, first, second []byte, now uint64) {
		v, err := decode(&[3]reading{parse(first), parse(second), parse(first)}, now)
		if err != nil {
			if !errors.Is(err, ErrNone) {
				t.Errorf("unexpected kind of error: %v", err)
			}
			return
		}
		for _, s := range v.Sleepers {
			if s.Kind >= kinds || s.Member < -1 || s.Since < 0 && now < 1<<63 || strings.ContainsAny(s.Call, "\x00\x1b\n") {
				t.Errorf("%+v", s)
			}
		}
	})
}

// TestKindText: names of kinds come back, and unknown ones are Unknown.
func TestKindText(t *testing.T) {
	names := map[string]bool{}
	for k := range kinds {
		text, _ := k.MarshalText()
		var got Kind
		if err := got.UnmarshalText(text); err != nil || got != k || names[string(text)] {
			t.Errorf("%v became %q, %v, %v", k, text, got, err)
		}
		names[string(text)] = true
	}
	k := Barrier
	if err := k.UnmarshalText([]byte("tea")); err != nil || k != Unknown {
		t.Errorf("an unknown kind: %v, %v", k, err)
	}
}

// BenchmarkSleep measures the cost for a thread before and after it sleeps.
func BenchmarkSleep(b *testing.B) {
	page, err := New(Run{}, 0, 1, 0)
	if err != nil {
		b.Fatal(err)
	}
	defer page.Free()
	for b.Loop() {
		page.Wake(page.Sleep(On(Receive, 1)))
	}
}

// BenchmarkLook measures the cost for a reader of one page.
func BenchmarkLook(b *testing.B) {
	page, err := New(Run{}, 0, 1, 0)
	if err != nil {
		b.Fatal(err)
	}
	defer page.Free()
	f, err := os.Open(filepath.Join("/proc/self/fd", strconv.Itoa(page.fd)))
	if err != nil {
		b.Fatal(err)
	}
	w := &Window{f}
	defer w.Close()
	for b.Loop() {
		if _, err := w.Look(0); err != nil {
			b.Fatal(err)
		}
	}
}

// TestSince: a moment in the future counts as now.
func TestSince(t *testing.T) {
	if got := since(5, 3); got != 0 {
		t.Errorf("%v", got)
	}
	if got := since(3, 5); got != 2*time.Nanosecond {
		t.Errorf("%v", got)
	}
}
