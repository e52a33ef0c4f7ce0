//go:build cgo

package libacp

import "testing"

// TestNumbered: objects are found by their numbers until they are dropped. Numbers are not 0, and no two objects have
// the same number.
func TestNumbered(t *testing.T) {
	var n numbered[uint32, string]
	n.set(2, "own number")
	first, second := n.add("first"), n.add("second")
	if first != 1 || second != 3 {
		t.Errorf("add returned %d and %d beside the taken 2", first, second)
	}
	if x, found := n.find(2); x != "own number" || !found {
		t.Errorf("found %q, %t", x, found)
	}
	if replace(&n, 2, "another", "new") || replace(&n, 99, "", "new") || !replace(&n, 2, "own number", "new") {
		t.Error("replace looks at another object")
	}
	if x, _ := n.find(2); x != "new" {
		t.Errorf("found %q after replace", x)
	}
	if x, found := n.drop(first); x != "first" || !found {
		t.Errorf("dropped %q, %t", x, found)
	}
	if _, found := n.find(first); found {
		t.Error("an object is still there")
	}
	if number := n.add("third"); number == first {
		t.Errorf("%d is used again", number)
	}
	n.last = ^uint32(0)
	if number := n.add("after the last number"); number != 1 {
		t.Errorf("after all numbers add returned %d, want the only free one up to 3", number)
	}
	if all := n.clear(); len(all) != 4 || all[second] != "second" {
		t.Errorf("clear returned %v", all)
	}
	if _, found := n.find(second); found {
		t.Error("an object is there after clear")
	}
}
