package message_test

import (
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/bridge"
	"github.com/goacp/goacp/internal/acptest/extensiontest"
	"github.com/goacp/goacp/internal/structure/message"
)

// everyone returns the team of all members.
func everyone(p *acp.Process, self int) *message.Team {
	team := &message.Team{Label: message.Label{World: 1, Use: message.All}, Rank: self}
	for m := range p.Procs() {
		team.Members = append(team.Members, m)
	}
	return team
}

// TestReset: messages work between ranks of package acp, and do so again when all have begun anew.
// What no receive had taken before is gone.
func TestReset(t *testing.T) {
	const ranks, lives = 3, 3
	extensiontest.EachMode(t, func(t *testing.T, mode bridge.Mode) {
		extensiontest.Run(t, ranks, acp.Config{Mode: mode, HeapSize: acp.MinHeapSize}, func(p *acp.Process) error {
			h, self := message.Of(p), int(p.Rank()) // which is the member
			team, left := everyone(p, self), message.Label{World: 1, Tag: 1}
			for life := range lives {
				for _, n := range []int{1, message.EagerMax + 1} {
					if err := h.Send(left, (self+1)%ranks, make([]byte, n)); err != nil {
						return err
					}
				}
				all, err := h.Gather(team, []byte{byte(self), byte(life)})
				if err != nil {
					return err
				}
				for m := range ranks {
					if all[2*m] != byte(m) || all[2*m+1] != byte(life) {
						return fmt.Errorf("life %d: gathered %v", life, all)
					}
				}
				if err := p.Reset((p.Rank() + 1) % ranks); err != nil {
					return err
				}
				h.CheckEmpty(t)
				if err := p.Sync(); err != nil { // before others send again
					return err
				}
			}
			return nil
		})
	})
}

// TestLostRun: when a rank ends the run, all waits of the others end.
func TestLostRun(t *testing.T) {
	const ranks = 3
	extensiontest.EachMode(t, func(t *testing.T, mode bridge.Mode) {
		var begun sync.WaitGroup
		begun.Add(ranks - 1)
		extensiontest.Run(t, ranks, acp.Config{Mode: mode, HeapSize: acp.MinHeapSize}, func(p *acp.Process) error {
			h, self := message.Of(p), int(p.Rank())
			if self == 0 {
				begun.Wait()
				p.Abort("a test wants it")
				return nil
			}
			waits := map[string]func() error{
				"a receive": func() error { _, err := h.Receive(message.Label{}, 0, nil); return err },
				"a receive from any": func() error {
					_, _, err := h.ReceiveAny(message.Label{Tag: 1}, nil)
					return err
				},
				"a send":    func() error { return h.Send(message.Label{}, 0, make([]byte, message.Buffered+1)) },
				"a barrier": func() error { return h.Barrier(everyone(p, self)) },
			}
			begun.Done()
			for name, wait := range waits {
				if err := wait(); !errors.Is(err, acp.ErrPeerDead) {
					return fmt.Errorf("%s in a run that is over: %v", name, err)
				}
			}
			return nil
		})
	})
}
