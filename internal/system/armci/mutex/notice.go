package mutex

import (
	"github.com/goacp/goacp/internal/memory/segment"
	"github.com/goacp/goacp/internal/system/armci/transfer"
)

// This file has the notices to processes whose nodes this process has not mapped.

// A notice has an argument of 32 bits and an argument of 64 bits. The notice that a node
// follows another node has two positions: the low bits are the position of the node, and the
// bits above the position of the node before it.
const (
	positionBits = segment.PositionBits - NodeShift // of a position in units of nodes
	lowBits      = 64 - positionBits                // of the node before, beside the node
)

// tellFollow sends the process of a node the node of this process that follows it.
func (m *Mutexes) tellFollow(before, name uint64) error {
	proc, pos := locate(before)
	_, own := locate(name)
	unit := pos >> NodeShift
	return m.process.Notify(m.cfg.World.Member(proc), m.cfg.Follow, uint32(unit>>lowBits), unit<<positionBits|own>>NodeShift)
}

// tellGrant notifies the process of a node that the node is granted its mutex.
func (m *Mutexes) tellGrant(name uint64) error {
	proc, pos := locate(name)
	return m.process.Notify(m.cfg.World.Member(proc), m.cfg.Grant, 0, pos)
}

// Followed takes the notice of a member that one of its nodes follows one of the memory of o.
func (m *Mutexes) Followed(o *transfer.Owner, from int, high uint32, value uint64) {
	proc, ok := m.cfg.World.Proc(from)
	pos := (uint64(high)<<lowBits | value>>positionBits) << NodeShift
	if n := nodeAt(o, pos); n != nil && ok {
		n.follow(nameOf(proc, value<<NodeShift&(1<<segment.PositionBits-1)))
	}
}

// Granted takes the notice that a node of the memory of o is granted its mutex.
func (m *Mutexes) Granted(o *transfer.Owner, pos uint64) {
	if n := nodeAt(o, pos); n != nil {
		n.grant()
	}
}

// nodeAt returns the node at a position of this process, or nil if there can be none.
func nodeAt(o *transfer.Owner, pos uint64) *node {
	if pos%nodeBytes != 0 {
		return nil
	}
	return (*node)(o.Here(pos, nodeBytes))
}
