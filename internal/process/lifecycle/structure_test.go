package lifecycle

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/goacp/goacp/internal/network/am"
)

// TestStructures: each event reaches the structures that take part in it, in their order.
func TestStructures(t *testing.T) {
	var got []string
	note := func(what string) func() { return func() { got = append(got, what) } }
	all := Structures{
		{Operations: []am.Operation{{Op: 1}, {Op: 2}}, Settle: note("settle a"), Forget: note("forget a")},
		{},
		{
			Operations: []am.Operation{{Op: 3}}, Notices: []am.Notice{{Number: 4}},
			Fail: func(err error) { note("fail c: " + err.Error())() }, Settle: note("settle c"),
			Gone:    func(member int) { note(fmt.Sprint("gone c: ", member))() },
			Release: note("release c"), Forget: note("forget c"), Close: note("close c"),
		},
	}
	all.Settle()
	all.Release()
	all.Forget()
	all.Close()
	all.Gone(5)
	all.Fail(errors.New("over"))
	want := []string{"settle a", "settle c", "release c", "forget a", "forget c", "close c", "gone c: 5", "fail c: over"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	var ops []am.Op
	for _, o := range all.Operations() {
		ops = append(ops, o.Op)
	}
	if !slices.Equal(ops, []am.Op{1, 2, 3}) || len(all.Notices()) != 1 {
		t.Errorf("operations %v, %d notices", ops, len(all.Notices()))
	}
}
