package segment

import (
	"errors"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"
	"unsafe"

	"github.com/goacp/goacp/internal/fabric"
	"golang.org/x/sys/unix"
)

func notOver() error { return nil }

// TestDrainWaits drains a space while a peer is in an access, and another begins later.
func TestDrainWaits(t *testing.T) {
	s, v := newView(t)
	early := v.table.Load().enter()
	var left atomic.Bool
	asked := make(chan struct{})
	once := 0
	done := make(chan error)
	go func() {
		done <- s.Drain(func() error {
			if once++; once == 1 {
				close(asked)
			}
			return nil
		})
	}()
	select {
	case <-asked: // the access keeps Drain waiting
	case err := <-done:
		t.Fatalf("Drain has returned %v during an access", err)
	}
	late := v.table.Load().enter()
	if late&1 == early&1 {
		t.Error("an access that begins after Drain counts as an earlier one")
	}
	select {
	case err := <-done:
		t.Fatalf("Drain has returned %v during an access", err)
	default:
	}
	left.Store(true)
	v.table.Load().leave(early)
	if err := <-done; err != nil || !left.Load() {
		t.Errorf("Drain: %v", err)
	}
	v.table.Load().leave(late)
	if err := s.Drain(notOver); err != nil {
		t.Errorf("second Drain: %v", err)
	}
}

// TestDrainEndsWithTheRun drains a space that a dead peer has entered.
func TestDrainEndsWithTheRun(t *testing.T) {
	s, v := newView(t)
	v.table.Load().enter()
	over := errors.New("over")
	asked := 0
	err := s.Drain(func() error {
		if asked++; asked > 3 {
			return over
		}
		return nil
	})
	if err != over {
		t.Errorf("Drain: %v, want what over says", err)
	}
}

// TestDrainAmongMany lets peers use a region all the time that is withdrawn and published
// again. After Drain its memory is not touched, or the test crashes.
func TestDrainAmongMany(t *testing.T) {
	const size = 5 << 20 // more than one piece
	s, run := newSpace(t)
	mem := foreign(t, size)
	var at atomic.Uint64
	var stop atomic.Bool
	failed := make(chan error)
	const peers = 2
	for range peers {
		go func() {
			v, err := Attach(peerInfo(s, run))
			if err != nil {
				failed <- err
				return
			}
			defer v.Close()
			buf := make([]byte, size)
			for !stop.Load() {
				pos := at.Load()
				err := v.Write(pos, unsafe.Pointer(&buf[0]), size)
				var bad *fabric.RangeError
				if err != nil && (!errors.As(err, &bad) || bad.Pos != pos || bad.Size != size) {
					failed <- err
					return
				}
			}
			failed <- nil
		}()
	}
	for range 15 {
		key, err := s.Register(addr(mem), size, 0)
		if err != nil {
			t.Fatal(err)
		}
		pos, err := s.Translate(key, addr(mem))
		if err != nil {
			t.Fatal(err)
		}
		at.Store(pos)
		for mem[size/2] = 1; mem[size/2] == 1; { // a peer writes zeros
			unix.Getppid()
		}
		gone, last, err := s.Withdraw(key)
		if err != nil || !last || !gone.Touch(unsafe.Pointer(&mem[size-1]), 1) {
			t.Fatalf("Withdraw: %v, %v, %v", gone, last, err)
		}
		if err := s.Drain(notOver); err != nil {
			t.Fatal(err)
		}
		for i := range mem {
			mem[i] = 1
		}
		for i, b := range mem {
			if b != 1 {
				t.Fatalf("byte %d was written after Drain", i)
			}
		}
	}
	stop.Store(true)
	for range peers {
		if err := <-failed; err != nil {
			t.Error(err)
		}
	}
}

// TestWithdrawLeavesWhatIsStillPublished withdraws regions that others overlap.
func TestWithdrawLeavesWhatIsStillPublished(t *testing.T) {
	s, _ := newSpace(t)
	mem := foreign(t, 8192)
	publish := func(lo, hi int) Key {
		t.Helper()
		key, err := s.Register(addr(mem)+uintptr(lo), uint64(hi-lo), 0)
		if err == nil {
			_, err = s.Translate(key, addr(mem)+uintptr(lo))
		}
		if err != nil {
			t.Fatal(err)
		}
		return key
	}
	all := publish(0, 1000)
	middle, end := publish(400, 500), publish(900, 1100)
	for _, c := range []struct {
		key  Key
		want []extent
	}{
		{all, []extent{{0, 400}, {500, 400}}},
		{middle, []extent{{400, 100}}},
		{end, []extent{{900, 200}}},
	} {
		gone, last, err := s.Withdraw(c.key)
		if err != nil || !last || gone.Empty() {
			t.Fatalf("Withdraw: %v, %v", last, err)
		}
		for i := range mem {
			want := slices.ContainsFunc(c.want, func(x extent) bool { return within(uint64(i), 1, x.addr, x.size) })
			if got := gone.Touch(unsafe.Pointer(&mem[i]), 1); got != want {
				t.Errorf("Withdraw: byte %d is gone: %v, expected %v", i, got, want)
			}
		}
		for _, n := range []uint64{0, 1} {
			if gone.Touch(unsafe.Pointer(&mem[1500]), n) || gone.Touch(unsafe.Pointer(&mem[0]), n) != (n > 0 && c.key == all) {
				t.Errorf("Withdraw: wrong about %d bytes", n)
			}
		}
	}
}

