package link

import (
	"slices"
	"unsafe"

	"github.com/goacp/goacp/internal/memory/heapview"
	"github.com/goacp/goacp/internal/system/couple/points"
)

// destination is what a sender needs to copy values straight into the array of a receiver.
type destination struct {
	post   *post       // of the receiver; nil if values are only packed
	far    bool        // the post is a copy in this process, and the array is reached by puts
	runs   points.List // positions of the values there
	extent uint64      // bytes of the array up to the last of them

	claimed    uint64         // which post the sender has claimed last
	claimedFor uint64         // the number of the message that it is for
	array      unsafe.Pointer // that it shows, unless it is far
	data       uint64         // position of the array
}

// Values travel straight if they are many and lie in few runs at the receiver: a sender keeps what the
// receiver tells of them.
const (
	leastStraight = 4 << 10  // bytes of a message
	leastPerRun   = 32       // bytes of a message for each byte that is told
	mostTold      = 32 << 10 // bytes that are told
)

// pieceSize is how many bytes a sender packs before it looks again whether it may copy straight.
//
//goacp:c GOACP_COUPLE_
const pieceSize = 32 << 10

// tells reports whether a receiver tells its sender the positions of a flow.
func (f *flow) tells() bool {
	told := uint64(len(f.positions.Bytes()))
	return f.size >= leastStraight && told <= mostTold && told*leastPerRun <= f.size
}

// tell decides which senders are told the positions of their values, and makes the post if there are such senders.
func (e *end) tell() error {
	if e.side == sending || e.watch != nil || e.sums != nil || e.field.product != nil || len(e.flows) > mostMissing {
		return nil
	}
	for _, f := range e.flows {
		if f.straight = f.tells(); f.straight {
			e.extent = max(e.extent, uint64(extentOf(&f.positions))*uint64(e.field.element.Size()))
		}
	}
	if e.extent == 0 {
		return nil
	}
	var err error
	if e.post, err = heapview.At[post](e.s.mem.Own(), e.postAt()); err == nil {
		*e.post = post{}
	}
	return err
}

// extentOf returns the end of the positions of a list.
func extentOf(l *points.List) int64 {
	extent := int64(0)
	for it := l.All(); ; {
		r, ok := it.Next()
		if !ok {
			return extent
		}
		extent = max(extent, r.Start+1, r.Last()+1)
	}
}

// learn notes what the receiver has told: where its post is, and its positions. If the memory of the receiver is not mapped, they
// are used only if the values of the flow may cross.
func (f *flow) learn(at uint64, told []byte, size uint64) error {
	if len(told) == 0 {
		return nil
	}
	runs, extent, err := f.decodeRuns(told, size)
	if err == nil && f.slots != nil {
		f.to.runs, f.to.extent = runs, extent
		f.to.post = (*post)(f.find(at, headBytes))
	}
	if err == nil && f.slots == nil && f.shown.Load() != nil && f.long(&runs, size) {
		f.to.runs, f.to.extent, f.to.far, f.to.post = runs, extent, true, f.shown.Load()
		f.crossing.bell = &f.s.bell
	}
	return err
}

// decodeRuns returns the positions that the receiver has told, and the bytes of its array up to the last of them.
func (f *flow) decodeRuns(told []byte, size uint64) (points.List, uint64, error) {
	runs, err := points.Decode(slices.Clone(told), 0, points.Max/int64(size), false)
	if err != nil || runs.Len() != f.positions.Len() || f.size < leastStraight {
		return points.List{}, 0, errMalformed
	}
	return runs, uint64(extentOf(&runs)) * size, nil
}

// claim claims the post of the receiver if it is for the message with a number and a step. It reports whether the sender may copy
// straight. find returns where the array at a position is mapped, or nil.
func (t *destination) claim(number uint64, step int64, find func(pos, n uint64) unsafe.Pointer) bool {
	for {
		word, shown := t.post.read()
		identity, missing := word>>missingBits, word&mostMissing
		if identity != 0 && identity == t.claimed && number == t.claimedFor {
			return missing == 0
		}
		if missing == 0 || shown.number != number || shown.step != step {
			return false
		}
		var array unsafe.Pointer
		if !t.far {
			array = find(shown.data, t.extent)
		}
		if array == nil && !t.far {
			return false
		}
		if t.post.claim(word) {
			t.claimed, t.claimedFor, t.array, t.data = identity, number, array, shown.data
		}
	}
}

// pairs goes through the positions of the values at the sender and at the receiver.
type pairs struct {
	from, to points.Iterator
	left     int64 // values
}

// take returns where the next values are, at most n.
func (p *pairs) take(n int64) (from, to points.Run) {
	from, _ = p.from.Peek()
	to, _ = p.to.Peek()
	n = min(n, from.Count, to.Count)
	p.left -= n
	from, _ = p.from.Take(n)
	to, _ = p.to.Take(n)
	return from, to
}

// stow packs the values of a message into a slot, until it may copy the rest straight. The message has as many before
// it as count says.
func (s *Sender) stow(f *flow, h *slotHead, count uint64) {
	data, packed, size := s.field.data.Base, f.values(h), uintptr(s.field.element.Size())
	d := h.division()
	if f.to.far {
		s.cross(f, h, count)
		return
	}
	p := pairs{f.positions.All(), f.to.runs.All(), f.positions.Len()}
	d.packed = 0
	for p.left > 0 {
		straight, n := f.to.claim(count+1, h.step, f.find), max(pieceSize/int64(size), 1)
		if straight {
			n = p.left
		}
		for n > 0 && p.left > 0 {
			from, to := p.take(n)
			n -= from.Count
			values := unsafe.Add(data, uintptr(from.Start)*size)
			if straight {
				copyRun(unsafe.Add(f.to.array, uintptr(to.Start)*size), to.Stride, values, from.Stride, from.Count, size)
				continue
			}
			copyRun(packed, 1, values, from.Stride, from.Count, size)
			packed = unsafe.Add(packed, uintptr(from.Count)*size)
			d.packed += uint64(from.Count) * uint64(size)
		}
	}
	d.claim = f.to.claimed
}
