package main

import (
	"fmt"
	"time"

	"github.com/goacp/goacp/acp"
)

// rates measures GMAs of 8 bytes of which many are in flight.
func (b *bench) rates(far, near acp.GA) {
	const none = acp.HandleNull
	for depth := 8; depth <= 4096; depth *= 8 {
		b.inFlight("put", depth, func(at acp.GA) (acp.Handle, error) { return b.p.Copy(far+at, near+at, 8, none) })
		b.inFlight("get", depth, func(at acp.GA) (acp.Handle, error) { return b.p.Copy(near+at, far+at, 8, none) })
		b.inFlight("add", depth, func(at acp.GA) (acp.Handle, error) { return b.p.Add8(near+at, far+at, 1, none) })
	}
}

// inFlight issues as many GMAs as depth says, at different places, and waits for all of them at
// once. It reports what one of them takes.
func (b *bench) inFlight(what string, depth int, issue func(at acp.GA) (acp.Handle, error)) {
	rounds := min(256, 16384/depth)
	for s := -1; s < samples; s++ {
		begin := time.Now()
		for range rounds {
			for i := range depth {
				if _, err := issue(acp.GA(8 * i)); err != nil {
					b.finish(acp.HandleNull, err)
				}
			}
			b.finish(acp.HandleAll, nil)
		}
		if s >= 0 {
			report(fmt.Sprintf("far%s8x%d", what, depth), float64(time.Since(begin))/float64(rounds*depth))
		}
	}
}
