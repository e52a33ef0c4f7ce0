package wait

import (
	"math/bits"
	"runtime"
	"slices"
	"unsafe"

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

// LeaveProcessor moves the calling thread to another one of the processors on which it may run, if there is one.
// The kernel often wakes a thread on the processor of the thread that has sent it something, since most senders
// sleep then. Does not block.
func LeaveProcessor() {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var all unix.CPUSet
	if unix.SchedGetaffinity(0, &all) != nil {
		return
	}
	others := all
	if others.Clear(processor()); others.Count() > 0 && unix.SchedSetaffinity(0, &others) == nil {
		_ = unix.SchedSetaffinity(0, &all)
	}
}

// processor returns the processor on which the calling thread runs.
func processor() int {
	var number uint32
	_, _, _ = unix.RawSyscall(unix.SYS_GETCPU, uintptr(unsafe.Pointer(&number)), 0, 0)
	return int(number)
}

// Pool is the processors that ranks of a host share.
type Pool struct {
	set      []byte // one bit for each, as in Processors
	anywhere bool   // a rank may run on any processor
	unbound  bool   // the rank of which the pool was made may
}

// PoolOf returns the pool of a rank alone. list is its Processors.
func PoolOf(list []byte) Pool {
	return Pool{slices.Clone(list), len(list) == 0, len(list) == 0}
}

// Shares reports whether a rank with a list of processors shares one with the pool.
func (p *Pool) Shares(list []byte) bool { return p.anywhere || overlap(p.set, list) }

// Join adds the processors of a rank that shares one with the pool, and reports whether the pool has grown.
// Those that share one with any of these then share one with the pool.
func (p *Pool) Join(list []byte) (grown bool) {
	if !p.Shares(list) {
		return false
	}
	if len(list) == 0 && !p.anywhere {
		p.anywhere, grown = true, true
	}
	for i, part := range list {
		if i == len(p.set) {
			p.set = append(p.set, 0)
		}
		grown = grown || part&^p.set[i] != 0
		p.set[i] |= part
	}
	return grown
}

// Size returns how many processors the pool has.
func (p *Pool) Size() int {
	count := 0
	for _, part := range p.set {
		count += bits.OnesCount8(part)
	}
	if p.unbound {
		return max(count, runtime.NumCPU())
	}
	return count
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
