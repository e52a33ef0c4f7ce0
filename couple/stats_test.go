package couple_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/bridge"
	"github.com/goacp/goacp/couple"
	"github.com/goacp/goacp/internal/acptest/extensiontest"
)

// messagesTo returns the number of messages that a rank has counted to another rank, and their
// bytes.
func messagesTo(p *acp.Process, rank acp.Rank) (n, bytes uint64) {
	for _, x := range p.Stats() {
		if x.Kind == "message" && x.Rank == rank {
			n, bytes = n+x.Operations, bytes+x.Bytes
		}
	}
	return n, bytes
}

// TestStats: a rank counts the values that it sends to each receiver.
func TestStats(t *testing.T) {
	const steps, points = 7, 30
	extensiontest.EachMode(t, func(t *testing.T, mode bridge.Mode) {
		extensiontest.Run(t, 3, acp.Config{Mode: mode, HeapSize: heapSize, Stats: true}, func(p *acp.Process) error {
			if p.Rank() == 0 {
				m, err := couple.NewModel(p, "a", []acp.Rank{0})
				if err != nil {
					return err
				}
				f, err := couple.NewField(m, "f", make([]float64, points), couple.Ranges{{First: 0, N: points}}, 1)
				if err != nil {
					return err
				}
				out, err := f.SendTo(t.Context(), "b.f", couple.Options{})
				if err != nil {
					return err
				}
				for step := range steps {
					if err := out.Send(t.Context(), step); err != nil {
						return err
					}
				}
				for to, want := range map[acp.Rank]uint64{1: 10, 2: 20} {
					if n, bytes := messagesTo(p, to); n != steps || bytes != steps*8*want {
						return fmt.Errorf("counted %d messages of %d bytes to rank %d, expected %d of %d", n, bytes, to, steps, steps*8*want)
					}
				}
				return errors.Join(out.Close(t.Context()), p.Sync())
			}
			m, err := couple.NewModel(p, "b", []acp.Rank{1, 2})
			if err != nil {
				return err
			}
			own := couple.Range{First: 10 * (int(p.Rank()) - 1), N: 10 * int(p.Rank())}
			f, err := couple.NewField(m, "f", make([]float64, own.N), couple.Ranges{own}, 1)
			if err != nil {
				return err
			}
			in, err := f.ReceiveFrom(t.Context(), "a.f", couple.Options{})
			if err != nil {
				return err
			}
			for step := range steps {
				if err := in.Receive(t.Context(), step); err != nil {
					return err
				}
			}
			return errors.Join(in.Close(t.Context()), p.Sync())
		})
	})
}
