package timing

import (
	"encoding/binary"
	"errors"
	"hash/crc64"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/goacp/goacp/internal/ground/datatype"
	"github.com/goacp/goacp/internal/system/couple/element"
	"github.com/goacp/goacp/internal/system/couple/side"
)

// aFile returns a file with totals and two messages.
func aFile() *File {
	return &File{
		Header: Header{
			Link: "ocean.sst>air.below", Side: side.Sending, Ranks: 4, Index: 2, Element: element.Type{Kind: datatype.Complex64, Values: 1},
			Plan: Plan{Every: 3, Lag: 4, Reduction: Average}, Grid: Grid{Points: 2, First: 7, Last: 9, Hash: 1 << 63},
		},
		State: State{Step: -1, Steps: 2, Totals: []float64{1, math.Inf(1), 3, math.Copysign(0, -1)}, Messages: []Message{{4, []float64{0, 1, 2, 3}}, {5, []float64{4, 5, 6, 7}}}},
	}
}

func TestFile(t *testing.T) {
	empty := aFile()
	empty.Grid, empty.Totals, empty.Messages = Grid{}, []float64{}, nil
	receiver := &File{Header: Header{Link: "a.b>c.d", Side: side.Receiving, Ranks: 1, Element: element.Type{Kind: datatype.Float64, Values: 2}, Plan: Plan{Every: 1, Interpolate: true}}, State: State{Next: -1}}
	for _, f := range []*File{aFile(), empty, receiver} {
		b := f.Encode()
		if got, err := Decode(b); err != nil || !reflect.DeepEqual(got, f) {
			t.Errorf("%+v became %+v: %v", f, got, err)
		}
		for n := range b {
			if got, err := Decode(b[:n]); !errors.Is(err, ErrFile) {
				t.Errorf("%d of %d bytes became %+v: %v", n, len(b), got, err)
			}
		}
		for n := range b {
			damaged := append([]byte(nil), b...)
			damaged[n] ^= 1
			if got, err := Decode(damaged); !errors.Is(err, ErrFile) {
				t.Errorf("with a wrong bit in byte %d: %+v: %v", n, got, err)
			}
		}
	}
}

// TestBadFiles: an error says what was found and what was expected.
func TestBadFiles(t *testing.T) {
	whole := aFile().Encode()
	another := append([]byte(nil), whole...)
	another[8] = 2
	for want, b := range map[string][]byte{
		`a file of 3 bytes that does not begin with "ACPlink"`: {1, 2, 3},
		"version 2 of the format; expected 1":                  another,
		"truncated: 210 bytes; expected 307":                   whole[:210],
		"truncated: 100 bytes; expected a header of 203 bytes": whole[:100],
		"too long: 308 bytes; expected 307":                    append(append([]byte(nil), whole...), 0),
		"damaged: the checksum is":                             append(append([]byte(nil), whole[:300]...), make([]byte, 7)...),
	} {
		if _, err := Decode(b); !errors.Is(err, ErrFile) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, expected %s", err, want)
		}
	}
	for want, change := range map[string]func(h *Header){
		"written for link ocean.sst>air.below; expected a.b>c.d":                                                func(h *Header) { h.Link = "a.b>c.d" },
		"written by the sending side; expected the receiving side":                                              func(h *Header) { h.Side = side.Receiving },
		"written by a model of 4 ranks; expected 3 ranks":                                                       func(h *Header) { h.Ranks = 3 },
		"written by process 2 of the model; expected process 1":                                                 func(h *Header) { h.Index = 1 },
		"the values were 1 complex64 per point; expected 2 complex64 per point":                                 func(h *Header) { h.Element.Values = 2 },
		"written for 2 points from 7 to 9; expected 3 points from 7 to 9":                                       func(h *Header) { h.Grid.Points = 3 },
		"written for other 2 points from 7 to 9":                                                                func(h *Header) { h.Grid.Hash++ },
		"written with every 3, lag 4, reduction average; expected every 3, lag 4, reduction sum, interpolation": func(h *Header) { h.Plan.Reduction, h.Plan.Interpolate = Sum, true },
	} {
		f := aFile()
		header := f.Header
		change(&header)
		if err := f.Check(&header); !errors.Is(err, ErrFile) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, expected %s", err, want)
		}
	}
	if f := aFile(); f.Check(&f.Header) != nil {
		t.Error(f.Check(&f.Header))
	}
}

// FuzzDecode: no bytes make Decode fail otherwise than with ErrFile, or a state that a Sender or Receiver takes break it. The
// test corrects the checksum, so that Decode reads what comes before it.
func FuzzDecode(f *testing.F) {
	f.Add(aFile().Encode())
	f.Add((&File{Header: Header{Link: "a.b>c.d", Side: side.Receiving, Ranks: 1, Element: element.Type{Kind: datatype.Float64, Values: 1}, Plan: Plan{Every: 2, Interpolate: true}}, State: State{Step: 5, Next: 4}}).Encode())
	f.Fuzz(func(t *testing.T, b []byte) {
		if len(b) >= 8 {
			end := len(b) - 8
			b = binary.LittleEndian.AppendUint64(append([]byte(nil), b[:end]...), crc64.Checksum(b[:end], checksum()))
		}
		file, err := Decode(b)
		if err != nil {
			if !errors.Is(err, ErrFile) {
				t.Error(err)
			}
			return
		}
		if again := file.Encode(); string(again) != string(b) {
			t.Errorf("%+v became %+v", b, again)
		}
		if file.Totals == nil && len(file.Messages) == 0 && file.Grid.Points > 100 || file.Element.Values > 100 {
			return // this rank has no memory for so many values
		}
		values := int(file.Grid.Points) * file.Element.Reals()
		sender := NewSender(file.Plan, values)
		if _, err := sender.Restore(&file.State); err == nil && file.Step < math.MaxInt32 {
			sender.Take(sender.Step()+1, make([]float64, values))
		}
		receiver := NewReceiver(file.Plan)
		if err := receiver.Restore(&file.State); err == nil && file.Step < math.MaxInt32 {
			step := receiver.Step() + 1
			if number, needs := receiver.Needs(step); needs {
				receiver.Put(number, make([]float64, values))
			}
			receiver.Reach(step)
		}
	})
}
