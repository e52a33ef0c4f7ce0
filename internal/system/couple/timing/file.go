package timing

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc64"
	"math"
	"math/bits"
	"strings"
	"sync"

	"github.com/goacp/goacp/internal/ground/datatype"
	"github.com/goacp/goacp/internal/system/couple/element"
	"github.com/goacp/goacp/internal/system/couple/side"
)

// ErrFile: a file that is not the state of this side of a link on this rank, or does not have its initial values.
var ErrFile = errors.New("bad file")

// Header is what the state of one side of a link on one rank belongs to.
type Header struct {
	Link         string // its name, such as "ocean.sst>air.below"
	Side         side.Side
	Ranks, Index int // of the side
	Element      element.Type
	Plan         Plan
	Grid         Grid
}

// Grid identifies the points of a rank.
type Grid struct {
	Points      int64
	First, Last int64  // the least and the greatest; 0 without points
	Hash        uint64 // of all numbers
}

// String returns for example "12 points from 3 to 40".
func (g Grid) String() string {
	return fmt.Sprintf("%d points from %d to %d", g.Points, g.First, g.Last)
}

// State is the state of a Sender or a Receiver.
type State struct {
	Step     int64     // the last one
	Next     int64     // of a receiver: the number of the next message; of a sender 0
	Steps    int64     // in Totals
	Totals   []float64 // nil without
	Messages []Message // that a sender keeps, or between which a receiver interpolates
}

// File is a file with a state. It is in little endian:
//
//	8 bytes   magic: "ACPlink" and a line feed
//	4 bytes   version
//	4 bytes   bytes of the following part, the header
//	          the numbers and the name of Header and State, each number with 8 bytes and the name after its length
//	          the numbers of the messages
//	8 bytes   for each value: the totals, and then each message, as float64
//	8 bytes   CRC-64 (ECMA) of everything before
type File struct {
	Header
	State
}

const (
	magic   = "ACPlink\n"
	version = 1

	headBytes   = len(magic) + 8
	fixed       = 19 // numbers in the header
	mostInState = 1 << 16
)

// checksum returns the table of the checksum. Most processes never call it.
var checksum = sync.OnceValue(func() *crc64.Table { return crc64.MakeTable(crc64.ECMA) })

// bytes returns how many bytes some arrays with the values of all points have, or false if no memory has so many.
func (h *Header) bytes(arrays uint64) (n uint64, ok bool) {
	over1, n := bits.Mul64(uint64(h.Grid.Points), 8*uint64(h.Element.Reals()))
	over2, n := bits.Mul64(n, arrays)
	return n, over1|over2 == 0 && n < math.MaxInt64/2
}

// Encode returns the bytes of the file.
func (f *File) Encode() []byte {
	h, s := &f.Header, &f.State
	numbers := []uint64{
		uint64(len(h.Link)), uint64(h.Side), uint64(h.Ranks), uint64(h.Index), uint64(h.Element.Kind), uint64(h.Element.Values),
		uint64(h.Plan.Every), uint64(h.Plan.Lag), uint64(h.Plan.Reduction), number(h.Plan.Interpolate),
		uint64(h.Grid.Points), uint64(h.Grid.First), uint64(h.Grid.Last), h.Grid.Hash,
		uint64(s.Step), uint64(s.Next), uint64(s.Steps), number(s.Totals != nil), uint64(len(s.Messages)),
	}
	for _, m := range s.Messages {
		numbers = append(numbers, uint64(m.Number))
	}
	b := binary.LittleEndian.AppendUint32([]byte(magic), version)
	b = binary.LittleEndian.AppendUint32(b, uint32(8*len(numbers)+len(h.Link)))
	for i, x := range numbers {
		if b = binary.LittleEndian.AppendUint64(b, x); i == 0 {
			b = append(b, h.Link...)
		}
	}
	appendValues := func(values []float64) {
		for _, x := range values {
			b = binary.LittleEndian.AppendUint64(b, math.Float64bits(x))
		}
	}
	appendValues(s.Totals)
	for _, m := range s.Messages {
		appendValues(m.Values)
	}
	return binary.LittleEndian.AppendUint64(b, crc64.Checksum(b, checksum()))
}

func number(set bool) uint64 {
	if set {
		return 1
	}
	return 0
}

