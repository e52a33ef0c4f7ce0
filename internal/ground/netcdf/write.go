package netcdf

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
)

// Content is a variable that Write writes. Values are []int32, []int64, []float64 or a string, which is an array of
// characters. []int64 can only be in a file with 64-bit data.
type Content struct {
	Name       string
	Dimensions []string
	Attributes map[string]string // with text
	Numbers    map[string]int32  // attributes with a number
	Values     any
}

// ErrContent: contents that no file can have.
var ErrContent = errors.New("bad contents")

// Write writes a file in a classic format: with 64-bit offsets, or with 64-bit data if it has numbers or dimensions that
// need them. Fails with ErrContent, and as w does.
func Write(w io.Writer, dimensions []Dimension, attributes map[string]string, variables []Content) error {
	e := &encoder{version: 2}
	for _, d := range dimensions {
		if d.Length < 1 {
			return fmt.Errorf("%w: dimension %s has the length %d", ErrContent, d.Name, d.Length)
		}
		e.need(d.Length)
	}
	types := make([]Type, len(variables))
	for i, v := range variables {
		t, err := v.check(dimensions)
		if err != nil {
			return err
		}
		types[i] = t
		if t == Int64 {
			e.version = 5
		}
		e.need(v.bytes(t))
	}
	// The places of the variables follow from the length of the head, which does not depend on them.
	e.head(dimensions, attributes, variables, types, 0)
	begin := int64(len(e.bytes))
	e.bytes = e.bytes[:0]
	e.head(dimensions, attributes, variables, types, begin)
	out := bufio.NewWriter(w)
	_, err := out.Write(e.bytes)
	for i, v := range variables {
		if err == nil {
			err = v.write(out, types[i])
		}
	}
	if err == nil {
		err = out.Flush()
	}
	return err
}

// check returns the type of the values, or an error unless they have the shape.
func (v *Content) check(dimensions []Dimension) (Type, error) {
	var t Type
	n := 0
	switch values := v.Values.(type) {
	case []int32:
		t, n = Int, len(values)
	case []int64:
		t, n = Int64, len(values)
	case []float64:
		t, n = Double, len(values)
	case string:
		t, n = Char, len(values)
	default:
		return 0, fmt.Errorf("%w: variable %s has values of %T", ErrContent, v.Name, v.Values)
	}
	want := int64(1)
	for _, name := range v.Dimensions {
		i := slices.IndexFunc(dimensions, func(d Dimension) bool { return d.Name == name })
		if i < 0 {
			return 0, fmt.Errorf("%w: variable %s has dimension %s, which the file does not have", ErrContent, v.Name, name)
		}
		if want > math.MaxInt64/dimensions[i].Length {
			return 0, fmt.Errorf("%w: variable %s is too large", ErrContent, v.Name)
		}
		want *= dimensions[i].Length
	}
	if int64(n) != want {
		return 0, fmt.Errorf("%w: variable %s has %d values; expected %d", ErrContent, v.Name, n, want)
	}
	return t, nil
}

// bytes returns the bytes of the values, up to a multiple of four.
func (v *Content) bytes(t Type) int64 {
	n := 0
	switch values := v.Values.(type) {
	case []int32:
		n = len(values)
	case []int64:
		n = len(values)
	case []float64:
		n = len(values)
	case string:
		n = len(values)
	}
	bytes := int64(n) * t.size()
	return bytes + -bytes&3
}

// write writes the values.
func (v *Content) write(out *bufio.Writer, t Type) error {
	var err error
	switch values := v.Values.(type) {
	case string:
		_, err = out.WriteString(values + "\x00\x00\x00"[:-len(values)&3])
	case []int32:
		for _, x := range values {
			if _, err = out.Write(binary.BigEndian.AppendUint32(out.AvailableBuffer(), uint32(x))); err != nil {
				break
			}
		}
	case []int64:
		for _, x := range values {
			if _, err = out.Write(binary.BigEndian.AppendUint64(out.AvailableBuffer(), uint64(x))); err != nil {
				break
			}
		}
	case []float64:
		for _, x := range values {
			if _, err = out.Write(binary.BigEndian.AppendUint64(out.AvailableBuffer(), math.Float64bits(x))); err != nil {
				break
			}
		}
	}
	return err
}

// encoder makes the head of a file.
type encoder struct {
	version byte
	bytes   []byte
}

// need notes a number of elements or bytes, which has to fit into 31 bits without 64-bit data.
func (e *encoder) need(n int64) {
	if n > math.MaxInt32-3 {
		e.version = 5
	}
}

func (e *encoder) int32(n int64) { e.bytes = binary.BigEndian.AppendUint32(e.bytes, uint32(n)) }

func (e *encoder) int64(n int64) { e.bytes = binary.BigEndian.AppendUint64(e.bytes, uint64(n)) }

// count is the opposite of decoder.count.
func (e *encoder) count(n int64) {
	if e.version == 5 {
		e.int64(n)
	} else {
		e.int32(n)
	}
}

func (e *encoder) list(tag int64, n int) {
	if n == 0 {
		tag = absent
	}
	e.int32(tag)
	e.count(int64(n))
}

func (e *encoder) name(text string) {
	e.count(int64(len(text)))
	e.bytes = append(append(e.bytes, text...), "\x00\x00\x00"[:-len(text)&3]...)
}

func (e *encoder) attributes(texts map[string]string, numbers map[string]int32) {
	e.list(attributeList, len(texts)+len(numbers))
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		e.name(name)
		e.int32(int64(Char))
		e.name(texts[name])
	}
	for _, name := range slices.Sorted(maps.Keys(numbers)) {
		e.name(name)
		e.int32(int64(Int))
		e.count(1)
		e.int32(int64(numbers[name]))
	}
}

// head appends the head of a file whose first variable has its values at a place.
func (e *encoder) head(dimensions []Dimension, attributes map[string]string, variables []Content, types []Type, begin int64) {
	e.bytes = append(e.bytes, 'C', 'D', 'F', e.version)
	e.count(0) // records
	e.list(dimensionList, len(dimensions))
	for _, d := range dimensions {
		e.name(d.Name)
		e.count(d.Length)
	}
	e.attributes(attributes, nil)
	e.list(variableList, len(variables))
	for i := range variables {
		e.variable(dimensions, &variables[i], types[i], variables[i].bytes(types[i]), begin)
		begin += variables[i].bytes(types[i])
	}
}

// variable appends the description of a variable whose values, or those of its first record, have some bytes from a place on.
func (e *encoder) variable(dimensions []Dimension, v *Content, t Type, bytes, begin int64) {
	e.name(v.Name)
	e.count(int64(len(v.Dimensions)))
	for _, name := range v.Dimensions {
		e.count(int64(slices.IndexFunc(dimensions, func(d Dimension) bool { return d.Name == name })))
	}
	e.attributes(v.Attributes, v.Numbers)
	e.int32(int64(t))
	e.count(bytes)
	e.int64(begin)
}
