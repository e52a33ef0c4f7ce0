//go:build mpi

package rma

import (
	"encoding/binary"
	"errors"
	"fmt"
	"runtime"
	"unsafe"

	"github.com/goacp/goacp/mpi"
)

// Open makes the windows and starts to serve the other members. The contents of memory that MPI
// allocates are undefined. Collective over the communicator. Blocks until every member of it has
// called it.
func Open(cfg Config) (*Transport, error) {
	c, err := newCalls(cfg.Size)
	if err != nil {
		return nil, err
	}
	if !cfg.Atomics {
		c.c.windows.atomic = nil
	}
	f := &Transport{cfg: cfg, calls: c}
	runtime.AddCleanup(f, (*calls).free, c)
	hints, err := mpi.NewInfo(intrinsic)
	if err != nil {
		return nil, err
	}
	if err := f.openLibrary(hints); err != nil {
		return nil, err
	}
	c.setWindow(f.library)
	for m := range cfg.Size {
		c.setHelp(m, f.helped(m))
		c.setFar(m, f.Defers(m))
	}
	capacity := capacityOf(mpi.Vendor())
	for range capacity.windows {
		win, err := cfg.Comm.CreateDynamicWin(hints)
		if err != nil {
			return nil, fmt.Errorf("window for registered memory: %w", err)
		}
		f.dynamic = append(f.dynamic, win)
	}
	if err := hints.Free(); err != nil {
		return nil, err
	}
	for _, w := range f.windows() {
		if err := w.LockAll(mpi.NoCheck); err != nil {
			return nil, fmt.Errorf("locking windows: %w", err)
		}
	}
	if err := f.attached.init(f.dynamic, capacity); err != nil {
		return nil, err
	}
	f.known.init(cfg.Size)
	if err := f.deferred.init(); err != nil {
		return nil, err
	}
	if f.progress, err = startProgressThread(cfg.Comm, c); err != nil {
		return nil, err
	}
	go f.flushOften()
	f.monitor = startMonitor(c, f, cfg.Wake, processorTime)
	return f, nil
}

// intrinsic promises Open MPI 5 over UCX that atomics are on single integers, and only those
// that networks have. Without it, Open MPI takes a lock at the target for each of them. That
// costs several round trips (3 to 4 µs in place of 0.2 to 0.5 on one host), and version 5.0.7
// hangs when it frees the lock. Version 4 does not know the hint.
var intrinsic = map[string]string{"acc_single_intrinsic": "true"}

// openLibrary makes the library window, in which displacements count bytes.
func (t *Transport) openLibrary(hints mpi.Info) (err error) {
	if m := t.cfg.Memory; m != nil {
		if t.library, err = t.cfg.Comm.CreateWin(m, 1, hints); err != nil {
			return fmt.Errorf("window over %d bytes: %w", len(m), err)
		}
		t.memory = m
		return t.shareShift(0)
	}
	win, m, err := t.cfg.Comm.AllocateWin(t.cfg.Bytes+alignment, 1, hints)
	if err != nil {
		return fmt.Errorf("window of %d bytes: %w", t.cfg.Bytes, err)
	}
	shift := int(-uintptr(unsafe.Pointer(unsafe.SliceData(m))) % alignment)
	t.library, t.memory = win, m[shift:][:t.cfg.Bytes]
	return t.shareShift(shift)
}

// alignment divides the address of the memory. MPI aligns memory that it allocates to less.
const alignment = 4096

// shareShift tells all members at which displacement the memory of this one begins.
func (t *Transport) shareShift(shift int) error {
	all, err := t.cfg.Comm.Allgather(binary.NativeEndian.AppendUint16(nil, uint16(shift)))
	if err != nil {
		return err
	}
	for ; len(all) > 0; all = all[2:] {
		t.shifts = append(t.shifts, binary.NativeEndian.Uint16(all))
	}
	return nil
}

func (t *Transport) windows() []mpi.Win { return append([]mpi.Win{t.library}, t.dynamic...) }

// Memory returns this member's memory in the library window. If MPI has allocated it, Close frees
// it.
func (t *Transport) Memory() []byte { return t.memory }

// Close implements fabric.Transport: it frees the windows. No operation is under way at
// any member. Collective over the communicator. Blocks until every member of it has
// called it. Further calls return nil at once.
func (t *Transport) Close() error {
	if t.closed.Swap(true) {
		return nil
	}
	t.monitor.stop()
	t.deferred.leave()
	<-t.deferred.done
	// Every member now calls MPI in this function, and none of its other threads uses windows.
	err := errors.Join(t.progress.stop(), t.attached.clear())
	for _, w := range t.windows() {
		err = errors.Join(err, w.UnlockAll())
	}
	for _, w := range t.windows() {
		err = errors.Join(err, w.FreeAlone())
	}
	return errors.Join(err, t.deferred.free())
}

// Abandon stops serving other members, because the run is over. It does not wait for them. The
// windows stay, and the process must not use MPI any more.
func (t *Transport) Abandon() {
	t.monitor.stop()
	t.progress.leave()
	t.deferred.leave()
}

// Progress makes this process call MPI for a while, for a member that needs it. Does
// not block.
func (t *Transport) Progress() {
	if t.cfg.MaySpin != nil && t.cfg.MaySpin() {
		t.calls.letSpin()
	}
	t.progress.extend()
}
