package segment

import (
	"errors"
	"math"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

const poolSize = 16 * PageSize

// newPool returns a pool, with as much other memory behind it, and the memory of both.
func newPool(t *testing.T) (Pool, []byte) {
	t.Helper()
	fd, err := newMemory(7, poolSize)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { unix.Close(fd) })
	mem := foreign(t, 2*poolSize)
	at := unsafe.Pointer(unsafe.SliceData(mem))
	if _, err := unix.MmapPtr(fd, 0, at, poolSize, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED|unix.MAP_FIXED); err != nil {
		t.Fatal(err)
	}
	return Pool{FD: fd, Addr: at, Size: poolSize}, mem
}

// registerIn registers the bytes from … to of mem and returns the position of the first.
func registerIn(t *testing.T, s *Space, mem []byte, from, to int) (Key, uint64) {
	t.Helper()
	key, err := s.Register(addr(mem)+uintptr(from), uint64(to-from), 0)
	var pos uint64
	if err == nil {
		pos, err = s.Translate(key, addr(mem)+uintptr(from))
	}
	if err != nil {
		t.Fatal(err)
	}
	return key, pos
}

// TestPool: registered memory in the pool is mapped by peers, as far as it lies there, until it is
// unregistered.
func TestPool(t *testing.T) {
	s, v := newView(t)
	pool, mem := newPool(t)
	key, pos := registerIn(t, s, mem, 100, 200)
	_, across := registerIn(t, s, mem, poolSize-100, poolSize+100)
	_, beside := registerIn(t, s, mem, poolSize+1000, poolSize+2000)
	if v.Mapped(pos, 1) != nil {
		t.Fatal("mapped without a pool")
	}
	if err := s.SetPool(pool); err != nil {
		t.Fatal(err)
	}
	at := v.Mapped(pos, 100)
	if at == nil || at == unsafe.Pointer(&mem[100]) {
		t.Fatalf("registered memory of the pool is at %v", at)
	}
	mem[199] = 5
	if *(*byte)(unsafe.Add(at, 99)) != 5 {
		t.Error("the memory is not shared")
	}
	for _, c := range []struct {
		pos, n uint64
		mapped bool
	}{
		{pos + 99, 1, true}, {pos + 100, 0, true}, {pos + 100, 1, false}, {pos - 1, 1, false}, {pos, 101, false}, {pos, math.MaxUint64, false},
		{across, 100, true}, {across, 101, false}, {across + 100, 1, false}, {beside, 1, false},
	} {
		for name, x := range map[string]*Extent{"the peer": v.Extent(), "the owner": s.Extent()} {
			if got := x.Pool.At(c.pos, c.n); (got != nil) != c.mapped {
				t.Errorf("%s: %d bytes at %#x are at %v", name, c.n, c.pos, got)
			}
		}
		if got := v.Mapped(c.pos, c.n); (got != nil) != c.mapped {
			t.Errorf("%d bytes at %#x are mapped at %v", c.n, c.pos, got)
		}
	}
	// What is not mapped is reached as any registered memory.
	got := make([]byte, 200)
	mem[poolSize] = 8
	if err := v.Read(unsafe.Pointer(&got[0]), across, 200); err != nil || got[100] != 8 {
		t.Errorf("memory at the end of the pool: %v, %d", err, got[100])
	}
	if _, err := s.Unregister(key); err != nil {
		t.Fatal(err)
	}
	if v.Mapped(pos, 1) != nil || v.Extent().Pool.At(pos, 1) != nil {
		t.Error("mapped after it was unregistered")
	}
	*(*byte)(at) = 6 // as a late access does
	if mem[100] != 6 {
		t.Error("the mapping is gone")
	}
}

