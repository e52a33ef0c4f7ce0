package node_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/bridge"
	"github.com/goacp/goacp/internal/acptest/extensiontest"
	"github.com/goacp/goacp/internal/memory/heapview"
	"github.com/goacp/goacp/internal/system/dmi/node"
)

// TestReplacement: one process writes more pages than its heap has room for, and all read pages of the others.
func TestReplacement(t *testing.T) {
	const procs, pageSize, turns = 3, 256 << 10, 500
	const pages = 2 * acp.MinHeapSize / pageSize // process 0 writes three quarters of them
	forEach(t, func(t *testing.T, h hosts) {
		var base int64
		made := make(chan struct{})
		cfg := acp.Config{Mode: h.mode, HeapSize: acp.MinHeapSize}
		seed := rand.Uint64()
		t.Logf("seed %d", seed)
		extensiontest.RunOnHosts(t, procs, h.count, cfg, func(p *acp.Process) error {
			n := node.Of(p)
			if n.ID() == 0 {
				var err error
				if base, err = n.Map(pageSize, pages); err != nil {
					return err
				}
				for page := range int64(pages * 3 / 4) {
					if err := n.Write(base+page*pageSize, make([]byte, pageSize), node.Exclusive); err != nil {
						return fmt.Errorf("page %d: %w", page, err)
					}
				}
				close(made)
			}
			<-made
			r := rand.New(rand.NewPCG(seed, uint64(n.ID())))
			own, b := make([]byte, pageSize), make([]byte, pageSize)
			for turn := range turns {
				mine := int64(r.IntN(pages * 3 / 4)) // a page that no other process writes
				if n.ID() > 0 {
					mine = int64(pages*3/4 + n.ID()*pages/8 - r.IntN(pages/8) - 1)
				}
				for i := range own {
					own[i] = byte(turn) + byte(i)
				}
				mode := node.Exclusive
				if n.ID() > 0 && r.IntN(2) == 0 {
					mode = node.Put
				}
				if err := n.Write(base+mine*pageSize, own, mode); err != nil {
					return fmt.Errorf("turn %d: %w", turn, err)
				}
				other := int64(r.IntN(pages))
				if err := n.Read(base+other*pageSize, b, []node.Mode{node.Get, node.Invalidate, node.Update}[r.IntN(3)]); err != nil {
					return fmt.Errorf("turn %d: %w", turn, err)
				}
				if err := n.Read(base+mine*pageSize, b, node.Get); err != nil || !bytes.Equal(b, own) {
					return fmt.Errorf("turn %d: page %d has other bytes (%v)", turn, mine, err)
				}
			}
			if n.ID() == 0 {
				if _, owned := n.Pages(); owned < 10 || owned*pageSize > acp.MinHeapSize {
					return fmt.Errorf("the process owns %d pages of %d bytes", owned, pageSize)
				}
				if n.Moved() == 0 {
					return errors.New("no page has moved to another process")
				}
			}
			return p.Sync()
		})
	})
}

// TestFullPools: an access that needs memory fails if nothing can give way, and works when memory is free again.
func TestFullPools(t *testing.T) {
	cfg := acp.Config{HeapSize: acp.MinHeapSize}
	const pages = acp.MinHeapSize>>16 + 1
	extensiontest.Run(t, 1, cfg, func(p *acp.Process) error {
		n, b := node.Of(p), make([]byte, 64<<10)
		base, err := n.Map(int64(len(b)), pages)
		if err != nil {
			return err
		}
		full := int64(0)
		for ; full < pages; full++ {
			if err = n.Write(base+full*int64(len(b)), b, node.Exclusive); err != nil {
				break
			}
		}
		if !errors.Is(err, heapview.ErrFull) || full < 10 {
			return fmt.Errorf("writing page %d: %v", full, err)
		}
		if text := err.Error(); !strings.HasSuffix(text, "; -pool (DMI_POOL) raises the limit") {
			return fmt.Errorf("the error is %q", text)
		}
		if err := n.Unmap(base); err != nil {
			return err
		}
		if base, err = n.Map(int64(len(b)), 1); err != nil {
			return err
		}
		return n.Write(base, b, node.Put)
	})
}

