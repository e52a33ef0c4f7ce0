package node_test

import (
	"errors"
	"flag"
	"fmt"
	"runtime"
	"testing"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/internal/acptest/race"
	"github.com/goacp/goacp/internal/system/dmi/address"
	"github.com/goacp/goacp/internal/system/dmi/node"
)

var manySpaces = flag.Int("spaces", race.Cases(200_000, 20_000), "how many spaces TestManySpaces makes and ends")

// TestManySpaces: spaces that have ended leave nothing behind, neither in the heap of the run nor in that of Go.
func TestManySpaces(t *testing.T) {
	const growth = 1 << 20 // of Go: a few bytes for each space
	run(t, 1, everywhere[0], func(n *node.Node, p *acp.Process) error {
		b := make([]byte, 8)
		make := func(count int) error {
			for i := range count {
				at, err := n.Map(8, 1+int64(i%3))
				if err != nil {
					return err
				}
				if i%2 == 0 {
					if err := n.Write(at, b, []node.Mode{node.Put, node.Exclusive}[i/2%2]); err != nil {
						return err
					}
				}
				if err := n.Unmap(at); err != nil {
					return err
				}
			}
			return nil
		}
		if err := make(1000); err != nil {
			return err
		}
		used, before := n.Used(), liveBytes()
		if err := make(*manySpaces); err != nil {
			return err
		}
		if now, after := n.Used(), liveBytes(); now != used || after > before+growth {
			return fmt.Errorf("after %d spaces %d bytes of the pool are in use, before them %d; the process has %d bytes, before %d", *manySpaces, now, used, after, before)
		}
		return nil
	})
}

// TestAllSpaces: a process can make as many spaces as there are addresses, also in the shards that others hold.
func TestAllSpaces(t *testing.T) {
	const size = address.MaxSize
	addresses := address.Shards * int(address.Spaces(address.Class(size)))
	run(t, 2, everywhere[0], func(n *node.Node, p *acp.Process) error {
		if p.Rank() == 0 {
			return nil
		}
		made := make(map[int64]bool)
		for range addresses {
			at, err := n.Map(1<<20, size>>20)
			if err != nil {
				return fmt.Errorf("after %d of %d spaces: %w", len(made), addresses, err)
			}
			if made[at] {
				return fmt.Errorf("%#x is the address of two spaces", at)
			}
			made[at] = true
			if err := n.Unmap(at); err != nil {
				return err
			}
		}
		if at, err := n.Map(1<<20, size>>20); !errors.Is(err, node.ErrSize) {
			return fmt.Errorf("one space more than there are addresses: %#x, %v", at, err)
		}
		at, err := n.Map(8, 1)
		if err != nil {
			return err
		}
		return n.Unmap(at)
	})
}

// liveBytes returns how many bytes of Go are in use.
func liveBytes() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// TestVastSpace: a space of very many pages, of which few are used, costs nothing for the others: neither when it is made, nor when saved pages
// are given back, nor when it ends. A page that takes one byte would take 100 MB.
func TestVastSpace(t *testing.T) {
	const pages, pageSize, most = 100_000_000, 4096, 4 << 20
	forEach(t, func(t *testing.T, h hosts) {
		bases := make(chan int64, 1)
		run(t, 2, h, func(n *node.Node, p *acp.Process) error {
			base, err := n.Map(8, 1)
			if err == nil {
				err = n.Write(base, []byte("used"), node.Exclusive) // the process takes memory for records
			}
			if err == nil {
				err = n.Unmap(base)
			}
			if err != nil {
				return err
			}
			if p.Rank() == 0 {
				if base, err = n.Map(pageSize, pages); err != nil {
					return err
				}
				bases <- base
			}
			if err := p.Sync(); err != nil {
				return err
			}
			if p.Rank() == 1 {
				base = <-bases
			}
			used := n.Used()
			for i := range 3 {
				page := int64(i)*(pages/3) + int64(p.Rank())
				if err := n.Write(base+page*pageSize, []byte("used"), node.Exclusive); err != nil {
					return err
				}
				if err := n.Save(base+page*pageSize, 4); err != nil {
					return err
				}
			}
			if err := p.Sync(); err != nil {
				return err
			}
			before := allocated()
			if err := n.Unsave(base, pages*pageSize); err != nil {
				return err
			}
			if err := p.Sync(); err != nil {
				return err
			}
			if p.Rank() == 0 {
				if err := n.Unmap(base); err != nil {
					return err
				}
			}
			if err := p.Sync(); err != nil {
				return err
			}
			if took, now := allocated()-before, n.Used(); took > most || now != used {
				return fmt.Errorf("to end the space took %d bytes, and %d bytes of the pool are in use, before %d", took, now, used)
			}
			return nil
		})
	})
}

// allocated returns how many bytes Go has allocated so far.
func allocated() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.TotalAlloc
}
