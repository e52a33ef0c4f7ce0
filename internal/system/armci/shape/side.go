package shape

import "math/bits"

// Side is one side of a strided transfer.
type Side struct {
	Block  int64 // bytes
	Levels int
	Count  [MaxLevels]int64
	Stride [MaxLevels]int64 // bytes
}

// newSide returns the side of s with these strides, with adjacent blocks merged.
func newSide(s *Strided, stride *[MaxLevels]int64) Side {
	one := Strided{Block: s.Block, Levels: s.Levels, Count: s.Count, Local: *stride, Remote: *stride}
	if n, err := one.Bytes(); err == nil && n > 0 {
		one.Merge()
	}
	return Side{Block: one.Block, Levels: one.Levels, Count: one.Count, Stride: one.Local}
}

// Bytes returns the number of bytes of the stream. Fails with ErrCount.
func (s *Side) Bytes() (int64, error) { return product(s.Block, s.Count[:s.Levels]) }

// Extent returns the offsets of the first byte of the transfer and of the first byte after it,
// from the address of the side. Fails with ErrExtent.
func (s *Side) Extent() (low, high int64, err error) {
	var below, above uint64
	carry := s.Block < 0
	above = uint64(s.Block)
	for i := range s.Levels {
		stride, n := s.Stride[i], s.Count[i]-1
		if n < 0 {
			return 0, 0, ErrCount
		}
		to, step := &above, uint64(stride)
		if stride < 0 {
			to, step = &below, -uint64(stride)
		}
		over, reach := bits.Mul64(step, uint64(n))
		*to += reach
		carry = carry || over != 0 || reach > maxBytes || *to > maxBytes
	}
	if carry {
		return 0, 0, ErrExtent
	}
	return -int64(below), int64(above), nil
}

// Cursor walks the bytes of a Side in order of the stream.
type Cursor struct {
	side   *Side
	index  [MaxLevels]int64
	offset int64 // of the current block of the cursor
	within int64 // bytes of the block that are done
}

// From returns a cursor at the byte of the stream with number start, which is at most the
// length of the stream.
func (s *Side) From(start int64) Cursor {
	c := Cursor{side: s}
	block := start / s.Block
	c.within = start % s.Block
	for i := range s.Levels {
		c.index[i] = block % s.Count[i]
		block /= s.Count[i]
		c.offset += c.index[i] * s.Stride[i]
	}
	return c
}

// Next returns the offset and the number of the next bytes of the stream, at most most, and
// moves after them. The caller does not go beyond the end of the stream.
func (c *Cursor) Next(most int64) (offset, n int64) {
	offset, n = c.offset+c.within, min(most, c.side.Block-c.within)
	c.within += n
	if c.within == c.side.Block {
		c.advance()
	}
	return offset, n
}

// advance goes to the beginning of the next block.
func (c *Cursor) advance() {
	c.within = 0
	for i := range c.side.Levels {
		c.index[i]++
		c.offset += c.side.Stride[i]
		if c.index[i] < c.side.Count[i] {
			return
		}
		c.offset -= c.index[i] * c.side.Stride[i]
		c.index[i] = 0
	}
}
