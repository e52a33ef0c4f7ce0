package router

import (
	"testing"

	"github.com/goacp/goacp/bridge"
)

// deferring is a recorder with operations that wait for a flush.
type deferring struct {
	*recorder
	waiting bool
}

func (d *deferring) Defers(int) bool   { return true }
func (d *deferring) HasDeferred() bool { return d.waiting }
func (d *deferring) FlushSoon()        { d.note("flush soon", make(end, 1)) }

func (d *deferring) Flush() {
	d.waiting = false
	d.note("flush", make(end, 1))
}

// TestFlush: the router flushes only if operations wait for that, and only Flush waits for it.
func TestFlush(t *testing.T) {
	n, _, _, remote := testRouter(t)
	close(remote.hold)
	n.Flush() // without such a transport
	n.Poll()
	d := &deferring{recorder: remote}
	n.add(bridge.RMA, d)
	expect := func(when string, do func(), want string) {
		t.Helper()
		do()
		took := remote.took()
		if got := len(took) > 0; got != (want != "") || got && (len(took) != 1 || took[0] != want) {
			t.Errorf("%s: %v, want %q", when, took, want)
		}
	}
	expect("Flush with nothing that waits", n.Flush, "")
	expect("Poll with nothing that waits", func() { n.Poll() }, "")
	if !n.PollInline(0, nil) {
		t.Error("nothing waits for a flush, and the agents are not polled inline")
	}
	apart := Location{Member: 2, Pos: 4096, via: bridge.RMA}
	if n.path(pathPut, bridge.RMA, 2).Ordered() || n.AtomicPath(apart).Ordered() != (n.atomics[bridge.RMA] != bridge.RMA) {
		t.Error("operations that wait for a flush are not in order")
	}
	d.waiting = true
	if n.PollInline(0, nil) {
		t.Error("operations wait for a flush, and a thread polls inline instead")
	}
	expect("Poll", func() { n.Poll() }, "flush soon")
	expect("Send", n.Send, "flush soon")
	expect("Flush", n.Flush, "flush")
	expect("Flush again", n.Flush, "")
}
