package survey

import (
	"strings"
	"testing"

	"github.com/goacp/goacp/internal/ground/activity"
)

// TestLinkSteps: the table has the steps of both sides of each link, those of the ranks that are farthest apart.
func TestLinkSteps(t *testing.T) {
	r := newRun(5)
	end := func(rank int, name string, receives bool, messages uint64, step int64) {
		x := r.Ranks[rank].Seen
		x.Links = append(x.Links, activity.LinkView{Name: name, Receives: receives, Messages: messages, Step: step})
	}
	end(0, "ocean.sst>air.below", false, 13, 12)
	end(1, "ocean.sst>air.below", false, 14, 13)
	end(2, "ocean.sst>air.below", true, 13, 120)
	end(3, "ocean.sst>air.below", true, 13, 120)
	end(2, "air.heat>ocean.in", false, 1, -4)
	end(3, "air.heat>ocean.in", false, 4, 8)
	end(0, "air.heat>ocean.in", true, 1, 0)
	end(1, "air.heat>ocean.in", true, 0, 0)
	end(4, "sun.light>air.in", false, 0, 0)
	var text strings.Builder
	if err := r.writeLinks(&text); err != nil {
		t.Fatal(err)
	}
	const want = `link                 sent by    step          received by  step
air.heat>ocean.in    ranks 2-3  initial to 8  ranks 0-1    none to 0
ocean.sst>air.below  ranks 0-1  12 to 13      ranks 2-3    120
sun.light>air.in     rank 4     none          -            -
`
	if text.String() != want {
		t.Errorf("the table is\n%s\nexpected\n%s", text.String(), want)
	}
	text.Reset()
	if err := newRun(2).writeLinks(&text); err != nil || text.Len() > 0 {
		t.Errorf("%v, a run without links has %q", err, text.String())
	}
}
