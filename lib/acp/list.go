//go:build cgo

package libacp

// #include "bind.h"
import "C"

import (
	"math"

	"github.com/goacp/goacp/acp"
)

// listOf returns the list of a handle.
func listOf(p *acp.Process, l C.acp_list_t) acp.ByteList { return p.ByteListAt(acp.GA(l.ga)) }

// listPlace returns an iterator as Go has it.
func listPlace(it C.acp_list_it_t) acp.ListIterator {
	return acp.ListIterator{GA: acp.GA(it.list.ga), Elem: acp.GA(it.elem)}
}

// listIt returns an iterator as C has it.
func listIt(it acp.ListIterator) C.acp_list_it_t {
	return C.acp_list_it_t{list: C.acp_list_t{ga: C.acp_ga_t(it.GA)}, elem: C.acp_ga_t(it.Elem)}
}

// listPlaceOf returns the iterator that f yields, or one of no element if f fails.
func listPlaceOf(list C.acp_list_t, f func(*acp.Process) (acp.ListIterator, error)) C.acp_list_it_t {
	return call(C.acp_list_it_t{list: list}, func(p *acp.Process) (C.acp_list_it_t, error) {
		it, err := f(p)
		return listIt(it), err
	})
}

// listElement returns bytes in global memory as Go has them.
func listElement(e C.acp_element_t) acp.Element { return goElement(e.ga, e.size) }

// listCompare returns comp as Go calls it. Fails if it is NULL.
func listCompare(comp C.goacp_comp) (func(a, b acp.Element) int, error) {
	if comp == nil {
		return nil, acp.ErrBadAddress
	}
	return func(a, b acp.Element) int {
		return int(C.goacp_call_comp(comp, cElement(a), cElement(b)))
	}, nil
}

//export goacp_assign_list
func goacp_assign_list(list1, list2 C.acp_list_t) {
	perform(func(p *acp.Process) error { return listOf(p, list1).Assign(listOf(p, list2)) })
}

//export goacp_assign_range_list
func goacp_assign_range_list(list C.acp_list_t, start, end C.acp_list_it_t) {
	perform(func(p *acp.Process) error { return listOf(p, list).AssignRange(listPlace(start), listPlace(end)) })
}

//export goacp_begin_list
func goacp_begin_list(list C.acp_list_t) C.acp_list_it_t {
	return listPlaceOf(list, func(p *acp.Process) (acp.ListIterator, error) {
		return listOf(p, list).Begin()
	})
}

//export goacp_clear_list
func goacp_clear_list(list C.acp_list_t) {
	perform(func(p *acp.Process) error { return listOf(p, list).Clear() })
}

//export goacp_create_list
func goacp_create_list(rank C.int) C.acp_list_t {
	return call(C.acp_list_t{}, func(p *acp.Process) (C.acp_list_t, error) {
		l, err := p.NewByteList(acp.Rank(rank))
		return C.acp_list_t{ga: C.acp_ga_t(l.Address())}, err
	})
}

//export goacp_destroy_list
func goacp_destroy_list(list C.acp_list_t) {
	perform(func(p *acp.Process) error { return listOf(p, list).Destroy() })
}

//export goacp_empty_list
func goacp_empty_list(list C.acp_list_t) C.int {
	return call(1, func(p *acp.Process) (C.int, error) {
		empty, err := listOf(p, list).Empty()
		if empty {
			return 1, err
		}
		return 0, err
	})
}

//export goacp_erase_list
func goacp_erase_list(it C.acp_list_it_t) C.acp_list_it_t {
	return listPlaceOf(it.list, func(p *acp.Process) (acp.ListIterator, error) {
		return listOf(p, it.list).Erase(listPlace(it))
	})
}

//export goacp_erase_range_list
func goacp_erase_range_list(start, end C.acp_list_it_t) C.acp_list_it_t {
	return call(end, func(p *acp.Process) (C.acp_list_it_t, error) {
		it, err := listOf(p, start.list).EraseRange(listPlace(start), listPlace(end))
		return listIt(it), err
	})
}

//export goacp_insert_list
func goacp_insert_list(it C.acp_list_it_t, elem C.acp_element_t, rank C.int) C.acp_list_it_t {
	return listPlaceOf(it.list, func(p *acp.Process) (acp.ListIterator, error) {
		return listOf(p, it.list).Insert(listPlace(it), listElement(elem), acp.Rank(rank))
	})
}

//export goacp_insert_range_list
func goacp_insert_range_list(it, start, end C.acp_list_it_t) C.acp_list_it_t {
	return listPlaceOf(it.list, func(p *acp.Process) (acp.ListIterator, error) {
		return listOf(p, it.list).InsertRange(listPlace(it), listPlace(start), listPlace(end))
	})
}

