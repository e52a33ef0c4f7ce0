package heap

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

const testBase = 1 << 20

// shared is the memory of a heap, as several processes would map it.
type shared struct {
	metadata []byte
	data     []byte
}

func newShared(t testing.TB, size uint64) *shared {
	t.Helper()
	return &shared{metadata: pages(t, MetadataSize(size)), data: pages(t, size)}
}

func pages(t testing.TB, n uint64) []byte {
	t.Helper()
	b, err := unix.Mmap(-1, 0, int(n), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED|unix.MAP_ANONYMOUS|unix.MAP_NORESERVE)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { unix.Munmap(b) })
	return b
}

func (s *shared) open() *Heap {
	return Open(Config{
		Metadata: unsafe.Pointer(&s.metadata[0]), Base: testBase, Size: uint64(len(s.data)),
		Over:  func() error { return nil },
		Purge: func(off, n uint64) error { return unix.Madvise(s.data[off:off+n], unix.MADV_REMOVE) },
	})
}

func (s *shared) at(pos, n uint64) []byte { return s.data[pos-testBase : pos-testBase+n] }

func TestClasses(t *testing.T) {
	for n := uint64(1); n <= largeSize; n++ {
		c := classOf(n)
		size := classSize(c)
		if size < n || size%alignment != 0 || size > n+n/4+15 {
			t.Fatalf("%d bytes get %d", n, size)
		}
		if c > 0 && classSize(c-1) >= n {
			t.Fatalf("%d bytes get %d although %d would do", n, size, classSize(c-1))
		}
	}
	if c := classOf(largeSize); c != classCount-1 {
		t.Errorf("the largest class is %d of %d", c, classCount)
	}
}

// check walks all spans and checks that the metadata does not contradict itself.
func check(t *testing.T, h *Heap) {
	t.Helper()
	listed := map[uint32]bool{}
	walk := func(first uint32, ok func(*span) bool) {
		prev := uint32(0)
		for n := first; n != 0; n = (*h.spans.Load())[n-1].next {
			if s := &(*h.spans.Load())[n-1]; s.prev != prev || !ok(s) || listed[n] {
				t.Fatalf("span %d stands in a wrong list: %+v", n, *s)
			}
			listed[n], prev = true, n
		}
	}
	walk(h.metadata.free, func(s *span) bool { return s.kind == spanFree })
	for c, first := range h.metadata.open {
		empty := 0
		walk(first, func(s *span) bool {
			if s.used == 0 {
				empty++
			}
			return empty <= 1 && s.kind == spanSmall && int(s.class) == c && int(s.used) < classBlocks(c)
		})
	}
	afterFree := false
	for n := uint32(1); n <= h.metadata.top; {
		s := &(*h.spans.Load())[n-1]
		switch s.kind {
		case spanFree:
			if afterFree || !listed[n] || (*h.spans.Load())[n+s.length-2].length != s.length || n+s.length > h.metadata.top {
				t.Fatalf("free run at %d: %+v", n, *s)
			}
		case spanSmall:
			if full := int(s.used) == classBlocks(int(s.class)); full == listed[n] {
				t.Fatalf("span %d with %d of %d blocks, listed %v", n, s.used, classBlocks(int(s.class)), listed[n])
			}
		case spanInner:
			t.Fatalf("span %d belongs to nothing", n)
		}
		afterFree = s.kind == spanFree
		n += max(1, s.length)
	}
}

// TestModel lets several users of one heap allocate and free at random, with a
// pattern in every block, and finds the heap empty and whole afterwards.
func TestModel(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	const size = 24 << 20
	s := newShared(t, size)
	const users = 4
	errs := make([]error, users)
	var wg sync.WaitGroup
	for u := range users {
		wg.Go(func() { errs[u] = s.play(rand.New(rand.NewPCG(seed, uint64(u))), byte(u), 30000) })
	}
	wg.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
	h := s.open()
	check(t, h)
	if blocks, bytes, err := h.Usage(); blocks != 0 || bytes != 0 || err != nil {
		t.Errorf("%d blocks with %d bytes are left, %v", blocks, bytes, err)
	}
	all, err := h.Alloc(size)
	if err != nil {
		t.Fatalf("the empty heap does not hold one block of its size: %v", err)
	}
	if err := h.Free(all); err != nil {
		t.Fatal(err)
	}
}

// play allocates and frees, and checks that no other user writes into its blocks.
func (s *shared) play(rnd *rand.Rand, user byte, steps int) error {
	h := s.open()
	type block struct {
		pos  uint64
		n    uint64
		fill byte
	}
	var held []block
	release := func(i int) error {
		b := held[i]
		held = slices.Delete(held, i, i+1)
		for _, got := range s.at(b.pos, b.n) {
			if got != b.fill {
				return errors.New("another user wrote into a block")
			}
		}
		return h.Free(b.pos)
	}
	for step := range steps {
		if len(held) > 0 && (rnd.IntN(2) == 0 || len(held) > 200) {
			if err := release(rnd.IntN(len(held))); err != nil {
				return err
			}
			continue
		}
		n := uint64(rnd.IntN(1 << rnd.IntN(12)))
		if rnd.IntN(100) == 0 {
			n = uint64(rnd.IntN(400 << 10))
		}
		pos, err := h.Alloc(n)
		if errors.Is(err, ErrFull) {
			continue
		}
		if err != nil {
			return err
		}
		if pos%alignment != 0 {
			return errors.New("misaligned block")
		}
		fill := byte(step)<<2 | user
		copy(s.at(pos, n), bytes.Repeat([]byte{fill}, int(n)))
		held = append(held, block{pos, n, fill})
	}
	for len(held) > 0 {
		if err := release(len(held) - 1); err != nil {
			return err
		}
	}
	return nil
}

