package transfer

import (
	"encoding/binary"
	"fmt"
	"sync/atomic"
	"unsafe"

	"github.com/goacp/goacp/internal/fabric"
	"github.com/goacp/goacp/internal/ground/traffic"
	"github.com/goacp/goacp/internal/system/armci/world"
)

// Modify executes an atomic on the integer at an address of a process, and returns its old value.
// It is remotely complete when it returns. Blocks for one round trip if the memory is not mapped.
func (e *Engine) Modify(proc int, addr uintptr, a fabric.Atomic) (uint64, error) {
	if err := e.world.Check(proc); err != nil {
		return 0, err
	}
	if addr == 0 || addr%uintptr(a.Width) != 0 {
		return 0, fmt.Errorf("%w: %#x, no multiple of %d", world.ErrAddress, addr, a.Width)
	}
	pos, here, err := e.word(proc, addr, uint64(a.Width))
	if err != nil {
		return 0, err
	}
	if here != nil {
		e.countBytes(proc, traffic.Atomic, traffic.SHM, uint64(a.Width))
		return a.Apply(here), nil
	}
	e.countBytes(proc, traffic.Atomic, traffic.TCP, uint64(a.Width))
	w := &word{engine: e, tracker: new(Tracker)}
	w.tracker.begin()
	e.process.Messenger.Atomic(e.world.Member(proc), pos, a, w)
	err = e.Wait(w.tracker)
	return w.old, err
}

// word finds an integer: its position, and its address if it is mapped. If it is mapped, word
// waits for stores in flight to the process.
func (e *Engine) word(proc int, addr uintptr, width uint64) (pos uint64, here unsafe.Pointer, err error) {
	if err := e.process.Lifecycle.Alive(); err != nil {
		return 0, nil, err
	}
	if proc == e.world.Self() {
		return 0, world.At(addr), nil
	}
	if pos, err = e.world.Locate(proc, addr, width); err != nil {
		return 0, nil, err
	}
	if here = e.world.Here(proc, pos, width); here != nil {
		err = e.settle(proc)
	}
	return pos, here, err
}

// word is the completion of an atomic.
type word struct {
	engine  *Engine
	tracker *Tracker
	old     uint64
}

// Complete implements fabric.Completion.
func (w *word) Complete(old uint64, err error) {
	w.old = old
	w.tracker.end(transportError(err))
	w.engine.broadcast()
}

// CheckFlag returns why Flag would fail because of its arguments, or nil.
func (e *Engine) CheckFlag(proc int, addr uintptr) error {
	if err := e.world.Check(proc); err != nil {
		return err
	}
	if addr == 0 || addr%4 != 0 {
		return fmt.Errorf("%w: %#x is none of a flag", world.ErrAddress, addr)
	}
	if proc == e.world.Self() {
		return nil
	}
	_, err := e.world.Locate(proc, addr, 4)
	return err
}

// Flag stores a value in the integer at an address of a process. It is stored when all stores to
// that process before are visible. Does not wait for the process.
func (e *Engine) Flag(proc int, addr uintptr, value uint32) error {
	if err := e.CheckFlag(proc, addr); err != nil {
		return err
	}
	pos, here, err := e.word(proc, addr, 4)
	if err != nil {
		return err
	}
	if here != nil {
		e.countBytes(proc, traffic.Put, traffic.SHM, 4)
		atomic.StoreUint32((*uint32)(here), value)
		return nil
	}
	e.countBytes(proc, traffic.Put, traffic.TCP, 4)
	body := binary.LittleEndian.AppendUint64(make([]byte, 0, flagBytes), pos)
	e.store(proc, e.cfg.Numbers.Flag, binary.LittleEndian.AppendUint32(body, value), 0)
	return nil
}
