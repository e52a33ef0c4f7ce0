package core_test

import (
	"bytes"
	"errors"
	"fmt"
	"testing"
	"unsafe"

	"github.com/goacp/goacp/internal/memory/segment"
	"github.com/goacp/goacp/internal/system/armci/core"
	"github.com/goacp/goacp/internal/system/armci/transfer"
	"github.com/goacp/goacp/internal/system/armci/world"
)

// TestSegmentsApart: the segments of a vector transfer may lie in the starter memory and in the heap of
// a process, between which there is no memory. If one lies nowhere, none moves.
func TestSegmentsApart(t *testing.T) {
	forEachMode(t, 2, func(*testing.T) func(s *core.System) error {
		return func(s *core.System) error {
			session := s.Session()
			addrs, err := s.Local().Malloc(session.Everyone, 4096)
			if err != nil {
				return err
			}
			to := 1 - session.World.Self()
			starter := session.World.Process().Memory.OwnerAddress(session.World.Member(to), segment.StarterOffset)
			move := func(kind transfer.Kind, here []byte, nowhere bool) error {
				r := transfer.Request{Kind: kind, Proc: to, Vector: []transfer.Segment{
					{Local: unsafe.Pointer(&here[0]), Remote: addrs[to] + 8, N: 16},
					{Local: unsafe.Pointer(&here[16]), Remote: starter + 3, N: 7},
					{Local: unsafe.Pointer(&here[23]), Remote: addrs[to] + 100, N: 9},
				}}
				if nowhere {
					r.Vector = append(r.Vector, transfer.Segment{Local: unsafe.Pointer(&here[0]), Remote: starter - 8, N: 8})
				}
				return session.Transfer.Do(&r)
			}
			want, got := []byte("what is there, starter and heaps"), make([]byte, 32)
			if err := errors.Join(move(transfer.Put, want, false), session.Transfer.Fence(to)); err != nil {
				return err
			}
			if err := move(transfer.Put, make([]byte, 32), true); !errors.Is(err, world.ErrAddress) {
				return fmt.Errorf("a segment between starter memory and heap: %v", err)
			}
			if err := move(transfer.Get, got, false); err != nil || !bytes.Equal(got, want) {
				return fmt.Errorf("got %q, %v, want %q", got, err, want)
			}
			return session.Everyone.Barrier()
		}
	})
}
