package traffic

import (
	"math/rand/v2"
	"sync"
	"testing"
)

// countsOf returns the Counts after threads have counted operations and bytes.
func countsOf(operations, bytes uint64) Counts {
	upper := operations + bytes>>operationShift
	return Counts{
		Shared:   operations<<operationShift + bytes,
		Quarters: bytes>>(operationShift-2) + upper>>(64-operationShift-2)<<32,
	}
}

func expectTotal(t *testing.T, c *Counts, operations, bytes uint64) {
	t.Helper()
	if o, b := c.total(); o != operations || b != bytes {
		t.Fatalf("%d operations of %d bytes, expected %d of %d: %+v", o, b, operations, bytes, *c)
	}
}

// TestCounts counts at random, starting near the overflow of a part of Shared, and compares with a model
// after each addition. It also checks the state of a process that was killed before it counted a quarter, and
// the view of a reader that has read Shared too early.
func TestCounts(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	near := func(quarter int) uint64 {
		return (rnd.Uint64N(9)+1)<<quarter - rnd.Uint64N(2000)
	}
	for range 300 {
		operations, bytes := near(64-operationShift-2), near(operationShift-2)
		if rnd.IntN(4) == 0 {
			bytes = rnd.Uint64N(1 << 50)
		}
		c := countsOf(operations, bytes)
		expectTotal(t, &c, operations, bytes)
		for range 400 {
			n := []uint64{rnd.Uint64N(64), 8, rnd.Uint64N(1 << restShift), 1<<restShift - 1, rnd.Uint64N(1 << 45)}[rnd.IntN(5)]
			before := c
			c.add(n)
			operations, bytes = operations+1, bytes+n
			expectTotal(t, &c, operations, bytes)
			killed := c
			killed.Quarters = before.Quarters
			expectTotal(t, &killed, operations, bytes)
			early := c
			early.Shared, early.Rest = before.Shared, before.Rest
			expectTotal(t, &early, operations-1, bytes-n)
		}
	}
}

// TestCountsOfThreads: several threads pass the same quarters together.
func TestCountsOfThreads(t *testing.T) {
	const threads, each = 4, 20_000
	const operations, bytes = 5<<(64-operationShift-2) - threads*each/2, 7<<(operationShift-2) - threads*each/2*1000
	c := countsOf(operations, bytes)
	var all sync.WaitGroup
	for range threads {
		all.Go(func() {
			for range each {
				c.add(1000)
			}
		})
	}
	all.Go(func() {
		last := uint64(operations)
		for last < operations+threads*each {
			now, _ := c.total()
			if now < last {
				t.Errorf("%d operations after %d", now, last)
				return
			}
			last = now
		}
	})
	all.Wait()
	expectTotal(t, &c, operations+threads*each, bytes+threads*each*1000)
}
