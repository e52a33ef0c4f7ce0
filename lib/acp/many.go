//go:build cgo

package libacp

// #include "bind.h"
import "C"

import (
	"unsafe"

	"github.com/goacp/goacp/acp"
)

// elementsAt returns a copy of the elements of a part.
func (p part) elementsAt(array *C.acp_element_t) ([]acp.Element, error) {
	return pick(p, "elements", array, elementOf)
}

// pairsAt returns a copy of the pairs of a part.
func (p part) pairsAt(array *C.acp_pair_t) ([]acp.Pair, error) {
	return pick(p, "pairs", array, pairOf)
}

// changeMany calls f, which inserts or removes the keys of a part, stores what it has done with each at
// results unless that is NULL, and returns with how many it has done so.
func changeMany(rest part, results *C.int, f func(p *acp.Process) ([]bool, error)) C.int {
	return call(-1, func(p *acp.Process) (n C.int, err error) {
		did, err := f(p)
		failed, ok := rest.failed(err)
		if !ok {
			return 0, err
		}
		out := make([]C.int, len(did))
		for i, is := range did {
			out[i] = truth(is)
			n += out[i]
		}
		for _, i := range failed {
			out[i] = -1
		}
		if results != nil {
			all := unsafe.Slice(results, rest.count)
			for i, x := range out {
				all[rest.number(i)] = x
			}
		}
		return n, err
	})
}

// keys are a set, multiset or map.
type keys interface {
	RemoveMany(keys []acp.Element) ([]bool, error)
	FindMany(keys []acp.Element) ([]acp.TableIterator, error)
}

// keysAt returns the set, multiset or map at t.
func keysAt(p *acp.Process, kind C.int, t C.struct_goacp_tables) keys {
	switch kind {
	case C.GOACP_SET:
		return p.ByteSetAt(addressOf(t))
	case C.GOACP_MULTISET:
		return p.ByteMultisetAt(addressOf(t))
	}
	return p.ByteMapAt(addressOf(t))
}

// goacp_insert_many is acp_insert_many_set and acp_insert_many_multiset.
//
//export goacp_insert_many
func goacp_insert_many(kind C.int, t C.struct_goacp_tables, array *C.acp_element_t, count C.int, results *C.int, left *C.int, n C.int) C.int {
	rest := leftOf(count, left, n)
	return changeMany(rest, results, func(p *acp.Process) ([]bool, error) {
		es, err := rest.elementsAt(array)
		switch {
		case err != nil:
			return nil, err
		case kind == C.GOACP_SET:
			return p.ByteSetAt(addressOf(t)).InsertMany(es)
		}
		return p.ByteMultisetAt(addressOf(t)).InsertMany(es)
	})
}

//export goacp_insert_many_map
func goacp_insert_many_map(t C.struct_goacp_tables, array *C.acp_pair_t, count C.int, results *C.int, left *C.int, n C.int) C.int {
	rest := leftOf(count, left, n)
	return changeMany(rest, results, func(p *acp.Process) ([]bool, error) {
		pairs, err := rest.pairsAt(array)
		if err != nil {
			return nil, err
		}
		return p.ByteMapAt(addressOf(t)).InsertMany(pairs)
	})
}

// goacp_remove_many is acp_remove_many_….
//
//export goacp_remove_many
func goacp_remove_many(kind C.int, t C.struct_goacp_tables, array *C.acp_element_t, count C.int, results *C.int, left *C.int, n C.int) C.int {
	rest := leftOf(count, left, n)
	return changeMany(rest, results, func(p *acp.Process) ([]bool, error) {
		es, err := rest.elementsAt(array)
		if err != nil {
			return nil, err
		}
		return keysAt(p, kind, t).RemoveMany(es)
	})
}

// goacp_find_many is acp_find_many_….
//
//export goacp_find_many
func goacp_find_many(kind C.int, t C.struct_goacp_tables, array *C.acp_element_t, count C.int, its *C.struct_goacp_table_it, left *C.int, n C.int) C.int {
	rest := leftOf(count, left, n)
	return call(-1, func(p *acp.Process) (n C.int, err error) {
		es, err := rest.elementsAt(array)
		if err != nil {
			return 0, err
		}
		out, err := arrayAt("iterators", its, int64(count))
		if err != nil {
			return 0, err
		}
		found, err := keysAt(p, kind, t).FindMany(es)
		if _, ok := rest.failed(err); !ok {
			return 0, err
		}
		for i, it := range found {
			at := &out[rest.number(i)]
			if *at = place(it); it.Elem != acp.NullGA {
				n++
			}
			at.of = t
		}
		return n, err
	})
}

