//go:build cgo

package main

// #include "bind.h"
import "C"

import (
	"fmt"
	"math"
	"syscall"

	"github.com/goacp/goacp/acp"
)

// vectorOf returns the vector of a handle.
func vectorOf(p *acp.Process, v C.acp_vector_t) acp.ByteVector { return p.ByteVectorAt(acp.GA(v.ga)) }

// vectorPlace returns an iterator as Go has it.
func vectorPlace(it C.acp_vector_it_t) acp.SequenceIterator {
	return acp.SequenceIterator{GA: acp.GA(it.vector.ga), Index: int(it.index)}
}

// vectorIt returns an iterator as C has it. Fails if C's numbers do not reach so far.
func vectorIt(it acp.SequenceIterator, err error) (C.acp_vector_it_t, error) {
	index, err := cIndex(it.Index, err)
	return C.acp_vector_it_t{vector: C.acp_vector_t{ga: C.acp_ga_t(it.GA)}, index: index}, err
}

// cIndex returns the index of an iterator as C has it.
func cIndex(index int, err error) (C.int, error) {
	if err == nil && index > math.MaxInt32 {
		err = fmt.Errorf("%w: iterators of C do not reach byte %d", syscall.EOVERFLOW, index)
	}
	return C.int(index), err
}

// goacp_assign_vector is acp_assign_vector.
//
//export goacp_assign_vector
func goacp_assign_vector(vector1, vector2 C.acp_vector_t) {
	perform(func(p *acp.Process) error { return vectorOf(p, vector1).Assign(vectorOf(p, vector2)) })
}

// goacp_assign_range_vector is acp_assign_range_vector.
//
//export goacp_assign_range_vector
func goacp_assign_range_vector(vector C.acp_vector_t, start, end C.acp_vector_it_t) {
	perform(func(p *acp.Process) error {
		return vectorOf(p, vector).AssignRange(vectorPlace(start), vectorPlace(end))
	})
}

// goacp_at_vector is acp_at_vector.
//
//export goacp_at_vector
func goacp_at_vector(vector C.acp_vector_t, offset C.int) C.acp_ga_t {
	return call(0, func(p *acp.Process) (C.acp_ga_t, error) {
		ga, err := vectorOf(p, vector).Locate(int(offset))
		return C.acp_ga_t(ga), err
	})
}

// goacp_capacity_vector is acp_capacity_vector.
//
//export goacp_capacity_vector
func goacp_capacity_vector(vector C.acp_vector_t) C.size_t {
	return call(0, func(p *acp.Process) (C.size_t, error) {
		n, err := vectorOf(p, vector).Cap()
		return C.size_t(n), err
	})
}

// goacp_clear_vector is acp_clear_vector.
//
//export goacp_clear_vector
func goacp_clear_vector(vector C.acp_vector_t) {
	perform(func(p *acp.Process) error { return vectorOf(p, vector).Clear() })
}

// goacp_create_vector is acp_create_vector.
//
//export goacp_create_vector
func goacp_create_vector(size C.size_t, rank C.int) C.acp_vector_t {
	return call(C.acp_vector_t{}, func(p *acp.Process) (C.acp_vector_t, error) {
		v, err := p.NewByteVector(uint64(size), acp.Rank(rank))
		return C.acp_vector_t{ga: C.acp_ga_t(v.Address())}, err
	})
}

// goacp_destroy_vector is acp_destroy_vector.
//
//export goacp_destroy_vector
func goacp_destroy_vector(vector C.acp_vector_t) {
	perform(func(p *acp.Process) error { return vectorOf(p, vector).Destroy() })
}

// goacp_empty_vector is acp_empty_vector.
//
//export goacp_empty_vector
func goacp_empty_vector(vector C.acp_vector_t) C.int {
	return call(1, func(p *acp.Process) (C.int, error) {
		empty, err := vectorOf(p, vector).Empty()
		if empty {
			return 1, err
		}
		return 0, err
	})
}

