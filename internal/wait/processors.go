package wait

import (
	"math/bits"
	"runtime"
	"slices"

	"golang.org/x/sys/unix"
)

// Processors returns the processors on which this process may run, one bit each. The result is
// empty if the kernel does not provide them.
func Processors() []byte {
	var set unix.CPUSet
	if unix.SchedGetaffinity(0, &set) != nil {
		return nil
	}
	var list []byte
	for i := range len(set) * bits.UintSize {
		if set.IsSet(i) {
			for len(list) <= i/8 {
				list = append(list, 0)
			}
			list[i/8] |= 1 << (i % 8)
		}
	}
	return list
}

// Sharers returns which ranks of a host share processors with one of them, and how many processors
// these are. lists are the Processors of the ranks. The one is among the result, and so are those
// that share processors with another sharer.
func Sharers(lists [][]byte, one int) (ranks []int, processors int) {
	in := make([]bool, len(lists))
	in[one] = true
	shared := [][]byte{lists[one]}
	for before := 0; before < len(shared); {
		before = len(shared)
		for i, l := range lists {
			if !in[i] && slices.ContainsFunc(shared, func(other []byte) bool { return overlap(l, other) }) {
				in[i] = true
				shared = append(shared, l)
			}
		}
	}
	for i := range lists {
		if in[i] {
			ranks = append(ranks, i)
		}
	}
	if len(lists[one]) == 0 {
		return ranks, max(countUnion(shared), runtime.NumCPU())
	}
	return ranks, countUnion(shared)
}

// overlap reports whether two lists have a processor in common. An empty list stands for all.
func overlap(a, b []byte) bool {
	if len(a) == 0 || len(b) == 0 {
		return true
	}
	for i := range min(len(a), len(b)) {
		if a[i]&b[i] != 0 {
			return true
		}
	}
	return false
}

// countUnion counts the bits that are set in any of the lists.
func countUnion(lists [][]byte) int {
	var union []byte
	for _, l := range lists {
		for i, part := range l {
			if i == len(union) {
				union = append(union, 0)
			}
			union[i] |= part
		}
	}
	count := 0
	for _, part := range union {
		count += bits.OnesCount8(part)
	}
	return count
}
