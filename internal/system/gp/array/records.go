package array

import (
	"runtime"
	"sync/atomic"
	"unsafe"

	"github.com/goacp/goacp/internal/memory/heapview"
)

// record is the owner's data about a place. Both words are 0 if no element is assigned. They are read and
// changed atomically.
//
//goacp:c goacp_gp_record
type record struct {
	at   uint64 // address of the element
	size uint64 // bytes of it
}

// recordsHead precedes the records of a rank.
//
//goacp:c goacp_gp_records
type recordsHead struct {
	changes uint64 // odd while the owner changes a record; changed atomically
	_       uint64 // records are aligned to 16 bytes
}

// pair returns both words of a record. The owner may change a word between the two loads.
func (r *record) pair() pair {
	return pair{atomic.LoadUint64(&r.at), atomic.LoadUint64(&r.size)}
}

// set changes a record.
func (r *record) set(at, size uint64) {
	atomic.StoreUint64(&r.at, at)
	atomic.StoreUint64(&r.size, size)
}

// Sizes in the heap.
const (
	headBytes   = uint64(unsafe.Sizeof(recordsHead{}))
	recordBytes = uint64(unsafe.Sizeof(record{}))
)

// records is the records of one rank as this process has mapped them, or the first of them.
type records struct {
	head *recordsHead
	all  []record
}

// recordsAt returns n records from the block at an address. Fails as Bytes of the view does.
func recordsAt(a *heapview.View, block uint64, n int) (records, error) {
	b, err := a.Bytes(block, headBytes+uint64(n)*recordBytes)
	if err != nil {
		return records{}, err
	}
	head := unsafe.Pointer(unsafe.SliceData(b))
	return records{(*recordsHead)(head), unsafe.Slice((*record)(unsafe.Add(head, headBytes)), n)}, nil
}

// readsPerYield is the number of times that load reads a changing record before it yields the processor.
const readsPerYield = 64

// load returns the record of a place. It waits while the owner changes a record, and fails if
// the run is over then.
func (r records) load(i int, over func() error) (at, size uint64, err error) {
	for n := 1; ; n++ {
		before := atomic.LoadUint64(&r.head.changes)
		p := r.all[i].pair()
		if before%2 == 0 && atomic.LoadUint64(&r.head.changes) == before {
			return p.at, p.size, nil
		}
		if n%readsPerYield == 0 {
			if err := over(); err != nil {
				return 0, 0, err
			}
			runtime.Gosched()
		}
	}
}

// together is the number of records that loadAll reads between two loads of their number of changes. It
// is small enough that a read can finish between two changes of a busy owner.
const together = 64

// loadAll is load for the records of consecutive places.
func (r records) loadAll(first int, pairs []pair, over func() error) error {
	for len(pairs) > 0 {
		n := min(len(pairs), together)
		before := atomic.LoadUint64(&r.head.changes)
		all := r.all[first : first+n]
		for i := range all {
			pairs[i] = all[i].pair()
		}
		if before%2 != 0 || atomic.LoadUint64(&r.head.changes) != before {
			if err := r.loadEach(first, pairs[:n], over); err != nil {
				return err
			}
		}
		first, pairs = first+n, pairs[n:]
	}
	return nil
}

// loadEach is loadAll, one record at a time.
func (r records) loadEach(first int, pairs []pair, over func() error) (err error) {
	for i := range pairs {
		if pairs[i].at, pairs[i].size, err = r.load(first+i, over); err != nil {
			return err
		}
	}
	return nil
}

// store changes the record of a place. Only the owner calls it, one goroutine at a time.
func (r records) store(i int, at, size uint64) {
	atomic.AddUint64(&r.head.changes, 1)
	r.all[i].set(at, size)
	atomic.AddUint64(&r.head.changes, 1)
}
