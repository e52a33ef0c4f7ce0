package dmi

import (
	"fmt"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/internal/system/dmi/node"
	"github.com/goacp/goacp/internal/system/dmi/session"
)

// Addr is an address of global memory. It is positive; a + i is byte i of the same space. 0 is none.
type Addr int64

// Mode says where the bytes of an access are kept afterwards. It never changes the result.
type Mode = node.Mode

// The modes. The first three are for reads, the others for changes.
const (
	Get        = node.Get        // nothing is kept
	Invalidate = node.Invalidate // the page is kept here until it changes
	Update     = node.Update     // the page is kept here, and gets each change
	Put        = node.Put        // the bytes go to the owner of the page
	Exclusive  = node.Exclusive  // this process becomes the owner of the page first
)

// Errors of accesses, for errors.Is.
var (
	ErrNoSpace = node.ErrNoSpace // the address is in no space, or not any more
	ErrRange   = node.ErrRange   // the range ends beyond its space
	ErrPages   = node.ErrPages   // the range does not lie in one page
	ErrMode    = node.ErrMode    // the mode is not one of the function
	ErrSize    = node.ErrSize    // a size that cannot be
	ErrNotBase = node.ErrNotBase // the address is not the first one of a space
)

// Node is DMI in one process. Its methods may be called by several goroutines at once. Methods that access global memory block until
// the access is complete, for a round trip or two if the page is on another host.
type Node struct {
	p       *acp.Process
	session *session.Session
	atomics map[int8]AtomicFunc

	asking chan struct{} // has an element while a question for a request of a process is under way
	asked  chan request  // its answer
}

// ID returns the number of the process. Does not block.
func (n *Node) ID() int { return n.session.Threads.ID() }

// Map makes a space of pages, whose bytes are zero, and returns its address. Pages take memory when they are used. Fails with ErrSize.
func (n *Node) Map(pageSize, pages int64) (Addr, error) {
	a, err := n.session.Node.Map(pageSize, pages)
	return Addr(a), err
}

// Unmap ends a space of Map. Accesses that begin later fail in all processes. Fails with ErrNoSpace and ErrNotBase.
func (n *Node) Unmap(a Addr) error { return n.session.Node.Unmap(int64(a)) }

// Malloc makes a space of size bytes in pages of pageSize bytes, of which the last one may be shorter. Fails with ErrSize.
func (n *Node) Malloc(size, pageSize int64) (Addr, error) {
	a, err := n.session.Node.Malloc(size, pageSize)
	return Addr(a), err
}

// Realloc makes a space with the bytes of one of Malloc, as many as fit, and ends that one. If it fails, the old space stays.
func (n *Node) Realloc(old Addr, size, pageSize int64) (Addr, error) {
	a, err := n.session.Node.Realloc(int64(old), size, pageSize)
	return Addr(a), err
}

// Free ends a space of Malloc or Realloc. Fails with ErrNoSpace and ErrNotBase.
func (n *Node) Free(a Addr) error { return n.session.Node.Free(int64(a)) }

// Read copies global memory to b. Fails with ErrNoSpace, ErrRange and ErrMode, and if this process lacks memory for a copy.
func (n *Node) Read(a Addr, b []byte, m Mode) error { return n.session.Node.Read(int64(a), b, m) }

// Write copies b to global memory. All processes read the bytes when it returns. Fails as Read does.
func (n *Node) Write(a Addr, b []byte, m Mode) error { return n.session.Node.Write(int64(a), b, m) }

// ReadMany reads global memory at each address to the slice with the same number. Each is an access of its own, in no order. Fails as Read
// does.
func (n *Node) ReadMany(from []Addr, to [][]byte, m Mode) error {
	return n.session.Node.ReadMany(numbers(from), to, m)
}

// WriteMany writes each slice to global memory at the address with the same number, as ReadMany does. Fails as Read does.
func (n *Node) WriteMany(to []Addr, from [][]byte, m Mode) error {
	return n.session.Node.WriteMany(numbers(to), from, m)
}

// numbers returns addresses as numbers.
func numbers(all []Addr) []int64 {
	list := make([]int64, len(all))
	for i, a := range all {
		list[i] = int64(a)
	}
	return list
}

// Watch waits while the bytes at an address equal old, and returns them when they differ. It notices each change, also one that the next change
// undoes. Fails as Read does, and when the space ends.
func (n *Node) Watch(a Addr, old []byte) ([]byte, error) {
	now := make([]byte, len(old))
	return now, n.session.Node.Watch(int64(a), old, now)
}

// Save keeps the pages of a range in this process when its memory is full. Fails as Read does.
func (n *Node) Save(a Addr, size int64) error { return n.session.Node.Save(int64(a), size) }

// Unsave takes back any number of calls of Save. Fails as Read does.
func (n *Node) Unsave(a Addr, size int64) error { return n.session.Node.Unsave(int64(a), size) }

// FetchAdd adds to the integer of 8 bytes at an address, and returns what it was before. Fails as Read does, and with ErrPages.
func (n *Node) FetchAdd(a Addr, add int64, m Mode) (int64, error) {
	return n.session.Node.FetchAdd(int64(a), add, m)
}

// CompareAndSwap stores the bytes of new at an address if the bytes there equal those of old, and reports whether it has. Fails as FetchAdd
// does.
func (n *Node) CompareAndSwap(a Addr, old, new []byte, m Mode) (bool, error) {
	return n.session.Node.CompareAndSwap(int64(a), old, new, m)
}

// Swap stores bytes at an address, and returns those that were there. Fails as FetchAdd does.
func (n *Node) Swap(a Addr, b []byte, m Mode) ([]byte, error) {
	old := make([]byte, len(b))
	return old, n.session.Node.Swap(int64(a), b, old, m)
}

// Atomic runs an operation of Program.Atomics on size bytes at an address, and returns out bytes of it. It runs in the process that owns the page,
// or in this one if the mode is Exclusive. Fails as FetchAdd does, and if the program has no such operation.
func (n *Node) Atomic(a Addr, size int64, tag int8, in []byte, out int, m Mode) ([]byte, error) {
	if n.atomics[tag] == nil {
		return nil, fmt.Errorf("the program has no operation %d", tag)
	}
	b := make([]byte, out)
	return b, n.session.Node.Call(int64(a), size, in, b, tag, m)
}
