package points

// Section is a part of an array whose points are not all contiguous. Dimensions are in the order in which points are
// counted: the first dimension varies fastest.
type Section struct {
	Extents []int64 // points in each dimension
	Strides []int64 // from a point to the next one in each dimension, in points, and not 0
}

// First returns the position of the first point if the least position is 0. It is greater than 0 if strides are
// negative.
func (s *Section) First() int64 {
	first := int64(0)
	for d, n := range s.Extents {
		if n > 0 {
			first -= min(s.Strides[d], 0) * (n - 1)
		}
	}
	return first
}

// Layout returns a layout with the points of l. The positions of l count the points of the section. The new ones
// count from the least position of the section on.
func (s *Section) Layout(l *Layout) *Layout {
	if l.Len() == 0 {
		return l
	}
	var b Builder
	first := s.First()
	for it := l.Positions.All(); ; {
		r, ok := it.Next()
		if !ok {
			return &Layout{l.Points, b.List()}
		}
		s.add(&b, first, r)
	}
}

// add appends the positions of a run that counts the points of the section.
func (s *Section) add(b *Builder, first int64, r Run) {
	row, stride := s.Extents[0], s.Strides[0]
	for r.Count > 0 {
		n, at := int64(1), s.position(first, r.Start)
		if r.Stride > 0 { // the run is as far in this row as its stride leaves it
			n = min(r.Count, (row-1-r.Start%row)/r.Stride+1)
		}
		b.AddRun(Run{at, r.Stride * stride, n})
		r.Start += n * r.Stride
		r.Count -= n
	}
}

// position returns the position of point i of the section. The position of point 0 is first.
func (s *Section) position(first, i int64) int64 {
	for d, n := range s.Extents {
		first += i % n * s.Strides[d]
		i /= n
	}
	return first
}

// Index returns the number of the point that lies at a position, which counts from the least position of the section on.
// Strides ascend without regard to their signs, as those of arrays in Fortran do, and no two points lie at one position.
func (s *Section) Index(position int64) int64 {
	index := int64(0)
	for d := len(s.Extents) - 1; d >= 0; d-- {
		n, stride, i := s.Extents[d], s.Strides[d], int64(0)
		switch {
		case n == 1:
		case stride > 0:
			i, position = position/stride, position%stride
		default:
			i, position = n-1-position/-stride, position%-stride
		}
		index = index*n + i
	}
	return index
}
