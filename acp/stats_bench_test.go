package acp_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/bridge"
)

// BenchmarkCounting measures copies and atomics of a rank that does not count, and of one that does.
func BenchmarkCounting(b *testing.B) {
	copies := func(size uint64) func(*acp.Process, acp.GA) (acp.Handle, error) {
		return func(p *acp.Process, ga acp.GA) (acp.Handle, error) {
			return p.Copy(ga, ga+8192, size, acp.HandleNull)
		}
	}
	for _, c := range []struct {
		name string
		call func(*acp.Process, acp.GA) (acp.Handle, error)
	}{
		{"copy of 4", copies(4)},
		{"copy of 8", copies(8)},
		{"copy of 24", copies(24)},
		{"copy of 1000", copies(1000)},
		{"add4", func(p *acp.Process, ga acp.GA) (acp.Handle, error) { return p.Add4(ga, ga+8, 1, acp.HandleNull) }},
		{"add8", func(p *acp.Process, ga acp.GA) (acp.Handle, error) { return p.Add8(ga, ga+8, 1, acp.HandleNull) }},
	} {
		for _, counts := range []bool{false, true} {
			b.Run(fmt.Sprintf("%s/counts=%v", c.name, counts), func(b *testing.B) {
				p, err := acp.Open(context.Background(), acp.Config{Bootstrap: bridge.Single(), Stats: counts, StarterSize: 1 << 16})
				if err != nil {
					b.Fatal(err)
				}
				defer p.Finalize()
				ga := must(p.StarterGA(0))
				for b.Loop() {
					h, _ := c.call(p, ga)
					p.Complete(h)
				}
			})
		}
	}
}
