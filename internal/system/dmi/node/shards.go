package node

import (
	"encoding/binary"
	"fmt"
	"iter"
	"sync/atomic"
	"time"

	"github.com/goacp/goacp/internal/ground/activity"
	"github.com/goacp/goacp/internal/system/dmi/address"
)

// shards says which process holds each shard of the addresses, as far as this process knows. The holder knows the spaces of the shard,
// and the owners of the pages whose home is there.
type shards struct {
	table  [address.Shards]atomic.Uint64 // number of the last move, and the holder
	moving [address.Shards]atomic.Bool   // this process hands the shard over
}

// spread gives the shards to the processes of the start in turn.
func (s *shards) spread(processes int) {
	for i := range s.table {
		s.table[i].Store(uint64(i % processes))
	}
}

// at returns the process that holds a shard, and the number of its last move.
func (s *shards) at(shard int) (holder int, move uint32) {
	x := s.table[shard].Load()
	return int(uint32(x)), uint32(x >> 32)
}

// holder returns the process that holds a shard.
func (s *shards) holder(shard int) int {
	holder, _ := s.at(shard)
	return holder
}

// set notes the holder of a shard after a move, unless a later one is known.
func (s *shards) set(shard, holder int, move uint32) {
	for {
		old := s.table[shard].Load()
		if move <= uint32(old>>32) || s.table[shard].CompareAndSwap(old, uint64(move)<<32|uint64(uint32(holder))) {
			return
		}
	}
}

// isMoving reports whether this process hands a shard over.
func (s *shards) isMoving(shard int) bool { return s.moving[shard].Load() }

// preferred yields all shards: first those that a process holds and that do not move, each time from a shard on.
func (s *shards) preferred(process, from int) iter.Seq[int] {
	return func(yield func(int) bool) {
		for _, own := range []bool{true, false} {
			for i := range address.Shards {
				shard := (from + i) % address.Shards
				if own == (s.holder(shard) == process && !s.isMoving(shard)) && !yield(shard) {
					return
				}
			}
		}
	}
}

// backOff is growing pauses of a goroutine that asks again while a shard moves.
type backOff time.Duration

const (
	firstPause   = 20 * time.Microsecond
	longestPause = 5 * time.Millisecond
)

// pause pauses. It returns an error if the run is over.
func (b *backOff) pause(n *Node) error {
	*b = backOff(min(max(2*time.Duration(*b), firstPause), longestPause))
	time.Sleep(time.Duration(*b))
	return n.over()
}

// call is Process.Call, with the error of Absence.
func (n *Node) call(to, operation int, request, answer []byte) (int, error) {
	return n.callFor(to, operation, request, answer, activity.On(activity.Answer, to))
}

// callFor is call for a reason that says more than that a thread waits for an answer.
func (n *Node) callFor(to, operation int, request, answer []byte, why activity.Reason) (int, error) {
	size, err := n.p.CallFor(to, operation, request, answer, why)
	n.count(to, len(request)+size)
	return size, n.p.Absence(to, err)
}

// shardTableBytes is the size of the table of shards in messages.
const shardTableBytes = 8 * address.Shards

// encode returns the table.
func (s *shards) encode() []byte {
	b := make([]byte, 0, shardTableBytes)
	for i := range s.table {
		b = binary.LittleEndian.AppendUint64(b, s.table[i].Load())
	}
	return b
}

// encodeMoved returns the table after the shards of a set have moved to a process.
func (s *shards) encodeMoved(set *shardSet, to int) []byte {
	b := make([]byte, 0, shardTableBytes)
	for shard, in := range set {
		x := s.table[shard].Load()
		if in {
			x = (x>>32+1)<<32 | uint64(uint32(to))
		}
		b = binary.LittleEndian.AppendUint64(b, x)
	}
	return b
}

// beginMove marks shards as moving. It fails if the process does not hold one of them, or another move is under way.
func (s *shards) beginMove(set *shardSet, holder int) error {
	for shard, in := range set {
		if !in {
			continue
		}
		if s.holder(shard) != holder || !s.moving[shard].CompareAndSwap(false, true) {
			for before := range shard {
				if set[before] {
					s.moving[before].Store(false)
				}
			}
			return fmt.Errorf("process %d does not hold the part %d of the directory", holder, shard)
		}
	}
	return nil
}

// endMove takes the marks of beginMove back.
func (s *shards) endMove(set *shardSet) {
	for shard, in := range set {
		if in {
			s.moving[shard].Store(false)
		}
	}
}

// decode notes what a table says.
func (s *shards) decode(b []byte) {
	for i := range s.table {
		x := binary.LittleEndian.Uint64(b[8*i:])
		s.set(i, int(uint32(x)), uint32(x>>32))
	}
}

// holders returns the holder of each shard.
func (s *shards) holders() []int {
	all := make([]int, len(s.table))
	for i := range all {
		all[i] = s.holder(i)
	}
	return all
}
