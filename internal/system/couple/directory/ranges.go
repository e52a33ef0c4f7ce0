package directory

import (
	"math/bits"

	"github.com/goacp/goacp/internal/system/couple/points"
)

// Range is the points from Lo to less than Hi.
type Range struct{ Lo, Hi int64 }

// Ranges divides points among directories.
type Ranges struct {
	All   Range
	Parts int // greater than 0
}

// Part returns the range of a directory. The ranges ascend.
func (r Ranges) Part(i int) Range { return Range{r.begin(i), r.begin(i + 1)} }

// begin returns the first point of a part, even if the part is empty.
func (r Ranges) begin(i int) int64 {
	hi, lo := bits.Mul64(uint64(r.All.Hi-r.All.Lo), uint64(i))
	q, _ := bits.Div64(hi, lo, uint64(r.Parts))
	return r.All.Lo + int64(q)
}

// Cut calls f with the points of a list, which ascends, that are in each part.
func (r Ranges) Cut(l *points.List, f func(part int, some points.List) error) error {
	it := l.All()
	for i := range r.Parts {
		var b points.Builder
		for end := r.Part(i).Hi; ; {
			run, ok := it.Below(end)
			if !ok {
				break
			}
			b.AddRun(run)
		}
		if err := f(i, b.List()); err != nil {
			return err
		}
	}
	return nil
}
