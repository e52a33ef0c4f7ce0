package acp_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/bridge"
)

// guestWait is a function of the residents that waits for a guest.
type guestWait struct {
	name  string
	call  func(p *acp.Process, guest acp.Rank) error
	fails []acp.Rank // residents on which it fails if the guest does not take part; the others may have the result before
}

// guestWaits are functions of three residents.
var guestWaits = []guestWait{
	{"sync of ranks", func(p *acp.Process, guest acp.Rank) error { return p.SyncRanks([]acp.Rank{0, 1, 2, guest}) }, []acp.Rank{0, 1, 2}},
	{"broadcast of the guest", func(p *acp.Process, guest acp.Rank) error {
		return p.Broadcast(make([]byte, 100), guest, []acp.Rank{0, 1, 2, guest})
	}, []acp.Rank{0, 1, 2}},
	{"broadcast to the guest", func(p *acp.Process, guest acp.Rank) error {
		// Rank 2 passes the message on to the guest.
		b, want := make([]byte, 1<<20), bytes.Repeat([]byte{7}, 1<<20)
		if p.Rank() == 0 {
			copy(b, want)
		}
		err := p.Broadcast(b, 0, []acp.Rank{0, 1, 2, guest})
		if err == nil && !bytes.Equal(b, want) {
			err = errors.New("the message has other bytes")
		}
		return err
	}, []acp.Rank{2}},
	{"connection of a segmented buffer", func(p *acp.Process, guest acp.Rank) error {
		b, err := p.NewSegBufSource(guest, make([]byte, 4096), 1024)
		if err != nil {
			return err
		}
		err = b.Connect()
		if closed := b.Close(); closed != nil {
			return fmt.Errorf("close: %w", closed)
		}
		return err
	}, []acp.Rank{0, 1, 2}},
	{"end of a segmented buffer", func(p *acp.Process, guest acp.Rank) error {
		if p.Rank() != 0 { // the guest has the other end
			return nil
		}
		b, err := p.NewSegBufDestination(guest, make([]byte, 4096), 1024)
		if err != nil {
			return err
		}
		return errors.Join(b.Connect(), b.Disconnect(), b.Close())
	}, nil},
}

// TestWaitsForGuests: functions that wait for a guest end when it is lost or leaves, with its rank, and work among residents afterwards.
func TestWaitsForGuests(t *testing.T) {
	for _, mode := range []bridge.Mode{bridge.ModeAuto, bridge.ModeTCP} {
		for _, lost := range []bool{true, false} {
			t.Run(fmt.Sprintf("%v/lost %v", mode, lost), func(t *testing.T) { waitForGuests(t, mode, lost) })
		}
	}
}

func waitForGuests(t *testing.T, mode bridge.Mode, lost bool) {
	type turn struct {
		guestWait
		guest   acp.Rank
		at      atomic.Int64 // the step, which rank 0 chooses in the step before; 0: not yet
		entered atomic.Int32
	}
	var now atomic.Pointer[turn]
	type result struct {
		rank acp.Rank
		err  error
	}
	results := make(chan result, 3)
	h := host(t, mode, 3, 2*len(guestWaits), func(p *acp.Process, step int) error {
		switch c := now.Load(); {
		case c == nil:
		case int64(step) == c.at.Load():
			c.entered.Add(1)
			results <- result{p.Rank(), c.call(p, c.guest)}
		case p.Rank() == 0:
			c.at.CompareAndSwap(0, int64(step)+1)
		}
		residents := []acp.Rank{0, 1, 2}
		return errors.Join(p.SyncRanks(residents), p.Broadcast(make([]byte, 10), 1, residents))
	})
	for _, w := range guestWaits {
		g, err := h.attach(mode, 1)
		if err != nil {
			t.Fatal(err)
		}
		p := g.processes[0]
		c := &turn{guestWait: w, guest: p.Rank()}
		now.Store(c)
		if w.fails == nil {
			b, err := p.NewSegBufSource(0, make([]byte, 4096), 1024)
			if err == nil {
				err = b.Connect()
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		for c.entered.Load() < 3 && h.ctx.Err() == nil {
			time.Sleep(time.Millisecond)
		}
		time.Sleep(10 * time.Millisecond) // so that some residents wait
		if lost {
			g.Close()
		}
		finalized := g.finalize()
		for range 3 {
			r := <-results
			if must := slices.Contains(w.fails, r.rank); r.err == nil && must || r.err != nil && !errors.Is(r.err, acp.ErrRankGone) || errors.Is(r.err, acp.ErrPeerDead) {
				t.Errorf("%s on rank %d: %v", w.name, r.rank, r.err)
			}
		}
		if !lost && finalized != nil {
			t.Errorf("%s: the guest: %v", w.name, finalized)
		}
	}
	h.leave()
}

// TestGuestsLostInWholeOperations: guests that are lost while they exchange and merge maps of residents leave them usable.
func TestGuestsLostInWholeOperations(t *testing.T) {
	const guests, keys = 30, 40
	for _, mode := range []bridge.Mode{bridge.ModeAuto, bridge.ModeTCP} {
		t.Run(mode.String(), func(t *testing.T) {
			var maps [2]*acp.Map[int, int] // of rank 0
			var made atomic.Bool
			h := host(t, mode, 2, guests, func(p *acp.Process, step int) error {
				if p.Rank() != 0 {
					return nil
				}
				for i := range maps {
					if step == 0 {
						var err error
						if maps[i], err = acp.NewMap[int, int](p, []acp.Rank{0, 1}, 4+i, 0); err != nil {
							return err
						}
					}
					for k := range keys {
						if _, err := maps[i].Insert(k, i); err != nil {
							return err
						}
					}
				}
				made.Store(true)
				return nil
			})
			for !made.Load() && h.ctx.Err() == nil {
				time.Sleep(time.Millisecond)
			}
			for range guests {
				g, err := h.attach(mode, 1)
				if err != nil {
					t.Fatal(err)
				}
				p := g.processes[0]
				a, b := p.ByteMapAt(maps[0].Bytes().Address()), p.ByteMapAt(maps[1].Bytes().Address())
				ended := make(chan struct{})
				go func() {
					defer close(ended)
					for turn := 0; ; turn++ {
						op := []func(acp.ByteMap) error{a.Swap, a.Merge, b.Assign, b.Swap}[turn%4]
						other := []acp.ByteMap{b, b, a, a}[turn%4]
						if op(other) != nil {
							return
						}
					}
				}()
				time.Sleep(time.Duration(rand.Int64N(int64(5 * time.Millisecond))))
				g.Close()
				<-ended
				_ = g.finalize()
			}
			h.leave()
		})
	}
}
