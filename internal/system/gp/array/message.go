package array

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/goacp/goacp/internal/access/global"
	"github.com/goacp/goacp/internal/system/gp/grid"
)

// Limits of one message. Messages of these sizes are not longer than fabric.CallMax.
const (
	maxPlaces = 1024     // places, or spans
	maxInline = 32 << 10 // bytes of elements
)

// Lengths of the parts of messages.
const (
	placesHead = 3 * 4 // array, flag, runs
	runBytes   = 8 + 4 // index, places
	lengthSize = 4
	spanBytes  = 8 + 4 // address, bytes
	statusSize = 4
	pairBytes  = 2 * 8 // address and size in a record
	refusal    = statusSize + 4 + 8
)

// status is how the owner has answered.
type status uint32

const (
	done    status = iota
	unknown        // the owner has no such array
	refused        // the bytes do not fit an element
)

var errMalformed = fmt.Errorf("%w about a global pointer array", global.ErrProtocol)

// places is the places that a message names.
type places struct {
	array int
	flag  bool // of a collection: with bytes; of a deposit: sizes have to be equal
	runs  []grid.Run
	n     int
}

// append appends the places to a message.
func (p places) append(b []byte) []byte {
	flag := uint32(0)
	if p.flag {
		flag = 1
	}
	b = binary.LittleEndian.AppendUint32(b, uint32(p.array))
	b = binary.LittleEndian.AppendUint32(b, flag)
	b = binary.LittleEndian.AppendUint32(b, uint32(len(p.runs)))
	for _, r := range p.runs {
		b = binary.LittleEndian.AppendUint64(b, uint64(r.Index))
		b = binary.LittleEndian.AppendUint32(b, uint32(r.N))
	}
	return b
}

// bytes returns the length of what append appends.
func (p places) bytes() int { return placesHead + len(p.runs)*runBytes }

// decodePlaces decodes the places of a message, and returns the bytes after them.
func decodePlaces(b []byte) (p places, rest []byte, err error) {
	if len(b) < placesHead {
		return p, nil, errMalformed
	}
	flag, runs := binary.LittleEndian.Uint32(b[4:]), int(binary.LittleEndian.Uint32(b[8:]))
	if rest = b[placesHead:]; flag > 1 || runs > maxPlaces || len(rest) < runs*runBytes {
		return p, nil, errMalformed
	}
	p.array, p.flag = int(binary.LittleEndian.Uint32(b)), flag == 1
	p.runs = make([]grid.Run, runs)
	for i := range p.runs {
		index, n := binary.LittleEndian.Uint64(rest), int(binary.LittleEndian.Uint32(rest[8:]))
		rest = rest[runBytes:]
		if n == 0 || n > maxPlaces-p.n || index > math.MaxInt64/2 {
			return p, nil, errMalformed
		}
		p.runs[i] = grid.Run{Index: int(index), Entry: p.n, N: n}
		p.n += n
	}
	return p, rest, nil
}

// check returns an error if not all places are among the n of a rank.
func (p places) check(n int) error {
	for _, r := range p.runs {
		if r.Index+r.N > n {
			return fmt.Errorf("%w: places %d to %d of %d", errMalformed, r.Index, r.Index+r.N-1, n)
		}
	}
	return nil
}

// decodeLengths decodes how many bytes of a deposit each of n elements gets, and returns the
// bytes.
func decodeLengths(b []byte, n int) (lengths []uint64, data []byte, err error) {
	if len(b) < n*lengthSize {
		return nil, nil, errMalformed
	}
	lengths, data = make([]uint64, n), b[n*lengthSize:]
	rest := uint64(len(data))
	for i := range lengths {
		lengths[i] = uint64(binary.LittleEndian.Uint32(b[i*lengthSize:]))
		if lengths[i] > rest {
			return nil, nil, errMalformed
		}
		rest -= lengths[i]
	}
	if rest != 0 {
		return nil, nil, errMalformed
	}
	return lengths, data, nil
}

// pair is a record as it travels.
type pair struct{ at, size uint64 }

// inline returns the places whose bytes an answer has, as far as they fit, in order. It calls f
// with each, and with how many of its first bytes the answer has.
func inline(pairs []pair, w wanted, f func(i int, size uint64)) {
	left := uint64(maxInline)
	for i, p := range pairs {
		if size := w.of(i, p.size); size > 0 && size <= left {
			left -= size
			f(i, size)
		}
	}
}

// wanted is the number of bytes of each element that a collection requests.
type wanted struct {
	bytes  bool
	limits []uint32 // by place: at most so many; nil: all
}

