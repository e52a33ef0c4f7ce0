package acp_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
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
	fails []acp.Rank                 // residents on which it fails if the guest does not take part; the others may have the result before
	guest func(p *acp.Process) error // what the guest does meanwhile; nil: it does not take part
}

// guestWaits are functions of three residents.
var guestWaits = []guestWait{
	{name: "sync of ranks", call: func(p *acp.Process, guest acp.Rank) error { return p.SyncRanks([]acp.Rank{0, 1, 2, guest}) }, fails: []acp.Rank{0, 1, 2}},
	{name: "broadcast of the guest", call: func(p *acp.Process, guest acp.Rank) error {
		return p.Broadcast(make([]byte, 100), guest, []acp.Rank{0, 1, 2, guest})
	}, fails: []acp.Rank{0, 1, 2}},
	{name: "broadcast to the guest", call: func(p *acp.Process, guest acp.Rank) error {
		return broadcastSevens(p, 0, guest) // rank 2 passes the message on to the guest
	}, fails: []acp.Rank{2}},
	{name: "broadcast with a guest that takes part", call: func(p *acp.Process, guest acp.Rank) error {
		time.Sleep(time.Duration(p.Rank()) * 5 * time.Millisecond) // the guest may have left when the last one comes
		return broadcastSevens(p, 0, guest)
	}, guest: func(p *acp.Process) error { return broadcastSevens(p, 0, p.Rank()) }},
	{name: "broadcast of a guest that takes part", call: func(p *acp.Process, guest acp.Rank) error { return broadcastSevens(p, guest, guest) },
		guest: func(p *acp.Process) error { return broadcastSevens(p, p.Rank(), p.Rank()) }},
	{name: "sync with a guest that takes part", call: func(p *acp.Process, guest acp.Rank) error { return p.SyncRanks([]acp.Rank{0, 1, 2, guest}) },
		guest: func(p *acp.Process) error { return p.SyncRanks([]acp.Rank{0, 1, 2, p.Rank()}) }},
	{name: "connection of a segmented buffer", call: func(p *acp.Process, guest acp.Rank) error {
		b, err := p.NewSegBufSource(guest, make([]byte, 4096), 1024)
		if err != nil {
			return err
		}
		err = b.Connect()
		if closed := b.Close(); closed != nil {
			return fmt.Errorf("close: %w", closed)
		}
		return err
	}, fails: []acp.Rank{0, 1, 2}},
	{name: "end of a segmented buffer", call: takeSegments, guest: func(p *acp.Process) error {
		buf := bytes.Repeat([]byte{7}, 4096)
		b, err := p.NewSegBufSource(0, buf, 1024)
		if err != nil {
			return err
		}
		return errors.Join(b.Connect(), b.Ack(), b.Ack(), b.Disconnect()) // and no Close
	}},
}

// broadcastSevens broadcasts a large message from a root to three residents and a guest.
func broadcastSevens(p *acp.Process, root, guest acp.Rank) error {
	b, want := make([]byte, 1<<20), bytes.Repeat([]byte{7}, 1<<20)
	if p.Rank() == root {
		copy(b, want)
	}
	err := p.Broadcast(b, root, []acp.Rank{0, 1, 2, guest})
	if err == nil && !bytes.Equal(b, want) {
		err = errors.New("the message has other bytes")
	}
	return err
}

// takeSegments takes two segments on rank 0 that a guest has published, which may have left.
func takeSegments(p *acp.Process, guest acp.Rank) error {
	if p.Rank() != 0 {
		return nil
	}
	buf := p.Starter()[:4096] // the race detector does not see that the tail orders the accesses
	b, err := p.NewSegBufDestination(guest, buf, 1024)
	if err != nil {
		return err
	}
	err = b.Connect()
	for n := 0; n < 2 && err == nil; {
		var there bool
		if there, err = b.IsAcked(); there && err == nil {
			if buf[n*1024] != 7 {
				return errors.New("the segment has other bytes")
			}
			err = b.Ready()
			n++
		}
		time.Sleep(time.Millisecond) // the guest leaves meanwhile
	}
	if err == nil {
		err = b.Disconnect()
	}
	if closed := b.Close(); closed != nil {
		return fmt.Errorf("close: %w", closed)
	}
	return err
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
		done := make(chan error, 1)
		if w.guest == nil {
			done <- nil
		} else {
			go func() { done <- w.guest(p) }()
		}
		for c.entered.Load() < 3 && h.ctx.Err() == nil {
			time.Sleep(time.Millisecond)
		}
		if w.guest == nil {
			time.Sleep(10 * time.Millisecond) // so that some residents wait
		}
		var guest error
		if lost {
			time.Sleep(time.Duration(rand.Int64N(int64(3 * time.Millisecond))))
			g.Close()
			<-done
		} else {
			guest = <-done
		}
		guest = errors.Join(guest, g.finalize())
		for range 3 {
			r := <-results
			must, may := slices.Contains(w.fails, r.rank), lost || w.guest == nil
			named := errors.Is(r.err, acp.ErrRankGone) && strings.Contains(r.err.Error(), fmt.Sprintf("rank %d", c.guest))
			if r.err == nil && must || r.err != nil && !(may && named) || errors.Is(r.err, acp.ErrPeerDead) {
				t.Errorf("%s on rank %d: %v", w.name, r.rank, r.err)
			}
		}
		if !lost && guest != nil {
			t.Errorf("%s: the guest: %v", w.name, guest)
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
