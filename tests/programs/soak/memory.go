package main

import (
	"encoding/binary"
	"fmt"
	"unsafe"

	"github.com/goacp/goacp/acp"
)

const (
	maxProcs = 16
	slotSize = 16 << 10 // of each rank in the starter memory of each rank
	outs     = 4        // buffers from which an actor sends at a time
)

// The starter memory of a rank.
const (
	sharedPlace   = 0                             // addresses of the structures that all ranks share
	publicPlace   = 256                           // the address of memory to which other ranks may write
	commonPlace   = 512                           // insertions of common keys; a word that was read
	counterPlace  = 1024                          // counters of this rank
	ledgerPlace   = 2048                          // the changes of this rank to the counters of each rank
	cellPlace     = 8192                          // of each rank in the memory of this rank
	atomicPlace   = 12 << 10                      // results of atomics
	wordPlace     = atomicPlace + 64              // a word that the trespasser has read
	ticketPlace   = atomicPlace + 128             // on rank 0, the next ticket; the last ticket of this rank
	historyPlace  = ticketPlace + 64              // the address of the calls of this rank; of the calls of another rank
	slotPlace     = 16 << 10                      // of each rank in the memory of this rank
	copyPlace     = slotPlace + maxProcs*slotSize // buffers of the copies
	blockPlace    = copyPlace + (outs+1)*slotSize // buffer of the blocks
	stripePlace   = blockPlace + blockSize        // buffer of the workspace
	trespassPlace = stripePlace + stripeSize      // the bytes that the trespasser writes
	starterSize   = trespassPlace + publicSize
)

// at returns the address of a place in the starter memory of a rank.
func (w *world) at(rank, place int) acp.GA { return w.starters[rank] + acp.GA(place) }

// here returns n bytes of the starter memory of this rank.
func (w *world) here(place, n int) []byte { return w.p.Starter()[place : place+n : place+n] }

// word returns a word of the starter memory of this rank.
func (w *world) word(place int) *uint64 { return (*uint64)(unsafe.Pointer(&w.p.Starter()[place])) }

// pattern fills b with bytes that key determines.
func pattern(b []byte, key uint64) {
	var word [8]byte
	for i := 0; i < len(b); i += 8 {
		key = mix(key)
		binary.LittleEndian.PutUint64(word[:], key)
		copy(b[i:], word[:])
	}
}

// differ describes the first byte in which two equally long slices differ.
func differ(found, want []byte) error {
	if len(found) != len(want) {
		return fmt.Errorf("%d bytes, expected %d", len(found), len(want))
	}
	for i := range want {
		if found[i] != want[i] {
			n := 0
			for j := range want {
				if found[j] != want[j] {
					n++
				}
			}
			return fmt.Errorf("byte %d of %d is %#x, expected %#x; %d bytes are wrong", i, len(want), found[i], want[i], n)
		}
	}
	return nil
}