// Decode is the inverse of Encode. Fails with ErrFile.
func Decode(b []byte) (*File, error) {
	if len(b) < headBytes || string(b[:len(magic)]) != magic {
		return nil, fmt.Errorf("%w: a file of %d bytes that does not begin with %q", ErrFile, len(b), strings.TrimSpace(magic))
	}
	if v := binary.LittleEndian.Uint32(b[len(magic):]); v != version {
		return nil, fmt.Errorf("%w: version %d of the format; expected %d", ErrFile, v, version)
	}
	size := int64(binary.LittleEndian.Uint32(b[len(magic)+4:]))
	if int64(len(b)) < int64(headBytes)+size {
		return nil, fmt.Errorf("%w: truncated: %d bytes; expected a header of %d bytes", ErrFile, len(b), int64(headBytes)+size)
	}
	f := new(File)
	totals, ok := f.decodeHeader(b[headBytes : int64(headBytes)+size])
	if !ok {
		return nil, fmt.Errorf("%w: a damaged header", ErrFile)
	}
	rest := b[int64(headBytes)+size:]
	arrays := uint64(len(f.Messages))
	if totals {
		arrays++
	}
	n, ok := f.bytes(arrays)
	if !ok {
		return nil, fmt.Errorf("%w: a damaged header: %v", ErrFile, f.Grid)
	}
	if want := uint64(headBytes) + uint64(size) + n + 8; uint64(len(b)) != want {
		what := "truncated"
		if uint64(len(b)) > want {
			what = "too long"
		}
		return nil, fmt.Errorf("%w: %s: %d bytes; expected %d", ErrFile, what, len(b), want)
	}
	end := len(b) - 8
	if have, want := crc64.Checksum(b[:end], checksum()), binary.LittleEndian.Uint64(b[end:]); have != want {
		return nil, fmt.Errorf("%w: damaged: the checksum is %#x; expected %#x", ErrFile, have, want)
	}
	take := func() []float64 {
		values := make([]float64, n/arrays/8)
		for i := range values {
			values[i] = math.Float64frombits(binary.LittleEndian.Uint64(rest[8*i:]))
		}
		rest = rest[8*len(values):]
		return values
	}
	if totals {
		f.Totals = take()
	}
	for i := range f.Messages {
		f.Messages[i].Values = take()
	}
	return f, nil
}

// decodeHeader decodes the part before the values. It reports whether there are totals, and whether the part is that of a
// file.
func (f *File) decodeHeader(b []byte) (totals, ok bool) {
	if len(b) < 8 {
		return false, false
	}
	length := binary.LittleEndian.Uint64(b)
	if b = b[8:]; length > uint64(len(b)) {
		return false, false
	}
	f.Link, b = string(b[:length]), b[length:]
	if len(b) < 8*(fixed-1) || len(b)%8 != 0 {
		return false, false
	}
	good := true
	next := func(limit int64) int64 {
		x := int64(binary.LittleEndian.Uint64(b))
		b = b[8:]
		good = good && x >= -1 && x <= limit
		return x
	}
	count := func(limit int64) int64 {
		x := next(limit)
		good = good && x >= 0
		return x
	}
	h, s := &f.Header, &f.State
	h.Side = side.Side(count(int64(side.Receiving)))
	h.Ranks, h.Index = int(count(math.MaxInt32)), int(count(math.MaxInt32))
	h.Element = element.Type{Kind: datatype.Kind(count(int64(datatype.Last))), Values: int(count(math.MaxInt32))}
	h.Plan = Plan{Every: count(math.MaxInt32), Lag: count(math.MaxInt32), Reduction: Reduction(count(int64(reductions - 1)))}
	h.Plan.Interpolate = count(1) == 1
	h.Grid.Points = count(math.MaxInt64)
	h.Grid.First, h.Grid.Last = count(math.MaxInt64), count(math.MaxInt64)
	h.Grid.Hash, b = binary.LittleEndian.Uint64(b), b[8:]
	s.Step, s.Next, s.Steps = next(math.MaxInt64), next(math.MaxInt64), count(math.MaxInt64)
	totals = count(1) == 1
	messages := count(mostInState)
	if !good || int64(len(b)) != 8*messages || h.Index >= h.Ranks || h.Element.Values == 0 || h.Plan.Every == 0 {
		return false, false
	}
	for range messages {
		s.Messages = append(s.Messages, Message{Number: count(math.MaxInt64)})
	}
	return totals, good
}

// Check returns an error unless the file belongs to a side of a link on a rank. Fails with ErrFile.
func (f *File) Check(want *Header) error {
	have := &f.Header
	bad := func(format string, args ...any) error {
		return fmt.Errorf("%w: "+format, append([]any{ErrFile}, args...)...)
	}
	switch {
	case have.Link != want.Link:
		return bad("written for link %s; expected %s", have.Link, want.Link)
	case have.Side != want.Side:
		return bad("written by the %v side; expected the %v side", have.Side, want.Side)
	case have.Ranks != want.Ranks:
		return bad("written by a model of %d ranks; expected %d ranks", have.Ranks, want.Ranks)
	case have.Index != want.Index:
		return bad("written by process %d of the model; expected process %d", have.Index, want.Index)
	case have.Element != want.Element:
		return bad("the values were %v; expected %v", have.Element, want.Element)
	case have.Grid != want.Grid && have.Grid.String() == want.Grid.String():
		return bad("written for other %v", have.Grid)
	case have.Grid != want.Grid:
		return bad("written for %v; expected %v", have.Grid, want.Grid)
	case have.Plan != want.Plan:
		return bad("written with %v; expected %v", have.Plan, want.Plan)
	}
	return nil
}

// String returns for example "every 4, lag 1, average".
func (p Plan) String() string {
	text := fmt.Sprintf("every %d, lag %d, reduction %v", p.Every, p.Lag, p.Reduction)
	if p.Interpolate {
		text += ", interpolation"
	}
	return text
}
