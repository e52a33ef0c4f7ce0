package transfer

import (
	"bytes"
	"slices"
	"unsafe"

	"github.com/goacp/goacp/internal/fabric"
	"github.com/goacp/goacp/internal/system/armci/element"
)

// nearStrided makes a merged transfer on mapped memory: remote is the address of the owner's side in this
// process.
func (e *Engine) nearStrided(r *Request, remote unsafe.Pointer) error {
	block := r.Shape.Block
	switch r.Kind {
	case Put:
		r.Shape.Each(func(l, m int64) bool {
			fabric.MoveWords(unsafe.Add(remote, m), unsafe.Add(r.Local, l), uint64(block), unsafe.Add(remote, m))
			return true
		})
	case Get:
		r.Shape.Each(func(l, m int64) bool {
			fabric.MoveWords(unsafe.Add(r.Local, l), unsafe.Add(remote, m), uint64(block), unsafe.Add(remote, m))
			return true
		})
	case Accumulate:
		return e.nearAccumulate(r, remote)
	}
	return nil
}

// nearAccumulate is nearStrided for an accumulate.
func (e *Engine) nearAccumulate(r *Request, remote unsafe.Pointer) (err error) {
	a := adder{pageLock{locks: e.locks(r.Proc), over: e.process.Lifecycle.Alive}, r.Type, &r.Scale}
	defer a.lock.release()
	start := e.world.Position(r.Proc, r.Remote)
	if r.Shape.Levels == 0 && fabric.Overlap(r.Local, remote, uint64(r.Shape.Block)) {
		src := bytes.Clone(unsafe.Slice((*byte)(r.Local), r.Shape.Block))
		return a.add(remote, start, src)
	}
	r.Shape.Each(func(l, m int64) bool {
		src := unsafe.Slice((*byte)(unsafe.Add(r.Local, l)), r.Shape.Block)
		err = a.add(unsafe.Add(remote, m), start+uint64(m), src)
		return err == nil
	})
	return err
}

// adder accumulates to the memory of one process, under its locks.
type adder struct {
	lock  pageLock
	kind  element.Type
	scale *element.Scale
}

// locks returns where the page locks of a process are mapped, or nil.
func (e *Engine) locks(proc int) *PageLocks {
	return (*PageLocks)(e.world.Here(proc, e.table.Proc(proc).Locks, LocksBytes))
}

// near reports whether a process can make a transfer whose bytes are mapped.
func (e *Engine) near(r *Request) bool { return r.Kind != Accumulate || e.locks(r.Proc) != nil }

// add accumulates src to dst, which has a position in the memory of the process. No other accumulate sees a torn
// element: for an element in two pages it holds the locks of both.
func (a *adder) add(dst unsafe.Pointer, pos uint64, src []byte) error {
	size := uint64(a.kind.Size())
	for len(src) > 0 {
		n := min(uint64(len(src)), (LockedPage-pos%LockedPage)/size*size) // of whole elements
		if n == 0 {
			n = size
		}
		if err := a.lock.at(pos, n); err != nil {
			return err
		}
		if pos%uint64(a.kind.Component()) == 0 {
			element.Accumulate(a.kind, a.scale, dst, src[:n])
		} else {
			a.addUnaligned(dst, src[:n])
		}
		dst, pos, src = unsafe.Add(dst, n), pos+n, src[n:]
	}
	return nil
}

// addUnaligned accumulates src to dst, which has any address, under the lock. It computes in an aligned copy, and
// moves the aligned words of dst as a whole.
func (a *adder) addUnaligned(dst unsafe.Pointer, src []byte) {
	var aligned [64]uint64
	copied := unsafe.Slice((*byte)(unsafe.Pointer(&aligned)), unsafe.Sizeof(aligned))
	for part := range slices.Chunk(src, len(copied)) {
		fabric.MoveWords(unsafe.Pointer(&aligned), dst, uint64(len(part)), dst)
		element.Accumulate(a.kind, a.scale, unsafe.Pointer(&aligned), part)
		fabric.MoveWords(dst, unsafe.Pointer(&aligned), uint64(len(part)), dst)
		dst = unsafe.Add(dst, len(part))
	}
}
