package core_test

import (
	"bytes"
	"testing"

	"github.com/goacp/goacp/internal/ground/footprinttest"
)

// crowd is a group of processes of which all but the first do not exist: they answer as that does.
type crowd []int

func (c crowd) Procs() []int                        { return c }
func (crowd) Rank() int                             { return 0 }
func (c crowd) Exchange(own []byte) ([]byte, error) { return bytes.Repeat(own, len(c)), nil }
func (crowd) Barrier() error                        { return nil }

// TestMemoryPerBlock pins the memory that an allocation keeps for each process of its group: an address
// and a size.
func TestMemoryPerBlock(t *testing.T) {
	local := open(t).Local()
	footprinttest.PerItem(t, "process", 17, func(procs int) int64 {
		all := make(crowd, procs)
		for i := range all {
			all[i] = i
		}
		before := footprinttest.InUse()
		blocks, err := local.MallocBlocks(all, 64)
		after := footprinttest.InUse()
		if err != nil || len(blocks) != procs || blocks[procs-1] != blocks[0] {
			t.Fatalf("%d blocks: %v", len(blocks), err)
		}
		if err := local.FreeTogether(all, blocks[0].Addr); err != nil {
			t.Fatal(err)
		}
		return after - before
	})
}
