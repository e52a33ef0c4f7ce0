package message_test

import (
	"testing"

	"github.com/goacp/goacp/internal/structure/message"
	"github.com/goacp/goacp/internal/structure/message/messagetest"
)

// TestCloseTeam: the blocks of collective areas are freed when all processes have closed their teams.
func TestCloseTeam(t *testing.T) {
	cfg := messagetest.Spinning.Config
	cfg.Size = 3
	w := messagetest.Open(t, cfg)
	const turns, calls = 50, 5
	var most [3]int // collective areas at a time
	w.Together(t, func(h *message.Engine, self int) error {
		all := &message.Team{Label: message.Label{World: 1, Use: message.All}, Members: []int{0, 1, 2}, Rank: self}
		for turn := range turns {
			tm := &message.Team{Label: message.Label{World: 1, Group: uint64(turn)}, Members: []int{0, 1, 2}, Rank: self, Near: true}
			for range calls {
				if err := h.Barrier(tm); err != nil {
					return err
				}
			}
			most[self] = max(most[self], h.Areas())
			h.CloseTeam(tm)
			if err := h.Barrier(all); err != nil {
				return err
			}
		}
		return nil
	})
	for self, n := range most { // one is freed when the next one is made
		if n == 0 || n > 2 {
			t.Errorf("process %d has had %d areas at a time", self, n)
		}
	}
}
