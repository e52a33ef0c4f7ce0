package ring

import "testing"

// C sends long messages with an index that other endpoints had before, in a ring that
// has carried many bytes.
func TestSent(t *testing.T) {
	const gib, size = 1 << 30, 4096 - HeadSize
	for _, test := range []struct {
		carried, end, pos uint64
		fate              Fate
	}{
		{0, 16, 16, InRing},
		{0, 16, 1000, InRing},
		{gib, 16, 16, InRing},
		{0, 4*gib - 8, 4*gib + 8, InRing},
		{0, 4 * gib, 4 * gib, InRing},
		{3 << 40, 9*gib + 64, 9*gib + 128, InRing},
		{0, 16, 16 + size, Taken},
		{0, 16, 4*gib + 16, Taken}, // the same as the newest one, if 32 bits were compared
		{0, 4*gib + 16, 5 * gib, Taken},
		{0, 16, 100*gib + 16, Taken},
	} {
		const from = 12345
		request := uint64(1<<61|from<<41) | (test.carried+test.end)/8%(1<<41) // as C does it
		if index, ok := SentFrom(request); !ok || index != from {
			t.Errorf("request %#x is one of index %d, %v", request, index, ok)
		}
		e := Endpoint{Pos: test.pos, Request: test.carried, Size: uint32(size)}
		end, fate := e.Ends(request)
		if fate != test.fate || fate == InRing && end != test.end {
			t.Errorf("a record that ends at %d ends at %d, seen from %d: fate %d", test.end, end, test.pos, fate)
		}
		if never := request + 1 + (test.pos-test.end)/8; true {
			if _, fate := e.Ends(never); fate != NeverSent {
				t.Errorf("request %#x, behind all that was sent: fate %d", never, fate)
			}
		}
	}
	for _, no := range []uint64{0, Finished(5), Counted(1 << 61), 5<<32 | 7} {
		if _, ok := SentFrom(no); ok {
			t.Errorf("request %#x is a message that C has sent", no)
		}
	}
}

// A request of an earlier channel with the same index is not one of the present channel.
func TestSentByEarlierChannel(t *testing.T) {
	table, err := NewTable(1)
	if err != nil {
		t.Fatal(err)
	}
	defer table.Release()
	request := func(e *Endpoint) uint64 { return 1<<61 | (e.Carried()+e.Pos)/8 }
	var old uint64
	for life := range 3 {
		handle, e, err := table.New(Sender)
		if err != nil || handle.Index() != 0 {
			t.Fatalf("life %d: index %d, %v", life, handle.Index(), err)
		}
		e.Size = 4096
		e.Skip(16)
		if _, fate := e.Ends(old); old != 0 && fate != Taken {
			t.Errorf("life %d: a request of the one before has fate %d", life, fate)
		}
		old = request(e)
		if end, fate := e.Ends(old); end != 16 || fate != InRing {
			t.Errorf("life %d: its own request ends at %d, fate %d", life, end, fate)
		}
		table.Recycle(handle)
		if table.Fate(0, old) != Taken || table.Fate(0, old+1) != NeverSent {
			t.Errorf("after life %d: fates %d and %d", life, table.Fate(0, old), table.Fate(0, old+1))
		}
		if handle, _, err := table.New(0); err != nil { // and a receiver in between
			t.Fatal(err)
		} else {
			table.Recycle(handle)
		}
	}
}
