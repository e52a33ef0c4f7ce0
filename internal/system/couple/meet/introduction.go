package meet

import (
	"fmt"
	"math"

	"github.com/goacp/goacp/internal/ground/datatype"
	"github.com/goacp/goacp/internal/system/couple/conserve"
	"github.com/goacp/goacp/internal/system/couple/directory"
	"github.com/goacp/goacp/internal/system/couple/element"
	"github.com/goacp/goacp/internal/system/couple/matrixmarket"
	"github.com/goacp/goacp/internal/system/couple/points"
	"github.com/goacp/goacp/internal/system/couple/side"
	"github.com/goacp/goacp/internal/system/couple/wire"
)

// MaxLevels bounds the levels of a link.
const MaxLevels = 1 << 16

// Way is how a link moves messages.
type Way uint8

// The ways.
const (
	Moving   Way = iota // each message, so that senders wait for receivers
	Watching            // receivers request steps, so that senders wait for nothing
)

// Function returns the name of the function by which a side opens a link.
func (w Way) Function(s side.Side) string {
	return [...][2]string{Moving: {"SendTo", "ReceiveFrom"}, Watching: {"PublishTo", "Watch"}}[w][s]
}

// Introduction is the description of a rank and its side.
type Introduction struct {
	Way     Way
	Sums    bool // of a sender: it sends sums with weights
	Element element.Type
	Levels  int
	Every   int
	Bounds  directory.Range // of the points of the rank; empty if it has none
	Members []byte          // of the model, as a list
	Grid    *points.Grid    // of the points; nil if their numbers alone count

	Conserve conserve.Method // how the receivers keep the integral

	Weights Share // of a file with weights
}

// Share is what a rank has of a file with weights, without those that are 0. It is empty without a file.
type Share struct{ All, Own Entries }

// Entries are how many entries there are, and the sum of a hash of their columns, by which it shows whether others have the same columns.
type Entries struct {
	Count int64
	Sum   uint64
}

// Add adds an entry with a column.
func (e *Entries) Add(column int64) {
	e.Count++
	// The finalizer of SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014).
	x := uint64(column)
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	e.Sum += x ^ x>>31
}

// Encode returns the introduction as a message.
func (i *Introduction) Encode() []byte {
	var w wire.Writer
	w.Number(uint64(i.Way))
	w.Flag(i.Sums)
	w.Number(uint64(i.Element.Kind))
	w.Number(uint64(i.Element.Values))
	w.Number(uint64(i.Levels))
	w.Number(uint64(i.Every))
	w.Signed(i.Bounds.Lo)
	w.Signed(i.Bounds.Hi)
	w.Bytes(i.Members)
	w.Number(uint64(i.Conserve))
	for _, e := range []Entries{i.Weights.All, i.Weights.Own} {
		w.Number(uint64(e.Count))
		w.Signed(int64(e.Sum))
	}
	w.Flag(i.Grid != nil)
	if i.Grid != nil {
		w.Flag(i.Grid.Fortran)
		w.Number(uint64(len(i.Grid.Sizes)))
		for _, n := range i.Grid.Sizes {
			w.Number(uint64(n))
		}
	}
	return w
}

// DecodeIntroduction is the inverse of Introduction.Encode. Fails with wire.ErrMalformed.
func DecodeIntroduction(b []byte) (i Introduction, err error) {
	r := wire.NewReader(b)
	i.Way, i.Sums = Way(r.Count(int(Watching))), r.Flag()
	i.Element = element.Type{Kind: datatype.Kind(r.Count(int(datatype.Last))), Values: r.Count(math.MaxInt32)}
	i.Levels, i.Every = r.Count(MaxLevels), r.Count(math.MaxInt32)
	i.Bounds = directory.Range{Lo: r.Signed(), Hi: r.Signed()}
	i.Members = r.Bytes()
	i.Conserve = conserve.Method(r.Count(int(conserve.Final)))
	for _, e := range []*Entries{&i.Weights.All, &i.Weights.Own} {
		e.Count, e.Sum = int64(r.Count(matrixmarket.MaxSize)), uint64(r.Signed())
	}
	if r.Flag() {
		i.Grid = &points.Grid{Fortran: r.Flag()}
		for range r.Count(r.Left()) {
			i.Grid.Sizes = append(i.Grid.Sizes, r.Count(points.Max))
		}
	}
	if !valid(i.Bounds) || i.Element.Kind == 0 || i.Element.Values == 0 {
		r.Fail()
	}
	return i, r.End()
}

// valid reports whether there can be points in a range.
func valid(r directory.Range) bool { return r.Lo >= 0 && r.Hi >= r.Lo && r.Hi <= points.Max+1 }

// differs describes the difference of a rank from the first rank of its side, for a message.
func (i *Introduction) differs(first *Introduction) string {
	switch {
	case i.Way != first.Way:
		return "opened a link that moves each step, and process 0 one that is watched, or the other way round"
	case i.Sums != first.Sums:
		return "opened a link with weights, and process 0 one without, or the other way round"
	case i.Element != first.Element:
		return fmt.Sprintf("%v, process 0 has %v", i.Element, first.Element)
	case i.Levels != first.Levels:
		return fmt.Sprintf("%d levels, process 0 has %d", i.Levels, first.Levels)
	case i.Every != first.Every:
		return fmt.Sprintf("every %d steps, process 0 has %d", i.Every, first.Every)
	case i.Conserve != first.Conserve:
		return fmt.Sprintf("conservation %v, process 0 has %v", i.Conserve, first.Conserve)
	case string(i.Members) != string(first.Members):
		return "another list of ranks than process 0"
	}
	return ""
}
