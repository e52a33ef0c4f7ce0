package segbuf

import (
	"context"
	"errors"
	"testing"
	"time"
	"unsafe"

	"github.com/goacp/goacp/bridge"
	"github.com/goacp/goacp/internal/access/global/globaltest"
	"github.com/goacp/goacp/internal/memory/ga"
	"github.com/goacp/goacp/internal/network/am"
	"golang.org/x/sys/unix"
)

// deadline bounds every wait of a test.
const deadline = time.Minute

// world is a run whose ranks have segmented buffers.
type world struct {
	*globaltest.World
	buffers []*Buffers // by member
}

func newWorld(t testing.TB, cfg globaltest.Config) *world {
	w := new(world)
	cfg.Operations = func(r *globaltest.Rank) []am.Operation {
		b := New(r.Mem, r.Router, r.Cond, register(r))
		w.buffers = append(w.buffers, b)
		return b.Operations()
	}
	w.World = globaltest.New(t, cfg)
	return w
}

// register returns the function that makes memory of the program accessible to other ranks.
func register(r *globaltest.Rank) Publish {
	return func(b []byte) (uint64, func() error, error) {
		addr := uintptr(unsafe.Pointer(unsafe.SliceData(b)))
		key, err := r.Space.Register(addr, uint64(len(b)), 0)
		if err != nil {
			return 0, nil, err
		}
		pos, err := r.Space.Translate(key, addr)
		return ga.Make(r.Numbers.Own(), pos), func() error {
			_, err := r.Space.Unregister(key)
			return err
		}, err
	}
}

// forEachWay runs f as a subtest for each way in which two ranks may reach each other.
func forEachWay(t *testing.T, f func(t *testing.T, cfg globaltest.Config)) {
	refuse := func(who int) func(self, other int) error {
		return func(self, other int) error {
			if self == who {
				return unix.EACCES
			}
			return nil
		}
	}
	for _, way := range []struct {
		name string
		cfg  globaltest.Config
	}{
		{"shm", globaltest.Config{Mode: bridge.ModeSHM, Spin: true}},
		{"tcp", globaltest.Config{Mode: bridge.ModeTCP}},
		{"rank 0 maps nothing", globaltest.Config{Mode: bridge.ModeSHM, Refuse: refuse(0)}},
		{"rank 1 maps nothing", globaltest.Config{Mode: bridge.ModeSHM, Refuse: refuse(1), Spin: true}},
	} {
		t.Run(way.name, func(t *testing.T) {
			way.cfg.Size = 2
			f(t, way.cfg)
		})
	}
}

// foreign returns n bytes of memory that the Go runtime does not manage: the race detector does not see the
// synchronisation by counters.
func foreign(t testing.TB, n int) []byte {
	t.Helper()
	b, err := unix.Mmap(-1, 0, n, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = unix.Munmap(b) })
	return b
}

// pair makes both ends of a segmented buffer from rank 0 to rank 1 and connects them.
func (w *world) pair(t testing.TB, ctx context.Context, out, in []byte, segment int) (src, dst *End) {
	t.Helper()
	src, err := w.buffers[0].NewSource(1, out, segment)
	if err != nil {
		t.Fatal(err)
	}
	if dst, err = w.buffers[1].NewDestination(0, in, segment); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(src.Connect(ctx), dst.Connect(ctx)); err != nil {
		t.Fatal(err)
	}
	return src, dst
}

// blocks returns how many blocks of the heaps of all ranks are in use.
func (w *world) blocks(t testing.TB) (n uint64) {
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
