package acp

import (
	"math/bits"
	"runtime"
	"time"

	"github.com/goacp/goacp/internal/futex"
	"golang.org/x/sys/unix"
)

// spinTime is how long a waiter looks before it sleeps, if every rank of the host
// has a processor: several round trips between hosts.
//
// Who spins does not yield to other goroutines: the one of a call from C is bound to
// its thread, and coming back to it costs two switches of threads each time.
const spinTime = 50 * time.Microsecond

// A waiter looks in turns, a fraction of a microsecond each.
//
//goacp:c GOACP_
const (
	// turnLooks is how often it looks in a turn, and then asks for the time.
	turnLooks = 64

	// aloneTurns is how many turns it takes before it offers its processor to other
	// threads in between: the one it waits for may be among them.
	aloneTurns = 8
)

// spinFor looks for cond, which is about memory, for at most d.
func spinFor(d time.Duration, cond func() bool) {
	if cond() || d == 0 {
		return
	}
	var deadline time.Time
	for turn := 0; ; turn++ {
		for range turnLooks {
			if cond() {
				return
			}
		}
		// Asking for the time costs as much as a turn, so the first goes without.
		switch now := time.Now(); {
		case turn == 0:
			deadline = now.Add(d)
		case now.After(deadline):
			return
		}
		if turn >= aloneTurns {
			futex.Yield()
		}
	}
}

// processors returns the processors on which this process may run, one bit each. It
// is empty if the kernel does not say.
func processors() []byte {
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

// processorsSuffice reports whether the members of this host have as many processors
// as they are, so that one may look for a while without taking that of another.
// Launchers bind processes to processors; therefore those of all count, which stand
// behind the first byte of blobs.
func (p *Process) processorsSuffice(blobs [][]byte) bool {
	var here [][]byte
	for m, b := range blobs {
		if m == p.self || p.members.SameHost(p.self, m) {
			here = append(here, b[1:])
		}
	}
	return len(here) <= max(countUnion(here), runtime.NumCPU())
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
