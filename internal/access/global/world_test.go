package global_test

import (
	"errors"
	"testing"
	"unsafe"

	"github.com/goacp/goacp/bridge"
	"github.com/goacp/goacp/internal/access/global/globaltest"
	"github.com/goacp/goacp/internal/memory/ga"
	"github.com/goacp/goacp/internal/memory/segment"
	"golang.org/x/sys/unix"
)

// errRefused is why a rank does not map the memory of another.
var errRefused = errors.New("refused")

// ways are those in which the ranks of a test reach each other.
var ways = []struct {
	name string
	cfg  globaltest.Config
	maps func(self, other int) bool // whether a rank maps the heap of another
}{
	{"shm", globaltest.Config{Mode: bridge.ModeSHM, Spin: true}, func(self, other int) bool { return true }},
	{"tcp", globaltest.Config{Mode: bridge.ModeTCP}, func(self, other int) bool { return self == other }},
	{"rank 0 maps nothing", globaltest.Config{Mode: bridge.ModeSHM, Refuse: func(self, other int) error {
		if self == 0 {
			return errRefused
		}
		return nil
	}}, func(self, other int) bool { return self == other || self != 0 }},
}

// forEachWay runs f as a subtest on the memory of three ranks, for each way in which they reach
// each other.
func forEachWay(t *testing.T, f func(t *testing.T, w *globaltest.World, maps func(self, other int) bool)) {
	for _, way := range ways {
		t.Run(way.name, func(t *testing.T) {
			cfg := way.cfg
			cfg.Size, cfg.Operations = 3, operations
			f(t, globaltest.New(t, cfg), way.maps)
		})
	}
}

// foreign returns n bytes of memory that the Go runtime does not manage.
func foreign(t testing.TB, n int) []byte {
	t.Helper()
	b, err := unix.Mmap(-1, 0, n, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = unix.Munmap(b) })
	return b
}

// register makes memory of a rank accessible to others and returns its address.
func register(t testing.TB, r *globaltest.Rank, b []byte) (key segment.Key, at uint64) {
	t.Helper()
	addr := uintptr(unsafe.Pointer(unsafe.SliceData(b)))
	key, err := r.Space.Register(addr, uint64(len(b)), 0)
	if err != nil {
		t.Fatal(err)
	}
	pos, err := r.Space.Translate(key, addr)
	if err != nil {
		t.Fatal(err)
	}
	return key, ga.Make(r.Numbers.Own(), pos)
}

// usage returns how many blocks of the heaps of all ranks are in use.
func usage(t testing.TB, w *globaltest.World) (n uint64) {
	t.Helper()
	for _, r := range w.Ranks {
		blocks, _, err := r.Space.Heap(r.Mem.Alive).Usage()
		if err != nil {
			t.Fatal(err)
		}
		n += blocks
	}
	return n
}
