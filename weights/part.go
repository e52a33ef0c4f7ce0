package weights

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
)

// ErrPart: bytes that are no part of the matrix.
var ErrPart = errors.New("bad part of a matrix")

// entryBytes is the size of an entry in a part: row, column and value, or the common area of the cells.
const entryBytes = 24

// MakePart makes the weights of Options.Rows, as bytes for Join in any process of the same version. Fails as Make does. Any
// process. Does not block.
func MakePart(from, to *Grid, o Options) ([]byte, error) {
	m, err := unfinished(from, to, o)
	if err != nil {
		return nil, err
	}
	b := make([]byte, 0, entryBytes*len(m.Entries))
	for _, e := range m.Entries {
		b = binary.LittleEndian.AppendUint64(b, uint64(e.Row))
		b = binary.LittleEndian.AppendUint64(b, uint64(e.Column))
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(e.Value))
	}
	return b, nil
}

// Join returns the matrix that Make returns, from the parts that MakePart has made. Their Rows are together those of o, each once, and everything else
// is the same. Fails with ErrGrid and ErrOptions, and with ErrPart. Any process. Does not block.
func Join(from, to *Grid, o Options, parts ...[]byte) (*Matrix, error) {
	if err := checkBoth(from, to, o); err != nil {
		return nil, err
	}
	m := &Matrix{From: from, To: to, Options: o}
	for i, b := range parts {
		if err := m.join(b); err != nil {
			return nil, fmt.Errorf("part %d: %w", i, err)
		}
	}
	slices.SortFunc(m.Entries, func(a, b Entry) int {
		return cmp.Or(cmp.Compare(a.Row, b.Row), cmp.Compare(a.Column, b.Column))
	})
	if o.Method == Conservative {
		if err := m.setAreas(); err != nil {
			return nil, err
		}
	}
	m.finish()
	return m, nil
}

// join appends the entries of a part.
func (m *Matrix) join(b []byte) error {
	if len(b)%entryBytes != 0 {
		return fmt.Errorf("%w: %d bytes", ErrPart, len(b))
	}
	for ; len(b) > 0; b = b[entryBytes:] {
		row, column := binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[8:])
		if row >= uint64(m.To.Len()) || column >= uint64(m.From.Len()) {
			return fmt.Errorf("%w: row %d and column %d of a matrix with %d rows and %d columns", ErrPart, row, column, m.To.Len(), m.From.Len())
		}
		m.Entries = append(m.Entries, Entry{int(row), int(column), math.Float64frombits(binary.LittleEndian.Uint64(b[16:]))})
	}
	return nil
}
