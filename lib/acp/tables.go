//go:build cgo

package libacp

// #include "bind.h"
import "C"

import (
	"unsafe"

	"github.com/goacp/goacp/acp"
)

// structure is what sets, multisets and maps have in common.
type structure interface {
	Begin() (acp.TableIterator, error)
	BeginLocal() (acp.TableIterator, error)
	EndLocal() (acp.TableIterator, error)
	Len() (int, error)
	LenLocal() (int, error)
	Empty() (bool, error)
	EmptyLocal() (bool, error)
	Clear() error
	ClearLocal() error
	Destroy() error
	Address() acp.TableAddress
}

func addressOf(t C.struct_goacp_tables) acp.TableAddress {
	return acp.TableAddress{GA: acp.GA(t.ga), Ranks: uint64(t.num_ranks), Slots: uint64(t.num_slots)}
}

func iteratorOf(it C.struct_goacp_table_it) acp.TableIterator {
	return acp.TableIterator{Rank: int(it.rank), Slot: int(it.slot), Elem: acp.GA(it.elem)}
}

func elementOf(e C.acp_element_t) acp.Element {
	return acp.Element{GA: acp.GA(e.ga), Size: uint64(e.size)}
}

func pairOf(p C.acp_pair_t) acp.Pair {
	return acp.Pair{First: elementOf(p.first), Second: elementOf(p.second)}
}

// structureAt returns the set, multiset or map at t.
func structureAt(p *acp.Process, kind C.int, t C.struct_goacp_tables) structure {
	switch kind {
	case C.GOACP_SET:
		return p.ByteSetAt(addressOf(t))
	case C.GOACP_MULTISET:
		return p.ByteMultisetAt(addressOf(t))
	}
	return p.ByteMapAt(addressOf(t))
}

// goacp_create_tables is acp_create_set, acp_create_multiset or acp_create_map.
//
//export goacp_create_tables
func goacp_create_tables(kind, num C.int, ranks *C.int, slots, rank C.int) C.struct_goacp_tables {
	return call(C.struct_goacp_tables{}, func(p *acp.Process) (C.struct_goacp_tables, error) {
		var list []acp.Rank
		if ranks != nil {
			for _, r := range unsafe.Slice(ranks, max(num, 0)) {
				list = append(list, acp.Rank(r))
			}
		}
		s, err := newStructure(p, kind, list, int(slots), acp.Rank(rank))
		if err != nil {
			return C.struct_goacp_tables{}, err
		}
		a := s.Address()
		return C.struct_goacp_tables{ga: C.acp_ga_t(a.GA), num_ranks: C.uint64_t(a.Ranks), num_slots: C.uint64_t(a.Slots)}, nil
	})
}

func newStructure(p *acp.Process, kind C.int, ranks []acp.Rank, slots int, rank acp.Rank) (structure, error) {
	switch kind {
	case C.GOACP_SET:
		return p.NewByteSet(ranks, slots, rank)
	case C.GOACP_MULTISET:
		return p.NewByteMultiset(ranks, slots, rank)
	}
	return p.NewByteMap(ranks, slots, rank)
}

// goacp_whole_table does what to a whole set, multiset or map.
//
//export goacp_whole_table
func goacp_whole_table(kind, what C.int, t C.struct_goacp_tables) {
	perform(func(p *acp.Process) error {
		s := structureAt(p, kind, t)
		switch what {
		case C.GOACP_CLEAR:
			return s.Clear()
		case C.GOACP_CLEAR_LOCAL:
			return s.ClearLocal()
		}
		return s.Destroy()
	})
}

// goacp_both_tables does what with two sets, multisets or maps.
//
//export goacp_both_tables
func goacp_both_tables(kind, what C.int, t, from C.struct_goacp_tables) {
	perform(func(p *acp.Process) error {
		a, b := addressOf(t), addressOf(from)
		switch kind {
		case C.GOACP_SET:
			return onBoth(what, p.ByteSetAt(a), p.ByteSetAt(b))
		case C.GOACP_MULTISET:
			return onBoth(what, p.ByteMultisetAt(a), p.ByteMultisetAt(b))
		}
		return onBoth(what, p.ByteMapAt(a), p.ByteMapAt(b))
	})
}

