package node_test

import (
	"bytes"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/bridge"
	"github.com/goacp/goacp/internal/acptest/extensiontest"
	"github.com/goacp/goacp/internal/system/dmi/node"
)

// hosts is how the processes of a test are spread.
type hosts struct {
	name  string
	mode  bridge.Mode
	count int
}

var everywhere = []hosts{{"one host", bridge.ModeAuto, 1}, {"two hosts", bridge.ModeAuto, 2}, {"sockets", bridge.ModeTCP, 1}}

// run opens n processes, and gives each a goroutine that executes body.
func run(t *testing.T, n int, h hosts, body func(n *node.Node, p *acp.Process) error) {
	t.Helper()
	cfg := acp.Config{Mode: h.mode, HeapSize: 64 << 20}
	extensiontest.RunOnHosts(t, n, h.count, cfg, func(p *acp.Process) error { return body(node.Of(p), p) })
}

// forEach runs f with the processes on one host, on two, and with sockets alone.
func forEach(t *testing.T, f func(t *testing.T, h hosts)) {
	for _, h := range everywhere {
		t.Run(h.name, func(t *testing.T) { f(t, h) })
	}
}

// TestAccess: what one process writes in each mode, all read in each mode.
func TestAccess(t *testing.T) {
	forEach(t, func(t *testing.T, h hosts) {
		for _, size := range []int64{1, 7, 4096, 100000, 5 << 20} {
			t.Run(fmt.Sprint(size), func(t *testing.T) { testAccess(t, h, size) })
		}
	})
}

func testAccess(t *testing.T, h hosts, pageSize int64) {
	const procs, pages = 3, 3
	bases := make(chan int64, procs)
	var w sync.Mutex
	want := make([]byte, pages*pageSize)
	run(t, procs, h, func(n *node.Node, p *acp.Process) error {
		if p.Rank() == 0 {
			base, err := n.Map(pageSize, pages)
			if err != nil {
				return err
			}
			for range procs {
				bases <- base
			}
		}
		base := <-bases
		if err := p.Sync(); err != nil {
			return err
		}
		got := make([]byte, pageSize*pages)
		for turn := range 15 {
			if n.ID() == turn%procs {
				from, to := int64(0), int64(len(got))
				if turn%4 == 3 { // a part of a page, and a bit of the next
					from, to = pageSize/3, pageSize+pageSize/2
				}
				w.Lock()
				for i := from; i < to; i++ {
					want[i] = byte(turn) + byte(i)*7 + 1
				}
				err := n.Write(base+from, want[from:to], []node.Mode{node.Put, node.Exclusive}[turn%2])
				w.Unlock()
				if err != nil {
					return err
				}
			}
			if err := p.Sync(); err != nil {
				return err
			}
			for i := range 3 {
				mode := []node.Mode{node.Get, node.Invalidate, node.Update}[(i+turn)%3]
				if err := n.Read(base, got, mode); err != nil {
					return err
				}
				w.Lock()
				same := bytes.Equal(got, want)
				w.Unlock()
				if !same {
					return fmt.Errorf("turn %d: a read with %v yields other bytes", turn, mode)
				}
			}
			if err := p.Sync(); err != nil {
				return err
			}
		}
		if p.Rank() == 1 {
			if err := n.Unmap(base); err != nil {
				return err
			}
		}
		if err := p.Sync(); err != nil {
			return err
		}
		if err := n.Read(base, got[:1], node.Get); !errors.Is(err, node.ErrNoSpace) {
			return fmt.Errorf("reading a space that has ended: %v", err)
		}
		return p.Sync()
	})
}
