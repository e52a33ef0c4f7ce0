//go:build cgo

package libacp

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"unsafe"

	"github.com/goacp/goacp/internal/acptest/machine"
	"github.com/goacp/goacp/internal/memory/heap"
	"github.com/goacp/goacp/internal/memory/maptable"
	"github.com/goacp/goacp/internal/memory/segment"
	"golang.org/x/sys/unix"
)

// located are the tables in which C and Go locate addresses.
type located struct {
	table   *maptable.Table
	extents []segment.Extent
	layouts []segment.Layout
	space   *segment.Space // of this process
	regions []uint64       // global addresses of registered memory
	pooled  uint64         // bytes from the first of them on that are a pool
	memory  uintptr        // where they are
}

const (
	locatedRanks  = 6
	locatedOwn    = 2
	locatedHidden = 4 // is not mapped
	regionSize    = 1000
)

// foreignMemory returns memory that the Go runtime does not manage.
func foreignMemory(t *testing.T, n int) []byte {
	t.Helper()
	b, err := unix.Mmap(-1, 0, n, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { unix.Munmap(b) })
	return b
}

// newLocated makes tables with sizes of all kinds. Nothing is mapped at most of the
// addresses that they lead to.
func newLocated(t *testing.T) *located {
	t.Helper()
	table := maptable.In(unsafe.Pointer(unsafe.SliceData(foreignMemory(t, int(maptable.Size(locatedRanks))))), locatedRanks)
	l := &located{table: table}
	starters := []uint64{0, 10240, 57344 - 4096, 57344 - 4095, 1 + rand.Uint64N(1<<20), rand.Uint64N(1 << 30)}
	rand.Shuffle(len(starters), func(i, j int) { starters[i], starters[j] = starters[j], starters[i] })
	base := unsafe.Pointer(unsafe.SliceData(foreignMemory(t, 4096)))
	for r, starter := range starters {
		x := segment.Extent{Base: unsafe.Add(base, r*64), Heap: rand.Uint64N(100) * heap.Unit}
		if r == locatedHidden {
			x = segment.Extent{}
		}
		l.extents = append(l.extents, x)
		l.layouts = append(l.layouts, segment.Layout{Starter: starter, Heap: 1 << 30})
		table.Map(r, &x, l.layouts[r])
	}
	table.SetRank(locatedOwn)
	l.register(t)
	l.mapPools()
	return l
}

// mapPools lets some ranks have the registered memory of this process, a part of which lies in a pool.
func (l *located) mapPools() {
	for r := range l.extents {
		if r == locatedHidden || rand.IntN(3) == 0 {
			continue
		}
		x := &l.extents[r]
		x.Pool = segment.PoolExtent{
			Regions: l.space.Regions(), MappedLeaves: 1 + rand.Uint32N(2)*1000, Pages: uint32(l.pooled / segment.PageSize),
			Addr: uint64(l.memory), Base: unsafe.Add(x.Base, 1<<40),
		}
		l.table.Map(r, x, l.layouts[r])
	}
}

