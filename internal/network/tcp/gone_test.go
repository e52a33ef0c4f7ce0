package tcp

import (
	"testing"
	"time"
	"unsafe"

	"github.com/goacp/goacp/internal/network/fabrictest"
)

// TestGoneAfterEnd: a link that has ended before its member counts as gone leaves the table when the member does.
func TestGoneAfterEnd(t *testing.T) {
	w := newWorld(t, 2, 4096)
	f := w.transports[0]
	put := fabrictest.NewOutcome()
	f.Put(1, startPos, unsafe.Pointer(&w.owners[0].Memory[0]), 8, put)
	if _, err := put.Wait(); err != nil {
		t.Fatal(err)
	}
	l := f.peers.Load(1)
	w.transports[1].peers.Load(0).abort()
	for began := time.Now(); w.owners[0].LostCount(1) == 0; time.Sleep(time.Millisecond) {
		if time.Since(began) > time.Minute {
			t.Fatal("the end of the connection is not noticed")
		}
	}
	if f.peers.Load(1) != l {
		t.Fatal("the link has left the table, and the run does not go on without the member")
	}
	f.Gone(1)
	if f.peers.Load(1) != nil {
		t.Error("the link is still in the table")
	}
}
