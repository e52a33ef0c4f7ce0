package points

import (
	"fmt"
	"iter"
)

// Ranges returns the layout of ranges of consecutive points, with first points and counts. They lie in
// memory in this order. It also returns the number of points in memory. Fails with ErrShape.
func Ranges(ranges iter.Seq2[int64, int64]) (l *Layout, memory int64, err error) {
	var numbers, positions Builder
	for first, n := range ranges {
		if first < 0 || n < 0 || first > Max-n || memory > Max-n {
			return nil, 0, fmt.Errorf("%w: a range of %d points from %d on", ErrShape, n, first)
		}
		if n == 0 {
			continue
		}
		numbers.AddRun(Run{Start: first, Stride: 1, Count: n})
		positions.AddRun(Run{Start: memory, Stride: 1, Count: n})
		memory += n
	}
	return &Layout{Points: numbers.List(), Positions: positions.List()}, memory, nil
}

// Listed returns the layout of points in any order, in which they lie in memory, too. It also returns how
// many there are. Fails with ErrShape.
func Listed(all iter.Seq[int64]) (l *Layout, memory int64, err error) {
	var numbers, positions Builder
	for x := range all {
		if x < 0 || x > Max {
			return nil, 0, fmt.Errorf("%w: point %d", ErrShape, x)
		}
		numbers.Add(x)
		memory++
	}
	if memory > 0 {
		positions.AddRun(Run{Start: 0, Stride: 1, Count: memory})
	}
	return &Layout{Points: numbers.List(), Positions: positions.List()}, memory, nil
}

// Both returns the layouts of the points of the block that a rank sends, without the halo, and of the points
// that it receives, with the halo if fill is true. It also returns the number of points in memory. Fails
// with ErrShape.
func (b *Block) Both(fill bool) (sends, receives *Layout, memory int64, err error) {
	if sends, memory, err = b.Layout(false); err != nil || !fill {
		return sends, sends, memory, err
	}
	receives, _, err = b.Layout(true)
	return sends, receives, memory, err
}
