package acp

import (
	"cmp"
	"slices"
)

// Transfers is what a rank has transferred with one other rank, or with itself, of one kind on one path.
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
	Bytes      uint64 // of the program: of an operation on a structure those that go in and come out
}

// Stats returns what this rank has transferred so far, by the other rank, kind and path. An operation is
// counted when it starts, one on a structure when it has succeeded. Reset forgets nothing: what a process has
// transferred with another one appears under the rank that the other one has now.
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
	slices.SortStableFunc(list, func(a, b Transfers) int { return cmp.Compare(a.Rank, b.Rank) })
	return list
}
