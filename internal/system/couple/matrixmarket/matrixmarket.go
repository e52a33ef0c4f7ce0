// Package matrixmarket reads sparse matrices from files in the Matrix Market exchange format.
//
// It reads the coordinate format of general real matrices:
//
//	%%MatrixMarket matrix coordinate real general
//	% A comment.
//	2 3 4
//	1 1 0.75
//	1 2 0.25
//	2 2 0.5
//	2 3 0.5
//
// The first line names the kind of the file, in letters of either case. Lines that begin with % are comments, up to
// the line with the numbers of rows, columns and entries. Each later line has the row and the column of an entry,
// which begin with 1, and its value: a decimal number as programs in C or Fortran write it, such as 0.25, 2.5E-01,
// 2.5D-01 or 2.5-101. Blank lines may be anywhere after the first line. Entries may be in any order. The format does
// not define the meaning of several entries with the same row and column; Read calls its caller for each of them.
package matrixmarket

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
)

// ErrFormat: a file that is not in the format.
var ErrFormat = errors.New("not in the Matrix Market format")

// maxLine is how many bytes a line has at most, with its end. The format allows 1024.
const maxLine = 64 << 10

// MaxSize is the greatest number of rows, columns and entries.
const MaxSize = math.MaxInt64 / 4

// Size is the size of a matrix.
type Size struct{ Rows, Columns, Entries int64 }

// Reader reads a matrix. The caller calls Size once, and then Entries.
type Reader struct {
	lines *bufio.Reader
	line  int // number of the last line that has been read
	size  Size
}

// NewReader returns a reader of the text of a file.
func NewReader(r io.Reader) *Reader { return &Reader{lines: bufio.NewReaderSize(r, maxLine)} }

// next returns the words of the next line, or io.EOF. The words are valid until the next call.
func (r *Reader) next() ([]byte, error) {
	b, err := r.lines.ReadSlice('\n')
	switch {
	case errors.Is(err, bufio.ErrBufferFull):
		r.line++
		return nil, r.errorf("it is longer than %d bytes", maxLine)
	case err == io.EOF && len(b) == 0:
		return nil, io.EOF
	case err != nil && err != io.EOF:
		return nil, fmt.Errorf("behind line %d: %w", r.line, err)
	}
	r.line++
	return bytes.TrimSpace(b), nil
}

// errorf returns an error about the last line.
func (r *Reader) errorf(format string, args ...any) error {
	return fmt.Errorf("line %d: %w: %s", r.line, ErrFormat, fmt.Sprintf(format, args...))
}

// header is the first line.
var header = []string{"%%MatrixMarket", "matrix", "coordinate", "real", "general"}

// Size reads the lines before the entries, and returns the size of the matrix. Fails with ErrFormat, and as the text does.
func (r *Reader) Size() (Size, error) {
	b, err := r.next()
	if err == io.EOF {
		return Size{}, fmt.Errorf("%w: it is empty", ErrFormat)
	}
	if err != nil {
		return Size{}, err
	}
	words := bytes.Fields(b)
	for i, want := range header {
		if len(words) != len(header) || !bytes.EqualFold(words[i], []byte(want)) {
			return Size{}, r.errorf("%s; expected %%%%MatrixMarket matrix coordinate real general", shown(b))
		}
	}
	for {
		b, err := r.next()
		switch {
		case err == io.EOF:
			return Size{}, r.errorf("the file ends before the numbers of rows, columns and entries")
		case err != nil:
			return Size{}, err
		case len(b) == 0 || b[0] == '%':
			continue
		}
		numbers, ok := r.numbers(b)
		if !ok {
			return Size{}, r.errorf("%s; expected the numbers of rows, columns and entries", shown(b))
		}
		r.size = Size{numbers[0], numbers[1], numbers[2]}
		return r.size, nil
	}
}

