package armci

import (
	"iter"

	"github.com/goacp/goacp/internal/system/armci/shape"
)

// Blocks returns the runs of consecutive elements of the slice, in order of the section: for each the
// index of its first element in the slice, and the number of elements. Adjacent runs are merged. An
// invalid layout has no runs. Pure. ARMCI API: armci_stride_info_init.
func (l Layout) Blocks() iter.Seq2[int, int] {
	return func(yield func(first, n int) bool) {
		side, err := l.side()
		if err != nil || l.Len() == 0 {
			return
		}
		s := shape.Strided{Block: side.Block, Levels: side.Levels, Count: side.Count, Local: side.Stride, Remote: side.Stride}
		s.Merge()
		s.Each(func(offset, _ int64) bool { return yield(l.Offset+int(offset), int(s.Block)) })
	}
}

// Indices returns the number in the slice of each element, in order of the section: the last index is
// the fastest. There are none if the layout cannot be. Pure. ARMCI API: armci_stride_info_next.
func (l Layout) Indices() iter.Seq[int] {
	return func(yield func(index int) bool) {
		for first, n := range l.Blocks() {
			for i := range n {
				if !yield(first + i) {
					return
				}
			}
		}
	}
}
