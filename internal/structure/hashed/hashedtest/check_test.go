package hashedtest

import (
	"testing"

	"github.com/goacp/goacp/internal/structure/hashed"
)

// TestCheck: Check accepts short histories of one key that are linearizable, and refuses others that are not.
func TestCheck(t *testing.T) {
	at := func(client int, begin, end int64, op Op, on int, arg, result uint64) Event {
		return Event{Client: client, Begin: begin, End: end, Op: op, On: on, Arg: arg, Result: result}
	}
	local := func(e Event) Event { e.Local = true; return e }
	for _, test := range []struct {
		name   string
		kind   hashed.Kind
		events []Event
		want   bool
	}{
		{"lost", hashed.Set, []Event{at(0, 1, 2, Insert, 0, 0, 1), at(1, 3, 4, Find, 0, 0, 0)}, false},
		{"at the same time", hashed.Set, []Event{at(0, 1, 4, Insert, 0, 0, 1), at(1, 3, 5, Find, 0, 0, 0)}, true},
		{"seen, then not", hashed.Set, []Event{at(0, 1, 9, Insert, 0, 0, 1), at(1, 3, 4, Find, 0, 0, 1), at(1, 5, 6, Find, 0, 0, 0)}, false},
		{"moved", hashed.Map, []Event{at(0, 1, 2, Insert, 0, 7, 1), at(1, 3, 9, Move, 1, 0, 0), at(0, 4, 5, Load, 1, 0, 7), at(0, 6, 7, Load, 0, 0, 0)}, true},
		{"moved and still there", hashed.Map, []Event{at(0, 1, 2, Insert, 0, 7, 1), at(1, 3, 9, Move, 1, 0, 0), at(0, 4, 5, Load, 1, 0, 7), at(0, 6, 7, Load, 0, 0, 7)}, false},
		{"in neither", hashed.Map, []Event{at(0, 1, 2, Insert, 0, 7, 1), at(1, 3, 9, Swap, 1, 0, 0), at(0, 4, 5, Find, 0, 0, 0), at(0, 6, 7, Find, 1, 0, 0)}, false},
		{"counted twice", hashed.Multiset, []Event{at(0, 1, 2, Insert, 0, 0, 1), at(1, 3, 9, Merge, 1, 0, 0), at(2, 3, 9, Move, 1, 0, 0), at(0, 10, 11, Load, 1, 0, 3)}, false},
		{"counted", hashed.Multiset, []Event{at(0, 1, 2, Insert, 0, 0, 1), at(1, 3, 9, Merge, 1, 0, 0), at(2, 3, 9, Move, 1, 0, 0), at(0, 10, 11, Load, 1, 0, 2)}, true},
		{"local to another rank", hashed.Set, []Event{at(0, 1, 2, Insert, 0, 0, 1), local(at(1, 3, 4, Clear, 0, 0, 0)), at(0, 5, 6, Find, 0, 0, 1)}, true},
		{"local", hashed.Set, []Event{at(0, 1, 2, Insert, 0, 0, 1), local(at(0, 3, 4, Clear, 0, 0, 0)), at(0, 5, 6, Find, 0, 0, 1)}, false},
		{"sizes", hashed.Set, []Event{at(0, 1, 2, Insert, 0, 0, 1), at(1, 3, 9, Swap, 0, 0, 0), at(0, 4, 5, Size, 0, 0, 0), at(0, 6, 7, Size, 1, 0, 0)}, false},
	} {
		h := History{Kind: test.kind, Keys: 1, Events: test.events}
		h.Shapes = [2]Shape{{[]int{0}, 1}, {[]int{1}, 1}}
		if err := h.Check(); (err == nil) != test.want {
			t.Errorf("%s: %v", test.name, err)
		}
	}
}
