package segment

import (
	"errors"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/goacp/goacp/internal/fabric"
	"github.com/goacp/goacp/internal/ground/futex"
	"golang.org/x/sys/unix"
)

// When the owner has taken a region of registered memory out of the table, it must know when
// no peer uses the region any more. So each process that copies registered memory counts
// itself in the header of the table, before it looks the region up and until it has copied
// the bytes.
//
// There are two counters, and epoch selects the one in use. To wait for the accesses under
// way, the owner switches to the other counter and waits until the first is 0. Accesses that
// begin later use the other counter, and find the changed table.

// enter counts an access and returns the argument for leave.
func (t *table) enter() (epoch uint32) {
	for {
		epoch = atomic.LoadUint32(&t.head.epoch)
		atomic.AddUint32(&t.head.underWay[epoch&1], 1)
		// If the owner has switched meanwhile, it may have seen 0 already.
		if atomic.LoadUint32(&t.head.epoch) == epoch {
			return epoch
		}
		t.leave(epoch)
	}
}

// leave ends the access that enter has counted.
func (t *table) leave(epoch uint32) {
	atomic.AddUint32(&t.head.underWay[epoch&1], ^uint32(0))
}

// drainLooks is how often drain checks the counter, and yields the processor, before it
// sleeps. An access takes microseconds, or up to some milliseconds if it is long.
//
//goacp:c GOACP_
const drainLooks = 100

// drain waits until all accesses that began before the call have ended. It fails with the error
// of over if that is not nil: a process that was killed stays counted for ever. Only the owner
// calls it, one goroutine at a time.
func (t *table) drain(over func() error) error {
	epoch := atomic.AddUint32(&t.head.epoch, 1) - 1
	pause := 10 * time.Microsecond
	for look := 0; atomic.LoadUint32(&t.head.underWay[epoch&1]) != 0; look++ {
		if err := over(); err != nil {
			return err
		}
		if look < drainLooks {
			futex.Yield()
			continue
		}
		time.Sleep(pause)
		pause = min(2*pause, time.Millisecond)
	}
	return nil
}

// pieceMax is the greatest number of bytes of registered memory that are copied before the
// region is looked up again. It bounds how long the owner waits in drain.
const pieceMax = 4 << 20

// access copies n bytes between local and position pos of the peer's registered memory. It
// ends with a *fabric.RangeError as soon as the owner does not publish them any more.
func (v *View) access(write bool, local unsafe.Pointer, pos, n uint64) error {
	if v.peer.Layout.Contains(pos, n) {
		return fabric.ErrNoPath // there was no address space for it
	}
	for done := uint64(0); ; {
		piece := min(n-done, pieceMax)
		gone, err := v.accessPiece(write, unsafe.Add(local, done), pos+done, piece, n-done)
		if gone {
			return &fabric.RangeError{Pos: pos, Size: n}
		}
		if done += piece; err != nil || done == n {
			return err
		}
	}
}

// accessPiece copies piece bytes of the rest at pos. gone says that the owner does not
// publish all of the rest, or has unmapped the piece.
func (v *View) accessPiece(write bool, local unsafe.Pointer, pos, piece, rest uint64) (gone bool, err error) {
	t := v.table.Load()
	defer t.leave(t.enter())
	addr, ok := v.lookup(pos, rest)
	if pos < UserBase || !ok {
		return true, nil
	}
	if !v.direct {
		return false, fabric.ErrNoPath
	}
	err = v.vm(write, local, addr, piece)
	if !errors.Is(err, unix.EFAULT) {
		return false, err
	}
	// One of the two sides is not mapped.
	if write && fabric.Readable(local, piece) || !write && fabric.Writable(local, piece) {
		return true, nil
	}
	return false, err
}
