package driver

import (
	"testing"

	"github.com/goacp/goacp/bridge"
	"github.com/goacp/goacp/internal/fabric"
	"github.com/goacp/goacp/internal/network/am"
)

// echo is a Peer that answers with the request and notes the notices.
type echo struct{ notices []notice }

type notice struct {
	from  int
	kind  uint8
	value uint64
}

func (e *echo) Serve(request, answer []byte) (int, error) { return copy(answer, request), nil }

func (e *echo) Notice(from int, kind uint8, value uint64) {
	e.notices = append(e.notices, notice{from, kind, value})
}

// loop is a Messenger whose notices arrive in the same process.
type loop struct {
	Messenger
	peers Peers
}

func (l loop) Notify(peer int, number uint16, arg uint32, value uint64) error {
	if am.NoticeNumber(number) != am.NoticeFabric {
		return errNoPeer
	}
	l.peers.Notice(peer, arg, value)
	return nil
}

// TestPeers sends requests and notices to the transport of the same fabric, and to fabrics
// that are not open.
func TestPeers(t *testing.T) {
	e := new(echo)
	peers := make(Peers, bridge.RouteEnd)
	peers[bridge.RMA] = e
	env := Env{
		Messenger: loop{peers: peers},
		Process: Process{Call: func(_ int, op am.Op, request, answer []byte) (int, error) {
			if op != am.OpFabric {
				t.Errorf("operation %#x", op)
			}
			return peers.Serve(request, answer)
		}},
	}
	answer := make([]byte, 8)
	if n, err := env.Ask(bridge.RMA, 3, []byte("where"), answer); err != nil || string(answer[:n]) != "where" {
		t.Errorf("answer %q, %v", answer[:n], err)
	}
	for _, route := range []bridge.Route{bridge.Self, bridge.TCP, bridge.RouteEnd, 255} {
		if _, err := env.Ask(route, 3, nil, answer); err == nil {
			t.Errorf("an answer for route %v", route)
		}
		env.Tell(route, 3, 1, 1)
	}
	if _, err := peers.Serve(nil, answer); err == nil {
		t.Error("an answer to an empty request")
	}
	env.Tell(bridge.RMA, 3, 255, 7)
	if len(e.notices) != 1 || e.notices[0] != (notice{3, 255, 7}) {
		t.Errorf("notices %v", e.notices)
	}
	peers.Notice(0, 1<<32-1, 0)
}

var _ fabric.Messenger = loop{}
