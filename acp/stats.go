package acp

import (
	"sort"
)

// Transfers counts the transfers of one kind on one path between a rank and one other rank, or itself.
type Transfers struct {
	// Rank is the other end: the rank to whose memory a put, an operation on a structure or a copy between
	// two other ranks goes, whose memory a get or an atomic uses, or that receives a message.
	Rank Rank
	// Kind is "put", "get", "atomic", "copy" (between two other ranks), "message" (of a channel or a link,
	// counted by its sender) or "structure": an operation on a vector, deque, list, set, multiset or map, a
	// part of a transfer of a workspace that one piece has, or a segment of a segmented buffer.
	Kind string
	// Path is "shm" (loads, stores and copies by the kernel), "rma" (windows of MPI) or "tcp" (agents).
	Path string

	Operations uint64
	Bytes      uint64 // of the program; for an operation on a structure, the bytes passed in and returned
}

// Stats returns what this rank has transferred so far, by the other rank, kind and path. An operation is
// counted when it starts, one on a structure when it has succeeded. Reset keeps the counts: the transfers
// with another process appear under the rank that the other process has now.
//
// It is nil if this rank does not count: see Config.Stats. Any rank. Does not block.
func (p *Process) Stats() []Transfers {
	if p.traffic == nil {
		return nil
	}
	list := []Transfers{}
	for _, x := range p.traffic.Transfers() {
		list = append(list, Transfers{
			Rank: Rank(p.ranks.Rank(x.Member)), Kind: x.Kind.String(), Path: x.Path.String(),
			Operations: x.Operations, Bytes: x.Bytes,
		})
	}
	sort.SliceStable(list, func(i, j int) bool { return list[i].Rank < list[j].Rank })
	return list
}
