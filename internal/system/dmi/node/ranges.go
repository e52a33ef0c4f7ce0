package node

import "encoding/binary"

// ranges is some ranges of a page, in the form in which requests have them.
type ranges struct {
	high    int64  // of the first byte of each: the bits above wordBits
	offsets []byte // of the first byte of each: the low bits, a word each
	sizes   []byte // of each, a word each
	size    int64  // of each if they are alike; mixed otherwise
}

const (
	wordBits  = 32
	wordBytes = wordBits / 8
	mixed     = -1
)

func (r *ranges) count() int { return len(r.offsets) / wordBytes }

// add appends a range. It reports false and does nothing if the range begins with other bits.
func (r *ranges) add(at, size int64) bool {
	if r.count() == 0 {
		r.high, r.size = at>>wordBits, size
	}
	if at>>wordBits != r.high {
		return false
	}
	if size != r.size {
		r.size = mixed
	}
	r.offsets = binary.LittleEndian.AppendUint32(r.offsets, uint32(at))
	r.sizes = binary.LittleEndian.AppendUint32(r.sizes, uint32(size))
	return true
}

// rangesHead is the greatest number of bytes that append adds for no range.
const rangesHead = 3 * binary.MaxVarintLen64

// append appends the ranges to a request: count, high bits, size and 1, or 0 for mixed sizes, as varints, and then the words.
func (r *ranges) append(b []byte) []byte {
	b = binary.AppendUvarint(b, uint64(r.count()))
	b = binary.AppendUvarint(b, uint64(r.high))
	b = binary.AppendUvarint(b, uint64(r.size+1))
	b = append(b, r.offsets...)
	if r.size == mixed {
		b = append(b, r.sizes...)
	}
	return b
}

// bytes returns the sum of the sizes.
func (r *ranges) bytes() int64 {
	if r.size != mixed {
		return int64(r.count()) * r.size
	}
	sum := int64(0)
	for at := 0; at < len(r.sizes); at += wordBytes {
		sum += int64(binary.LittleEndian.Uint32(r.sizes[at:]))
	}
	return sum
}

// each calls f for each range until it returns false, and reports whether it has not.
func (r *ranges) each(f func(at, size int64) bool) bool {
	for i := range r.count() {
		size := r.size
		if size == mixed {
			size = int64(binary.LittleEndian.Uint32(r.sizes[i*wordBytes:]))
		}
		if !f(r.high<<wordBits|int64(binary.LittleEndian.Uint32(r.offsets[i*wordBytes:])), size) {
			return false
		}
	}
	return true
}

// last returns the low bits of the range that begins last.
func (r *ranges) last() (low uint32) {
	for words := r.offsets; len(words) >= wordBytes; words = words[wordBytes:] {
		low = max(low, binary.LittleEndian.Uint32(words))
	}
	return low
}

// within reports whether all ranges are in a page of some bytes.
func (r *ranges) within(page int64) bool {
	if r.size != mixed {
		return r.size <= page && r.high<<wordBits|int64(r.last()) <= page-r.size
	}
	return r.each(func(at, size int64) bool { return size <= page && at <= page-size })
}

// copyFrom copies the ranges of a page to out, one behind the other. They are within the page, and out has room.
func (r *ranges) copyFrom(page, out []byte) {
	if r.size == 8 && r.high == 0 { // most are numbers; a call of memmove for each took three times as long
		out = out[:r.count()*8]
		for words := r.offsets; len(words) >= wordBytes; words, out = words[wordBytes:], out[8:] {
			at := binary.LittleEndian.Uint32(words)
			*(*[8]byte)(out) = *(*[8]byte)(page[at:])
		}
		return
	}
	r.each(func(at, size int64) bool {
		out = out[copy(out, page[at:at+size]):]
		return true
	})
}
