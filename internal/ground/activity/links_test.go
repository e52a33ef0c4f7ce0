package activity

import (
	"fmt"
	"slices"
	"testing"
)

// TestShowLink: readers see the ends of links until they are hidden, and how far they have come. Ends for which there is no room work
// all the same.
func TestShowLink(t *testing.T) {
	b, w := newPage(t)
	if v := look(t, w); len(v.Links) != 0 {
		t.Fatalf("a new page has links %+v", v.Links)
	}
	var ends []*LinkEnd
	for i := range maxLinks + 2 {
		ends = append(ends, b.ShowLink(fmt.Sprintf("a.f%d>b.f%d", i, i), i%2 == 1, 5))
	}
	ends[0].Lag(3)
	*ends[0].Steps() = LinkSteps{Messages: 7, Last: 6}
	*ends[1].Steps() = LinkSteps{Messages: 2, Last: 4}
	v := look(t, w)
	if len(v.Links) != maxLinks {
		t.Fatalf("%d links, expected %d", len(v.Links), maxLinks)
	}
	for i, want := range []LinkView{{"a.f0>b.f0", false, 7, 27}, {"a.f1>b.f1", true, 2, 20}, {"a.f2>b.f2", false, 0, 0}} {
		if v.Links[i] != want {
			t.Errorf("%+v, expected %+v", v.Links[i], want)
		}
	}
	if own := ends[0].Hide(); *own != (LinkSteps{Messages: 7, Last: 6}) || ends[0].Steps() != own {
		t.Errorf("a hidden end has %+v", own)
	}
	ends[maxLinks].Hide()
	if v := look(t, w); len(v.Links) != maxLinks-1 || slices.ContainsFunc(v.Links, func(l LinkView) bool { return l.Name == "a.f0>b.f0" }) {
		t.Errorf("%d links after one is hidden", len(v.Links))
	}
	b.ShowLink("c.f>d.f", true, 1)
	if v := look(t, w); len(v.Links) != maxLinks || v.Links[0] != (LinkView{Name: "c.f>d.f", Receives: true}) {
		t.Errorf("the first place has %+v", v.Links[0])
	}
	var none *Page
	none.ShowLink("a.f>b.f", false, 1).Hide()
}
