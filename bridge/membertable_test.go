package bridge

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestMemberTable compares a table with a slice of records, of which only those that were touched count.
func TestMemberTable(t *testing.T) {
	seed := rand.Uint64()
	t.Log("seed", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	for range 100 {
		var table memberTable
		var model []int // lost of each record
		for range 50 {
			n := random.IntN(3 * memberBlock)
			table.extend(n)
			model = append(model, slices.Repeat([]int{noMember}, n)...)
			if table.size() != len(model) {
				t.Fatalf("%d seats, expected %d", table.size(), len(model))
			}
			if len(model) == 0 {
				continue
			}
			member := random.IntN(len(model))
			if got := table.at(member).lost; got != model[member] {
				t.Fatalf("member %d of %d: lost is %d, expected %d", member, len(model), got, model[member])
			}
			table.at(member).lost, model[member] = member, member
		}
		last := -1
		for member, record := range table.used() {
			if member <= last || member >= len(model) || record != table.at(member) || record.lost != model[member] {
				t.Fatalf("after member %d of %d comes %d, lost is %d", last, len(model), member, record.lost)
			}
			if record.lost != noMember {
				model[member] = noMember
			}
			last = member
		}
		if lost := slices.IndexFunc(model, func(lost int) bool { return lost != noMember }); lost >= 0 {
			t.Fatalf("used yields no record of member %d", lost)
		}
	}
	var large memberTable
	large.extend(1 << 16)
	large.at(1<<16 - 1).state = memberPresent
	n := 0
	for range large.used() {
		n++
	}
	if n != memberBlock {
		t.Errorf("%d records are allocated for one member, expected %d", n, memberBlock)
	}
}
