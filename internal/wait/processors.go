package wait

import (
	"math/bits"
	"runtime"

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

// Suffice reports whether this host has a processor for each of its ranks. Then a rank may spin
// without taking the processor of another. lists are the Processors of the ranks: launchers bind
// ranks to different processors, so those of all ranks count.
func Suffice(lists [][]byte) bool {
	return len(lists) <= max(countUnion(lists), runtime.NumCPU())
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
