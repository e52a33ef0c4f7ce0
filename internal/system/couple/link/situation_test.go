package link

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/goacp/goacp/internal/ground/datatype"
)

// newRegistry returns a registry with models of one rank each, with field f, and what they wait for: links of each, by model.
func newRegistry(waits map[string][]string) *registry {
	g := new(registry)
	g.forget()
	for i, model := range []string{"air", "ice", "ocean"} {
		m := g.of(model)
		m.members, m.declared[i], m.fields["f"] = []int{i}, true, true
		for _, link := range waits[model] {
			g.told++
			m.waits[link] = span{began: g.told}
		}
	}
	return g
}

// TestSituation: a missing model or field comes first, then other waits of the model. The order is named only if the waits lead back.
func TestSituation(t *testing.T) {
	const order = "; models open the links between them in the same order, or all at once"
	for _, c := range []struct {
		name         string
		model, field string // that do not come to ocean.f
		waits        map[string][]string
		absent, want string
	}{
		{"no model", "airs", "f", nil, "no rank has declared model airs; models: air, ice, ocean; did you mean air?", ""},
		{"no field", "air", "g", nil, "model air has declared no field g so far; it has f", ""},
		{"computes", "air", "f", nil, "", ""},
		{"has come", "air", "f", map[string][]string{"air": {"ocean.f>air.f", "air.f>ice.f"}}, "", ""},
		{"misspelt there", "air", "f", map[string][]string{"air": {"oceans.f>air.f"}}, "",
			"model air waits for the other side of link oceans.f>air.f meanwhile, and no rank has declared model oceans; models: air, ice, ocean; did you mean ocean?"},
		{"innocent", "air", "f", map[string][]string{"air": {"air.f>ice.f"}}, "", "model air waits for the other side of link air.f>ice.f meanwhile"},
		{"two", "air", "f", map[string][]string{"air": {"air.f>ocean.f"}}, "", "model air waits for the other side of link air.f>ocean.f meanwhile" + order},
		{"three", "air", "f", map[string][]string{"air": {"air.f>ice.f"}, "ice": {"ice.f>ocean.f"}}, "",
			"model air waits for the other side of link air.f>ice.f meanwhile, model ice waits for the other side of link ice.f>ocean.f meanwhile" + order},
		{"group", "air", "f", map[string][]string{"air": {"air.f>ocean.f"}, "ocean": {"air.f>ocean.f"}}, "",
			"model air waits for the other side of link air.f>ocean.f meanwhile"},
		{"circle without", "air", "f", map[string][]string{"air": {"air.f>ice.f"}, "ice": {"ice.f>air.f"}}, "",
			"model air waits for the other side of link air.f>ice.f meanwhile"},
	} {
		g := newRegistry(c.waits)
		g.of("ocean").waits["ocean.f>air.f"] = span{began: 1}
		n := g.situation("ocean", c.model, c.field, "ocean.f>air.f", 2)
		if n.absent != c.absent || n.order != c.want {
			t.Errorf("%s: %q, %q, expected %q, %q", c.name, n.absent, n.order, c.absent, c.want)
		}
	}
	if n := newRegistry(nil).situation("ocean", "x", "f", "ocean.f>x.f", 1); n.absent != "no rank has declared model x; models: air, ice, ocean; the run has one job" {
		t.Error(n.absent)
	}
}

// TestWaitsGivenUp: a wait that was given up counts for ranks that waited at that time, and not for those that wait later.
func TestWaitsGivenUp(t *testing.T) {
	for _, c := range []struct {
		gaveUp, began uint64
		counts        bool
	}{{0, 5, true}, {7, 5, true}, {4, 5, false}} {
		g := newRegistry(nil)
		g.of("air").waits["air.f>ocean.f"] = span{2, c.gaveUp}
		g.of("ocean").waits["ocean.f>air.f"] = span{began: c.began}
		if n := g.situation("ocean", "air", "f", "ocean.f>air.f", 2); (n.order != "") != c.counts {
			t.Errorf("%+v: %q", c, n.order)
		}
	}
}

// TestWhoIsMissing: ranks that leave a meeting one after the other learn the same: those that were there do not count as missing, but
// for a rank that comes after they have left.
func TestWhoIsMissing(t *testing.T) {
	const procs = 5
	var m meeting
	now := uint64(0)
	members := [2][]int{{0, 1}, {2, 3, 4}}
	enter := func(sd side, index int) *attendance {
		now++
		in := introduction{element: Element{datatype.Float64, 1}, members: encodeMembers(members[sd])}
		a := attendance{side: sd, index: index, size: len(members[sd]), from: members[sd][index]}
		if o := m.enter(&a, attendant{from: a.from, body: in.encode(), came: now, done: later{}}); o.code != 0 {
			t.Fatal(o)
		}
		return &a
	}
	leave := func(a *attendance, met bool, missing ...int) {
		t.Helper()
		now++
		if l := m.leave(a, now, procs); !l.was || l.met != met || !slices.Equal(l.missing, missing) {
			t.Errorf("member %d leaves: %+v, expected that %v are missing", a.from, l, missing)
		}
	}
	all := []*attendance{enter(sending, 0), enter(sending, 1), enter(receiving, 0), enter(receiving, 1)}
	for _, a := range all {
		leave(a, true, 4)
	}
	leave(enter(sending, 1), false, 0)
	a, b := enter(receiving, 2), enter(sending, 0)
	leave(b, true, 1, 2, 3)
	leave(a, true, 1, 2, 3)
}

// TestLateError: the text has the time and the reason, and the error is still that of the context.
func TestLateError(t *testing.T) {
	for _, c := range []struct {
		e    lateError
		want string
	}{
		{lateError{time.Minute, "rank 3 has not opened it", context.DeadlineExceeded}, "not opened after 60 s: rank 3 has not opened it"},
		{lateError{20 * time.Millisecond, "", context.DeadlineExceeded}, "not opened after 0.02 s"},
		{lateError{2 * time.Second, "", context.Canceled}, "not opened after 2 s, when the wait was given up"},
	} {
		if r := rounded(c.e.waited - 4*time.Millisecond); r != c.e.waited {
			t.Errorf("%v became %v", c.e.waited, r)
		}
		if got := c.e.Error(); got != c.want || !errors.Is(&c.e, c.e.cause) {
			t.Errorf("%q, expected %q", got, c.want)
		}
	}
}
