package world

import (
	"fmt"
	"unsafe"

	"github.com/goacp/goacp/internal/memory/ga"
	"github.com/goacp/goacp/internal/process/extension"
)

// Config is the configuration of a World. All fields are required.
type Config struct {
	Process *extension.Process
	ID      uint64 // the same in all processes of the world
	Members []int  // by process number
	Hosts   []int  // by process number: the lowest process of its domain
}

// World is the processes of ARMCI. It does not change. Its methods do not block.
type World struct {
	cfg   Config
	self  int
	procs map[int]int // by member

	domains [][]int // processes of each domain, ascending
	domain  []int   // by process number
}

// New returns the world that cfg describes. This process is one of its processes.
func New(cfg Config) *World {
	w := &World{cfg: cfg, procs: make(map[int]int, len(cfg.Members)), domain: make([]int, len(cfg.Members))}
	for proc, m := range cfg.Members {
		w.procs[m] = proc
	}
	w.self = w.procs[cfg.Process.Ranks.Self()]
	for proc, lowest := range cfg.Hosts {
		if lowest == proc {
			w.domain[proc] = len(w.domains)
			w.domains = append(w.domains, []int{proc})
			continue
		}
		d := w.domain[lowest]
		w.domain[proc] = d
		w.domains[d] = append(w.domains[d], proc)
	}
	return w
}

// Process returns the access of this process to the other processes.
func (w *World) Process() *extension.Process { return w.cfg.Process }

// ID returns a number that distinguishes the worlds of a process. It is the same in all processes
// of the world.
func (w *World) ID() uint64 { return w.cfg.ID }

// Procs returns the number of processes.
func (w *World) Procs() int { return len(w.cfg.Members) }

// Self returns the number of this process.
func (w *World) Self() int { return w.self }

// Member returns the member that is a process of the world.
func (w *World) Member(proc int) int { return w.cfg.Members[proc] }

// Members returns the members of all processes, by process number. The caller does not change
// them.
func (w *World) Members() []int { return w.cfg.Members }

// Proc returns the process that a member is, and false if it is none of this world.
func (w *World) Proc(member int) (proc int, ok bool) {
	proc, ok = w.procs[member]
	return proc, ok
}

// Check returns ErrProc if the world has no process with a number.
func (w *World) Check(proc int) error {
	if proc < 0 || proc >= w.Procs() {
		return fmt.Errorf("%w: process %d of %d", ErrProc, proc, w.Procs())
	}
	return nil
}

// Domains returns the number of domains. The processes of a domain have each other's memory
// mapped at the addresses of its owner.
func (w *World) Domains() int { return len(w.domains) }

// Domain returns the domain of a process.
func (w *World) Domain(proc int) int { return w.domain[proc] }

// DomainProcs returns the processes of a domain in ascending order. The caller does not change
// them.
func (w *World) DomainProcs(domain int) []int { return w.domains[domain] }

// Locate returns the position of n bytes of shared memory, of which addr is the address in the
// process that owns them. Fails with ErrAddress.
func (w *World) Locate(proc int, addr uintptr, n uint64) (pos uint64, err error) {
	pos, ok := w.cfg.Process.Memory.PositionOf(w.Member(proc), addr, n)
	if !ok {
		return 0, fmt.Errorf("%w: %d bytes at %#x are no shared memory of process %d", ErrAddress, n, addr, proc)
	}
	return pos, nil
}

// Position returns the position that an address of a process has, or would have if it were shared
// memory.
func (w *World) Position(proc int, addr uintptr) uint64 {
	return uint64(addr - w.cfg.Process.Memory.OwnerAddress(w.Member(proc), 0))
}

// Here returns the address in this process of n bytes of shared memory of a process, and nil if
// they are not mapped.
func (w *World) Here(proc int, pos, n uint64) unsafe.Pointer {
	m, at := w.cfg.Process.Memory, w.GA(proc, pos)
	if b, ok := m.View(ga.Span{GA: at, N: n}); ok {
		return unsafe.Pointer(unsafe.SliceData(b))
	}
	p, err := m.Locate(at, n) // maps them if it can
	if err != nil {
		return nil
	}
	return p.Addr
}

// GA returns the global address of a position of a process.
func (w *World) GA(proc int, pos uint64) uint64 {
	return ga.Make(w.cfg.Process.Ranks.Rank(w.Member(proc)), pos)
}
