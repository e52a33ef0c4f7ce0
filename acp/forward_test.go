package acp_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/bridge"
)

// Every request of a peer is checked.
func TestForwardOfNonsense(t *testing.T) {
	forEachMode(t, []int{2}, func(t *testing.T, mode bridge.Mode, n int) {
		run(t, n, acp.Config{Mode: mode}, func(p *member) error {
			for _, c := range []struct {
				pos    uint64
				dst    int
				dstPos uint64
			}{
				{0, 1, 4096}, {1 << 60, 1, 4096}, {4096, -1, 4096}, {4096, n, 4096},
				{4096, 0, 1<<60 | 4096}, {4096, 1, 1<<60 | 4096}, {4096, 1, math.MaxUint64},
			} {
				done := make(outcome, 1)
				p.Forward(c.pos, c.dst, c.dstPos, 8, done)
				if <-done == nil {
					return fmt.Errorf("%+v succeeded", c)
				}
			}
			return nil
		})
	})
}

// outcome is a fabric.Completion that passes on the error.
type outcome chan error

func (o outcome) Complete(_ uint64, err error) { o <- err }
