package page

import "testing"

// TestFetchEndsEarlierCopy: a copy is not read while a Fetch is under way that takes its place. The owner speaks of the new one alone.
func TestFetchEndsEarlierCopy(t *testing.T) {
	var c Copy
	c.Fetch()
	c.Fetched(Invalidate, 0)
	grant := c.Fetch()
	if c.Present() {
		t.Error("the earlier copy is still there")
	}
	if c.Told(grant) != Early {
		t.Error("a message about the new copy is not early")
	}
	c.Fetched(Update, 1)
	if !c.Valid() || c.Kind() != Update {
		t.Errorf("%+v", c)
	}
}

// TestOlderFetch: a Fetch that arrives after its process has owned the page does not replace the copy that the process has kept.
func TestOlderFetch(t *testing.T) {
	kept := Holder{Process: 1, Kind: Update, Grant: 2}
	o, _ := NewOwner(State{Holders: []Holder{kept}}, nil, false)
	actions := o.Arrive(Request{ID: 1, From: 1, Kind: Fetch, Copy: Invalidate, Grant: 1})
	if len(actions) != 1 || actions[0].Do != Serve {
		t.Errorf("%+v", actions)
	}
	if h := o.State().Holders; len(h) != 1 || h[0] != kept {
		t.Errorf("the processes with copies are %+v", h)
	}
	newer := Holder{Process: 1, Kind: Invalidate, Grant: 3}
	o.Arrive(Request{ID: 2, From: 1, Kind: Fetch, Copy: Invalidate, Grant: 3})
	if h := o.State().Holders; len(h) != 1 || h[0] != newer {
		t.Errorf("the processes with copies are %+v", h)
	}
}