func TestWrongFree(t *testing.T) {
	s := newShared(t, 4<<20)
	h := s.open()
	small, err := h.Alloc(48)
	if err != nil {
		t.Fatal(err)
	}
	large, err := h.Alloc(200 << 10)
	if err != nil {
		t.Fatal(err)
	}
	gone, err := h.Alloc(48)
	if err != nil {
		t.Fatal(err)
	}
	if err := h.Free(gone); err != nil {
		t.Fatal(err)
	}
	for name, pos := range map[string]uint64{
		"freed before":        gone,
		"inside a small one":  small + 16,
		"inside a large one":  large + spanSize,
		"large plus a bit":    large + 16,
		"never used":          testBase + 3<<20,
		"before the heap":     testBase - 16,
		"behind the heap":     testBase + 4<<20,
		"nothing":             0,
		"far beyond":          ^uint64(0),
		"tail of a span":      small&^(spanSize-1) + spanSize - 16,
		"next block, not out": small + 96,
	} {
		if err := h.Free(pos); !errors.Is(err, ErrNotAllocated) {
			t.Errorf("%s: %v", name, err)
		}
		check(t, h)
	}
	if blocks, _, _ := h.Usage(); blocks != 2 {
		t.Errorf("%d blocks in use, want 2", blocks)
	}
	for _, pos := range []uint64{small, large} {
		if err := h.Free(pos); err != nil {
			t.Error(err)
		}
	}
}

func TestFull(t *testing.T) {
	s := newShared(t, 1<<20)
	h := s.open()
	for _, n := range []uint64{1<<20 + 1, ^uint64(0), 1 << 63} {
		if _, err := h.Alloc(n); !errors.Is(err, ErrFull) {
			t.Errorf("%d bytes of a heap of 1 MiB: %v", n, err)
		}
	}
	var held []uint64
	for {
		pos, err := h.Alloc(1000)
		if errors.Is(err, ErrFull) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		held = append(held, pos)
	}
	if want := 16 * (spanSize / 1024); len(held) != want {
		t.Errorf("1 MiB held %d blocks of 1000 bytes, want %d", len(held), want)
	}
	slices.Sort(held)
	for i := 1; i < len(held); i++ {
		if held[i]-held[i-1] < 1000 {
			t.Fatal("blocks overlap")
		}
	}
	for _, pos := range held {
		if err := h.Free(pos); err != nil {
			t.Fatal(err)
		}
	}
	check(t, h)
}

// TestPagesGoBack: the memory of large blocks goes back to the system when they are freed.
func TestPagesGoBack(t *testing.T) {
	s := newShared(t, 8<<20)
	h := s.open()
	pos, err := h.Alloc(4 << 20)
	if err != nil {
		t.Fatal(err)
	}
	block := s.at(pos, 4<<20)
	for i := range block {
		block[i] = 1
	}
	if err := h.Free(pos); err != nil {
		t.Fatal(err)
	}
	if block[0] != 0 || block[len(block)-1] != 0 {
		t.Error("the pages of a freed block are still there")
	}
}

// TestDeadHolder: a lock whose holder was killed does not block others for ever.
func TestDeadHolder(t *testing.T) {
	s := newShared(t, 1<<20)
	if err := s.open().metadata.lock.Lock(func() error { return nil }); err != nil {
		t.Fatal(err)
	}
	over := errors.New("the run is over")
	h := s.open()
	looks := 0
	h.over = func() error {
		if looks++; looks < 3 {
			return nil
		}
		return over
	}
	done := make(chan error)
	go func() {
		_, err := h.Alloc(8)
		done <- err
	}()
	select {
	case err := <-done:
		if !errors.Is(err, over) {
			t.Error(err)
		}
	case <-time.After(time.Minute):
		t.Fatal("blocked for ever")
	}
}

func BenchmarkAllocFree64(b *testing.B) {
	h := newShared(b, 1<<20).open()
	for b.Loop() {
		pos, err := h.Alloc(64)
		if err != nil {
			b.Fatal(err)
		}
		if err := h.Free(pos); err != nil {
			b.Fatal(err)
		}
	}
}

// TestDiscard: a large block becomes zero, and nothing else does. Where the system does not take
// pages back, the block stays as it was.
func TestDiscard(t *testing.T) {
	const size = 16 * Unit
	s := newShared(t, size)
	keeping, failing := s.open(), s.open()
	keeping.purge = nil
	failing.purge = func(uint64, uint64) error { return errors.New("not now") }
	h := s.open()
	var blocks []uint64
	sizes := []uint64{5, largeSize, largeSize + 1, Unit, Unit + 1, 3 * Unit}
	for _, n := range sizes {
		pos, err := h.Alloc(n)
		if err != nil {
			t.Fatal(err)
		}
		blocks = append(blocks, pos)
	}
	for i := range s.data {
		s.data[i] = 7
	}
	for i, n := range sizes {
		if keeping.Discard(blocks[i], n) || failing.Discard(blocks[i], n) {
			t.Errorf("%d bytes are discarded without the system", n)
		}
		large := n > largeSize
		if done := h.Discard(blocks[i], n); done != large {
			t.Errorf("%d bytes are discarded: %v", n, done)
		}
		want := bytes.Repeat([]byte{7}, size)
		if large {
			clear(want[blocks[i]-testBase:][:(n+Unit-1)&^(Unit-1)])
		}
		if !bytes.Equal(s.data, want) {
			t.Errorf("discarding %d bytes changes others, or not all of these", n)
		}
		copy(s.data, bytes.Repeat([]byte{7}, size))
	}
}
