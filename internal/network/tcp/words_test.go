package tcp

import (
	"errors"
	"testing"
	"unsafe"

	"github.com/goacp/goacp/internal/fabric"
	"github.com/goacp/goacp/internal/network/driver"
	"github.com/goacp/goacp/internal/network/fabrictest"
)

// whole is a Transport whose puts and gets move words as a whole if they are short enough.
type whole struct{ *Transport }

func (w whole) Put(peer int, pos uint64, src unsafe.Pointer, n uint64, done fabric.Completion) {
	if n > fabric.CallMax {
		w.Transport.Put(peer, pos, src, n, done)
		return
	}
	w.PutWords(peer, pos, src, n, done)
}

func (w whole) Get(peer int, pos uint64, dst unsafe.Pointer, n uint64, done fabric.Completion) {
	if n > fabric.CallMax {
		w.Transport.Get(peer, pos, dst, n, done)
		return
	}
	w.GetWords(peer, pos, dst, n, done)
}

// TestWordsConformance lets members move words as a whole, in clear and encrypted.
func TestWordsConformance(t *testing.T) {
	for name, auth := range map[string]driver.Authenticator{"in clear": word, "encrypted": newEncrypting(t)} {
		t.Run(name, func(t *testing.T) {
			fabrictest.Run(t, func(t *testing.T, n int) []fabrictest.Member {
				w := newProvenWorld(t, n, fabrictest.MemorySize, auth, noPollBudget)
				return w.members(func(f fabric.Transport) fabric.Transport { return whole{f.(*Transport)} })
			})
		})
	}
}

// TestWordsRefused: words that do not fit into the private buffer of the owner are not sent. A peer that
// sends them loses its link.
func TestWordsRefused(t *testing.T) {
	w := newWorld(t, 3, 1<<20)
	b := make([]byte, fabric.CallMax+1)
	for _, move := range []func(int, uint64, unsafe.Pointer, uint64, fabric.Completion){w.transports[0].PutWords, w.transports[0].GetWords} {
		o := fabrictest.NewOutcome()
		move(1, startPos, unsafe.Pointer(&b[0]), uint64(len(b)), o)
		if _, err := o.Wait(); !errors.Is(err, fabric.ErrInvalid) {
			t.Errorf("%d bytes: %v, want %v", len(b), err, fabric.ErrInvalid)
		}
	}
	p := intrude(t, w, 2)
	p.expect(kindWelcome, statusOK)
	p.send(header{kind: kindGet, width: fabric.WordMax, id: 1, pos: startPos, size: fabric.CallMax + 1}, nil)
	if h, err := p.read(); err == nil {
		t.Errorf("got %+v", h)
	}
}
