//go:build cgo

package main

// #include "bind.h"
import "C"

import (
	"github.com/goacp/goacp/acp"
)

// dequeOf returns the deque of a handle.
func dequeOf(p *acp.Process, d C.acp_deque_t) acp.ByteDeque { return p.ByteDequeAt(acp.GA(d.ga)) }

// dequePlace returns an iterator as Go has it.
func dequePlace(it C.acp_deque_it_t) acp.SequenceIterator {
	return acp.SequenceIterator{GA: acp.GA(it.deque.ga), Index: int(it.index)}
}

// dequeIt returns an iterator as C has it. Fails if C's numbers do not reach so far.
func dequeIt(it acp.SequenceIterator, err error) (C.acp_deque_it_t, error) {
	index, err := cIndex(it.Index, err)
	return C.acp_deque_it_t{deque: C.acp_deque_t{ga: C.acp_ga_t(it.GA)}, index: index}, err
}

// goacp_assign_deque is acp_assign_deque.
//
//export goacp_assign_deque
func goacp_assign_deque(deque1, deque2 C.acp_deque_t) {
	perform(func(p *acp.Process) error { return dequeOf(p, deque1).Assign(dequeOf(p, deque2)) })
}

// goacp_assign_range_deque is acp_assign_range_deque.
//
//export goacp_assign_range_deque
func goacp_assign_range_deque(deque C.acp_deque_t, start, end C.acp_deque_it_t) {
	perform(func(p *acp.Process) error { return dequeOf(p, deque).AssignRange(dequePlace(start), dequePlace(end)) })
}

// goacp_at_deque is acp_at_deque.
//
//export goacp_at_deque
func goacp_at_deque(deque C.acp_deque_t, offset C.int) C.acp_ga_t {
	return call(0, func(p *acp.Process) (C.acp_ga_t, error) {
		ga, err := dequeOf(p, deque).Locate(int(offset))
		return C.acp_ga_t(ga), err
	})
}

// goacp_back_deque is acp_back_deque.
//
//export goacp_back_deque
func goacp_back_deque(deque C.acp_deque_t) C.acp_deque_it_t {
	return call(C.acp_deque_it_t{deque: deque, index: -1}, func(p *acp.Process) (C.acp_deque_it_t, error) {
		return dequeIt(dequeOf(p, deque).Back())
	})
}

// goacp_capacity_deque is acp_capacity_deque.
//
//export goacp_capacity_deque
func goacp_capacity_deque(deque C.acp_deque_t) C.size_t {
	return call(0, func(p *acp.Process) (C.size_t, error) {
		n, err := dequeOf(p, deque).Cap()
		return C.size_t(n), err
	})
}

// goacp_clear_deque is acp_clear_deque.
//
//export goacp_clear_deque
func goacp_clear_deque(deque C.acp_deque_t) {
	perform(func(p *acp.Process) error { return dequeOf(p, deque).Clear() })
}

// goacp_create_deque is acp_create_deque.
//
//export goacp_create_deque
func goacp_create_deque(size C.size_t, rank C.int) C.acp_deque_t {
	return call(C.acp_deque_t{}, func(p *acp.Process) (C.acp_deque_t, error) {
		d, err := p.NewByteDeque(uint64(size), acp.Rank(rank))
		return C.acp_deque_t{ga: C.acp_ga_t(d.Address())}, err
	})
}

// goacp_destroy_deque is acp_destroy_deque.
//
//export goacp_destroy_deque
func goacp_destroy_deque(deque C.acp_deque_t) {
	perform(func(p *acp.Process) error { return dequeOf(p, deque).Destroy() })
}

// goacp_empty_deque is acp_empty_deque.
//
//export goacp_empty_deque
func goacp_empty_deque(deque C.acp_deque_t) C.int {
	return call(1, func(p *acp.Process) (C.int, error) {
		empty, err := dequeOf(p, deque).Empty()
		if empty {
			return 1, err
		}
		return 0, err
	})
}

// goacp_end_deque is acp_end_deque.
//
//export goacp_end_deque
func goacp_end_deque(deque C.acp_deque_t) C.acp_deque_it_t {
	return call(C.acp_deque_it_t{deque: deque}, func(p *acp.Process) (C.acp_deque_it_t, error) {
		return dequeIt(dequeOf(p, deque).End())
	})
}

