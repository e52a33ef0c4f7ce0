package hashed

import "hash/crc64"

// crc is the table of the reflected polynomial of ECMA-182. Nobody changes it.
var crc = crc64.MakeTable(crc64.ECMA)

// Place returns which of the tables, and which of their slots, key belongs to. Programs
// see it in iterators and in the order of iteration. ranks and slots are not 0.
func Place(key []byte, ranks, slots uint32) (table, slot uint32) {
	h := crc64.Checksum(key, crc) >> 16
	round := h / uint64(slots)
	return uint32(round % uint64(ranks)), uint32(h - round*uint64(slots))
}
