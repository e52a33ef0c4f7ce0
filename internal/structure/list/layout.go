package list

import (
	"fmt"
	"unsafe"

	"github.com/goacp/goacp/internal/memory/heapview"
	"github.com/goacp/goacp/internal/memory/maptable"
	"github.com/goacp/goacp/internal/network/am"
)

// node is the head of an element; the value follows it. A control block begins with a node,
// too: its next is the first element, its prev the last, and n counts the elements.
//
//goacp:c goacp_link
type node struct {
	next uint64 // address; at the tail that of the control block
	prev uint64 // address; at the head that of the control block
	n    uint64 // bytes of the value
}

// block is a control block. Every block of the heap has room for one, so an operation may read
// any element as a block.
//
//goacp:c goacp_list
type block struct {
	node
	mark uint64 // behind the words that programs read: see markOf
}

// listMark is a number that memory does not contain by chance: see markOf.
//
//goacp:c GOACP_
const listMark = 0x7ab1_e0fc_6a05_11e0

// markOf is the last word of the control block at ga. Other memory does not contain it there by chance. So
// operations recognise a handle of a destroyed list, whatever the memory is used for now, and a link to the
// control block of another list.
func markOf(ga uint64) uint64 { return listMark ^ ga }

// Where the words of a node are.
const (
	offNext = uint64(unsafe.Offsetof(node{}.next))
	offPrev = uint64(unsafe.Offsetof(node{}.prev))
	offN    = uint64(unsafe.Offsetof(node{}.n))
	offMark = uint64(unsafe.Offsetof(block{}.mark))

	// HeadSize is the bytes of an element before its value.
	HeadSize = uint64(unsafe.Sizeof(node{}))

	blockSize = uint64(unsafe.Sizeof(block{}))
)

// Element is an element that has been read.
type Element struct {
	GA    uint64
	Next  uint64
	Prev  uint64
	Size  uint64 // bytes of the value
	Value []byte // nil unless requested; a part of the list's memory itself if that is mapped
}

func rankOf(ga uint64) uint64 { return ga >> maptable.RankShift }

// noList is the error of a handle of no list.
func noList(ga uint64) error {
	return fmt.Errorf("%w: no list is at %#x", heapview.ErrBadAddress, ga)
}

// broken is the error of links that do not agree.
func broken(ga uint64) error {
	return fmt.Errorf("%w: the links of the list do not lead to %#x", am.ErrBadIterator, ga)
}
