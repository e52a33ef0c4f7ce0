// Package table has the data of global pointer arrays for C: the distribution of their places over the ranks, and the
// addresses of the records of each rank. C needs no call into Go for a get or a put of mapped elements. The table
// lies outside the Go heap. C has its layout from lib/acp/layout.h.
package table

import (
	"fmt"
	"unsafe"

	"github.com/goacp/goacp/internal/memory/lookup"
	"github.com/goacp/goacp/internal/memory/maptable"
	"github.com/goacp/goacp/internal/system/gp/grid"
	"golang.org/x/sys/unix"
)

// MaxDims is the most dimensions of an array.
//
//goacp:c GOACP_GP_
const MaxDims = grid.MaxDims

// head is the beginning of the table.
//
//goacp:c goacp_gp
type head struct {
	direct unsafe.Pointer `c:"const struct goacp_direct *"` // what this process has mapped
	arrays lookup.Table   // by their numbers
}

// array is where the places of an array are. It does not change.
//
//goacp:c goacp_gp_array
type array struct {
	dims       uint64
	records    unsafe.Pointer `c:"const uint64_t *"` // by rank: the address of its records, for all ranks
	dimensions [MaxDims]dimension
}

// dimension is one dimension of an array.
//
//goacp:c goacp_gp_dimension
type dimension struct {
	places uint64
	blocks uint64
	starts unsafe.Pointer `c:"const int32_t *"` // the first index of each block
}

// Table is the table of one process. One goroutine at a time calls its methods.
type Table struct {
	head *head
	mem  map[int][]byte // of each array, by number
}

// New makes a table without arrays. It is never freed, since a thread of C may read it after the end of the arrays.
func New(d *maptable.Table) (*Table, error) {
	mem, err := mapped(unsafe.Sizeof(head{}))
	if err != nil {
		return nil, err
	}
	t := &Table{(*head)(unsafe.Pointer(unsafe.SliceData(mem))), make(map[int][]byte)}
	t.head.direct = unsafe.Pointer(d)
	return t, nil
}

// mapped returns n bytes outside the Go heap, which are 0.
func mapped(n uintptr) ([]byte, error) {
	mem, err := unix.Mmap(-1, 0, int(n), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS)
	if err != nil {
		return nil, fmt.Errorf("table of %d bytes: %w", n, err)
	}
	return mem, nil
}

// Address returns where C finds the table.
func (t *Table) Address() unsafe.Pointer { return unsafe.Pointer(t.head) }

// Add lets C find an array. records has the address of the records of each rank. If another array has the entry, or there
// is no memory, C leaves the array to Go.
func (t *Table) Add(number int, l *grid.Layout, records []uint64) {
	mem, err := describe(l, records)
	if err != nil {
		return
	}
	if !t.head.arrays.Enter(uint64(number), unsafe.Pointer(unsafe.SliceData(mem))) {
		unmap(mem)
		return
	}
	t.mem[number] = mem
}

// Remove makes C forget an array. No thread uses it.
func (t *Table) Remove(number int) {
	t.head.arrays.Remove(uint64(number))
	if mem := t.mem[number]; mem != nil {
		delete(t.mem, number)
		unmap(mem)
	}
}

// unmap gives memory back. If that fails, it is not used again either.
func unmap(mem []byte) { _ = unix.Munmap(mem) }

// describe returns memory that begins with the array for C.
func describe(l *grid.Layout, records []uint64) ([]byte, error) {
	starts := unsafe.Sizeof(array{}) + uintptr(len(records))*8
	n := starts
	for d := range l.Dims() {
		n += uintptr(len(l.Starts(d))) * 4
	}
	mem, err := mapped(n)
	if err != nil {
		return nil, err
	}
	base := unsafe.Pointer(unsafe.SliceData(mem))
	a := (*array)(base)
	a.dims, a.records = uint64(len(l.Dims())), unsafe.Add(base, unsafe.Sizeof(array{}))
	copy(unsafe.Slice((*uint64)(a.records), len(records)), records)
	at := unsafe.Add(base, starts)
	for d, places := range l.Dims() {
		s := l.Starts(d)
		a.dimensions[d] = dimension{places: uint64(places), blocks: uint64(len(s)), starts: at}
		copy(unsafe.Slice((*int32)(at), len(s)), s)
		at = unsafe.Add(at, len(s)*4)
	}
	return mem, nil
}
