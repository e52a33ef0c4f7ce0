package fabric

import (
	"errors"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

// nothing returns the address of a page that can be neither read nor written.
func nothing(t *testing.T) unsafe.Pointer {
	page, err := unix.Mmap(-1, 0, unix.Getpagesize(), unix.PROT_NONE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = unix.Munmap(page) })
	return unsafe.Pointer(unsafe.SliceData(page))
}

func TestTryMoveOfMemoryThatIsNotThere(t *testing.T) {
	var here [64]byte
	low := uintptr(24) // in the first page
	good, gone := unsafe.Pointer(&here), nothing(t)
	for _, n := range []uint64{1, 4, 8, 9, 64} {
		for _, move := range []struct{ dst, src unsafe.Pointer }{{good, gone}, {gone, good}} {
			err := TryMove(move.dst, move.src, n)
			var fault *FaultError
			if !errors.As(err, &fault) || !errors.Is(err, ErrGone) {
				t.Fatalf("%d bytes: %v, want a FaultError", n, err)
			}
			if at := uintptr(gone); fault.Addr < at || fault.Addr >= at+64 {
				t.Fatalf("%d bytes: fault at %#x, want from %#x on", n, fault.Addr, at)
			}
		}
		if err := TryMove(good, *(*unsafe.Pointer)(unsafe.Pointer(&low)), n); !errors.Is(err, ErrGone) {
			t.Fatalf("%d bytes from the first page: %v", n, err)
		}
		if err := TryMove(good, good, n); err != nil {
			t.Fatalf("%d bytes of memory that is there: %v", n, err)
		}
	}
}

func TestTouchOfReadOnlyMemory(t *testing.T) {
	page, err := unix.Mmap(-1, 0, unix.Getpagesize(), unix.PROT_READ, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = unix.Munmap(page) }()
	if err := Touch(func() { page[3] = 1 }); !errors.Is(err, ErrGone) {
		t.Fatalf("a store to memory that may only be read: %v", err)
	}
}

// Other faults of a function are those of the library.
func TestTouchPassesOtherPanicsOn(t *testing.T) {
	defer func() {
		if cause := recover(); cause != "mine" {
			t.Fatalf("recovered %v", cause)
		}
	}()
	_ = Touch(func() { panic("mine") })
}

func TestTryMoveDoesNotAllocate(t *testing.T) {
	var from, to [64]byte
	if n := testing.AllocsPerRun(100, func() {
		if err := TryMove(unsafe.Pointer(&to), unsafe.Pointer(&from), 64); err != nil {
			panic(err)
		}
	}); n != 0 {
		t.Fatalf("%v allocations", n)
	}
}

func BenchmarkTryMove(b *testing.B) {
	var from, to uint64
	for b.Loop() {
		if TryMove(unsafe.Pointer(&to), unsafe.Pointer(&from), 8) != nil {
			b.Fatal()
		}
	}
}

// TestCheckAddress: no process has memory in the first page.
func TestCheckAddress(t *testing.T) {
	for _, addr := range []uintptr{0, lowest, 1 << 40} {
		if err := CheckAddress(addr); err != nil {
			t.Errorf("%#x: %v", addr, err)
		}
	}
	for _, addr := range []uintptr{1, 24, lowest - 1} {
		var fault *FaultError
		if err := CheckAddress(addr); !errors.As(err, &fault) || fault.Addr != addr {
			t.Errorf("%#x: %v", addr, err)
		}
	}
}

// TestTouchCatches: the runtime handles faults, and a signal that it leaves alone it does not.
func TestTouchCatches(t *testing.T) {
	if !TouchCatches() {
		t.Error("the runtime of Go does not handle faults")
	}
	if handledByRuntime(unix.SIGKILL) {
		t.Error("the runtime of Go handles SIGKILL")
	}
}

// TestCheckRange: bytes behind the last address are nowhere.
func TestCheckRange(t *testing.T) {
	top := ^uintptr(0)
	for _, c := range []struct {
		addr uintptr
		size uint64
		ok   bool
	}{{0, 0, true}, {0, 1 << 63, true}, {lowest, 1<<63 - 1, true}, {lowest - 1, 0, false}, {top, 0, true}, {top, 1, true}, {top, 2, false}, {top - 7, 8, true}, {top - 7, 9, false}, {lowest, ^uint64(0), false}} {
		if err := CheckRange(c.addr, c.size); (err == nil) != c.ok {
			t.Errorf("%d bytes at %#x: %v", c.size, c.addr, err)
		}
	}
}
