package hashed

import (
	"hash/crc64"
	"sync"
)

// The hash of a key is its CRC-64 without the lowest bits.
//
//goacp:c GOACP_
const (
	hashPolynomial = crc64.ECMA // that of ECMA-182, reflected
	hashShift      = 16
)

// crc returns the table of hashPolynomial, which is never changed. Most processes never hash a key, and the first call of MakeTable takes
// 32 KiB.
var crc = sync.OnceValue(func() *crc64.Table { return crc64.MakeTable(hashPolynomial) })

// SlotOf returns the table of key and its slot there. Programs see these numbers in iterators and in the order
// of iteration. ranks and slots are not 0.
func SlotOf(key []byte, ranks, slots uint32) (table, slot uint32) {
	h := crc64.Checksum(key, crc()) >> hashShift
	round := h / uint64(slots)
	return uint32(round % uint64(ranks)), uint32(h - round*uint64(slots))
}
