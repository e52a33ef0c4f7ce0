package link

import (
	"sync/atomic"
	"unsafe"

	"github.com/goacp/goacp/internal/ground/traffic"
)

// stage is the memory from which the messenger takes messages to a receiver whose heap is not mapped.
type stage struct {
	mem   []byte
	slots []staged
}

// staged is one slot of a stage. It implements fabric.Completion.
type staged struct {
	notifier *notifier
	underway atomic.Bool
}

// make makes a number of slots, each of whose copies notifies at its end.
func (g *stage) make(slot uint64, levels int, n *notifier) {
	g.mem, g.slots = make([]byte, slot*uint64(levels)), make([]staged, levels)
	for i := range g.slots {
		g.slots[i].notifier = n
	}
}

// Complete implements fabric.Completion. On an error the run is over, and the next wait returns it.
func (g *staged) Complete(uint64, error) {
	g.underway.Store(false)
	g.notifier.notify()
}

// free reports whether the messenger does not use a slot.
func (f *stream) free(n uint64) bool { return f.slots != nil || !f.stage.slots[n].underway.Load() }

// idle reports whether the messenger uses no slot.
func (f *stream) idle() bool {
	for n := range f.stage.slots {
		if !f.free(uint64(n)) {
			return false
		}
	}
	return true
}

// put sends the message in a slot, if it is not there yet.
func (f *stream) put(n uint64) {
	f.sent.Add(f.size)
	if f.slots != nil {
		f.s.p.Memory.CountMessage(f.member, traffic.SHM, f.size)
		return
	}
	f.s.p.Memory.CountMessage(f.member, traffic.TCP, f.size)
	g := &f.stage.slots[n]
	g.underway.Store(true)
	f.s.p.Messenger.Put(f.member, f.there.slots+n*f.slotBytes(), unsafe.Pointer(f.slot(n)), f.messageBytes(n), g)
}
