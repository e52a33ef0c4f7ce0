package segment

import (
	"math/rand/v2"
	"testing"
)

// TestCoverageModel compares a coverage with a count for each byte.
func TestCoverageModel(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rnd := rand.New(rand.NewPCG(seed, 6))
	const size = 2000
	var c coverage
	var bytes [size]int
	var live []span
	for step := range 40000 {
		limit := 60
		if step/4000%2 == 0 {
			limit = 3000 // several groups, and then few
		}
		var x extent
		change := 1
		if n := len(live); n > 0 && rnd.IntN(limit) < n {
			i := rnd.IntN(n)
			x, change = live[i].extent, -1
			c.remove(live[i])
			live[i] = live[n-1]
			live = live[:n-1]
		} else {
			x.addr = rnd.Uint64N(size)
			x.size = rnd.Uint64N(min(4, size-x.addr))
			live = append(live, span{x, uint64(step)})
			c.add(live[len(live)-1])
		}
		for i := x.addr; i < x.end(); i++ {
			bytes[i] += change
		}
		if step/1000%3 == 0 && rnd.IntN(100) > 0 {
			continue // changes wait for each other
		}
		from := rnd.Uint64N(size)
		asked := extent{from, rnd.Uint64N(min(60, size-from))}
		want := true
		for i := asked.addr; i < asked.end(); i++ {
			want = want && bytes[i] > 0
		}
		if got := c.covers(asked); got != want {
			t.Fatalf("step %d: %+v is covered: %v, expected %v", step, asked, got, want)
		}
	}
}

// TestCoverageUnasked makes more changes than can wait before it calls covers.
func TestCoverageUnasked(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rnd := rand.New(rand.NewPCG(seed, 7))
	const count = 3 * mostWaiting
	var c coverage
	order := rnd.Perm(count)
	at := func(i int) span { return span{extent{uint64(i) * 8, 8}, uint64(i)} }
	for _, i := range order {
		c.add(at(i))
		if i%2 == 0 {
			c.remove(at(i))
			c.add(at(i))
		}
	}
	if !c.covers(extent{0, count * 8}) {
		t.Error("added, and not covered")
	}
	for _, i := range order[1:] {
		c.remove(at(i))
	}
	last := at(order[0])
	if !c.covers(last.extent) || c.covers(extent{last.addr, 9}) || last.addr > 0 && c.covers(extent{last.addr - 1, 2}) {
		t.Errorf("%+v is not all that is covered", last)
	}
}

// TestCoverageOfOneBuffer has 2^18 regions with the same memory. Where each cost time in proportion to
// their number, this test would take many minutes.
func TestCoverageOfOneBuffer(t *testing.T) {
	const count = 1 << 18
	var c coverage
	var all []span
	x := extent{1 << 20, 4096}
	for i := range uint64(count) {
		all = append(all, span{x, i})
		c.add(all[i])
	}
	for i, v := range all {
		if !c.covers(x) {
			t.Fatalf("nothing covers the buffer when %d of %d regions are left", count-i, count)
		}
		c.remove(v)
	}
	if c.covers(x) || len(c.groups) != 0 {
		t.Error("the buffer is covered by no region")
	}
}
