package gp_test

import (
	"fmt"
	"testing"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/bridge"
	"github.com/goacp/goacp/gp"
	"github.com/goacp/goacp/internal/acptest/extensiontest"
)

// moved returns the operations and bytes that a rank has counted of a kind on the elements of another rank.
func moved(p *acp.Process, rank acp.Rank, kind string) (operations, bytes uint64) {
	for _, x := range p.Stats() {
		if x.Rank == rank && x.Kind == kind {
			operations, bytes = operations+x.Operations, bytes+x.Bytes
		}
	}
	return operations, bytes
}

// TestStats: each element that is got or put is counted with its bytes: a single element and many together,
// short and long elements. Refused operations are not counted.
func TestStats(t *testing.T) {
	const places, procs, long = 6, 2, 40000
	sizeOf := func(place int) int { return []int{0, 8, 100, long, 20, 3}[place] }
	extensiontest.EachMode(t, func(t *testing.T, mode bridge.Mode) {
		cfg := config(mode)
		cfg.Stats = true
		extensiontest.Run(t, procs, cfg, func(p *acp.Process) error {
			a, err := gp.Create(p, gp.Config{Dims: []int{places}})
			if err != nil {
				return err
			}
			var operations, bytes [procs]uint64 // of all places, by owner
			memory := make([][]byte, places)
			for place := range places {
				owner, size := a.Owner(place), sizeOf(place)
				memory[place] = make([]byte, size)
				if size == 0 {
					continue
				}
				operations[owner]++
				bytes[owner] += uint64(size)
				if owner != p.Rank() {
					continue
				}
				e, err := gp.Alloc(p, size)
				if err == nil {
					err = a.Assign(e, place)
				}
				if err != nil {
					return err
				}
			}
			if err := gp.Sync(p); err != nil {
				return err
			}
			all := gp.Section{Lo: []int{0}, Hi: []int{places - 1}}
			for place := range places {
				one := gp.Section{Lo: []int{place}, Hi: []int{place}}
				if err := a.Put(one, memory[place:place+1]); err != nil {
					return err
				}
				if err := a.GetInto(one, memory[place:place+1]); err != nil {
					return err
				}
			}
			if err := a.Put(all, memory); err != nil {
				return err
			}
			if err := a.GetInto(all, memory); err != nil {
				return err
			}
			if _, err := a.Get(all); err != nil {
				return err
			}
			if a.Put(gp.Section{Lo: []int{1}, Hi: []int{1}}, [][]byte{make([]byte, 9)}) == nil {
				return fmt.Errorf("9 bytes fit an element of 8")
			}
			for rank := range acp.Rank(procs) {
				for kind, times := range map[string]uint64{"put": 2, "get": 3} {
					if n, b := moved(p, rank, kind); n != times*operations[rank] || b != times*bytes[rank] {
						return fmt.Errorf("%s: %d elements of rank %d with %d bytes, expected %d times %d with %d", kind, n, rank, b, times, operations[rank], bytes[rank])
					}
				}
			}
			return gp.Sync(p)
		})
	})
}
