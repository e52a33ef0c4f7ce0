package node

import "github.com/goacp/goacp/internal/ground/traffic"

// count counts a message to another process, with its bytes and those of its answer.
func (n *Node) count(to, bytes int) {
	if to != n.self {
		n.mem.CountMany(to, traffic.TCP, uint64(bytes))
	}
}

// borrow copies bytes of a page that its owner lends to this process.
func (n *Node) borrow(owner int, b []byte, at uint64) error {
	n.mem.CountAccess(owner, traffic.Get, n.pathTo(owner), uint64(len(b)))
	return n.mem.Get(b, at)
}

// store changes bytes of a page that its owner lends to this process.
func (n *Node) store(owner int, at uint64, b []byte) error {
	n.mem.CountAccess(owner, traffic.Put, n.pathTo(owner), uint64(len(b)))
	return n.mem.Put(at, b)
}

// pathTo returns how bytes of the heap of a process are copied.
func (n *Node) pathTo(owner int) traffic.Path {
	if n.mem.HeapView(owner) != nil {
		return traffic.SHM
	}
	return traffic.TCP
}
