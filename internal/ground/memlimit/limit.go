// Package memlimit reads how much memory the control groups (cgroups) of a process, and its host,
// let it use. The kernel kills a process that touches more.
package memlimit

import (
	"io/fs"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Limit is the least of the memory limits of some groups, and perhaps of the memory of the host. It
// is safe for concurrent use.
type Limit struct {
	fsys   fs.FS
	groups []Group
	host   bool // the memory of the host is a limit
}

// New returns the limit of processes, which are names of directories in /proc, such as "self".
// host says that the memory of the host limits them, too. fsys is that of Find. New returns nil
// if nothing limits the processes.
func New(fsys fs.FS, host bool, processes ...string) *Limit {
	l := &Limit{fsys: fsys, host: host}
	limited := host
	for _, process := range processes {
		for _, g := range Find(fsys, process) {
			if slices.Contains(l.groups, g) {
				continue
			}
			_, ok := l.number(g, g.limitFile())
			limited = limited || ok
			l.groups = append(l.groups, g)
		}
	}
	if !limited {
		return nil
	}
	return l
}

// Left returns how many more bytes the processes may use. It returns false if nothing limits
// them any more. Memory that the kernel can take back counts as unused: cached files, and
// memory that fits into swap space. A small part of the limit is kept for page tables of the
// kernel, stacks, and what the processes allocate for themselves. Left makes some system calls for each group.
func (l *Limit) Left() (uint64, bool) {
	left, limited := uint64(math.MaxUint64), false
	swap := meminfo(l.fsys, "SwapFree:")
	if all := Host(l.fsys); l.host && all > 0 {
		left, limited = minus(meminfo(l.fsys, "MemAvailable:")+swap, reserve(all)), true
	}
	for _, g := range l.groups {
		if n, ok := l.leftIn(g, swap); ok {
			left, limited = min(left, n), true
		}
	}
	return left, limited
}

// leftIn returns how many more bytes one group may use. It returns false if the group has no
// limit.
func (l *Limit) leftIn(g Group, swap uint64) (uint64, bool) {
	limit, limited := l.number(g, g.limitFile())
	if !limited {
		return 0, false
	}
	var usage, bound uint64 = 0, math.MaxUint64
	if g.Unified {
		usage, _ = l.number(g, "memory.current")
		if most, ok := l.number(g, "memory.swap.max"); ok {
			used, _ := l.number(g, "memory.swap.current")
			swap = min(swap, minus(most, used))
		}
	} else {
		usage, _ = l.number(g, "memory.usage_in_bytes")
		if most, ok := l.number(g, "memory.memsw.limit_in_bytes"); ok {
			used, _ := l.number(g, "memory.memsw.usage_in_bytes")
			bound = minus(most, used)
		}
	}
	left := min(minus(limit, usage)+swap, bound) + l.reclaimable(g)
	return minus(left, reserve(limit)), true
}

// reserve is the part of a limit that is kept. Each process and each launcher is a program in Go, whose own heap may grow by 4 MiB
// before the first collection: a few of them fit into a small limit.
func reserve(limit uint64) uint64 { return min(16<<20, limit/16) + limit/64 }

func (g Group) limitFile() string {
	if g.Unified {
		return "memory.max"
	}
	return "memory.limit_in_bytes"
}

// unlimited is the limit that version 1 shows for groups without a limit, or a smaller number:
// the kernel rounds the largest number down to a page.
const unlimited = 1 << 62

// number returns the number in a file of a group. It returns false if there is none, or if it
// means that there is no limit.
func (l *Limit) number(g Group, file string) (uint64, bool) {
	n, err := strconv.ParseUint(content(l.fsys, g.Dir+"/"+file), 10, 64)
	return n, err == nil && n < unlimited
}

// reclaimable returns the bytes of a group that the kernel can take back.
func (l *Limit) reclaimable(g Group) uint64 {
	prefix := "total_" // that of the group and its children, which version 2 always means
	if g.Unified {
		prefix = ""
	}
	var sum uint64
	for line := range strings.Lines(content(l.fsys, g.Dir+"/memory.stat")) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch key {
		case prefix + "inactive_file", prefix + "active_file", prefix + "slab_reclaimable":
			if n, err := strconv.ParseUint(value, 10, 64); err == nil && n < unlimited {
				sum += n
			}
		}
	}
	return min(sum, unlimited)
}

// Host returns the bytes of memory of the host, or 0 if they are not known.
func Host(fsys fs.FS) uint64 { return meminfo(fsys, "MemTotal:") }

// meminfo returns the bytes that /proc/meminfo tells for a key, or 0.
func meminfo(fsys fs.FS, key string) uint64 {
	for line := range strings.Lines(content(fsys, "proc/meminfo")) {
		if fields := strings.Fields(line); len(fields) >= 2 && fields[0] == key {
			kibibytes, _ := strconv.ParseUint(fields[1], 10, 48)
			return kibibytes << 10
		}
	}
	return 0
}

// minus returns a - b, but not less than 0.
func minus(a, b uint64) uint64 { return a - min(a, b) }
