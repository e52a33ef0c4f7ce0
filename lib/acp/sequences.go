//go:build cgo

package libacp

// #include "bind.h"
// #include "sequence.h"
import "C"

import (
	"fmt"
	"math"
	"syscall"

	"github.com/goacp/goacp/acp"
)

// byteSequence is what vectors and deques have in common.
type byteSequence interface {
	Destroy() error
	Clear() error
	Reserve(n uint64) error
	Len() (uint64, error)
	Cap() (uint64, error)
	Empty() (bool, error)
	Locate(offset int) (acp.GA, error)
	End() (acp.SequenceIterator, error)
	PushBack(e acp.Element) error
	PopBack(n uint64) error
	Insert(it acp.SequenceIterator, e acp.Element) (acp.SequenceIterator, error)
	InsertRange(it, start, end acp.SequenceIterator) (acp.SequenceIterator, error)
	Erase(it acp.SequenceIterator, n uint64) (acp.SequenceIterator, error)
	EraseRange(start, end acp.SequenceIterator) (acp.SequenceIterator, error)
	AssignRange(start, end acp.SequenceIterator) error
}

// sequenceAt returns the vector or deque of a handle.
func sequenceAt(p *acp.Process, kind C.int, ga C.acp_ga_t) byteSequence {
	if kind == C.GOACP_IS_DEQUE {
		return p.ByteDequeAt(acp.GA(ga))
	}
	return p.ByteVectorAt(acp.GA(ga))
}

// onSequence calls f for the vector or deque of a handle.
func onSequence(kind C.int, ga C.acp_ga_t, f func(s byteSequence) error) {
	perform(func(p *acp.Process) error { return f(sequenceAt(p, kind, ga)) })
}

// askSequence returns the answer of f for the vector or deque of a handle, or otherwise if f fails.
func askSequence[T any](otherwise T, kind C.int, ga C.acp_ga_t, f func(s byteSequence) (T, error)) T {
	return call(otherwise, func(p *acp.Process) (T, error) { return f(sequenceAt(p, kind, ga)) })
}

// sequencePlace returns an iterator as Go has it.
func sequencePlace(it C.struct_goacp_sequence_it) acp.SequenceIterator {
	return acp.SequenceIterator{GA: acp.GA(it.ga), Index: int(it.index)}
}

// sequenceIt returns an iterator as C has it. Fails if the numbers of C do not reach so far.
func sequenceIt(it acp.SequenceIterator, err error) (C.struct_goacp_sequence_it, error) {
	if err == nil && it.Index > math.MaxInt32 {
		err = fmt.Errorf("%w: iterators of C do not reach byte %d", syscall.EOVERFLOW, it.Index)
	}
	return C.struct_goacp_sequence_it{ga: C.acp_ga_t(it.GA), index: C.int(it.Index)}, err
}

// placeInSequence is askSequence for iterators.
func placeInSequence(otherwise C.struct_goacp_sequence_it, kind C.int, ga C.acp_ga_t, f func(s byteSequence) (acp.SequenceIterator, error)) C.struct_goacp_sequence_it {
	return askSequence(otherwise, kind, ga, func(s byteSequence) (C.struct_goacp_sequence_it, error) { return sequenceIt(f(s)) })
}

//export goacp_create_sequence
func goacp_create_sequence(kind C.int, size C.size_t, rank C.int) C.acp_ga_t {
	return call(0, func(p *acp.Process) (C.acp_ga_t, error) {
		if kind == C.GOACP_IS_DEQUE {
			d, err := p.NewByteDeque(uint64(size), acp.Rank(rank))
			return C.acp_ga_t(d.Address()), err
		}
		v, err := p.NewByteVector(uint64(size), acp.Rank(rank))
		return C.acp_ga_t(v.Address()), err
	})
}

//export goacp_destroy_sequence
func goacp_destroy_sequence(kind C.int, ga C.acp_ga_t) { onSequence(kind, ga, byteSequence.Destroy) }

//export goacp_clear_sequence
func goacp_clear_sequence(kind C.int, ga C.acp_ga_t) { onSequence(kind, ga, byteSequence.Clear) }

//export goacp_reserve_sequence
func goacp_reserve_sequence(kind C.int, ga C.acp_ga_t, size C.size_t) {
	onSequence(kind, ga, func(s byteSequence) error { return s.Reserve(uint64(size)) })
}

//export goacp_assign_sequence
func goacp_assign_sequence(kind C.int, ga, from C.acp_ga_t) {
	perform(func(p *acp.Process) error {
		if kind == C.GOACP_IS_DEQUE {
			return p.ByteDequeAt(acp.GA(ga)).Assign(p.ByteDequeAt(acp.GA(from)))
		}
		return p.ByteVectorAt(acp.GA(ga)).Assign(p.ByteVectorAt(acp.GA(from)))
	})
}

//export goacp_assign_range_sequence
func goacp_assign_range_sequence(kind C.int, ga C.acp_ga_t, start, end C.struct_goacp_sequence_it) {
	onSequence(kind, ga, func(s byteSequence) error { return s.AssignRange(sequencePlace(start), sequencePlace(end)) })
}