// TestPoolOfManyRegions: a table that grows is mapped anew, beside the pool.
func TestPoolOfManyRegions(t *testing.T) {
	s, v := newView(t)
	pool, mem := newPool(t)
	if err := s.SetPool(pool); err != nil {
		t.Fatal(err)
	}
	const first = firstLeaves * leafSize
	for i := range 3 * first {
		if _, pos := registerIn(t, s, mem, i*16, i*16+8); i%first == 0 || i%first == first-1 {
			before := v.Extent().Pool.MappedLeaves
			if v.Mapped(pos, 8) == nil || v.Extent().Pool.At(pos, 8) == nil {
				t.Fatalf("region %d is not mapped", i)
			}
			if leaves := v.Extent().Pool.MappedLeaves; leaves < before || leaves <= uint32(i/leafSize) {
				t.Fatalf("region %d: %d leaves are mapped, after %d", i, leaves, before)
			}
		}
	}
	before := v.Extent().Pool
	if v.Reach(layout.Heap) == nil || v.Extent().Pool != before {
		t.Error("mapping the heap changes the pool")
	}
}

// TestPoolIsChecked: what the owner cannot show to peers.
func TestPoolIsChecked(t *testing.T) {
	good, _ := newPool(t)
	loose, err := unix.MemfdCreate("test", unix.MFD_CLOEXEC)
	if err == nil {
		err = unix.Ftruncate(loose, poolSize)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(loose)
	for name, change := range map[string]func(*Pool){
		"no bytes":     func(p *Pool) { p.Size = 0 },
		"half a page":  func(p *Pool) { p.Size = PageSize / 2 },
		"inside pages": func(p *Pool) { p.Addr = unsafe.Add(p.Addr, 8) },
		"no address":   func(p *Pool) { p.Addr = nil },
		"too long":     func(p *Pool) { p.Size = maxPool + PageSize },
		"short file":   func(p *Pool) { p.Size += PageSize },
		"not sealed":   func(p *Pool) { p.FD = loose },
		"closed":       func(p *Pool) { p.FD = 1 << 20 },
	} {
		s, _ := newSpace(t)
		p := good
		change(&p)
		if err := s.SetPool(p); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

// TestPoolOfHostilePeer: a peer maps no other file, and nothing outside the pool, whatever the owner says.
func TestPoolOfHostilePeer(t *testing.T) {
	for name, change := range map[string]func(*poolRecord){
		"other file":     func(r *poolRecord) { r.ino++ },
		"other device":   func(r *poolRecord) { r.dev++ },
		"no descriptor":  func(r *poolRecord) { r.fd = math.MaxUint64 },
		"longer":         func(r *poolRecord) { r.size += PageSize },
		"no whole pages": func(r *poolRecord) { r.size-- },
		"huge":           func(r *poolRecord) { r.size = math.MaxUint64 &^ (PageSize - 1) },
		"elsewhere":      func(r *poolRecord) { r.addr = PageSize },
		"past the end":   func(r *poolRecord) { r.addr = math.MaxUint64 - poolSize + 2; r.size = poolSize },
	} {
		s, v := newView(t)
		pool, mem := newPool(t)
		if err := s.SetPool(pool); err != nil {
			t.Fatal(err)
		}
		change(&s.header().pool)
		_, pos := registerIn(t, s, mem, 0, 64)
		if at := v.Mapped(pos, 8); at != nil {
			t.Errorf("%s: mapped at %v", name, at)
		}
		var word uint64
		if err := v.Read(unsafe.Pointer(&word), pos, 8); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestPoolWithoutAddressSpace: without room for the pool, its memory is reached as any registered memory.
func TestPoolWithoutAddressSpace(t *testing.T) {
	s, v := newView(t)
	pool, mem := newPool(t)
	if err := s.SetPool(pool); err != nil {
		t.Fatal(err)
	}
	_, pos := registerIn(t, s, mem, 0, 64)
	var old unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_AS, &old); err != nil {
		t.Fatal(err)
	}
	limited := old
	limited.Cur = math.MaxInt64 / 2
	err := unix.Setrlimit(unix.RLIMIT_AS, &limited) // so that addressSpace counts
	used, _, err2 := addressSpace()
	limited.Cur = used + reserve/2
	err = errors.Join(err, err2, unix.Setrlimit(unix.RLIMIT_AS, &limited))
	at := v.Mapped(pos, 8)
	if err := errors.Join(err, unix.Setrlimit(unix.RLIMIT_AS, &old)); err != nil {
		t.Fatal(err)
	}
	if at != nil {
		t.Errorf("mapped at %v", at)
	}
	var word uint64
	if err := v.Read(unsafe.Pointer(&word), pos, 8); err != nil {
		t.Error(err)
	}
}
