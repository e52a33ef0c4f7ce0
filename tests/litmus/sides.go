//go:build cgo

package litmus

// #cgo CFLAGS: -I${SRCDIR}/../../lib/acp
// #include <stdlib.h>
// #include "litmus.h"
import "C"

import (
	"runtime"
	"sync/atomic"
	"unsafe"

	"github.com/goacp/goacp/internal/fabric"
)

// cell has the words of two threads in separate cache lines, and the values that they have loaded.
type cell = C.struct_litmus_cell

// withoutFences means that the sides lack the fences that keep their order.
var withoutFences = C.litmus_without_fences != 0

// side is the program of one thread of a pattern. index is the number of the thread.
type side struct {
	name string
	walk func(cells []cell, index int)
}

// inC returns the side that stores and loads in a way of litmus.h.
func inC(name string, how C.int) side {
	return side{"C " + name, func(cells []cell, index int) {
		C.litmus_store_load(how, &cells[0], C.size_t(len(cells)), C.int(index))
	}}
}

// stores are the sides that store their word and then load the word of the other thread. Any two are tested
// together.
var stores = []side{
	inC("fence", C.LITMUS_FENCE),
	inC("seq_cst", C.LITMUS_SEQ_CST),
	inC("exchange", C.LITMUS_EXCHANGE),
	inC("compare-and-swap", C.LITMUS_COMPARE),
	inC("count", C.LITMUS_COUNT),
	{"Go store", func(cells []cell, index int) { // SubmissionQueue, ring
		for i := range cells {
			mine, other, seen := words(&cells[i], index)
			if withoutFences {
				*mine = 1
				*seen = *other
				continue
			}
			atomic.StoreUint64(mine, 1)
			*seen = atomic.LoadUint64(other)
		}
	}},
	{"Go add", func(cells []cell, index int) { // EventCount.Park, table.enter
		for i := range cells {
			mine, other, seen := words(&cells[i], index)
			if withoutFences {
				*mine = 1
				*seen = *other
				continue
			}
			atomic.AddUint64(mine, 1)
			*seen = atomic.LoadUint64(other)
		}
	}},
}

// mark and barrier are the sides of a reader that makes no barrier, and of the thread that waits for it.
var mark, barrier = inC("mark", C.LITMUS_MARK), inC("membarrier", C.LITMUS_MEMBARRIER)

// canBarrier reports whether the kernel offers the barrier.
func canBarrier() bool { return C.litmus_prepare_membarrier() != 0 }

// words returns the word of a thread, the word of the other thread, and the place for the value that the
// first thread loads.
func words(c *cell, index int) (mine, other, seen *uint64) {
	return (*uint64)(&c.word[index][0]), (*uint64)(&c.word[1-index][0]), (*uint64)(&c.seen[index])
}

// senders store data to word 0 and a flag to word 1. receivers load the flag and then the data.
var (
	senders = []side{
		{"C move", func(cells []cell, _ int) { C.litmus_send(&cells[0], C.size_t(len(cells))) }},
		{"C holder", func(cells []cell, _ int) { C.litmus_send_holder(&cells[0], C.size_t(len(cells))) }},
		{"Go move", func(cells []cell, _ int) {
			one := uint64(1)
			for i := range cells {
				data, flag, _ := words(&cells[i], 0)
				*data = 1
				fabric.Move(unsafe.Pointer(flag), unsafe.Pointer(&one), 8)
			}
		}},
	}
	receivers = []side{
		{"C move", func(cells []cell, _ int) { C.litmus_receive(&cells[0], C.size_t(len(cells))) }},
		{"Go atomic", func(cells []cell, _ int) {
			for i := range cells {
				flag, data, seen := words(&cells[i], 1)
				*seen = atomic.LoadUint64(flag)
				cells[i].seen[0] = C.uint64_t(*data)
			}
		}},
	}
)

// newCells returns cells that the collector of Go does not move or free. free frees them.
func newCells(n int) (cells []cell, free func()) {
	p := C.aligned_alloc(128, C.size_t(n)*C.sizeof_struct_litmus_cell)
	return unsafe.Slice((*cell)(p), n), func() { C.free(p) }
}

// table is a table of registered memory with one region, whose size and address change together.
type table struct{ at *C.struct_goacp_regions }

// position is the position of the region.
const position = 1 << 43

func newTable() table {
	t := table{(*C.struct_goacp_regions)(C.calloc(1, C.litmus_table_size()))}
	C.litmus_begin_table(t.at, position)
	return t
}

func (t table) free() { C.free(unsafe.Pointer(t.at)) }

func (t table) changeInC(n uint64) { C.litmus_change(t.at, C.uint64_t(n)) }

// changeInGo changes the region as change of package segment does.
func (t table) changeInGo(n uint64) {
	sequence, region := t.words()
	for i := uint64(1); i <= n; i++ {
		atomic.AddUint32(sequence, 1)
		atomic.StoreUint64(&region[1], i)
		atomic.StoreUint64(&region[2], i)
		atomic.AddUint32(sequence, 1)
	}
}

// lookInC returns the number of lookups, of n, in which size and address differ, and the number that found
// a region.
func (t table) lookInC(n uint64) (wrong, found uint64) {
	w := C.litmus_look(t.at, position, C.uint64_t(n), (*C.uint64_t)(&found))
	return uint64(w), found
}

// lookInGo is the same as lookInC, with the steps of lookupOnce of package segment.
func (t table) lookInGo(n uint64) (wrong, found uint64) {
	sequence, region := t.words()
	for range n {
		before := atomic.LoadUint32(sequence)
		size, address := atomic.LoadUint64(&region[1]), atomic.LoadUint64(&region[2])
		if before%2 != 0 || atomic.LoadUint32(sequence) != before {
			continue
		}
		found++
		if size != address {
			wrong++
		}
	}
	return wrong, found
}

func (t table) words() (sequence *uint32, region *[3]uint64) {
	return (*uint32)(C.litmus_sequence(t.at)), (*[3]uint64)(unsafe.Pointer(C.litmus_region(t.at)))
}

// guarded is a number that threads increment under a lock.
type guarded struct {
	lock uint32
	n    uint64
}

func (g *guarded) incrementInC(n uint64) {
	C.litmus_increment((*C.uint32_t)(&g.lock), (*C.uint64_t)(&g.n), C.uint64_t(n))
}

// incrementInGo locks as SubmissionQueue.Lock and Unlock do.
func (g *guarded) incrementInGo(n uint64) {
	for range n {
		for !atomic.CompareAndSwapUint32(&g.lock, 0, 1) {
			runtime.Gosched()
		}
		g.n++
		atomic.StoreUint32(&g.lock, 0)
	}
}
