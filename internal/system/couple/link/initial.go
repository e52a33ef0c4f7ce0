package link

import (
	"bufio"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"math"

	"github.com/goacp/goacp/internal/system/couple/timing"
)

// InitializeFrom is Initialize with the values of a file: those of all points of the grid or mesh in order of their
// numbers from 0 on, in the type of the field and little endian. Each rank reads its own points. Fails also with
// timing.ErrFile, and with an error of package os.
func (s *Sender) InitializeFrom(ctx context.Context, step int64, file string) error {
	if _, err := s.timing(); err != nil {
		return err
	}
	if err := s.timed.readInitial(file); err != nil {
		return s.wrap(nil, err)
	}
	return s.start(ctx, step)
}

// readInitial reads the values of the points of this rank.
func (t *timed) readInitial(name string) error {
	f, err := openFile(name)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	size := int64(t.program.element.Size())
	if err := t.checkSize(info.Size()/size, info.Size()%size == 0); err != nil {
		return fmt.Errorf("%s: %w: %d bytes; %w", name, timing.ErrFile, info.Size(), err)
	}
	in := bufio.NewReaderSize(f, 1<<20)
	at := int64(0) // the point that in reads next
	reals, next := t.program.element.Reals(), 0
	point := make([]byte, size)
	t.layout.Points.Each(func(number int64) {
		if err == nil {
			err = skip(f, in, (number-at)*size)
		}
		if err == nil {
			_, err = io.ReadFull(in, point)
		}
		at = number + 1
		t.decode(t.values[next:next+reals], point)
		next += reals
	})
	return err
}

// checkSize returns an error with the expected number of bytes unless a file has the values of all points.
func (t *timed) checkSize(points int64, whole bool) error {
	size := int64(t.program.element.Size())
	if g := t.program.grid; g != nil {
		all := int64(1)
		for _, n := range g.Sizes {
			all *= int64(n)
		}
		if !whole || points != all {
			return fmt.Errorf("expected %d, for the %d points of the grid with %v", all*size, all, t.program.element)
		}
		return nil
	}
	if _, end := t.layout.Bounds(); !whole || points < end {
		return fmt.Errorf("expected a multiple of %d from %d on, for points 0 to %d with %v", size, end*size, end-1, t.program.element)
	}
	return nil
}

// skip lets a reader of a file continue n bytes later.
func skip(f io.ReadSeeker, in *bufio.Reader, n int64) error {
	if n <= int64(in.Buffered()) {
		_, err := in.Discard(int(n))
		return err
	}
	_, err := f.Seek(n-int64(in.Buffered()), io.SeekCurrent)
	in.Reset(f)
	return err
}

// decode sets values to the numbers of one point.
func (t *timed) decode(values []float64, b []byte) {
	for i := range values {
		if t.program.element.Single() {
			values[i] = float64(math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:])))
		} else {
			values[i] = math.Float64frombits(binary.LittleEndian.Uint64(b[8*i:]))
		}
	}
}