// goacp_end_vector is acp_end_vector.
//
//export goacp_end_vector
func goacp_end_vector(vector C.acp_vector_t) C.acp_vector_it_t {
	return call(C.acp_vector_it_t{vector: vector}, func(p *acp.Process) (C.acp_vector_it_t, error) {
		return vectorIt(vectorOf(p, vector).End())
	})
}

// goacp_erase_vector is acp_erase_vector.
//
//export goacp_erase_vector
func goacp_erase_vector(it C.acp_vector_it_t, size C.size_t) C.acp_vector_it_t {
	return call(it, func(p *acp.Process) (C.acp_vector_it_t, error) {
		return vectorIt(vectorOf(p, it.vector).Erase(vectorPlace(it), uint64(size)))
	})
}

// goacp_erase_range_vector is acp_erase_range_vector.
//
//export goacp_erase_range_vector
func goacp_erase_range_vector(start, end C.acp_vector_it_t) C.acp_vector_it_t {
	return call(end, func(p *acp.Process) (C.acp_vector_it_t, error) {
		return vectorIt(vectorOf(p, start.vector).EraseRange(vectorPlace(start), vectorPlace(end)))
	})
}

// goacp_insert_vector is acp_insert_vector.
//
//export goacp_insert_vector
func goacp_insert_vector(it C.acp_vector_it_t, ga C.acp_ga_t, size C.size_t) C.acp_vector_it_t {
	return call(it, func(p *acp.Process) (C.acp_vector_it_t, error) {
		return vectorIt(vectorOf(p, it.vector).Insert(vectorPlace(it), element(ga, size)))
	})
}

// goacp_insert_range_vector is acp_insert_range_vector.
//
//export goacp_insert_range_vector
func goacp_insert_range_vector(it, start, end C.acp_vector_it_t) C.acp_vector_it_t {
	return call(it, func(p *acp.Process) (C.acp_vector_it_t, error) {
		return vectorIt(vectorOf(p, it.vector).InsertRange(vectorPlace(it), vectorPlace(start), vectorPlace(end)))
	})
}

// goacp_pop_back_vector is acp_pop_back_vector.
//
//export goacp_pop_back_vector
func goacp_pop_back_vector(vector C.acp_vector_t, size C.size_t) {
	perform(func(p *acp.Process) error { return vectorOf(p, vector).PopBack(uint64(size)) })
}

// goacp_push_back_vector is acp_push_back_vector.
//
//export goacp_push_back_vector
func goacp_push_back_vector(vector C.acp_vector_t, ga C.acp_ga_t, size C.size_t) {
	perform(func(p *acp.Process) error { return vectorOf(p, vector).PushBack(element(ga, size)) })
}

// goacp_reserve_vector is acp_reserve_vector.
//
//export goacp_reserve_vector
func goacp_reserve_vector(vector C.acp_vector_t, size C.size_t) {
	perform(func(p *acp.Process) error { return vectorOf(p, vector).Reserve(uint64(size)) })
}

// goacp_size_vector is acp_size_vector.
//
//export goacp_size_vector
func goacp_size_vector(vector C.acp_vector_t) C.size_t {
	return call(0, func(p *acp.Process) (C.size_t, error) {
		n, err := vectorOf(p, vector).Len()
		return C.size_t(n), err
	})
}

// goacp_swap_vector is acp_swap_vector.
//
//export goacp_swap_vector
func goacp_swap_vector(vector1, vector2 C.acp_vector_t) {
	perform(func(p *acp.Process) error { return vectorOf(p, vector1).Swap(vectorOf(p, vector2)) })
}

// goacp_dereference_vector_it is acp_dereference_vector_it.
//
//export goacp_dereference_vector_it
func goacp_dereference_vector_it(it C.acp_vector_it_t) C.acp_ga_t {
	return call(0, func(p *acp.Process) (C.acp_ga_t, error) {
		ga, err := vectorOf(p, it.vector).Deref(vectorPlace(it))
		return C.acp_ga_t(ga), err
	})
}
