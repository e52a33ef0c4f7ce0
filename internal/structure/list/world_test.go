package list

import (
	"bytes"
	"errors"
	"fmt"
	"testing"
	"unsafe"

	"github.com/goacp/goacp/internal/fabric"
	"github.com/goacp/goacp/internal/memory/heap"
	"github.com/goacp/goacp/internal/memory/heapview"
	"github.com/goacp/goacp/internal/network/am"
)

// world is the memory of some ranks on several hosts. Rank 0 makes its calls, in the same way as package acp.
type world struct {
	hosts []int        // by rank
	gone  map[int]bool // ranks that have left
	views []*heapview.View
	heaps []*heap.Heap
	mems  [][]uint64

	trips     int // messages to agents and back
	elsewhere int // operations that an agent could not do
}

const (
	heapFrom = 2 * heap.Unit
	heapSize = 4 * heap.Unit
)

func newWorld(hosts ...int) *world {
	w := &world{hosts: hosts}
	over := func() error { return nil }
	for rank := range hosts {
		mem := make([]uint64, (heapFrom+heapSize)/8)
		metadata := make([]uint64, heap.MetadataSize(heapSize)/8+1)
		h := heap.Open(heap.Config{
			Metadata: unsafe.Pointer(&metadata[0]), Base: heapFrom, Size: heapSize, Over: over,
			Purge: func(off, n uint64) error { return nil },
		})
		w.mems, w.heaps = append(w.mems, mem), append(w.heaps, h)
		w.views = append(w.views, heapview.New(heapview.Config{
			Base: unsafe.Pointer(&mem[0]), From: heapFrom, Size: heapSize, Rank: rank, Heap: h, Over: over,
		}))
	}
	return w
}

// process has the heaps that one rank has mapped.
type process struct {
	w    *world
	rank int
}

func (p process) HeapViewOf(rank uint64) (*heapview.View, error) {
	switch {
	case rank >= uint64(len(p.w.hosts)):
		return nil, heapview.ErrBadAddress
	case p.w.gone[int(rank)]:
		return nil, fabric.ErrMemberGone
	case p.w.hosts[rank] != p.w.hosts[p.rank]:
		return nil, am.ErrElsewhere
	}
	return p.w.views[rank], nil
}

// Exec sends c to the agent of a rank.
func (w *world) Exec(rank uint64, c *am.Call) (am.Result, error) {
	w.trips++
	if w.gone[int(rank)] {
		return am.Result{}, fabric.ErrMemberGone
	}
	reply := make([]byte, c.ReplySize())
	there, err := am.Decode(w.views[rank], c.Op, c.Append(nil), reply)
	var r am.Result
	if err == nil {
		r, err = Perform(&Heaps{Views: process{w, int(rank)}}, &there)
	}
	n, err := am.Answer(reply, r, err)
	if err != nil {
		return am.Result{}, err
	}
	return c.Outcome(reply[:n])
}

func (w *world) Read(b []byte, ga uint64) error {
	w.trips++
	if w.gone[int(rankOf(ga))] {
		return fabric.ErrMemberGone
	}
	from, err := w.views[rankOf(ga)].Bytes(ga, uint64(len(b)))
	copy(b, from)
	return err
}

func (w *world) Finish(_ []uint64, change func(Agents) error) error { return change(w) }

// memory returns the heaps of all ranks, accessed from rank 0.
func (w *world) memory() *Heaps { return &Heaps{Views: process{w, 0}, Agents: w} }

// do carries out an operation at the rank of its list, or at rank 0 if that rank has not mapped the memory.
func (w *world) do(t testing.TB, c am.Call) (am.Result, error) {
	t.Helper()
	if rank := rankOf(c.GA); rank < uint64(len(w.hosts)) && w.hosts[rank] != w.hosts[0] {
		before := w.snapshot()
		r, err := w.Exec(rank, &c)
		if !errors.Is(err, am.ErrElsewhere) {
			return r, err
		}
		w.elsewhere++
		if !bytes.Equal(before, w.snapshot()) {
			t.Fatalf("operation %#x has changed something before it found that it cannot", c.Op)
		}
	}
	return Perform(w.memory(), &c)
}

// snapshot returns the bytes of the first blocks, and how many there are.
func (w *world) snapshot() []byte {
	var all []byte
	for rank, mem := range w.mems {
		blocks, n, _ := w.heaps[rank].Usage()
		all = fmt.Appendf(all, "%d %d ", blocks, n)
		all = append(all, unsafe.Slice((*byte)(unsafe.Pointer(&mem[heapFrom/8])), 16<<10)...)
	}
	return all
}

// usage returns the number of blocks in use on each rank.
func (w *world) usage() string {
	var all []uint64
	for _, h := range w.heaps {
		blocks, _, _ := h.Usage()
		all = append(all, blocks)
	}
	return fmt.Sprint(all)
}

// words returns the node at an address.
func (w *world) words(ga uint64) *node {
	p, err := heapview.At[node](w.views[rankOf(ga)], ga)
	if err != nil {
		panic(err)
	}
	return p
}

// contents returns the values and ranks of a list, or a description of wrong links.
func (w *world) contents(list uint64) string {
	head := *w.words(list)
	var all []byte
	prev, n := list, uint64(0)
	for ga := head.next; ga != list; n++ {
		e := *w.words(ga)
		value, _ := w.views[rankOf(ga)].Bytes(ga+HeadSize, e.n)
		if e.prev != prev || n == head.n {
			return "broken"
		}
		all = fmt.Appendf(all, "%d:%x ", rankOf(ga), value)
		prev, ga = ga, e.next
	}
	if head.prev != prev || head.n != n {
		return "broken at the end"
	}
	return string(all)
}

// place returns the i-th place of a list.
func (w *world) place(list uint64, i int) uint64 {
	ga := w.words(list).next
	for ; i > 0; i-- {
		ga = w.words(ga).next
	}
	return ga
}
