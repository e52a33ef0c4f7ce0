package link

import (
	"unsafe"

	"github.com/goacp/goacp/internal/system/couple/element"
	"github.com/goacp/goacp/internal/system/couple/flow"
	"github.com/goacp/goacp/internal/system/couple/points"
)

// sums adds the parts of the sums that the senders of a link with weights send to a receiver. It adds in the order
// of the senders in their side, in float64.
type sums struct {
	element element.Type
	totals  []float64 // by position
}

// newSums returns the sums of some flows.
func newSums(e element.Type, flows []*stream) *sums {
	extent := int64(0)
	for _, f := range flows {
		extent = max(extent, flow.Extent(&f.positions))
	}
	return &sums{e, make([]float64, extent*int64(e.Reals()))}
}

// begin begins the sums of a message.
func (s *sums) begin() { clear(s.totals) }

// add adds the values of a sender, which lie in order of its positions.
func (s *sums) add(values unsafe.Pointer, positions *points.List) {
	if s.element.Single() {
		addTo(s.totals, (*float32)(values), positions, s.element.Reals())
	} else {
		addTo(s.totals, (*float64)(values), positions, s.element.Reals())
	}
}

// end stores the sums at some positions of a field.
func (s *sums) end(data unsafe.Pointer, positions *points.List) {
	if s.element.Single() {
		storeFrom((*float32)(data), s.totals, positions, s.element.Reals())
	} else {
		storeFrom((*float64)(data), s.totals, positions, s.element.Reals())
	}
}

func addTo[T float32 | float64](totals []float64, values *T, positions *points.List, reals int) {
	n := int64(reals)
	x := unsafe.Slice(values, positions.Len()*n)
	for it := positions.All(); ; {
		r, ok := it.Next()
		if !ok {
			return
		}
		for i := range r.Count {
			at := (r.Start + i*r.Stride) * n
			for k := range n {
				totals[at+k] += float64(x[k])
			}
			x = x[n:]
		}
	}
}

func storeFrom[T float32 | float64](data *T, totals []float64, positions *points.List, reals int) {
	n := int64(reals)
	y := unsafe.Slice(data, len(totals))
	for it := positions.All(); ; {
		r, ok := it.Next()
		if !ok {
			return
		}
		for i := range r.Count {
			at := (r.Start + i*r.Stride) * n
			for k := range n {
				y[at+k] = T(totals[at+k])
			}
		}
	}
}