// of returns how many bytes of a place are wanted, whose element has size bytes.
func (w wanted) of(i int, size uint64) uint64 {
	switch {
	case !w.bytes:
		return 0
	case w.limits == nil:
		return size
	}
	return min(size, uint64(w.limits[i]))
}

// append appends the limits to the places of a message.
func (w wanted) append(b []byte) []byte {
	for _, n := range w.limits {
		b = binary.LittleEndian.AppendUint32(b, n)
	}
	return b
}

// decodeWanted decodes the wanted of a message about places from the bytes after the places.
func decodeWanted(p places, b []byte) (w wanted, err error) {
	w.bytes = p.flag
	if len(b) == 0 {
		return w, nil
	}
	if !p.flag || len(b) != p.n*lengthSize {
		return w, errMalformed
	}
	w.limits = make([]uint32, p.n)
	for i := range w.limits {
		w.limits[i] = binary.LittleEndian.Uint32(b[i*lengthSize:])
	}
	return w, nil
}

// collectionSize returns the greatest length of the answer about n places.
func collectionSize(n int, w wanted) int {
	size := statusSize + n*pairBytes
	switch {
	case !w.bytes:
		return size
	case w.limits == nil:
		return size + maxInline
	}
	total := uint64(0)
	for _, n := range w.limits {
		total += uint64(n)
	}
	return size + int(min(total, maxInline))
}

// decodeCollection decodes the reply about n places. data has the bytes of inline elements, or
// nil.
func decodeCollection(b []byte, n int, w wanted) (pairs []pair, data [][]byte, err error) {
	switch {
	case len(b) == statusSize && status(binary.LittleEndian.Uint32(b)) == unknown:
		return nil, nil, ErrDestroyed
	case len(b) < statusSize+n*pairBytes || status(binary.LittleEndian.Uint32(b)) != done:
		return nil, nil, errMalformed
	}
	b = b[statusSize:]
	pairs, data = make([]pair, n), make([][]byte, n)
	for i := range pairs {
		pairs[i] = pair{binary.LittleEndian.Uint64(b[i*pairBytes:]), binary.LittleEndian.Uint64(b[i*pairBytes+8:])}
		if (pairs[i].at == 0) != (pairs[i].size == 0) {
			return nil, nil, errMalformed
		}
	}
	rest, bad := b[n*pairBytes:], false
	inline(pairs, w, func(i int, size uint64) {
		if bad = bad || size > uint64(len(rest)); !bad {
			data[i], rest = rest[:size:size], rest[size:]
		}
	})
	if bad || len(rest) > 0 {
		return nil, nil, errMalformed
	}
	return pairs, data, nil
}

// decodeRefusal decodes the answer to a deposit to n places. If the owner has refused it, bad is
// the entry that does not fit, and have the bytes of its element.
func decodeRefusal(b []byte, n int) (bad int, have uint64, err error) {
	if len(b) < statusSize {
		return 0, 0, errMalformed
	}
	switch s := status(binary.LittleEndian.Uint32(b)); {
	case s == done && len(b) == statusSize:
		return -1, 0, nil
	case s == unknown && len(b) == statusSize:
		return 0, 0, ErrDestroyed
	case s == refused && len(b) == refusal:
		if entry := binary.LittleEndian.Uint32(b[4:]); entry < uint32(n) {
			return int(entry), binary.LittleEndian.Uint64(b[8:]), nil
		}
	}
	return 0, 0, errMalformed
}

// span is bytes at an address.
type span struct {
	at uint64
	n  uint64
}

// appendSpans appends spans to a message.
func appendSpans(b []byte, spans []span) []byte {
	b = binary.LittleEndian.AppendUint32(b, uint32(len(spans)))
	for _, s := range spans {
		b = binary.LittleEndian.AppendUint64(b, s.at)
		b = binary.LittleEndian.AppendUint32(b, uint32(s.n))
	}
	return b
}

// decodeSpans decodes the spans of a message, and returns the bytes after them. Together they
// have at most maxInline bytes.
func decodeSpans(b []byte) (spans []span, rest []byte, err error) {
	if len(b) < 4 {
		return nil, nil, errMalformed
	}
	n := int(binary.LittleEndian.Uint32(b))
	if rest = b[4:]; n > maxPlaces || len(rest) < n*spanBytes {
		return nil, nil, errMalformed
	}
	spans = make([]span, n)
	left := uint64(maxInline)
	for i := range spans {
		spans[i] = span{binary.LittleEndian.Uint64(rest), uint64(binary.LittleEndian.Uint32(rest[8:]))}
		if spans[i].n > left {
			return nil, nil, errMalformed
		}
		left -= spans[i].n
		rest = rest[spanBytes:]
	}
	return spans, rest, nil
}
