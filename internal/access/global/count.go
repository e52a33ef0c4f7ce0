package global

import (
	"github.com/goacp/goacp/internal/ground/traffic"
	"github.com/goacp/goacp/internal/network/am"
	"github.com/goacp/goacp/internal/network/router"
)

// Count counts an operation on a structure that was carried out on the memory of a member, unless err says
// that it has failed, and the bytes that have gone into it and come out of it.
func (m *Memory) Count(member int, path traffic.Path, c *am.Call, r am.Result, err error) {
	if m.traffic != nil && err == nil {
		m.traffic.Add(member, traffic.Structure, path, c.Moved(r))
	}
}

// CountMany counts an operation on many elements of a structure in the memory of a member, as one
// operation, and the bytes that have gone into it.
func (m *Memory) CountMany(member int, path traffic.Path, n uint64) {
	m.traffic.Add(member, traffic.Structure, path, n)
}

// Counts reports whether this process counts what it transfers.
func (m *Memory) Counts() bool { return m.traffic != nil }

// CountAccess counts an operation of an extension that transfers n bytes from or to the memory of a member.
func (m *Memory) CountAccess(member int, k traffic.Kind, path traffic.Path, n uint64) {
	m.traffic.Add(member, k, path, n)
}

// CountMessage counts a message of n bytes to a member.
func (m *Memory) CountMessage(member int, path traffic.Path, n uint64) {
	m.traffic.Add(member, traffic.Message, path, n)
}

// CountLink returns where to count what this process does at its sending or receiving end of the link of coupled models with a
// name; nil if it does not count. It is valid as long as the Memory.
func (m *Memory) CountLink(name string, receives bool) *traffic.LinkEnd {
	return m.traffic.Link(name, receives)
}

// CountTransfer counts a transfer of n bytes between a structure in the memory of a member and other
// memory.
func (m *Memory) CountTransfer(member int, path router.Path, n uint64) {
	m.traffic.Add(member, traffic.Structure, path.Traffic(), n)
}
