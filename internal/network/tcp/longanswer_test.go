package tcp

import (
	"slices"
	"sync"
	"testing"

	"github.com/goacp/goacp/internal/fabric"
	"github.com/goacp/goacp/internal/network/fabrictest"
)

// halting is an owner that answers calls with as many bytes as there is room for. Those of service 2 wait
// for the test.
type halting struct {
	*fabrictest.Owner
	goOn chan struct{}
}

// Serve implements fabric.Owner.
func (h *halting) Serve(r fabric.Request) (int, error) {
	if r.Service == 2 {
		<-h.goOn
	}
	return len(r.Reply), nil
}

// TestLongAnswer sends two calls at once. The long answer to the first one arrives while the second one is
// carried out.
func TestLongAnswer(t *testing.T) {
	w := newWorld(t, 3, 4096)
	h := &halting{w.owners[0], make(chan struct{})}
	w.transports[0].cfg.Owner = h
	goOn := sync.OnceFunc(func() { close(h.goOn) })
	t.Cleanup(goOn)
	p := intrude(t, w, 2)
	p.expect(kindWelcome, statusOK)
	var calls [2][headerSize]byte
	for i := range calls {
		call := header{kind: kindCall, id: uint64(i), code: uint8(i + 1), arg: longAnswer + 1}
		call.encode(&calls[i])
	}
	if _, err := p.c.Write(slices.Concat(calls[0][:], calls[1][:])); err != nil {
		t.Fatal(err)
	}
	for i := range calls {
		answer := p.expect(kindAnswer, statusOK)
		if answer.id != uint64(i) || answer.size != longAnswer+1 {
			t.Fatalf("call %d: %+v", i, answer)
		}
		p.payload(answer.size)
		if i == 0 {
			goOn()
		}
	}
}