//export goacp_swap_sequence
func goacp_swap_sequence(kind C.int, ga, with C.acp_ga_t) {
	perform(func(p *acp.Process) error {
		if kind == C.GOACP_IS_DEQUE {
			return p.ByteDequeAt(acp.GA(ga)).Swap(p.ByteDequeAt(acp.GA(with)))
		}
		return p.ByteVectorAt(acp.GA(ga)).Swap(p.ByteVectorAt(acp.GA(with)))
	})
}

//export goacp_size_sequence
func goacp_size_sequence(kind C.int, ga C.acp_ga_t) C.size_t {
	return C.size_t(askSequence(0, kind, ga, byteSequence.Len))
}

//export goacp_capacity_sequence
func goacp_capacity_sequence(kind C.int, ga C.acp_ga_t) C.size_t {
	return C.size_t(askSequence(0, kind, ga, byteSequence.Cap))
}

//export goacp_empty_sequence
func goacp_empty_sequence(kind C.int, ga C.acp_ga_t) C.int {
	return truth(askSequence(true, kind, ga, byteSequence.Empty))
}

//export goacp_at_sequence
func goacp_at_sequence(kind C.int, ga C.acp_ga_t, offset C.int) C.acp_ga_t {
	return C.acp_ga_t(askSequence(0, kind, ga, func(s byteSequence) (acp.GA, error) { return s.Locate(int(offset)) }))
}

//export goacp_end_sequence
func goacp_end_sequence(kind C.int, ga C.acp_ga_t) C.struct_goacp_sequence_it {
	return placeInSequence(C.struct_goacp_sequence_it{ga: ga}, kind, ga, byteSequence.End)
}

//export goacp_insert_sequence
func goacp_insert_sequence(kind C.int, it C.struct_goacp_sequence_it, ga C.acp_ga_t, size C.size_t) C.struct_goacp_sequence_it {
	return placeInSequence(it, kind, it.ga, func(s byteSequence) (acp.SequenceIterator, error) {
		return s.Insert(sequencePlace(it), goElement(ga, size))
	})
}

//export goacp_insert_range_sequence
func goacp_insert_range_sequence(kind C.int, it, start, end C.struct_goacp_sequence_it) C.struct_goacp_sequence_it {
	return placeInSequence(it, kind, it.ga, func(s byteSequence) (acp.SequenceIterator, error) {
		return s.InsertRange(sequencePlace(it), sequencePlace(start), sequencePlace(end))
	})
}

//export goacp_erase_sequence
func goacp_erase_sequence(kind C.int, it C.struct_goacp_sequence_it, size C.size_t) C.struct_goacp_sequence_it {
	return placeInSequence(it, kind, it.ga, func(s byteSequence) (acp.SequenceIterator, error) {
		return s.Erase(sequencePlace(it), uint64(size))
	})
}

//export goacp_erase_range_sequence
func goacp_erase_range_sequence(kind C.int, start, end C.struct_goacp_sequence_it) C.struct_goacp_sequence_it {
	return placeInSequence(end, kind, start.ga, func(s byteSequence) (acp.SequenceIterator, error) {
		return s.EraseRange(sequencePlace(start), sequencePlace(end))
	})
}

// goacp_push_sequence adds bytes at an end, GOACP_FRONT or GOACP_BACK; vectors have no front.
//
//export goacp_push_sequence
func goacp_push_sequence(kind, end C.int, at, ga C.acp_ga_t, size C.size_t) {
	perform(func(p *acp.Process) error {
		if end == C.GOACP_FRONT {
			return p.ByteDequeAt(acp.GA(at)).PushFront(goElement(ga, size))
		}
		return sequenceAt(p, kind, at).PushBack(goElement(ga, size))
	})
}

// goacp_pop_sequence removes bytes at an end, GOACP_FRONT or GOACP_BACK; vectors have no front.
//
//export goacp_pop_sequence
func goacp_pop_sequence(kind, end C.int, at C.acp_ga_t, size C.size_t) {
	perform(func(p *acp.Process) error {
		if end == C.GOACP_FRONT {
			return p.ByteDequeAt(acp.GA(at)).PopFront(uint64(size))
		}
		return sequenceAt(p, kind, at).PopBack(uint64(size))
	})
}

//export goacp_back_deque
func goacp_back_deque(ga C.acp_ga_t) C.struct_goacp_sequence_it {
	return call(C.struct_goacp_sequence_it{ga: ga, index: -1}, func(p *acp.Process) (C.struct_goacp_sequence_it, error) {
		return sequenceIt(p.ByteDequeAt(acp.GA(ga)).Back())
	})
}

//export goacp_dereference_vector_it
func goacp_dereference_vector_it(it C.struct_goacp_sequence_it) C.acp_ga_t {
	return call(0, func(p *acp.Process) (C.acp_ga_t, error) {
		ga, err := p.ByteVectorAt(acp.GA(it.ga)).Deref(sequencePlace(it))
		return C.acp_ga_t(ga), err
	})
}

//export goacp_dereference_deque_it
func goacp_dereference_deque_it(it C.struct_goacp_sequence_it, size C.size_t) C.acp_pair_t {
	return call(C.acp_pair_t{}, func(p *acp.Process) (C.acp_pair_t, error) {
		pair, err := p.ByteDequeAt(acp.GA(it.ga)).Deref(sequencePlace(it), uint64(size))
		return C.acp_pair_t{first: cElement(pair.First), second: cElement(pair.Second)}, err
	})
}
