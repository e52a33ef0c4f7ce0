package netcdf

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"math"
)

// The tags of lists in the head of a classic file.
const (
	absent        = 0
	dimensionList = 10
	variableList  = 11
	attributeList = 12
)

// mostDimensions is how many dimensions a variable has at most, as in libnetcdf.
const mostDimensions = 1024

// decoder reads the head of a classic file. After an error it reads zeros.
type decoder struct {
	bytes   *bufio.Reader
	left    int64 // bytes of the file that have not been read
	version byte
	err     error
}

// decode reads the head of a classic file with a number of bytes. Fails with ErrFormat, and as reading does.
func (f *File) decode(file io.ReaderAt, size int64) error {
	d := &decoder{bytes: bufio.NewReader(io.NewSectionReader(file, 0, size)), left: size}
	magic := d.take(4)
	if d.err != nil || !isClassic(magic) {
		return fmt.Errorf("%w: it begins with %q; expected CDF and 1, 2 or 5, or the signature of HDF5", ErrFormat, magic)
	}
	d.version = magic[3]
	records := d.count()
	unlimited := d.dimensions(f)
	f.Attributes, _ = d.attributes()
	d.variables(f, unlimited)
	if d.err != nil {
		return d.err
	}
	return f.placeRecords(unlimited, records, size)
}

// fail notes that the head is damaged.
func (d *decoder) fail(format string, args ...any) {
	if d.err == nil {
		d.err = fmt.Errorf("%w: %s", ErrFormat, fmt.Sprintf(format, args...))
	}
}

// take returns the next n bytes.
func (d *decoder) take(n int64) []byte {
	if d.err == nil && n > d.left {
		d.fail("the file ends in its head")
	}
	if d.err != nil {
		return make([]byte, min(n, 8))
	}
	b := make([]byte, n)
	if _, err := io.ReadFull(d.bytes, b); err != nil {
		d.err = err
	}
	d.left -= n
	return b
}

func (d *decoder) int32() int64 { return int64(int32(binary.BigEndian.Uint32(d.take(4)))) }

func (d *decoder) int64() int64 { return int64(binary.BigEndian.Uint64(d.take(8))) }

// count returns a number that has 64 bits in files with 64-bit data, and 32 in others. All bits 1 stand for -1.
func (d *decoder) count() int64 {
	if d.version == 5 {
		return d.int64()
	}
	return d.int32()
}

// elements returns how many elements a list has whose elements have at least some bytes.
func (d *decoder) elements(what string, least int64) int64 {
	n := d.count()
	if d.err == nil && (n < 0 || n > d.left/least) {
		d.fail("it has %d %s, and %d bytes", n, what, d.left)
	}
	if d.err != nil {
		return 0
	}
	return n
}

// list returns how many elements a list with a tag has.
func (d *decoder) list(tag int64, what string) int64 {
	found := d.int32()
	n := d.elements(what, 8)
	if found != tag && (found != absent || n != 0) {
		d.fail("tag %d at the %s; expected %d", found, what, tag)
		return 0
	}
	return n
}

// name returns a name, or a text, with the bytes up to a multiple of four.
func (d *decoder) name() string {
	n := d.elements("bytes in a name", 1)
	text := string(d.take(n))
	d.take(-n & 3)
	return text
}

// dimensions reads the dimensions. It returns the index of the dimension of records, or -1.
func (d *decoder) dimensions(f *File) int {
	unlimited := -1
	for n := d.list(dimensionList, "dimensions"); n > 0 && d.err == nil; n-- {
		f.Dimensions = append(f.Dimensions, Dimension{d.name(), d.count()})
		last := len(f.Dimensions) - 1
		switch length := f.Dimensions[last].Length; {
		case length < 0:
			d.fail("dimension %s has the length %d", f.Dimensions[last].Name, length)
		case length == 0 && unlimited >= 0:
			d.fail("dimensions %s and %s are both those of records", f.Dimensions[unlimited].Name, f.Dimensions[last].Name)
		case length == 0:
			unlimited = last
		}
	}
	return unlimited
}

