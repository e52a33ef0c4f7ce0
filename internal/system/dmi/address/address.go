// Package address has the addresses of global memory. An address is positive, and consists of four numbers:
//
//	 bit 62        52 51        46 45                                   0
//	+---------------+------------+------------------------+--------------+
//	|     shard     |   class    |     number of space    |   offset     |
//	+---------------+------------+------------------------+--------------+
//	                                                       <-- class ---->
//
// A space of class c has at most 2^c bytes, and begins at a multiple of 2^c. So the beginning of its space follows from each address. The
// shard has a number below 1024: the bit 62 is 0. The process that holds a shard gives out the numbers of its spaces, and never one twice.
package address

import "math/bits"

// Shards is the number of shards of a run. Each belongs to one process at a time.
const Shards = 1 << 10

const (
	offsetBits = 46
	classBits  = 6
	shardShift = offsetBits + classBits
)

// MaxSize is the greatest number of bytes of a space.
const MaxSize = 1 << (offsetBits - 1)

// Classes is the number of classes: they are 0 to Classes-1.
const Classes = offsetBits

// Class returns the class of a space of size bytes, 0 ≤ size ≤ MaxSize.
func Class(size int64) uint {
	if size <= 1 {
		return 0
	}
	return uint(bits.Len64(uint64(size - 1)))
}

// Spaces returns how many spaces of a class a shard can have.
func Spaces(class uint) uint64 { return 1 << (offsetBits - class) }

// Base returns the address of the first byte of a space.
func Base(shard int, class uint, number uint64) int64 {
	return int64(shard)<<shardShift | int64(class+1)<<offsetBits | int64(number<<class)
}

// Split returns the beginning of the space of an address, and the offset in it. ok is false if the address cannot be in a space.
func Split(addr int64) (base, offset int64, ok bool) {
	class := addr>>offsetBits&(1<<classBits-1) - 1
	if addr <= 0 || class < 0 || class >= offsetBits || Shard(addr) >= Shards {
		return 0, 0, false
	}
	offset = addr & (1<<class - 1)
	return addr - offset, offset, true
}

// Shard returns the shard of an address that is in a space.
func Shard(addr int64) int { return int(addr >> shardShift) }

// Home returns the shard that knows the owner of a page of the space that begins at base.
func Home(base, page int64) int {
	return int((uint64(Shard(base)) + uint64(page)) % Shards)
}
