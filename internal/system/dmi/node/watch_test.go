package node_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"testing"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/internal/system/dmi/node"
)

// TestWatch: watchers in all processes notice each change, also one that the next change undoes, while the page changes its owner.
func TestWatch(t *testing.T) {
	const procs, turns = 3, 40
	forEach(t, func(t *testing.T, h hosts) {
		var base int64
		made := make(chan struct{})
		run(t, procs, h, func(n *node.Node, p *acp.Process) error {
			if n.ID() == 0 {
				var err error
				if base, err = n.Map(24, 3); err != nil {
					return err
				}
				close(made)
			}
			<-made
			return watchAndChange(n, base, procs, turns)
		})
	})
}

// watchAndChange lets the processes change a number in turn, which all watch. Each changes it back at once, so the number is there for a
// moment only. The range spans two pages, of which the first does not change.
func watchAndChange(n *node.Node, base int64, procs, turns int) error {
	zero, out := make([]byte, 24), make([]byte, 24)
	for turn := range turns {
		watched := make(chan error, 1)
		go func() { watched <- n.Watch(base+12, zero, out) }()
		n.AwaitWatcher(base + 24)
		if err := meet(n, base+48, turn, procs); err != nil {
			return err
		}
		if turn%procs == n.ID() {
			mode := []node.Mode{node.Put, node.Exclusive}[turn/procs%2]
			for _, x := range []uint64{uint64(turn + 1), 0} {
				if err := n.Write(base+24, binary.LittleEndian.AppendUint64(nil, x), mode); err != nil {
					return err
				}
			}
		}
		if err := <-watched; err != nil {
			return err
		}
		if got := binary.LittleEndian.Uint64(out[12:]); got != uint64(turn+1) {
			return fmt.Errorf("turn %d: a watcher sees %d", turn, got)
		}
		if err := meet(n, base+56, turn, procs); err != nil {
			return err
		}
	}
	return nil
}

// meet waits until all processes have come to it, by a counter that they watch.
func meet(n *node.Node, at int64, turn, procs int) error {
	old, err := n.FetchAdd(at, 1, node.Put)
	for now := old + 1; err == nil && now < int64(turn+1)*int64(procs); {
		b := binary.LittleEndian.AppendUint64(nil, uint64(now))
		err = n.Watch(at, b, b)
		now = int64(binary.LittleEndian.Uint64(b))
	}
	return err
}

// TestWatchEnds: a watcher ends when its space does.
func TestWatchEnds(t *testing.T) {
	forEach(t, func(t *testing.T, h hosts) {
		var base int64
		made, watching := make(chan struct{}), make(chan struct{})
		run(t, 2, h, func(n *node.Node, p *acp.Process) error {
			if n.ID() == 0 {
				var err error
				if base, err = n.Map(8, 2); err != nil {
					return err
				}
				close(made)
			}
			<-made
			if n.ID() == 1 {
				go func() {
					n.AwaitWatcher(base + 8)
					close(watching)
				}()
				b := make([]byte, 16)
				if err := n.Watch(base, b, b); !errors.Is(err, node.ErrNoSpace) {
					return fmt.Errorf("the watcher ends with %v", err)
				}
				return p.Sync()
			}
			<-watching
			return errors.Join(n.Unmap(base), p.Sync())
		})
	})
}
