package node_test

import (
	"flag"
	"fmt"
	"runtime"
	"testing"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/internal/system/dmi/node"
)

var spaces = flag.Int("spaces", fixedSpaces, "how many spaces TestManySpaces makes and ends")

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
		if err := make(*spaces); err != nil {
			return err
		}
		if now, after := n.Used(), liveBytes(); now != used || after > before+growth {
			return fmt.Errorf("after %d spaces %d bytes of the pool are in use, before them %d; the process has %d bytes, before %d", *spaces, now, used, after, before)
		}
		return nil
	})
}

// liveBytes returns how many bytes of Go are in use.
func liveBytes() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