// TestUnmappedByOwner uses memory that its owner has unmapped, and local memory that does
// not exist.
func TestUnmappedByOwner(t *testing.T) {
	s, v := newView(t)
	mem, local := foreign(t, 8192), foreign(t, 8192)
	key, err := s.Register(addr(mem), 8192, 0)
	if err != nil {
		t.Fatal(err)
	}
	pos, err := s.Translate(key, addr(mem))
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range [][]byte{mem, local} {
		if err := unix.Mprotect(b[4096:], unix.PROT_NONE); err != nil {
			t.Fatal(err)
		}
	}
	var bad *fabric.RangeError
	here := unsafe.Pointer(unsafe.SliceData(foreign(t, 8192)))
	for name, err := range map[string]error{
		"write": v.Write(pos, here, 4096+8), "read": v.Read(here, pos+4096, 8),
	} {
		if !errors.As(err, &bad) {
			t.Errorf("%s of unmapped memory: %v, want a range error", name, err)
		}
	}
	for name, err := range map[string]error{
		"write": v.Write(pos, unsafe.Pointer(&local[4096]), 8), "read": v.Read(unsafe.Pointer(&local[4096]), pos, 8),
	} {
		if err == nil || errors.As(err, &bad) {
			t.Errorf("%s with local memory that is not there: %v, which is no range error", name, err)
		}
	}
}

// FuzzTable gives a peer's table of registered memory random contents. Looking up and copying
// must fail or succeed, and not crash.
func FuzzTable(f *testing.F) {
	f.Add(uint64(0), uint64(1), uint64(UserBase), uint64(8), uint64(0), uint64(UserBase), uint64(9))
	f.Add(uint64(1), uint64(1), uint64(UserBase), uint64(8), uint64(0), uint64(UserBase), uint64(8))
	f.Add(uint64(2), uint64(1<<32-1), uint64(UserBase), ^uint64(0), ^uint64(0), uint64(UserBase+1), ^uint64(0))
	f.Add(uint64(3), uint64(leafSize), uint64(0), uint64(1)<<63, uint64(1)<<63, uint64(UserEnd-1), uint64(1)<<63)
	f.Add(uint64(4), uint64(7), uint64(UserBase), uint64(1)<<40, uint64(4096), uint64(UserBase), uint64(100<<20))
	run := newRun()
	s, err := New(run, 3, layout, Slot{})
	if err != nil {
		f.Fatal(err)
	}
	defer s.Close()
	v, err := Attach(peerInfo(s, run))
	if err != nil {
		f.Fatal(err)
	}
	defer v.Close()
	f.Fuzz(func(t *testing.T, seed, count, pos, size, at, from, n uint64) {
		rng := rand.New(rand.NewPCG(seed, 0))
		for i := range min(count%8, 8) {
			e := entry{pos: pos + rng.Uint64N(4)*size, size: size, addr: at}
			if i > 0 {
				e = entry{pos: rng.Uint64(), size: rng.Uint64(), addr: rng.Uint64()}
			}
			s.table.entries[i] = e
		}
		s.table.index[0] = leaf{first: pos, count: uint32(count)}
		s.table.index[1] = leaf{first: rng.Uint64(), at: rng.Uint32(), count: rng.Uint32()}
		s.table.head.leaves = 1 + uint32(seed)
		defer func() { s.table.head.leaves = 0 }()
		if addr, ok := v.lookup(from, n); ok && n > size && count == 1 && seed == 0 {
			t.Errorf("%d bytes at %#x were found at %#x in a region of %d", n, from, addr, size)
		}
		// The table may point at any memory of this process; reading is harmless.
		local := make([]byte, 64)
		_ = v.Read(unsafe.Pointer(&local[0]), from, min(n, 64))
	})
}
