package flow

import (
	"slices"
	"unsafe"

	"github.com/goacp/goacp/internal/system/couple/points"
	"github.com/goacp/goacp/internal/system/couple/wire"
)

// Destination is the data that a sender needs for zero copy into the array of a receiver.
type Destination struct {
	Way    Way
	Ready  *Ready      // of the receiver, or a copy in this process if the way is Remote; nil if the way is Packed
	Runs   points.List // positions of the values there
	Extent uint64      // bytes of the array up to the last of them

	Reserved    uint64         // which epoch the sender has reserved last
	reservedFor uint64         // the number of the message that it is for
	Array       unsafe.Pointer // that it shows, if the way is Local
	Data        uint64         // position of the array
}

// Reserve reserves the part of the sender if the receiver is ready for the message with a number and a step. It reports whether
// the transfer is committed: then the sender may write into the array. find returns where the array at a position is mapped, or nil.
func (d *Destination) Reserve(number uint64, step int64, find func(pos, n uint64) unsafe.Pointer) bool {
	for {
		word, shown := d.Ready.read()
		epoch, missing := word>>missingBits, word&MostMissing
		if epoch != 0 && epoch == d.Reserved && number == d.reservedFor {
			return missing == 0
		}
		if missing == 0 || shown.Number != number || shown.Step != step {
			return false
		}
		var array unsafe.Pointer
		if d.Way != Remote {
			if array = find(shown.Data, d.Extent); array == nil {
				return false
			}
		}
		if d.Ready.reserve(word) {
			d.Reserved, d.reservedFor, d.Array, d.Data = epoch, number, array, shown.Data
		}
	}
}

// DecodeRuns returns the positions from a receiver for a message of n points of size bytes, and the bytes of its
// array up to the last of them. Fails with wire.ErrMalformed.
func DecodeRuns(encoded []byte, n int64, size uint64) (points.List, uint64, error) {
	runs, err := points.Decode(slices.Clone(encoded), 0, points.Max/int64(size), false)
	if err != nil || runs.Len() != n || uint64(n)*size < leastZeroCopy {
		return points.List{}, 0, wire.ErrMalformed
	}
	return runs, uint64(Extent(&runs)) * size, nil
}

// Pairs goes through the positions of the values at the sender and at the receiver.
type Pairs struct {
	from, to points.Iterator
	Left     int64 // values
}

// PairsOf returns all pairs of a position of a sender and a position at its destination.
func (d *Destination) PairsOf(positions *points.List) Pairs {
	return Pairs{positions.All(), d.Runs.All(), positions.Len()}
}

// Take returns where the next values are, at most n.
func (p *Pairs) Take(n int64) (from, to points.Run) {
	from, _ = p.from.Peek()
	to, _ = p.to.Peek()
	n = min(n, from.Count, to.Count)
	p.Left -= n
	from, _ = p.from.Take(n)
	to, _ = p.to.Take(n)
	return from, to
}

// pieceSize is the number of bytes that a sender packs before it checks again whether the transfer is committed.
//
//goacp:c GOACP_COUPLE_
const pieceSize = 32 << 10

// Pack packs the values of a message into its slot, until it may copy the rest into the array of the receiver: local zero copy.
// data is the array of the sender, whose points have size bytes.
func (d *Destination) Pack(s *Slot, data unsafe.Pointer, positions *points.List, size uintptr, number uint64, find func(pos, n uint64) unsafe.Pointer) {
	p, division := d.PairsOf(positions), s.Division()
	packed := s.Values(uint64(positions.Len()) * uint64(size))
	division.Packed = 0
	for p.Left > 0 {
		committed, n := d.Reserve(number, s.Step, find), max(pieceSize/int64(size), 1)
		if committed {
			n = p.Left
		}
		for n > 0 && p.Left > 0 {
			from, to := p.Take(n)
			n -= from.Count
			values := unsafe.Add(data, uintptr(from.Start)*size)
			if committed {
				copyRun(unsafe.Add(d.Array, uintptr(to.Start)*size), to.Stride, values, from.Stride, from.Count, size)
				continue
			}
			copyRun(packed, 1, values, from.Stride, from.Count, size)
			packed = unsafe.Add(packed, uintptr(from.Count)*size)
			division.Packed += uint64(from.Count) * uint64(size)
		}
	}
	division.Reserved = d.Reserved
}
