package list

import (
	"fmt"
	"unsafe"

	"github.com/goacp/goacp/internal/am"
	"github.com/goacp/goacp/internal/arena"
	"github.com/goacp/goacp/internal/direct"
)

// node is what an element begins with; its value follows. A control block begins with one,
// too: its next is the first element, its prev the last, and n counts the elements.
type node struct {
	next uint64 // address; at the tail that of the control block
	prev uint64 // address; at the head that of the control block
	n    uint64 // bytes of the value
}

// block is a control block. Every block of the heap has room for one, so that any element
// may be looked at as if it were one.
type block struct {
	node
	mark uint64 // behind what programs look at: see markOf
}

// markOf is the last word of the control block at ga. Memory does not contain it there by
// chance, so that a handle of a list that has been destroyed is found out, whatever the
// memory is used for now, and a link to the control block of another list, too.
func markOf(ga uint64) uint64 { return 0x7ab1_e0fc_6a05_11e0 ^ ga }

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
	Value []byte // nil unless asked for; a part of the list itself if that is mapped
}

func rankOf(ga uint64) uint64 { return ga >> direct.RankShift }

// noList is the error of a handle that leads to no list.
func noList(ga uint64) error {
	return fmt.Errorf("%w: no list is at %#x", arena.ErrBadAddress, ga)
}

// broken is the error of links that do not fit.
func broken(ga uint64) error {
	return fmt.Errorf("%w: %#x is not where a list leads", am.ErrBadIterator, ga)
}
