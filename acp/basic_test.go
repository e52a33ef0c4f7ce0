package acp_test

import (
	"encoding/binary"
	"fmt"
	"testing"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/bridge"
)

func TestRanksMeet(t *testing.T) {
	forEachMode(t, []int{1, 2, 3, 4, 7}, func(t *testing.T, mode bridge.Mode, n int) {
		run(t, n, acp.Config{Mode: mode}, func(p *member) error {
			if p.Procs() != n {
				return fmt.Errorf("%d procs", p.Procs())
			}
			next := acp.Rank((int(p.Rank()) + 1) % n)
			dst, err := p.StarterGA(next)
			if err != nil {
				return err
			}
			src, err := p.StarterGA(p.Rank())
			if err != nil {
				return err
			}
			binary.LittleEndian.PutUint64(p.Starter(), uint64(p.Rank())+100)
			h, err := p.Copy(dst+8, src, 8, acp.HandleNull)
			if err != nil {
				return err
			}
			if err := p.Complete(h); err != nil {
				return err
			}
			if err := p.Sync(); err != nil {
				return err
			}
			prev := (int(p.Rank()) + n - 1) % n
			if got := binary.LittleEndian.Uint64(p.Starter()[8:]); got != uint64(prev)+100 {
				return fmt.Errorf("got %d from rank %d", got, prev)
			}
			return nil
		})
	})
}
