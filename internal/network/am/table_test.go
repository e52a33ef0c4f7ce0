package am

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/goacp/goacp/internal/fabric"
	"github.com/goacp/goacp/internal/memory/heapview"
)

// stub is an operation that does nothing.
func stub(op Op) Operation {
	return Operation{Op: op, Name: "stub", Run: func(*heapview.View, Call) (Result, error) { return Result{}, nil }}
}

func TestTableRefuses(t *testing.T) {
	take := func(int, uint32, uint64) {}
	serve := func(fabric.Request) (int, error) { return 0, nil }
	both := stub(9)
	both.Serve = serve
	for _, c := range []struct {
		name    string
		ops     []Operation
		notices []Notice
		want    string
	}{
		{"twice", []Operation{stub(9), stub(10), {Op: 9, Name: "other", Serve: serve}}, nil, "stub and other are both operation 0x9"},
		{"heap", []Operation{stub(OpAlloc)}, nil, "malloc and stub are both operation 0x100"},
		{"no name", []Operation{{Op: 9, Serve: serve}}, nil, "operation 0x9"},
		{"no function", []Operation{{Op: 9, Name: "idle"}}, nil, `"idle"`},
		{"two functions", []Operation{both}, nil, `"stub"`},
		{"notice twice", nil, []Notice{{3, "one", take}, {3, "two", take}}, "one and two are both notice 0x3"},
		{"idle notice", nil, []Notice{{Number: 3, Name: "idle"}}, "notice 0x3, \"idle\", has no function"},
	} {
		if _, err := NewTable(nil, c.ops, c.notices); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}

// TestTableServes sends calls and other requests to a table.
func TestTableServes(t *testing.T) {
	view := newView(t)
	strange := errors.New("something else")
	table, err := NewTable(func() *heapview.View { return view }, []Operation{
		{Op: 20, Name: "reversal", Run: func(at *heapview.View, c Call) (Result, error) {
			if at != view || c.Op != 20 {
				t.Errorf("operation %d on %p", c.Op, at)
			}
			n := copy(c.Out, c.Data)
			slices.Reverse(c.Out[:n])
			return Result{Val0: c.Args[0], N: n}, nil
		}},
		{Op: 21, Name: "failure", Run: func(*heapview.View, Call) (Result, error) { return Result{}, strange }},
		{Op: 22, Name: "sender", Serve: func(r fabric.Request) (int, error) {
			r.Reply[0] = byte(r.From)
			return 1, nil
		}},
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	call := func(c Call) (Result, error) {
		reply := make([]byte, c.ReplySize())
		n, err := table.Serve(fabric.Request{From: 4, Service: uint16(c.Op), Body: c.Append(nil), Reply: reply})
		if err != nil {
			return Result{}, err
		}
		return c.Outcome(reply[:n])
	}
	c := Call{Op: 20, Args: [4]uint64{7}, Data: []byte("abc"), Out: make([]byte, 8)}
	if r, err := call(c); err != nil || r.Val0 != 7 || string(c.Out[:r.N]) != "cba" {
		t.Errorf("%+v, %q, %v", r, c.Out, err)
	}
	made, err := call(Call{Op: OpAlloc, Args: [4]uint64{100}})
	if err != nil || !view.Holds(made.Val0) {
		t.Errorf("malloc: %#x, %v", made.Val0, err)
	}
	if _, err := call(Call{Op: OpFree, GA: made.Val0}); err != nil {
		t.Errorf("free: %v", err)
	}
	if _, err := call(Call{Op: OpFree, GA: made.Val0}); err == nil {
		t.Error("a block was freed twice")
	}
	if _, err := call(Call{Op: 21}); !errors.Is(err, strange) || !strings.Contains(err.Error(), "failure: ") {
		t.Errorf("an error that messages cannot carry: %v", err)
	}
	if _, err := call(Call{Op: 99}); err == nil || !strings.Contains(err.Error(), "no operation has the number 0x63") {
		t.Errorf("an operation that is not there: %v", err)
	}
	if _, err := table.Serve(fabric.Request{Service: 20, Body: make([]byte, callHead)}); !errors.Is(err, ErrMalformed) {
		t.Errorf("a call without room for the answer: %v", err)
	}
	reply := make([]byte, 1)
	if n, err := table.Serve(fabric.Request{From: 4, Service: 22, Reply: reply}); n != 1 || err != nil || reply[0] != 4 {
		t.Errorf("%d bytes %v, %v", n, reply, err)
	}
}

// TestServeAllocatesNothing: the table adds no allocation to those of an operation.
func TestServeAllocatesNothing(t *testing.T) {
	view := newView(t)
	table, err := NewTable(func() *heapview.View { return view }, []Operation{stub(20)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	c := Call{Op: 20, Data: []byte("abc"), Out: make([]byte, 8)}
	r := fabric.Request{Service: uint16(c.Op), Body: c.Append(nil), Reply: make([]byte, c.ReplySize())}
	if n := testing.AllocsPerRun(100, func() {
		if _, err := table.Serve(r); err != nil {
			t.Fatal(err)
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// TestNotices: the table calls the function of a notice, and drops a notice with an unknown
// number.
func TestNotices(t *testing.T) {
	type note struct {
		from  int
		arg   uint32
		value uint64
	}
	var got []note
	table, err := NewTable(nil, nil, []Notice{{5, "note", func(from int, arg uint32, value uint64) {
		got = append(got, note{from, arg, value})
	}}})
	if err != nil {
		t.Fatal(err)
	}
	table.Notify(1, 5, 1<<32-1, 3)
	table.Notify(1, 4, 0, 3)
	table.Notify(1, 6, 0, 3)
	table.Notify(1, 0x105, 0, 3)
	table.Notify(2, 5, 0, ^uint64(0))
	if want := []note{{1, 1<<32 - 1, 3}, {2, 0, ^uint64(0)}}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// FuzzServe: the answer to any request is no longer than the room for it.
func FuzzServe(f *testing.F) {
	c := Call{Op: 20, GA: 1, Data: []byte("data"), More: []byte("more"), Out: make([]byte, 8)}
	f.Add(uint16(20), c.Append(nil), uint16(40), uint16(5), uint32(7), uint64(6))
	f.Add(uint16(OpAlloc), c.Append(nil), uint16(24), uint16(0), uint32(0), uint64(0))
	f.Add(uint16(77), []byte{}, uint16(0), uint16(6), uint32(1<<31), uint64(0))
	f.Add(uint16(1<<16-1), []byte{}, uint16(8), uint16(1<<16-1), uint32(1<<31), uint64(0))
	a := newView(f)
	table, err := NewTable(func() *heapview.View { return a }, []Operation{
		{Op: 20, Name: "copy", Run: func(_ *heapview.View, c Call) (Result, error) {
			return Result{N: copy(c.Out, c.Data)}, nil
		}},
	}, []Notice{{5, "note", func(int, uint32, uint64) {}}})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, op uint16, message []byte, capacity, notice uint16, arg uint32, value uint64) {
		if n, err := table.Serve(fabric.Request{Service: op, Body: message, Reply: make([]byte, capacity)}); err == nil && n > int(capacity) {
			t.Errorf("an answer of %d bytes in %d", n, capacity)
		}
		table.Notify(0, notice, arg, value)
	})
}
