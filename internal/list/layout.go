package list

import (
	"fmt"
	"unsafe"

	"github.com/goacp/goacp/internal/direct"
	"github.com/goacp/goacp/internal/site"
)

// node is what an element begins with; its value follows. A control block is one, too:
// its next is the first element, its prev the last, and n counts the elements.
type node struct {
	next uint64 // address; at the tail that of the control block
	prev uint64 // address; at the head that of the control block
	n    uint64 // bytes of the value
}

// Where the words of a node are.
const (
	offNext = uint64(unsafe.Offsetof(node{}.next))
	offPrev = uint64(unsafe.Offsetof(node{}.prev))
	offN    = uint64(unsafe.Offsetof(node{}.n))

	// HeadSize is the bytes of a control block, and of an element before its value.
	HeadSize = uint64(unsafe.Sizeof(node{}))
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

// broken is the error of links that do not fit.
func broken(ga uint64) error {
	return fmt.Errorf("%w: %#x is not where a list leads", site.ErrBadIterator, ga)
}