// TestReadsOfFullPools: when no process has room for a copy, reads in all modes get the bytes all the same, and Save fails.
func TestReadsOfFullPools(t *testing.T) {
	forEach(t, func(t *testing.T, h hosts) {
		for _, pageSize := range []int64{32 << 10, 1 << 20} {
			t.Run(fmt.Sprint(pageSize), func(t *testing.T) {
				cfg := acp.Config{Mode: h.mode, HeapSize: acp.MinHeapSize}
				extensiontest.RunOnHosts(t, 2, h.count, cfg, func(p *acp.Process) error {
					if n := node.Of(p); n.ID() == 0 {
						if err := readFull(n, pageSize, h.mode == bridge.ModeTCP || h.count > 1); err != nil {
							return err
						}
					}
					return p.Sync()
				})
			})
		}
	})
}

// readFull fills the pools of two processes with pages, and reads and saves some of them. apart says that the processes share no memory.
func readFull(n *node.Node, pageSize int64, apart bool) error {
	pages := 3 * acp.MinHeapSize / pageSize
	base, err := n.Map(pageSize, pages)
	if err != nil {
		return err
	}
	b, full := make([]byte, pageSize), int64(0)
	for ; full < pages; full++ {
		if err = n.Write(base+full*pageSize, bytes.Repeat([]byte{byte(full + 1)}, int(pageSize)), node.Exclusive); err != nil {
			break
		}
	}
	if !errors.Is(err, heapview.ErrFull) {
		return fmt.Errorf("writing page %d: %v, expected %v", full, err, heapview.ErrFull)
	}
	refused := int64(0)
	for page := int64(0); page < full; page += full / 50 {
		addr, want := base+page*pageSize, bytes.Repeat([]byte{byte(page + 1)}, int(pageSize))
		for _, mode := range []node.Mode{node.Invalidate, node.Update, node.Get} {
			clear(b)
			if err := n.Read(addr, b, mode); err != nil || !bytes.Equal(b, want) {
				return fmt.Errorf("page %d of %d with %v: other bytes (%v)", page, full, mode, err)
			}
			clear(b)
			if err := n.Read(addr+100, b[:1000], mode); err != nil || !bytes.Equal(b[:1000], want[:1000]) {
				return fmt.Errorf("a part of page %d of %d with %v: other bytes (%v)", page, full, mode, err)
			}
		}
		switch err := n.Save(addr, pageSize); {
		case errors.Is(err, heapview.ErrFull):
			refused++
		case err != nil:
			return fmt.Errorf("saving page %d: %w", page, err)
		}
	}
	if apart && refused == 0 {
		return errors.New("all pages are saved")
	}
	return n.Unmap(base)
}

// TestSpacesLeaveNothing: spaces that have ended leave neither memory nor entries.
func TestSpacesLeaveNothing(t *testing.T) {
	const procs, spaces = 2, 300
	forEach(t, func(t *testing.T, h hosts) {
		bases := make(chan int64)
		run(t, procs, h, func(n *node.Node, p *acp.Process) error {
			b := make([]byte, 50)
			for range spaces {
				if n.ID() == 0 {
					base, err := n.Map(10, 5)
					if err != nil {
						return err
					}
					if err := n.Write(base, b, node.Exclusive); err != nil {
						return err
					}
					bases <- base
					if <-bases; n.Unmap(base) != nil {
						return fmt.Errorf("the space at %#x does not end", base)
					}
					continue
				}
				base := <-bases
				err := errors.Join(n.Read(base, b, node.Update), n.Write(base+10, b[:25], node.Put))
				if err != nil {
					return err
				}
				bases <- 0
			}
			if err := p.Sync(); err != nil {
				return err
			}
			copies, owned := n.Pages()
			left, loans := n.Kept()
			if copies+owned+left+loans > 0 {
				return fmt.Errorf("%d copies, %d owned pages, %d spaces and %d loans are left", copies, owned, left, loans)
			}
			return p.Sync()
		})
	})
}
