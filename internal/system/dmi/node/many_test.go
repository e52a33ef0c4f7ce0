package node_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/goacp/goacp/internal/system/dmi/node"
)

// TestMany: what one process writes to many ranges at once, all read from them in all modes. Some are empty, large, or in several pages.
func TestMany(t *testing.T) {
	const procs, pageSize, pages = 3, 50000, 20
	forEach(t, func(t *testing.T, h hosts) {
		seed := rand.Uint64()
		t.Logf("seed %d", seed)
		written := make(chan struct{})
		together(t, procs, h, pageSize, pages, func(n *node.Node, base int64) error {
			r := rand.New(rand.NewPCG(seed, 1))
			var addrs []int64
			var all, got [][]byte
			for at := int64(0); at < pageSize*pages; {
				size := []int64{0, 1, 300, 40000, 120000}[r.IntN(5)] + r.Int64N(500)
				size = min(size, pageSize*pages-at)
				addrs = append(addrs, base+at)
				all, got = append(all, bytes.Repeat([]byte{byte(1 + len(all))}, int(size))), append(got, make([]byte, size))
				at += size + 1
			}
			if n.ID() == 0 {
				for _, mode := range []node.Mode{node.Put, node.Exclusive, node.Put} {
					if err := n.WriteMany(addrs, all, mode); err != nil {
						return err
					}
				}
				close(written)
			}
			<-written
			for _, mode := range []node.Mode{node.Get, node.Invalidate, node.Update, node.Get} {
				if err := n.ReadMany(addrs, got, mode); err != nil {
					return err
				}
				for i := range all {
					if !bytes.Equal(got[i], all[i]) {
						return fmt.Errorf("%v: range %d of %d bytes has others", mode, i, len(all[i]))
					}
					clear(got[i])
				}
			}
			return nil
		})
	})
}

// TestManyOwners: processes write many small ranges in pages that others take at the same time.
func TestManyOwners(t *testing.T) {
	const procs, pages, turns = 3, 600, 4
	forEach(t, func(t *testing.T, h hosts) {
		together(t, procs, h, 8*procs, pages, func(n *node.Node, base int64) error {
			addrs, all, got := make([]int64, pages), make([][]byte, pages), make([][]byte, pages)
			for i := range addrs {
				addrs[i] = base + 8*int64(procs*i+n.ID())
				all[i], got[i] = make([]byte, 8), make([]byte, 8)
			}
			for turn := range turns {
				for i := range all {
					fill(all[i], uint64(turn*pages+i))
				}
				if err := n.WriteMany(addrs, all, changes[(turn+n.ID())%2]); err != nil {
					return err
				}
				if err := n.ReadMany(addrs, got, []node.Mode{node.Get, node.Update, node.Invalidate}[turn%3]); err != nil {
					return err
				}
				for i := range all {
					if !bytes.Equal(got[i], all[i]) {
						return fmt.Errorf("turn %d: range %d has %v, expected %v", turn, i, got[i], all[i])
					}
				}
			}
			return nil
		})
	})
}

// TestManyFail: wrong arguments are noticed before anything is written.
func TestManyFail(t *testing.T) {
	together(t, 2, everywhere[1], 8, 2, func(n *node.Node, base int64) error {
		b := []byte{9, 9, 9}
		for name, test := range map[string]struct {
			addrs []int64
			all   [][]byte
			modes [2]node.Mode
			want  error
		}{
			"fewer addresses": {[]int64{base}, [][]byte{b, b}, [2]node.Mode{node.Put, node.Get}, node.ErrSize},
			"range":           {[]int64{base, base + 14}, [][]byte{b, b}, [2]node.Mode{node.Put, node.Get}, node.ErrRange},
			"no space":        {[]int64{base, 5}, [][]byte{b, b}, [2]node.Mode{node.Put, node.Get}, node.ErrNoSpace},
			"mode":            {[]int64{base, base}, [][]byte{b, b}, [2]node.Mode{node.Get, node.Put}, node.ErrMode},
		} {
			if err := n.WriteMany(test.addrs, test.all, test.modes[0]); !errors.Is(err, test.want) {
				return fmt.Errorf("%s: writing: %v", name, err)
			}
			if err := n.ReadMany(test.addrs, test.all, test.modes[1]); !errors.Is(err, test.want) {
				return fmt.Errorf("%s: reading: %v", name, err)
			}
		}
		got := make([]byte, 16)
		if err := n.Read(base, got, node.Get); err != nil || !bytes.Equal(got, make([]byte, 16)) {
			return fmt.Errorf("the pages have %v (%v)", got, err)
		}
		return errors.Join(n.WriteMany(nil, nil, node.Put), n.ReadMany(nil, nil, node.Update))
	})
}
