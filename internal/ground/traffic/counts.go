package traffic

import "sync/atomic"

// Counts counts the transfers of one process with one member, of one kind, on one path.
//
// Threads add an operation and its bytes to one word, Shared, by one atomic instruction. Shared is the sum of
// operations<<operationShift and of the bytes, modulo 2^64. A thread whose addition passes a quarter of the
// range of either part adds the quarter to Quarters. So [Counts.total] can restore the overflow of the parts,
// also if the process was killed between the two additions.
//
//goacp:c goacp_counts
type Counts struct {
	Shared        uint64 // operations, and their bytes below 1<<restShift
	Quarters      uint64 // of bytes, below bit 32, and of operations, above
	Rest          uint64 // the other bytes of these operations
	OwnOperations uint64 // of the thread of C that Head.Owner names
	OwnBytes      uint64
}

// The layout of Shared.
//
//goacp:c GOACP_TRAFFIC_
const (
	operationShift = 40
	restShift      = 24
)

const (
	// quarterBits change when an addition to Shared goes past a quarter of the bytes or of the operations. No
	// addition goes past two quarters of the same.
	byteQuarter      = 1 << (operationShift - 2)
	operationQuarter = 1 << 62
	quarterBits      = byteQuarter | operationQuarter
)

// add counts one operation that transfers n bytes. goacp_add_shared of lib/acp/traffic.h does the same.
func (c *Counts) add(n uint64) {
	if n >= 1<<restShift {
		atomic.AddUint64(&c.Rest, n>>restShift<<restShift)
		n &= 1<<restShift - 1
	}
	n += 1 << operationShift
	after := atomic.AddUint64(&c.Shared, n)
	if changed := after ^ (after - n); changed&quarterBits != 0 {
		c.passQuarter(changed)
	}
}

// passQuarter counts the quarters that an addition to Shared has gone past. It has changed these bits.
func (c *Counts) passQuarter(changed uint64) {
	if changed&byteQuarter != 0 {
		atomic.AddUint64(&c.Quarters, 1)
	}
	if changed&operationQuarter != 0 {
		atomic.AddUint64(&c.Quarters, 1<<32)
	}
}

// total adds up the counts of all threads.
func (c *Counts) total() (operations, bytes uint64) {
	shared, quarters := atomic.LoadUint64(&c.Shared), atomic.LoadUint64(&c.Quarters)
	bytes = whole(shared&(1<<operationShift-1), operationShift, quarters&(1<<32-1))
	operations = whole(shared>>operationShift, 64-operationShift, quarters>>32) - bytes>>operationShift
	return operations + atomic.LoadUint64(&c.OwnOperations), bytes + atomic.LoadUint64(&c.Rest) + atomic.LoadUint64(&c.OwnBytes)
}

// whole returns the number whose lowest bits are low and that has passed quarters quarters of 1<<bits.
// Threads that are counting may make quarters one too large or too small.
func whole(low uint64, bits int, quarters uint64) uint64 {
	switch (low>>(bits-2) - quarters) % 4 {
	case 1:
		quarters++
	case 3:
		quarters--
	}
	return quarters<<(bits-2) | low&(1<<(bits-2)-1)
}
