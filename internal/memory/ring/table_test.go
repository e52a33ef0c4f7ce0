package ring

import (
	"testing"
	"unsafe"
)

func TestTable(t *testing.T) {
	table, err := NewTable(3)
	if err != nil {
		t.Fatal(err)
	}
	defer table.Release()
	first, e, err := table.New(Sender)
	if err != nil {
		t.Fatal(err)
	}
	second, _, err := table.New(0)
	if err != nil {
		t.Fatal(err)
	}
	if first == 0 || first == second || table.At(first.Index()) != e {
		t.Errorf("handles %#x and %#x", first, second)
	}
	e.Count = 7
	request := uint64(first.Index())<<32 | uint64(e.Count) // as C does it
	if i, ok := PostedAt(request); !ok || i != first.Index() {
		t.Errorf("request %#x belongs to endpoint %d, %v", request, i, ok)
	}
	table.Recycle(first)
	again, e2, err := table.New(FastPath)
	if err != nil || again.Index() != first.Index() || again == first || e2 != e {
		t.Errorf("the index of %#x became %#x, %v", first, again, err)
	}
	if e.Usable(first, FastPath) || !e.Usable(again, FastPath) || e.Usable(again, Sender|FastPath) {
		t.Error("the endpoint has the handle or the properties of another")
	}
	if e.Count != 7 {
		t.Errorf("after request 7 of an index comes the one after %d", e.Count)
	}
	for _, no := range []uint64{0, Finished(5), Counted(7), 1<<61 | request} {
		if _, ok := PostedAt(no); ok {
			t.Errorf("request %#x belongs to an endpoint", no)
		}
	}
}

// The bytes that an idle channel takes beside its ring.
func TestEndpointSize(t *testing.T) {
	if size := unsafe.Sizeof(Endpoint{}); size > 80 {
		t.Errorf("an endpoint has %d bytes", size)
	}
}
