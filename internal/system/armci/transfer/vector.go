package transfer

import (
	"math"
	"slices"
	"sync"
	"unsafe"

	"github.com/goacp/goacp/internal/fabric"
	"github.com/goacp/goacp/internal/ground/traffic"
	"github.com/goacp/goacp/internal/system/armci/element"
	"github.com/goacp/goacp/internal/system/armci/shape"
	"github.com/goacp/goacp/internal/system/armci/world"
)

// Segment is a run of bytes of a vector transfer.
//
//goacp:c goacp_armci_segment
type Segment struct {
	Local  unsafe.Pointer
	Remote uintptr // address in the owner
	N      int64   // bytes
}

// issueVector chooses between near and far for a vector transfer. All segments are checked before the first
// moves.
func (e *Engine) issueVector(r *Request, t *Tracker) error {
	if r.Proc == e.world.Self() {
		return e.nearVector(r, func(s *Segment) unsafe.Pointer { return world.At(s.Remote) })
	}
	// Segments are often in one block. Then one check is enough.
	low, n := hull(r.Vector)
	pos, err := e.world.Locate(r.Proc, low, n)
	if err != nil {
		return e.issueApart(r, t)
	}
	here := e.world.Here(r.Proc, pos, n)
	if here == nil || !e.near(r) {
		return e.farVector(r, t)
	}
	if err := e.settle(r.Proc); err != nil {
		return err
	}
	return e.nearVector(r, func(s *Segment) unsafe.Pointer { return unsafe.Add(here, s.Remote-low) })
}

// hull returns the addresses from the first byte of some segments to the last. If these do not fit in an
// address space, no memory has as many bytes.
func hull(segments []Segment) (low uintptr, n uint64) {
	low, high := uintptr(math.MaxUint), uintptr(0)
	for i := range segments {
		s := &segments[i]
		end := s.Remote + uintptr(s.N)
		if end < s.Remote {
			return 0, math.MaxUint64
		}
		low, high = min(low, s.Remote), max(high, end)
	}
	return low, uint64(high - low)
}

// issueApart is issueVector for segments that do not lie in one piece of memory.
func (e *Engine) issueApart(r *Request, t *Tracker) error {
	mapped := e.near(r)
	here := func(s *Segment) unsafe.Pointer {
		return e.world.Here(r.Proc, e.world.Position(r.Proc, s.Remote), uint64(s.N))
	}
	for i := range r.Vector {
		s := &r.Vector[i]
		if _, err := e.world.Locate(r.Proc, s.Remote, uint64(s.N)); err != nil {
			return err
		}
		mapped = mapped && here(s) != nil
	}
	if !mapped {
		return e.farVector(r, t)
	}
	if err := e.settle(r.Proc); err != nil {
		return err
	}
	return e.nearVector(r, here)
}

// nearVector makes a vector transfer on mapped memory: here returns the address of the owner's side of a
// segment.
func (e *Engine) nearVector(r *Request, here func(s *Segment) unsafe.Pointer) error {
	e.count(r, traffic.SHM)
	for i := range r.Vector {
		s := &r.Vector[i]
		one := Request{Kind: r.Kind, Proc: r.Proc, Type: r.Type, Scale: r.Scale, Local: s.Local, Remote: s.Remote, Shape: shape.Contiguous(s.N)}
		if err := e.nearStrided(&one, here(s)); err != nil {
			return err
		}
	}
	return nil
}

// lists are lists for reuse, which no request uses.
var lists = sync.Pool{New: func() any { return new(shape.List) }}

// farVector makes a vector transfer by requests to the owner.
func (e *Engine) farVector(r *Request, t *Tracker) error {
	e.count(r, traffic.TCP)
	list := lists.Get().(*shape.List)
	defer lists.Put(list)
	base := e.world.Position(r.Proc, 0)
	for rest := r.Vector; len(rest) > 0; {
		var target shape.Target
		var cut int64
		target.List, target.N, cut = part(r.Kind, rest, base, (*list)[:0])
		*list = target.List
		n := target.List.Len()
		last := &rest[n-1]
		all := last.N
		last.N = cut
		p := &piece{segments: rest[:n], n: target.N}
		if r.Kind == Get {
			p.segments = slices.Clone(p.segments) // they are needed until the answer comes
		}
		if err := e.send(r, &target, p, t); err != nil {
			return err
		}
		if cut < all { // the next request has the rest
			*last = Segment{unsafe.Add(last.Local, cut), last.Remote + uintptr(cut), all - cut}
			n--
		}
		rest = rest[n:]
	}
	return nil
}

// part appends to a list as many of some segments as one request may have. Of the last segment it may
// append only the beginning: whole elements for an accumulate, otherwise up to an aligned word of the
// owner. base is the position of the address 0. It returns the bytes of all segments, and of the last.
func part(kind Kind, segments []Segment, base uint64, to shape.List) (list shape.List, bytes, last int64) {
	left := int64(pieceBytes)
	for i := range segments {
		s := &segments[i]
		left -= shape.SegmentBytes
		n := s.N
		if n > left {
			if n = left / element.MaxSize * element.MaxSize; kind != Accumulate {
				n = left - int64((s.Remote+uintptr(left))%fabric.WordMax)
			}
		}
		if n <= 0 {
			break
		}
		to = to.Append(shape.Segment{At: base + uint64(s.Remote), N: n})
		left, bytes, last = left-n, bytes+n, n
		if n < s.N {
			break
		}
	}
	return to, bytes, last
}