// partner is a structure that works with another of its type.
type partner[S any] interface {
	Assign(S) error
	AssignLocal(S) error
	Merge(S) error
	MergeLocal(S) error
	Move(S) error
	MoveLocal(S) error
	Swap(S) error
}

func onBoth[S partner[S]](what C.int, s, from S) error {
	switch what {
	case C.GOACP_ASSIGN:
		return s.Assign(from)
	case C.GOACP_ASSIGN_LOCAL:
		return s.AssignLocal(from)
	case C.GOACP_MERGE:
		return s.Merge(from)
	case C.GOACP_MERGE_LOCAL:
		return s.MergeLocal(from)
	case C.GOACP_MOVE:
		return s.Move(from)
	case C.GOACP_MOVE_LOCAL:
		return s.MoveLocal(from)
	}
	return s.Swap(from)
}

// place returns what C gets for an iterator, whose structure C knows.
func place(it acp.TableIterator) C.struct_goacp_table_it {
	return C.struct_goacp_table_it{rank: C.int(it.Rank), slot: C.int(it.Slot), elem: C.acp_ga_t(it.Elem)}
}

// findPlace returns the place that f finds, or the end of t if that fails.
func findPlace(t C.struct_goacp_tables, f func(p *acp.Process) (acp.TableIterator, error)) C.struct_goacp_table_it {
	return place(call(acp.TableIterator{Rank: int(t.num_ranks)}, f))
}

// goacp_place_table is acp_begin_…, acp_begin_local_… or acp_end_local_….
//
//export goacp_place_table
func goacp_place_table(kind, what C.int, t C.struct_goacp_tables) C.struct_goacp_table_it {
	return findPlace(t, func(p *acp.Process) (acp.TableIterator, error) {
		s := structureAt(p, kind, t)
		switch what {
		case C.GOACP_BEGIN:
			return s.Begin()
		case C.GOACP_BEGIN_LOCAL:
			return s.BeginLocal()
		}
		return s.EndLocal()
	})
}

// goacp_increment_table is acp_increment_…_it.
//
//export goacp_increment_table
func goacp_increment_table(kind C.int, it C.struct_goacp_table_it) C.struct_goacp_table_it {
	return findPlace(it.of, func(p *acp.Process) (acp.TableIterator, error) {
		a := addressOf(it.of)
		switch kind {
		case C.GOACP_SET:
			return p.ByteSetAt(a).Next(iteratorOf(it))
		case C.GOACP_MULTISET:
			return p.ByteMultisetAt(a).Next(iteratorOf(it))
		}
		return p.ByteMapAt(a).Next(iteratorOf(it))
	})
}

// goacp_number_table is acp_size_…, acp_empty_… and their local forms. If it fails, the structure
// counts as empty.
//
//export goacp_number_table
func goacp_number_table(kind, what C.int, t C.struct_goacp_tables) C.uint64_t {
	if what == C.GOACP_EMPTY || what == C.GOACP_EMPTY_LOCAL {
		empty := call(true, func(p *acp.Process) (bool, error) {
			s := structureAt(p, kind, t)
			if what == C.GOACP_EMPTY {
				return s.Empty()
			}
			return s.EmptyLocal()
		})
		return C.uint64_t(truth(empty))
	}
	return C.uint64_t(call(0, func(p *acp.Process) (int, error) {
		s := structureAt(p, kind, t)
		if what == C.GOACP_SIZE {
			return s.Len()
		}
		return s.LenLocal()
	}))
}

// truth is a bool as C has it.
func truth(b bool) C.int {
	if b {
		return 1
	}
	return 0
}
