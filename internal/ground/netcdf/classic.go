package netcdf

import (
	"errors"
	"fmt"
	"io"
)

// classic reads the values of a classic file.
type classic struct {
	io.Closer
	bytes io.ReaderAt
	size  int64
}

// mostBytes is how many bytes a classic file is read at once.
const mostBytes = 1 << 20

func (c *classic) integers(v *Variable, first int64, into []int64) error {
	return c.read(v, first, int64(len(into)), func(i int64, b []byte) { into[i] = v.Type.integerIn(b) })
}

func (c *classic) reals(v *Variable, first int64, into []float64) error {
	return c.read(v, first, int64(len(into)), func(i int64, b []byte) { into[i] = v.Type.realIn(b) })
}

// read calls each for n values from row first on, with their bytes.
func (c *classic) read(v *Variable, first, n int64, each func(i int64, b []byte)) error {
	row := v.RowLen()
	if !v.record {
		return c.run(v, v.begin+first*row*v.Type.size(), 0, n, each)
	}
	for i := int64(0); i < n; i += row {
		if err := c.run(v, v.begin+first*v.stride, i, row, each); err != nil {
			return err
		}
		first++
	}
	return nil
}

// run calls each for n contiguous values that begin at byte at of the file, with their bytes. i is the index of the first one.
func (c *classic) run(v *Variable, at, i, n int64, each func(i int64, b []byte)) error {
	size := v.Type.size()
	if at < 0 || at > c.size || n > (c.size-at)/size {
		return fmt.Errorf("%w: the file ends after %d bytes; expected %d values from byte %d on", ErrFormat, c.size, n, at)
	}
	buffer := make([]byte, min(n*size, mostBytes))
	for end := i + n; i < end; {
		b := buffer[:min((end-i)*size, mostBytes)]
		if k, err := c.bytes.ReadAt(b, at); k < len(b) {
			if errors.Is(err, io.EOF) {
				err = fmt.Errorf("%w: the file ends after %d bytes", ErrFormat, at+int64(k))
			}
			return err
		}
		at += int64(len(b))
		for ; len(b) > 0; b = b[size:] {
			each(i, b)
			i++
		}
	}
	return nil
}