// register makes a table of registered memory after regions were registered and unregistered.
func (l *located) register(t *testing.T) {
	t.Helper()
	var err error
	if l.space, err = segment.New(segment.Run{1}, locatedOwn, segment.Layout{Starter: 4096, Heap: 1 << 20}, segment.Slot{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.space.Close() })
	l.table.SetRegions(l.space.Regions())
	const regions, distance = 60, 5000
	memory := uintptr(unsafe.Pointer(unsafe.SliceData(foreignMemory(t, regions*distance))))
	l.memory, l.pooled = memory, rand.Uint64N(regions*distance/segment.PageSize)*segment.PageSize
	for _, i := range rand.Perm(regions) {
		addr := memory + uintptr(i*distance)
		key, err := l.space.Register(addr, regionSize, 0)
		if err != nil {
			t.Fatal(err)
		}
		pos, err := l.space.Translate(key, addr)
		if err != nil {
			t.Fatal(err)
		}
		l.regions = append(l.regions, locatedOwn<<maptable.RankShift|pos)
		if rand.IntN(3) == 0 {
			if _, err := l.space.Unregister(key); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// query returns an address, mostly at an edge of some memory, and a number of bytes.
func (l *located) query() (ga, n uint64) {
	rank := rand.IntN(locatedRanks)
	layout := l.layouts[rank]
	edges := []uint64{
		0, segment.StarterOffset, segment.StarterOffset + layout.Starter, layout.HeapOffset(),
		layout.HeapOffset() + l.extents[rank].Heap, segment.UserBase, segment.UserEnd - 1, rand.Uint64N(segment.UserEnd),
	}
	ga = uint64(rank)<<maptable.RankShift | edges[rand.IntN(len(edges))]
	if rand.IntN(2) == 0 {
		ga = l.regions[rand.IntN(len(l.regions))] + rand.Uint64N(2)*regionSize
		ga = ga%segment.UserEnd | uint64(rank)<<maptable.RankShift
	}
	if rand.IntN(10) == 0 {
		ga ^= 1 << (maptable.RankShift + rand.IntN(20))
	}
	if rand.IntN(2) == 0 {
		return ga + rand.Uint64N(41) - 20, rand.Uint64N(16)
	}
	sizes := []uint64{regionSize, layout.Starter, l.extents[rank].Heap, rand.Uint64(), ^uint64(0)}
	return ga + rand.Uint64N(41) - 20, sizes[rand.IntN(len(sizes))] + rand.Uint64N(5) - 2
}

// locate is what package acp does for an address that this process may reach by loads.
func (l *located) locate(ga, n uint64) unsafe.Pointer {
	if addr := l.table.At(ga, n); addr != nil {
		return addr
	}
	if addr := l.table.HeapAt(ga, n); addr != nil {
		return addr
	}
	if addr := l.table.Pooled(ga, n); addr != nil {
		return addr
	}
	if pos := ga % segment.UserEnd; pos >= segment.UserBase && l.table.IsOwn(ga) {
		if addr, err := l.space.Resolve(pos, n); err == nil {
			return addr
		}
	}
	return nil
}

// write writes what testdata/locate.c reads before the queries, with the path of the table of
// registered memory.
func (l *located) write(t *testing.T, input *bytes.Buffer) (regions string) {
	t.Helper()
	fmt.Fprintln(input, locatedRanks, locatedOwn)
	for r, x := range l.extents {
		fmt.Fprintln(input, uintptr(x.Base), l.layouts[r].Starter, x.Heap, x.Pool.MappedLeaves, x.Pool.Pages, x.Pool.Addr, uintptr(x.Pool.Base))
	}
	regions = filepath.Join(t.TempDir(), "regions")
	table := l.space.Memory()[l.space.Layout().TableOffset():]
	if err := os.WriteFile(regions, table[:1<<18], 0o600); err != nil {
		t.Fatal(err)
	}
	return regions
}

// TestLocate: C and Go find the same memory at the same addresses: starter memory, heaps, registered
// memory in pools and own registered memory.
func TestLocate(t *testing.T) {
	path := program(t, "locate")
	for turn := range 20 {
		l := newLocated(t)
		var input bytes.Buffer
		regions := l.write(t, &input)
		var queries, want []string
		found := 0
		for range 5000 {
			ga, n := l.query()
			queries = append(queries, fmt.Sprint(ga, " ", n))
			addr := l.locate(ga, n)
			want = append(want, fmt.Sprint(uintptr(addr)))
			if addr != nil {
				found++
			}
		}
		fmt.Fprintln(&input, strings.Join(queries, "\n"))
		cmd := machine.Command(t.Context(), path, regions)
		cmd.Stdin = &input
		out, err := cmd.Output()
		if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
			t.Fatalf("%v: %s", err, exit.Stderr)
		}
		got := strings.Fields(string(out))
		if err != nil || len(got) != len(want) {
			t.Fatalf("%v, %d answers to %d queries", err, len(got), len(want))
		}
		if found < 200 || found > 4800 {
			t.Errorf("turn %d: %d of 5000 addresses lead somewhere", turn, found)
		}
		for i := range got {
			if got[i] != want[i] {
				t.Fatalf("turn %d, address and size %s: C finds %s, Go %s", turn, queries[i], got[i], want[i])
			}
		}
	}
}