//export goacp_retrieve_many_multiset
func goacp_retrieve_many_multiset(t C.struct_goacp_tables, array *C.acp_element_t, count C.int, times *C.uint64_t, left *C.int, n C.int) C.int {
	rest := leftOf(count, left, n)
	return call(-1, func(p *acp.Process) (C.int, error) {
		es, err := rest.elementsAt(array)
		if err != nil {
			return 0, err
		}
		out, err := arrayAt("numbers", times, int64(count))
		if err != nil {
			return 0, err
		}
		counts, err := p.ByteMultisetAt(addressOf(t)).CountMany(es)
		return storeNumbers(rest, out, counts, err)
	})
}

//export goacp_retrieve_many_map
func goacp_retrieve_many_map(t C.struct_goacp_tables, array *C.acp_pair_t, count C.int, sizes *C.size_t, left *C.int, n C.int) C.int {
	rest := leftOf(count, left, n)
	return call(-1, func(p *acp.Process) (C.int, error) {
		pairs, err := rest.pairsAt(array)
		if err != nil {
			return 0, err
		}
		copied, err := p.ByteMapAt(addressOf(t)).LoadMany(pairs)
		return storeNumbers(rest, unsafe.Slice(sizes, countAt(sizes, count)), copied, err)
	})
}

// countAt returns how many numbers an array has, none if it is NULL.
func countAt[T any](array *T, count C.int) C.int {
	if array == nil {
		return 0
	}
	return count
}

// storeNumbers stores numbers of the keys of a part at out, unless that is empty, and returns how many are not
// 0. err is that of the call.
func storeNumbers[T ~uint64](rest part, out []T, numbers []uint64, err error) (n C.int, _ error) {
	if _, ok := rest.failed(err); !ok {
		return 0, err
	}
	for i, x := range numbers {
		if len(out) > 0 {
			out[rest.number(i)] = T(x)
		}
		if x != 0 {
			n++
		}
	}
	return n, err
}

// goacp_push_many is acp_push_back_many_… and acp_push_front_many_… of vectors and deques.
//
//export goacp_push_many
func goacp_push_many(isDeque, isFront C.int, ga C.acp_ga_t, array *C.acp_element_t, count C.int) C.int {
	return perform(func(p *acp.Process) error {
		es, err := part{count: count}.elementsAt(array)
		switch {
		case err != nil:
			return err
		case isDeque == 0:
			return p.ByteVectorAt(acp.GA(ga)).PushBackMany(es)
		case isFront == 0:
			return p.ByteDequeAt(acp.GA(ga)).PushBackMany(es)
		}
		return p.ByteDequeAt(acp.GA(ga)).PushFrontMany(es)
	})
}

// goacp_pop_many is acp_pop_back_many_… and acp_pop_front_many_… of vectors and deques.
//
//export goacp_pop_many
func goacp_pop_many(isDeque, isFront C.int, ga C.acp_ga_t, array *C.acp_element_t, count C.int) C.int64_t {
	return call(-1, func(p *acp.Process) (C.int64_t, error) {
		es, err := part{count: count}.elementsAt(array)
		if err != nil {
			return 0, err
		}
		pop := p.ByteVectorAt(acp.GA(ga)).PopBackMany
		if isDeque != 0 {
			pop = p.ByteDequeAt(acp.GA(ga)).PopBackMany
		}
		if isFront != 0 {
			pop = p.ByteDequeAt(acp.GA(ga)).PopFrontMany
		}
		n, err := pop(es)
		return C.int64_t(n), err
	})
}

// goacp_push_many_list is acp_push_back_many_list and acp_push_front_many_list.
//
//export goacp_push_many_list
func goacp_push_many_list(list C.acp_list_t, isFront C.int, array *C.acp_element_t, count, rank C.int) C.int {
	return perform(func(p *acp.Process) error {
		es, err := part{count: count}.elementsAt(array)
		switch {
		case err != nil:
			return err
		case isFront != 0:
			return listOf(p, list).PushFrontMany(es, acp.Rank(rank))
		}
		return listOf(p, list).PushBackMany(es, acp.Rank(rank))
	})
}

// goacp_pop_many_list is acp_pop_back_many_list and acp_pop_front_many_list.
//
//export goacp_pop_many_list
func goacp_pop_many_list(list C.acp_list_t, isFront C.int, array *C.acp_element_t, count C.int, sizes *C.size_t) C.int {
	return call(-1, func(p *acp.Process) (C.int, error) {
		es, err := part{count: count}.elementsAt(array)
		if err != nil {
			return 0, err
		}
		pop := listOf(p, list).PopBackMany
		if isFront != 0 {
			pop = listOf(p, list).PopFrontMany
		}
		had, err := pop(es)
		out := unsafe.Slice(sizes, countAt(sizes, C.int(len(had))))
		for i := range out {
			out[i] = C.size_t(had[i])
		}
		return C.int(len(had)), err
	})
}
