package hashed

import (
	"unsafe"

	"github.com/goacp/goacp/internal/network/am"
)

// Kind distinguishes sets, multisets and maps.
type Kind uint8

// The structures.
//
//goacp:c GOACP_
const (
	Set Kind = iota
	Multiset
	Map
	kinds
)

var kindNames = [kinds]string{Set: "set", Multiset: "multiset", Map: "map"}

// String returns the name of the structure in messages.
func (k Kind) String() string {
	if k >= kinds {
		return "structure"
	}
	return kindNames[k]
}

// Op is an operation on one table of a structure.
type Op uint8

// The operations. All take a Table. The comments list their other arguments and their results, as fields of
// am.Call and am.Result.
const (
	// Create makes an empty table. Val0 is its address.
	Create Op = iota
	// Destroy frees the table and all its elements.
	Destroy
	// Clear removes all elements.
	Clear
	// Count counts the elements. Val0 is their number. If Args[3] is not 0, it stops at that count.
	Count
	// Find searches for the key in Data. Val0 is the element, 0 if there is none, and
	// Val1 its multiplicity or the bytes of its value. Out receives the beginning of the
	// value.
	Find
	// Insert adds the key in Data, with the value in More. Val0 is 1 if it was not
	// there before. If it was, nothing changes in a set; in a multiset its multiplicity
	// grows by Args[3]; in a map the value is replaced if Args[3] is not 0.
	Insert
	// Remove removes the key in Data; from a multiset, at most Args[3] of its multiplicity.
	// Val0 is 1 if it was there.
	Remove
	// First searches for the first element from the slot on. Val0 is the element, 0 if there
	// is none, and Val1 its slot.
	First
	// Next searches for the element behind Args[3], which is or was in the slot. Val0 and Val1
	// are as those of First.
	Next
	// Describe returns the sizes of the element Args[3], which is in the slot. Val0 is the
	// number of bytes of its key, and Val1 its multiplicity or the bytes of its value.
	Describe
	// Copy copies at most Args[3] bytes of the value of the key in Data to a new block.
	// Val0 is that block, 0 if the key is not there, and Val1 the number of its bytes.
	Copy
	// Export writes records of elements to Out: those behind the element Args[3] in the slot,
	// or all of the slot if that is 0, and those of the slots behind. Val0 and Val1 are the slot
	// and the element behind which the next call begins; Val0 is the number of slots if there
	// are no more.
	Export
	// Import inserts the records in Data. Val0 is how many elements are new.
	Import
	// Delete removes the elements of the records in Data; from a map, only pairs that still
	// have the value in the record. Val0 is how many were there.
	Delete
	// Exchange exchanges the elements of two tables of one rank with the same number of slots. Args[3] is the
	// other table, and Data its identity from AppendIdentity.
	Exchange
	// Verify fails with am.ErrGone if the table is not at its address, as every operation does. Args[3]
	// says whether it also acquires or releases the table, and for whom: see exclusive.go.
	Verify
	ops
)

// opBits is the width of an Op in an am.Op.
const opBits = 6

// Table is one table of a structure.
type Table struct {
	GA        uint64 // where it lies
	Directory uint64 // address of the structure
	Index     uint32 // number of the table in the directory
	Ranks     uint32 // tables of the structure
	Slots     uint32 // of each table

	exclusive bool // the process has acquired it
}

// Address sets the fields of c that make it a call of op on a slot of t. The caller sets the
// other arguments.
func (t *Table) Address(c *am.Call, kind Kind, op Op, slot uint32) {
	c.Op = opNumber(kind, op)
	c.GA = t.GA
	if t.exclusive {
		slot |= exclusiveSlot
	}
	c.Args[0], c.Args[1], c.Args[2] = t.Directory, t.Position(), pair(slot, t.Slots)
}

// Position returns the index of t and the number of tables as one word.
func (t *Table) Position() uint64 { return pair(t.Index, t.Ranks) }

func pair(high, low uint32) uint64 { return uint64(high)<<32 | uint64(low) }

// slot is one of a table.
//
//goacp:c goacp_slot
type slot struct {
	lock  uint64 // 0 free, 1 taken
	first uint64 // address of the first element, 0 if there is none
	last  uint64
	count uint64
}

const slotSize = uint64(unsafe.Sizeof(slot{}))

// mark stands behind the slots of a table. All its words are read and written by atomic
// operations, since processes read them while another one writes.
//
//goacp:c goacp_mark
type mark struct {
	kind      uint64 // markOf a kind; exclusiveOf it if the table is acquired; 0 as soon as it is being destroyed
	directory uint64
	position  uint64 // index and number of tables
	slots     uint64
	left      uint64 // block with tombstones of removed elements, see tombstones.go; 0 if there is none
	holder    uint64 // that has acquired the table, as in Verify
}

const markSize = uint64(unsafe.Sizeof(mark{}))

// matches reports whether m is the mark of the table with these properties. It does not check the kind.
func (m *mark) matches(directory, position uint64, slots uint32) bool {
	return loadWord(&m.directory) == directory && loadWord(&m.position) == position && loadWord(&m.slots) == uint64(slots)
}

// markBase is a number that memory does not contain by chance.
//
//goacp:c GOACP_
const markBase = 0x7ab1_e0fc_6a05_11d0

// markOf returns the first word of the mark of a table.
func markOf(k Kind) uint64 { return markBase + uint64(k) }

// node is the head of an element. In a set the key begins at b. The block of an element is
// never shorter than a node.
//
//goacp:c goacp_node
type node struct {
	next, prev uint64
	a, b       uint64
}

// Bytes of an element before its key.
//
//goacp:c GOACP_
const (
	elementHead    = 32
	setElementHead = 24
)

// headSize returns the bytes of an element before its key.
func (k Kind) headSize() uint64 {
	if k == Set {
		return setElementHead
	}
	return elementHead
}

// sizes returns the bytes of the key and of the value of n.
func (k Kind) sizes(n *node) (key, value uint64) {
	switch k {
	case Set:
		return n.a, 0
	case Multiset:
		return n.b, 0
	}
	if n.a < 8 || n.b > n.a-8 {
		return ^uint64(0), 0 // no element has such a key
	}
	return n.b, n.a - 8 - n.b
}

// extra returns the Val1 of operations that describe n.
func (k Kind) extra(n *node) uint64 {
	switch k {
	case Multiset:
		return n.a
	case Map:
		_, value := k.sizes(n)
		return value
	}
	return 1
}

// fill writes the head of a new element, except its links. times is the multiplicity in a
// multiset, and ignored otherwise.
func (k Kind) fill(n *node, key, value int, times uint64) {
	switch k {
	case Set:
		n.a = uint64(key)
	case Multiset:
		n.a, n.b = max(times, 1), uint64(key)
	case Map:
		n.a, n.b = 8+uint64(key)+uint64(value), uint64(key)
	}
}

// KeyOffset returns where the key begins in an element. The value follows the key.
func (k Kind) KeyOffset() uint64 { return k.headSize() }
