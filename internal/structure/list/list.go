package list

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/goacp/goacp/internal/access/global"
	"github.com/goacp/goacp/internal/ground/traffic"
	"github.com/goacp/goacp/internal/memory/ga"
	"github.com/goacp/goacp/internal/network/am"
)

// List is a handle of a list on any rank.
type List struct {
	mem *global.Memory
	at  uint64 // address of the control block
}

// At returns the list whose control block is at an address.
func At(mem *global.Memory, at uint64) List { return List{mem, at} }

// Make makes a list without elements whose control block lies on a rank. Fails with
// global.ErrBadRank and global.ErrFull. Blocks for one round trip.
func Make(mem *global.Memory, rank int) (List, error) {
	if mem.Detaches() {
		l, err := global.Detached(mem, nil,
			func(m *global.Memory) (List, error) { return Make(m, rank) },
			func(m *global.Memory, l List) { _, _ = l.Do(OpDestroy, nil) }) // fails if the run is over
		return List{mem, l.at}, err
	}
	err := mem.CheckRank(rank)
	l := List{mem, ga.Make(rank, 0)}
	var r am.Result
	if err == nil {
		c := am.Call{Op: OpCreate, GA: l.at}
		r, err = l.doOn(mem.Ranks().Member(rank), &c)
	}
	if err != nil {
		return List{}, fmt.Errorf("on rank %d: %w", rank, err)
	}
	return List{mem, r.Val0}, nil
}

// Address returns the address of the control block.
func (l List) Address() uint64 { return l.at }

// Do carries out an operation. The comment of its number describes its arguments and bytes. The bytes may be
// on the stack. Blocks for one round trip if the list's rank has mapped all memory that the operation
// touches, otherwise for a few more.
func (l List) Do(op am.Op, data []byte, args ...uint64) (am.Result, error) {
	c := am.Call{Op: op, GA: l.at, Data: data}
	copy(c.Args[:], args)
	return l.do(&c)
}

// do carries out c. Its Out is not on the stack.
func (l List) do(c *am.Call) (am.Result, error) {
	if err := l.mem.Check(l.at); err != nil {
		return am.Result{}, err
	}
	if l.mem.Detaches() {
		return l.mem.DetachedCall(c, l.uses(c.Op, c.Args), func(m *global.Memory, c *am.Call) (am.Result, error) {
			return List{m, l.at}.do(c)
		})
	}
	member := l.mem.Member(l.at)
	if l.mem.HeapView(member) == nil {
		far := am.Call{Op: c.Op, GA: c.GA, Args: c.Args, Data: bytes.Clone(c.Data), Out: c.Out}
		r, err := l.mem.Far(member, far)
		l.mem.Count(member, traffic.TCP, &far, r, err)
		if !errors.Is(err, am.ErrElsewhere) {
			return r, err
		}
	}
	return l.doHere(member, c)
}

// doHere carries out c in this process, with the help of all agents.
func (l List) doHere(member int, c *am.Call) (am.Result, error) {
	h := everywhere(l.mem)
	r, err := Perform(&h, c)
	path := traffic.TCP
	if l.mem.HeapView(member) != nil {
		path = traffic.SHM
	}
	l.mem.Count(member, path, c, r, err)
	return r, global.Cause(err)
}

// doOn carries out c in a process that has mapped the memory of member, without the help of other agents.
func (l List) doOn(member int, c *am.Call) (am.Result, error) {
	if l.mem.HeapView(member) != nil {
		if r, err := Perform(&Heaps{Views: l.mem}, c); l.mem.Final(member, err) {
			l.mem.Count(member, traffic.SHM, c, r, err)
			return r, global.Cause(err)
		}
	}
	r, err := l.mem.Far(member, *c)
	l.mem.Count(member, traffic.TCP, c, r, err)
	return r, err
}

// DoFrom is Do with bytes of any rank.
func (l List) DoFrom(op am.Op, data ga.Span, args ...uint64) (am.Result, error) {
	if err := l.mem.Check(l.at); err != nil {
		return am.Result{}, err
	}
	c := am.Call{Op: op, GA: l.at}
	copy(c.Args[:], args)
	if l.mem.Detaches() {
		return l.mem.DetachedCall(&c, l.uses(op, c.Args), func(m *global.Memory, c *am.Call) (am.Result, error) {
			return List{m, l.at}.DoFrom(c.Op, data, c.Args[:]...)
		})
	}
	member := l.mem.Member(l.at)
	var in global.Input
	if err := in.Bring(l.mem, member, data, ga.Span{}); err != nil {
		return am.Result{}, err
	}
	c.Data, c.Block = in.Data, in.Block
	r, err := l.doOn(member, &c)
	err = in.Release(err)
	if !errors.Is(err, am.ErrElsewhere) {
		return r, err
	}
	// Release may have freed the block of Data. Registered memory is copied, since the
	// operation may wait for agents.
	c.Block = am.Block{}
	var ok bool
	if c.Data, ok = l.mem.View(data); !ok {
		c.Data = make([]byte, data.N)
		if err := l.mem.Get(c.Data, data.GA); err != nil {
			return am.Result{}, err
		}
	}
	return l.doHere(member, &c)
}

// uses returns the addresses of the lists that an operation uses.
func (l List) uses(op am.Op, args [4]uint64) []uint64 {
	switch op {
	case OpAssign, OpSwap:
		return []uint64{l.at, args[0]}
	case OpInsertRange, OpMove:
		return []uint64{l.at, args[1]}
	}
	return []uint64{l.at}
}

// Heaps returns the heaps of all ranks, for functions that read or sort the list and read the lists at the
// addresses others.
func (l List) Heaps(others ...uint64) (Heaps, error) {
	err := l.mem.Check(l.at)
	if err == nil && l.mem.Detaches() {
		// Earlier operations on the lists whose callers returned early come first.
		_, err = global.Detached(l.mem, append([]uint64{l.at}, others...), func(*global.Memory) (struct{}, error) { return struct{}{}, nil }, nil)
	}
	return everywhere(l.mem), err
}

// everywhere returns the heaps of all ranks: mapped heaps directly, and other heaps by agents.
func everywhere(mem *global.Memory) Heaps {
	return Heaps{Views: mem, Agents: (*agents)(mem)}
}

// agents are the agents of all ranks.
type agents global.Memory

// Exec implements Agents.
func (a *agents) Exec(rank uint64, c *am.Call) (am.Result, error) {
	m := (*global.Memory)(a)
	return m.Far(m.Ranks().Member(int(rank)), *c)
}

// Read implements Agents.
func (a *agents) Read(b []byte, at uint64) error { return (*global.Memory)(a).Get(b, at) }

// Finish implements Agents.
func (a *agents) Finish(lists []uint64, change func(Agents) error) error {
	m := (*global.Memory)(a)
	if !m.Detaches() {
		return change(a)
	}
	_, err := global.Detached(m, lists, func(m *global.Memory) (struct{}, error) {
		return struct{}{}, change((*agents)(m))
	}, nil)
	return err
}
