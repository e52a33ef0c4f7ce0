package points

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"slices"
)

// Layout has points and their positions in the memory of a rank. Both lists have the same length; entry i of one
// list belongs to entry i of the other. Positions count points, and differ from each other.
type Layout struct {
	Points    List
	Positions List
}

// Len returns the number of points.
func (l *Layout) Len() int64 { return l.Points.Len() }

// pieces calls f with the parts of the layout in which points and positions are one run each, until
// f returns false.
func (l *Layout) pieces(f func(points, positions Run) bool) {
	a, b := l.Points.All(), l.Positions.All()
	for {
		p, ok := a.Peek()
		if !ok {
			return
		}
		q, ok := b.Take(p.Count)
		if !ok {
			return
		}
		if p, _ = a.Take(q.Count); !f(p, q) {
			return
		}
	}
}

// ErrTwice: a point that is held twice.
var ErrTwice = errors.New("point held twice")

// HeldTwice is a point that lies at two positions.
type HeldTwice struct {
	Point     int64
	Positions [2]int64
}

// Error names the point.
func (e *HeldTwice) Error() string {
	return fmt.Sprintf("%v: point %d, at positions %d and %d", ErrTwice, e.Point, e.Positions[0], e.Positions[1])
}

// Is reports whether target is ErrTwice.
func (e *HeldTwice) Is(target error) bool { return target == ErrTwice }

// Sort returns the layout in ascending order of points. Fails with *HeldTwice.
func (l *Layout) Sort() (*Layout, error) {
	next, ascends := int64(0), true
	l.pieces(func(p, _ Run) bool {
		ascends = p.Start >= next && (p.Count == 1 || p.Stride > 0)
		next = p.Last() + 1
		return ascends
	})
	if ascends {
		return l, nil
	}
	lo, hi := l.Bounds()
	end := l.Extent()
	if max(hi-lo, end) <= math.MaxUint32 {
		return sorted[uint32](l, lo)
	}
	return sorted[int64](l, lo)
}

// sorted is Sort for a layout with points from lo on, whose distances from lo, and whose positions, are of a type.
func sorted[T uint32 | int64](l *Layout, lo int64) (*Layout, error) {
	all := make([]entry[T], 0, l.Len())
	l.pieces(func(p, q Run) bool {
		for i := range p.Count {
			all = append(all, entry[T]{T(p.Start + i*p.Stride - lo), T(q.Start + i*q.Stride)})
		}
		return true
	})
	all = sortEntries(all)
	var points, positions Builder
	for i, e := range all {
		if i > 0 && all[i-1].point == e.point {
			first, second := int64(all[i-1].position), int64(e.position)
			return nil, &HeldTwice{lo + int64(e.point), [2]int64{min(first, second), max(first, second)}}
		}
		points.Add(lo + int64(e.point))
		positions.Add(int64(e.position))
	}
	return &Layout{points.List(), positions.List()}, nil
}

// entry is one point of a layout: its distance from the least point, and its position.
type entry[T uint32 | int64] struct{ point, position T }

// digitBits is the number of bits of the points that one pass of sortEntries uses.
const digitBits = 11

// sortEntries returns the entries in order of points. It uses the memory of all.
func sortEntries[T uint32 | int64](all []entry[T]) []entry[T] {
	if len(all) < 1<<digitBits {
		slices.SortStableFunc(all, func(a, b entry[T]) int { return cmp.Compare(a.point, b.point) })
		return all
	}
	greatest := T(0)
	for _, e := range all {
		greatest = max(greatest, e.point)
	}
	other := make([]entry[T], len(all))
	for shift := 0; shift < bits.Len64(uint64(greatest)); shift += digitBits {
		var starts [1 << digitBits]int
		for _, e := range all {
			starts[e.point>>shift&(1<<digitBits-1)]++
		}
		sum := 0
		for i, n := range starts {
			starts[i] = sum
			sum += n
		}
		for _, e := range all {
			place := &starts[e.point>>shift&(1<<digitBits-1)]
			other[*place] = e
			*place++
		}
		all, other = other, all
	}
	return all
}

// Locate returns the positions of some points, in their order. Both the layout and the points
// ascend. Fails with ErrMalformed if the layout does not have a point.
func (l *Layout) Locate(some *List) (List, error) {
	var found Builder
	it := some.All()
	l.pieces(func(p, q Run) bool {
		for {
			r, ok := it.Below(p.Last() + 1)
			if !ok {
				return true
			}
			step := max(p.Stride, 1)
			if p.Count == 1 {
				step = 1
			}
			if r.Start < p.Start || (r.Start-p.Start)%step != 0 || r.Count > 1 && r.Stride%step != 0 {
				return false
			}
			stride := int64(1)
			if r.Count > 1 {
				stride = r.Stride / step * q.Stride
			}
			found.AddRun(Run{q.Start + (r.Start-p.Start)/step*q.Stride, stride, r.Count})
		}
	})
	if list := found.List(); list.Len() == some.Len() {
		return list, nil
	}
	return List{}, fmt.Errorf("%w: points that this rank does not hold", ErrMalformed)
}

// Filter returns the points at whose positions keep is true, in their order, and the points where it is false.
func (l *Layout) Filter(keep func(position int64) bool) (kept *Layout, others List) {
	var in, out, positions Builder
	l.pieces(func(p, q Run) bool {
		for i := int64(0); i < p.Count; {
			begin, first := i, keep(q.Start+i*q.Stride)
			for i++; i < p.Count && keep(q.Start+i*q.Stride) == first; i++ {
			}
			some := Run{p.Start + begin*p.Stride, p.Stride, i - begin}
			if !first {
				out.AddRun(some)
				continue
			}
			in.AddRun(some)
			positions.AddRun(Run{q.Start + begin*q.Stride, q.Stride, i - begin})
		}
		return true
	})
	return &Layout{in.List(), positions.List()}, out.List()
}

// Bounds returns the least point and the number after the greatest, or 0 and 0 if there are no points.
func (l *Layout) Bounds() (lo, hi int64) {
	if l.Len() == 0 {
		return 0, 0
	}
	lo, hi = Max, 0
	for it := l.Points.All(); ; {
		r, ok := it.Next()
		if !ok {
			return lo, hi
		}
		lo, hi = min(lo, r.Start, r.Last()), max(hi, r.Start+1, r.Last()+1)
	}
}

// Extent returns the number after the greatest position, or 0 if there are no points.
func (l *Layout) Extent() int64 {
	_, end := (&Layout{Points: l.Positions}).Bounds()
	return end
}