// attributes reads a list of attributes, and returns those with text, and those with one number.
func (d *decoder) attributes() (texts map[string]string, numbers map[string]float64) {
	texts, numbers = make(map[string]string), make(map[string]float64)
	for n := d.list(attributeList, "attributes"); n > 0 && d.err == nil; n-- {
		name, t := d.name(), d.valueType()
		if t == Char {
			texts[name] = d.name()
			continue
		}
		bytes := d.elements("values in an attribute", t.size()) * t.size()
		values := d.take(bytes)
		d.take(-bytes & 3)
		if d.err == nil && bytes == t.size() {
			numbers[name] = t.realIn(values)
		}
	}
	return texts, numbers
}

// valueType reads a type.
func (d *decoder) valueType() Type {
	t, most := Type(d.int32()), Double
	if d.version == 5 {
		most = UInt64
	}
	if d.err == nil && (t < Byte || t > most) {
		d.fail("it has a value of type %d", int32(t))
	}
	return t
}

// variables reads the variables.
func (d *decoder) variables(f *File, unlimited int) {
	for n := d.list(variableList, "variables"); n > 0 && d.err == nil; n-- {
		v := Variable{Name: d.name()}
		var ids []int
		count := d.elements("dimensions of a variable", 4)
		if count > mostDimensions {
			d.fail("variable %s has %d dimensions", v.Name, count)
		}
		for i := int64(0); i < count && d.err == nil; i++ {
			id := d.count()
			if d.err == nil && (id < 0 || id >= int64(len(f.Dimensions)) || i > 0 && id == int64(unlimited)) {
				d.fail("variable %s has dimension %d, of %d", v.Name, id, len(f.Dimensions))
			}
			ids = append(ids, int(id))
		}
		v.Attributes, v.Numbers = d.attributes()
		v.Type = d.valueType()
		d.count() // the size of the variable, which its shape gives, too
		if v.begin = d.offset(); d.err != nil {
			return
		}
		v.record = len(ids) > 0 && ids[0] == unlimited
		if !v.setShape(f.Dimensions, ids) {
			d.fail("variable %s has more than 2^63 bytes", v.Name)
		}
		f.Variables = append(f.Variables, v)
	}
}

// offset returns a place in the file.
func (d *decoder) offset() int64 {
	if d.version == 1 {
		return int64(binary.BigEndian.Uint32(d.take(4)))
	}
	return d.int64()
}

// placeRecords sets the length of the dimension of records, and the places of records. A file that a program has
// written to a stream has -1 records: those that its bytes have room for.
func (f *File) placeRecords(unlimited int, records int64, size int64) error {
	var all []*Variable
	stride, begin := int64(0), size
	for i := range f.Variables {
		v := &f.Variables[i]
		if !v.record {
			continue
		}
		all = append(all, v)
		bytes := v.RowLen() * v.Type.size()
		if bytes > math.MaxInt64-3-stride {
			return fmt.Errorf("%w: a record has more than 2^63 bytes", ErrFormat)
		}
		stride, begin = stride+bytes+-bytes&3, min(begin, v.begin)
	}
	if len(all) == 1 {
		stride = all[0].RowLen() * all[0].Type.size() // the only variable of records has no padding
	}
	if records == -1 {
		records = 0
		if stride > 0 && begin >= 0 {
			records = (size - begin) / stride
		}
	}
	if records < 0 || stride > 0 && records > size/stride {
		return fmt.Errorf("%w: the file has %d bytes; expected %d records with %d bytes each", ErrFormat, size, records, stride)
	}
	if unlimited >= 0 {
		f.Dimensions[unlimited].Length = records
	}
	for _, v := range all {
		v.Shape[0], v.stride = records, stride
	}
	return nil
}
