package flow

import (
	"testing"

	"github.com/goacp/goacp/internal/system/couple/points"
)

// FuzzDecodeRuns: for any bytes from a receiver about its positions, a sender copies as many values as it has, to
// places of the array that the receiver shows.
func FuzzDecodeRuns(f *testing.F) {
	const values, size = 1000, 8
	var b points.Builder
	for i := range int64(values) {
		b.Add(3 * i)
	}
	mine := b.List()
	f.Add(mine.Bytes())
	f.Fuzz(func(t *testing.T, encoded []byte) {
		runs, extent, err := DecodeRuns(encoded, values, size)
		if err != nil {
			return
		}
		p := (&Destination{Runs: runs}).PairsOf(&mine)
		copied := int64(0)
		for p.Left > 0 {
			from, to := p.Take(100)
			if from.Count != to.Count || from.Count < 1 {
				t.Fatalf("%d values are copied to %d places", from.Count, to.Count)
			}
			copied += to.Count
			if first, last := min(to.Start, to.Last()), max(to.Start, to.Last()); first < 0 || uint64(last+1)*size > extent {
				t.Fatalf("positions from %d to %d of an array of %d bytes", first, last, extent)
			}
		}
		if copied != values {
			t.Fatalf("%d of %d values are copied", copied, values)
		}
	})
}