// goacp_erase_deque is acp_erase_deque.
//
//export goacp_erase_deque
func goacp_erase_deque(it C.acp_deque_it_t, size C.size_t) C.acp_deque_it_t {
	return call(it, func(p *acp.Process) (C.acp_deque_it_t, error) {
		return dequeIt(dequeOf(p, it.deque).Erase(dequePlace(it), uint64(size)))
	})
}

// goacp_erase_range_deque is acp_erase_range_deque.
//
//export goacp_erase_range_deque
func goacp_erase_range_deque(start, end C.acp_deque_it_t) C.acp_deque_it_t {
	return call(end, func(p *acp.Process) (C.acp_deque_it_t, error) {
		return dequeIt(dequeOf(p, start.deque).EraseRange(dequePlace(start), dequePlace(end)))
	})
}

// goacp_insert_deque is acp_insert_deque.
//
//export goacp_insert_deque
func goacp_insert_deque(it C.acp_deque_it_t, ga C.acp_ga_t, size C.size_t) C.acp_deque_it_t {
	return call(it, func(p *acp.Process) (C.acp_deque_it_t, error) {
		return dequeIt(dequeOf(p, it.deque).Insert(dequePlace(it), element(ga, size)))
	})
}

// goacp_insert_range_deque is acp_insert_range_deque.
//
//export goacp_insert_range_deque
func goacp_insert_range_deque(it, start, end C.acp_deque_it_t) C.acp_deque_it_t {
	return call(it, func(p *acp.Process) (C.acp_deque_it_t, error) {
		return dequeIt(dequeOf(p, it.deque).InsertRange(dequePlace(it), dequePlace(start), dequePlace(end)))
	})
}

// goacp_pop_back_deque is acp_pop_back_deque.
//
//export goacp_pop_back_deque
func goacp_pop_back_deque(deque C.acp_deque_t, size C.size_t) {
	perform(func(p *acp.Process) error { return dequeOf(p, deque).PopBack(uint64(size)) })
}

// goacp_pop_front_deque is acp_pop_front_deque.
//
//export goacp_pop_front_deque
func goacp_pop_front_deque(deque C.acp_deque_t, size C.size_t) {
	perform(func(p *acp.Process) error { return dequeOf(p, deque).PopFront(uint64(size)) })
}

// goacp_push_back_deque is acp_push_back_deque.
//
//export goacp_push_back_deque
func goacp_push_back_deque(deque C.acp_deque_t, ga C.acp_ga_t, size C.size_t) {
	perform(func(p *acp.Process) error { return dequeOf(p, deque).PushBack(element(ga, size)) })
}

// goacp_push_front_deque is acp_push_front_deque.
//
//export goacp_push_front_deque
func goacp_push_front_deque(deque C.acp_deque_t, ga C.acp_ga_t, size C.size_t) {
	perform(func(p *acp.Process) error { return dequeOf(p, deque).PushFront(element(ga, size)) })
}

// goacp_reserve_deque is acp_reserve_deque.
//
//export goacp_reserve_deque
func goacp_reserve_deque(deque C.acp_deque_t, size C.size_t) {
	perform(func(p *acp.Process) error { return dequeOf(p, deque).Reserve(uint64(size)) })
}

// goacp_size_deque is acp_size_deque.
//
//export goacp_size_deque
func goacp_size_deque(deque C.acp_deque_t) C.size_t {
	return call(0, func(p *acp.Process) (C.size_t, error) {
		n, err := dequeOf(p, deque).Len()
		return C.size_t(n), err
	})
}

// goacp_swap_deque is acp_swap_deque.
//
//export goacp_swap_deque
func goacp_swap_deque(deque1, deque2 C.acp_deque_t) {
	perform(func(p *acp.Process) error { return dequeOf(p, deque1).Swap(dequeOf(p, deque2)) })
}

// goacp_dereference_deque_it is acp_dereference_deque_it.
//
//export goacp_dereference_deque_it
func goacp_dereference_deque_it(it C.acp_deque_it_t, size C.size_t) C.acp_pair_t {
	return call(C.acp_pair_t{}, func(p *acp.Process) (C.acp_pair_t, error) {
		pair, err := dequeOf(p, it.deque).Deref(dequePlace(it), uint64(size))
		return C.acp_pair_t{first: cElement(pair.First), second: cElement(pair.Second)}, err
	})
}