//export goacp_merge_list
func goacp_merge_list(list1, list2 C.acp_list_t, comp C.goacp_comp) {
	perform(func(p *acp.Process) error {
		compare, err := listCompare(comp)
		if err != nil {
			return err
		}
		return listOf(p, list1).Merge(listOf(p, list2), compare)
	})
}

//export goacp_pop_back_list
func goacp_pop_back_list(list C.acp_list_t) {
	perform(func(p *acp.Process) error { return listOf(p, list).PopBack() })
}

//export goacp_pop_front_list
func goacp_pop_front_list(list C.acp_list_t) {
	perform(func(p *acp.Process) error { return listOf(p, list).PopFront() })
}

//export goacp_push_back_list
func goacp_push_back_list(list C.acp_list_t, elem C.acp_element_t, rank C.int) {
	perform(func(p *acp.Process) error { return listOf(p, list).PushBack(listElement(elem), acp.Rank(rank)) })
}

//export goacp_push_front_list
func goacp_push_front_list(list C.acp_list_t, elem C.acp_element_t, rank C.int) {
	perform(func(p *acp.Process) error { return listOf(p, list).PushFront(listElement(elem), acp.Rank(rank)) })
}

//export goacp_remove_list
func goacp_remove_list(list C.acp_list_t, elem C.acp_element_t) {
	perform(func(p *acp.Process) error {
		_, err := listOf(p, list).Remove(listElement(elem))
		return err
	})
}

//export goacp_reverse_list
func goacp_reverse_list(list C.acp_list_t) {
	perform(func(p *acp.Process) error { return listOf(p, list).Reverse() })
}

//export goacp_size_list
func goacp_size_list(list C.acp_list_t) C.size_t {
	return call(0, func(p *acp.Process) (C.size_t, error) {
		n, err := listOf(p, list).Len()
		return C.size_t(n), err
	})
}

//export goacp_sort_list
func goacp_sort_list(list C.acp_list_t, comp C.goacp_comp) {
	perform(func(p *acp.Process) error {
		compare, err := listCompare(comp)
		if err != nil {
			return err
		}
		return listOf(p, list).Sort(compare)
	})
}

//export goacp_splice_list
func goacp_splice_list(it1, it2 C.acp_list_it_t) {
	perform(func(p *acp.Process) error { return listOf(p, it1.list).Splice(listPlace(it1), listPlace(it2)) })
}

//export goacp_splice_range_list
func goacp_splice_range_list(it, start, end C.acp_list_it_t) {
	perform(func(p *acp.Process) error {
		return listOf(p, it.list).SpliceRange(listPlace(it), listPlace(start), listPlace(end))
	})
}

//export goacp_swap_list
func goacp_swap_list(list1, list2 C.acp_list_t) {
	perform(func(p *acp.Process) error { return listOf(p, list1).Swap(listOf(p, list2)) })
}

//export goacp_unique_list
func goacp_unique_list(list C.acp_list_t) {
	perform(func(p *acp.Process) error {
		_, err := listOf(p, list).Unique()
		return err
	})
}

//export goacp_advance_list_it
func goacp_advance_list_it(it C.acp_list_it_t, n C.int) C.acp_list_it_t {
	return listPlaceOf(it.list, func(p *acp.Process) (acp.ListIterator, error) {
		return listOf(p, it.list).Advance(listPlace(it), int(n))
	})
}

//export goacp_decrement_list_it
func goacp_decrement_list_it(it C.acp_list_it_t) C.acp_list_it_t {
	return listPlaceOf(it.list, func(p *acp.Process) (acp.ListIterator, error) {
		return listOf(p, it.list).Prev(listPlace(it))
	})
}

//export goacp_dereference_list_it
func goacp_dereference_list_it(it C.acp_list_it_t) C.acp_element_t {
	return call(C.acp_element_t{}, func(p *acp.Process) (C.acp_element_t, error) {
		e, err := listOf(p, it.list).Deref(listPlace(it))
		return cElement(e), err
	})
}

//export goacp_distance_list_it
func goacp_distance_list_it(first, last C.acp_list_it_t) C.int {
	return call(0, func(p *acp.Process) (C.int, error) {
		n, err := listOf(p, first.list).Distance(listPlace(first), listPlace(last))
		return C.int(min(n, math.MaxInt32)), err
	})
}

//export goacp_increment_list_it
func goacp_increment_list_it(it C.acp_list_it_t) C.acp_list_it_t {
	return listPlaceOf(it.list, func(p *acp.Process) (acp.ListIterator, error) {
		return listOf(p, it.list).Next(listPlace(it))
	})
}
