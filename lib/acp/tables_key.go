//go:build cgo

package libacp

// #include "bind.h"
import "C"

import "github.com/goacp/goacp/acp"

// goacp_insert_set is acp_insert_set. It succeeds also if the key is there already.
//
//export goacp_insert_set
func goacp_insert_set(t C.struct_goacp_tables, key C.acp_element_t) C.int {
	return truth(call(false, func(p *acp.Process) (bool, error) {
		_, err := p.ByteSetAt(addressOf(t)).Insert(elementOf(key))
		return true, err
	}))
}

//export goacp_insert_multiset
func goacp_insert_multiset(t C.struct_goacp_tables, key C.acp_element_t) C.int {
	return truth(call(false, func(p *acp.Process) (bool, error) {
		_, err := p.ByteMultisetAt(addressOf(t)).Insert(elementOf(key))
		return true, err
	}))
}

//export goacp_insert_map
func goacp_insert_map(t C.struct_goacp_tables, pair C.acp_pair_t) C.int {
	return truth(call(false, func(p *acp.Process) (bool, error) {
		return p.ByteMapAt(addressOf(t)).Insert(pairOf(pair))
	}))
}

// goacp_find_table is acp_find_….
//
//export goacp_find_table
func goacp_find_table(kind C.int, t C.struct_goacp_tables, key C.acp_element_t) C.struct_goacp_table_it {
	return findPlace(t, func(p *acp.Process) (acp.TableIterator, error) {
		switch a := addressOf(t); kind {
		case C.GOACP_SET:
			return p.ByteSetAt(a).Find(elementOf(key))
		case C.GOACP_MULTISET:
			return p.ByteMultisetAt(a).Find(elementOf(key))
		default:
			return p.ByteMapAt(a).Find(elementOf(key))
		}
	})
}

// goacp_remove_table is acp_remove_…, and acp_remove_all_multiset if all is not 0.
//
//export goacp_remove_table
func goacp_remove_table(kind C.int, t C.struct_goacp_tables, key C.acp_element_t, all C.int) {
	call(false, func(p *acp.Process) (bool, error) {
		switch a := addressOf(t); {
		case kind == C.GOACP_SET:
			return p.ByteSetAt(a).Remove(elementOf(key))
		case kind == C.GOACP_MAP:
			return p.ByteMapAt(a).Remove(elementOf(key))
		case all != 0:
			return p.ByteMultisetAt(a).RemoveAll(elementOf(key))
		default:
			return p.ByteMultisetAt(a).Remove(elementOf(key))
		}
	})
}

//export goacp_retrieve_multiset
func goacp_retrieve_multiset(t C.struct_goacp_tables, key C.acp_element_t) C.uint64_t {
	return C.uint64_t(call(0, func(p *acp.Process) (uint64, error) {
		return p.ByteMultisetAt(addressOf(t)).Count(elementOf(key))
	}))
}

//export goacp_retrieve_map
func goacp_retrieve_map(t C.struct_goacp_tables, pair C.acp_pair_t) C.size_t {
	return C.size_t(call(0, func(p *acp.Process) (uint64, error) {
		return p.ByteMapAt(addressOf(t)).Load(pairOf(pair))
	}))
}

// goacp_dereference_table is acp_dereference_…_it. Only maps have a value.
//
//export goacp_dereference_table
func goacp_dereference_table(kind C.int, it C.struct_goacp_table_it) C.acp_pair_t {
	where := call(acp.Pair{}, func(p *acp.Process) (where acp.Pair, err error) {
		switch a := addressOf(it.of); kind {
		case C.GOACP_SET:
			where.First, err = p.ByteSetAt(a).Deref(iteratorOf(it))
		case C.GOACP_MULTISET:
			where.First, err = p.ByteMultisetAt(a).Deref(iteratorOf(it))
		default:
			where, err = p.ByteMapAt(a).Deref(iteratorOf(it))
		}
		return where, err
	})
	element := func(e acp.Element) C.acp_element_t {
		return C.acp_element_t{ga: C.acp_ga_t(e.GA), size: C.size_t(e.Size)}
	}
	return C.acp_pair_t{first: element(where.First), second: element(where.Second)}
}
