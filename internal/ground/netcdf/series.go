package netcdf

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
)

// Series is a file in a classic format that grows: each record has the number of a step and the values of all points at that step.
// After each record the file is complete, so readers may look at it while it grows. One goroutine at a time uses it.
type Series struct {
	file    *os.File
	begin   int64 // of the first record
	record  int64 // bytes
	values  int   // of a record
	records int64
	buffer  []byte
}

// SeriesOf describes a series: the numbers of the points, and how many values each has.
type SeriesOf struct {
	Points     []int64
	Values     int    // for each point
	Name       string // of the variable with the values
	Attributes map[string]string
}

// CreateSeries creates a file without records, or empties it. The file has the dimensions time, which grows, point, and value if
// points have several values. Its variables are point, step and one with the values. Fails with ErrContent without points, since a
// dimension of length 0 grows, and with an error of package os.
func CreateSeries(path string, of SeriesOf) (*Series, error) {
	if len(of.Points) == 0 || of.Values < 1 {
		return nil, fmt.Errorf("%w: %d points with %d values each", ErrContent, len(of.Points), of.Values)
	}
	dimensions := []Dimension{{"time", 0}, {"point", int64(len(of.Points))}}
	shape := []string{"time", "point"}
	if of.Values > 1 {
		dimensions = append(dimensions, Dimension{"value", int64(of.Values)})
		shape = append(shape, "value")
	}
	s := &Series{values: len(of.Points) * of.Values}
	s.record = 8 + 8*int64(s.values)
	numbers := Content{Name: "point", Dimensions: []string{"point"}, Values: of.Points}
	steps := Content{Name: "step", Dimensions: []string{"time"}}
	values := Content{Name: of.Name, Dimensions: shape}
	e := &encoder{version: 5} // numbers of points and steps have 64 bits
	head := func(begin int64) {
		e.bytes = append(e.bytes[:0], 'C', 'D', 'F', e.version)
		e.count(0) // records
		e.list(dimensionList, len(dimensions))
		for _, d := range dimensions {
			e.name(d.Name)
			e.count(d.Length)
		}
		e.attributes(of.Attributes, nil)
		e.list(variableList, 3)
		first := begin + numbers.bytes(Int64)
		e.variable(dimensions, &numbers, Int64, numbers.bytes(Int64), begin)
		e.variable(dimensions, &steps, Int64, 8, first)
		e.variable(dimensions, &values, Double, 8*int64(s.values), first+8)
		s.begin = first
	}
	head(0)
	head(int64(len(e.bytes)))
	for _, p := range of.Points {
		e.int64(p)
	}
	file, err := os.Create(path)
	if err != nil {
		return nil, err
	}
	s.file = file
	if _, err := file.Write(e.bytes); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return s, nil
}

// Append adds a record. Fails with an error of package os.
func (s *Series) Append(step int64, values []float64) error {
	if len(values) != s.values {
		return fmt.Errorf("%w: %d values for a record of %d", ErrContent, len(values), s.values)
	}
	b := binary.BigEndian.AppendUint64(s.buffer[:0], uint64(step))
	for _, x := range values {
		b = binary.BigEndian.AppendUint64(b, math.Float64bits(x))
	}
	s.buffer = b
	if _, err := s.file.WriteAt(b, s.begin+s.records*s.record); err != nil {
		return err
	}
	s.records++
	_, err := s.file.WriteAt(binary.BigEndian.AppendUint64(nil, uint64(s.records)), 4)
	return err
}

// Close closes the file.
func (s *Series) Close() error { return s.file.Close() }
