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
			Joined:  func(member int) { note(fmt.Sprint("joined c: ", member))() },
			Left:    func(member int) { note(fmt.Sprint("left c: ", member))() },
			Lost:    func(member int) { note(fmt.Sprint("lost c: ", member))() },
			Leave:   func() error { return errors.New("an array") },
			Release: note("release c"), Forget: note("forget c"), Close: note("close c"),
		},
	}
	all.Settle()
	all.Release()
	all.Forget()
	all.Close()
	all.Joined(5)
	all.Left(6)
	all.Lost(7)
	all.Fail(errors.New("over"))
	want := []string{"settle a", "settle c", "release c", "forget a", "forget c", "close c", "joined c: 5", "left c: 6", "lost c: 7", "fail c: over"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if err := all.Leave(); err == nil || err.Error() != "an array" {
		t.Errorf("a process with an array may leave: %v", err)
	}
	if err := all[:2].Leave(); err != nil {
		t.Errorf("a process without an array cannot leave: %v", err)
	}
	var ops []am.Op
	for _, o := range all.Operations() {
		ops = append(ops, o.Op)
	}
	if !slices.Equal(ops, []am.Op{1, 2, 3}) || len(all.Notices()) != 1 {
		t.Errorf("operations %v, %d notices", ops, len(all.Notices()))
	}
}
