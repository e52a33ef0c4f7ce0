package segment

import (
	"errors"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

func newTable(t testing.TB) *table {
	t.Helper()
	mem, err := unix.Mmap(-1, 0, int(tableSize(maxLeaves)), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS|unix.MAP_NORESERVE)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { unix.Munmap(mem) })
	return tableAt(unsafe.Pointer(&mem[0]), maxLeaves)
}

// check compares a table with the regions that it should have, in order of position.
func check(t *testing.T, table *table, want []entry) {
	t.Helper()
	if got := slices.Collect(table.since(0)); !slices.Equal(got, want) {
		t.Fatalf("the table has %d regions, expected %d, or they are others", len(got), len(want))
	}
	for at := range int(table.head.leaves) {
		l := table.index[at]
		if l.count == 0 || l.first != table.of(at)[0].pos {
			t.Fatalf("leaf %d of %d: %+v", at, table.head.leaves, l)
		}
		if at > 0 && table.index[at-1].count+l.count <= leafSize {
			t.Fatalf("leaves %d and %d have %d and %d regions", at-1, at, table.index[at-1].count, l.count)
		}
	}
}

// TestTableModel compares a table with a sorted list. Positions go up, or are anywhere.
func TestTableModel(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rnd := rand.New(rand.NewPCG(seed, 2))
	table := newTable(t)
	var model []entry
	byPos := func(e entry, pos uint64) int { return int(int64(e.pos) - int64(pos)) }
	last := uint64(UserBase)
	for phase := range 12 {
		grow := 3 + rnd.IntN(2) - 3*(phase%2) // of 4
		for range 4000 {
			if rnd.IntN(4) < grow {
				e := entry{pos: UserBase + rnd.Uint64N(1<<20)*PageSize, size: rnd.Uint64N(100), addr: rnd.Uint64()}
				if phase%3 == 0 {
					last += PageSize
					e.pos = last
				}
				at, found := slices.BinarySearchFunc(model, e.pos, byPos)
				if found {
					continue
				}
				model = slices.Insert(model, at, e)
				if err := table.insert(e); err != nil {
					t.Fatal(err)
				}
			} else if len(model) > 0 {
				at := rnd.IntN(len(model))
				table.remove(model[at].pos + 1) // nothing begins there
				table.remove(model[at].pos)
				model = slices.Delete(model, at, at+1)
			}
			if len(model) == 0 {
				continue
			}
			e := model[rnd.IntN(len(model))]
			if at, ok := table.lookup(e.pos, e.size); !ok || at != e.addr {
				t.Fatalf("region at %#x: %#x, %v", e.pos, at, ok)
			}
			if _, ok := table.lookupOnce(e.pos+e.size, 1); ok {
				t.Fatalf("there is a byte behind the region at %#x", e.pos)
			}
			i, _ := slices.BinarySearchFunc(model, e.pos, byPos)
			if before, ok := table.before(e.pos); ok != (i > 0) || ok && before != model[i-1] {
				t.Fatalf("before %#x is %+v, %v", e.pos, before, ok)
			}
		}
		check(t, table, model)
	}
	table.clear()
	check(t, table, nil)
	if int(table.head.made) != len(table.free) {
		t.Errorf("%d of %d leaves are free in an empty table", len(table.free), table.head.made)
	}
}

// TestFullTable fills a table.
func TestFullTable(t *testing.T) {
	table := newTable(t)
	for i := range uint64(maxEntries) {
		if err := table.insert(entry{pos: UserBase + i*2*PageSize, size: 8, addr: i}); err != nil {
			t.Fatal(err)
		}
	}
	if err := table.insert(entry{pos: UserEnd - PageSize}); !errors.Is(err, ErrTableFull) {
		t.Errorf("one region too many: %v", err)
	}
	const some = maxEntries - 12345
	if got, ok := table.lookup(UserBase+some*2*PageSize, 8); !ok || got != some {
		t.Errorf("region %d: %d, %v", some, got, ok)
	}
	if want := uint32(maxEntries / leafSize); table.head.made != want {
		t.Errorf("positions that go up leave leaves that are not full: %d leaves, expected %d", table.head.made, want)
	}
}

// TestTableInAnyOrder takes 2^18 regions out in three orders. Where a region costs time in proportion
// to their number, this test takes more than ten minutes.
func TestTableInAnyOrder(t *testing.T) {
	const count = 1 << 18
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rnd := rand.New(rand.NewPCG(seed, 3))
	order := rnd.Perm(count)
	s, _ := newSpace(t)
	keys := make([]Key, count)
	for _, at := range []func(i int) int{
		func(i int) int { return i },
		func(i int) int { return count - 1 - i },
		func(i int) int { return order[i] },
	} {
		for i := range keys {
			var err error
			if keys[i], _, err = s.Lend(1<<30+uintptr(i)*64, 32); err != nil {
				t.Fatal(err)
			}
		}
		for i := range keys {
			if _, last, err := s.Withdraw(keys[at(i)]); err != nil || !last {
				t.Fatalf("Withdraw: %v, %v", last, err)
			}
		}
		check(t, s.table, nil)
		if s.regs.covered.covers(extent{1 << 30, 1}) || len(s.regs.covered.groups) != 0 || len(s.regs.regions.runs) != 0 {
			t.Fatal("regions are left")
		}
	}
}

// TestLookupAmongMany looks regions up that stay, in this process and as a peer, while others come
// and go. The leaves around them are split and joined all the time.
func TestLookupAmongMany(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rnd := rand.New(rand.NewPCG(seed, 4))
	s, v := newView(t)
	const count = 4000
	mem := foreign(t, count*64)
	publish := func(i int) (Key, uint64) {
		key, err := s.Register(addr(mem)+uintptr(i*64), 8, 0)
		if err != nil {
			t.Fatal(err)
		}
		pos, err := s.Translate(key, addr(mem)+uintptr(i*64))
		if err != nil {
			t.Fatal(err)
		}
		return key, pos
	}
	type region struct {
		key Key
		pos uint64
	}
	var all [count]region
	for i := range all {
		all[i].key, all[i].pos = publish(i)
	}
	stays := func(i int) bool { return i%100 == 0 }
	var stop atomic.Bool
	failed := make(chan int, 2)
	for reader, lookup := range []func(pos, n uint64) (uint64, bool){v.lookup, s.table.lookup} {
		go func() {
			rnd := rand.New(rand.NewPCG(seed, 5+uint64(reader)))
			for !stop.Load() {
				i := 100 * rnd.IntN(count/100)
				if at, ok := lookup(all[i].pos, 8); !ok || at != uint64(addr(mem))+uint64(i)*64 {
					failed <- i
					return
				}
			}
			failed <- -1
		}()
	}
	for range 5 {
		order := rnd.Perm(count)
		for _, i := range order {
			if !stays(i) {
				gone, last, err := s.Withdraw(all[i].key)
				if err != nil || !last || !gone.Touch(unsafe.Pointer(&mem[i*64]), 1) {
					t.Fatalf("Withdraw: %v, %v", last, err)
				}
			}
		}
		s.regs.nextPos = UserBase // the new regions go between the old ones
		for _, i := range order {
			if !stays(i) {
				all[i].key, all[i].pos = publish(i)
			}
		}
	}
	stop.Store(true)
	for range 2 {
		if i := <-failed; i >= 0 {
			t.Errorf("a reader does not find region %d", i)
		}
	}
}