// numbers returns the three numbers of the line with the size.
func (r *Reader) numbers(b []byte) (numbers [3]int64, ok bool) {
	for i := range numbers {
		var word []byte
		word, b = cut(b)
		if numbers[i], ok = count(word); !ok {
			return numbers, false
		}
	}
	return numbers, len(b) == 0
}

// Entries calls each for every entry, in the order of the file, with the row and the column beginning with 0. It ends if each
// fails, and returns that error with the number of the line. Fails also with ErrFormat, and as the text does. It
// has one line in memory at a time.
func (r *Reader) Entries(each func(row, column int64, value float64) error) error {
	for n := int64(0); ; {
		b, err := r.next()
		switch {
		case err == io.EOF && n < r.size.Entries:
			return r.errorf("the file ends after %d of %d entries", n, r.size.Entries)
		case err == io.EOF:
			return nil
		case err != nil:
			return err
		case len(b) == 0:
			continue
		case n == r.size.Entries:
			return r.errorf("%s; expected no more than %d entries", shown(b), n)
		}
		n++
		row, column, value, err := r.entry(b)
		if err != nil {
			return err
		}
		if err := each(row-1, column-1, value); err != nil {
			return fmt.Errorf("line %d: %w", r.line, err)
		}
	}
}

// entry returns the entry of a line.
func (r *Reader) entry(b []byte) (row, column int64, value float64, err error) {
	first, rest := cut(b)
	second, third := cut(rest)
	row, isRow := count(first)
	column, isColumn := count(second)
	switch {
	case !isRow || !isColumn || len(third) == 0:
		return 0, 0, 0, r.errorf("%s; expected a row, a column and a value", shown(b))
	case row < 1 || row > r.size.Rows:
		return 0, 0, 0, r.errorf("row %d; expected one from 1 to %d", row, r.size.Rows)
	case column < 1 || column > r.size.Columns:
		return 0, 0, 0, r.errorf("column %d; expected one from 1 to %d", column, r.size.Columns)
	}
	value, isValue := real64(third)
	if !isValue {
		return 0, 0, 0, r.errorf("value %s; expected a finite number", shown(third))
	}
	return row, column, value, nil
}

// real64 returns a finite number.
func real64(word []byte) (value float64, ok bool) {
	value, err := strconv.ParseFloat(string(word), 64)
	if err != nil {
		value, err = strconv.ParseFloat(fromFortran(word), 64)
	}
	return value, err == nil && !math.IsNaN(value) && !math.IsInf(value, 0)
}

// fromFortran returns a real number as C and Go write it. Programs in Fortran may write D in front of the exponent, and write an
// exponent of three digits as its sign and the digits alone (Fortran 2018, 13.7.2.3.3).
func fromFortran(word []byte) string {
	i := bytes.IndexAny(word, "Dd")
	if i >= 0 {
		return string(word[:i]) + "e" + string(word[i+1:])
	}
	if i = bytes.LastIndexAny(word, "+-"); i > 0 && (word[i-1] == '.' || word[i-1] >= '0' && word[i-1] <= '9') {
		return string(word[:i]) + "e" + string(word[i:])
	}
	return string(word)
}

// cut returns the first word of a line, and the text after it.
func cut(b []byte) (word, rest []byte) {
	if i := bytes.IndexAny(b, " \t"); i >= 0 {
		return b[:i], bytes.TrimLeft(b[i:], " \t")
	}
	return b, nil
}

// count returns a number in decimal digits, which is at most MaxSize.
func count(word []byte) (n int64, ok bool) {
	for _, c := range word {
		if c < '0' || c > '9' || n > (MaxSize-9)/10 {
			return 0, false
		}
		n = 10*n + int64(c-'0')
	}
	return n, len(word) > 0
}

// shown returns a part of a line for a message.
func shown(b []byte) string {
	const most = 60
	if len(b) > most {
		return fmt.Sprintf("%q...", b[:most])
	}
	return fmt.Sprintf("%q", b)
}
