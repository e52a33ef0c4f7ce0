package node

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/goacp/goacp/internal/fabric"
	"github.com/goacp/goacp/internal/system/dmi/address"
)

// Requests about shards. Each begins with its kind.
const (
	shardMove  = iota // process, set of shards: the holder hands them over; the answer is the table
	shardPart         // records of shards, to the new holder
	shardOwn          // the table, as it is for the shards that the new holder has all records of
	shardTable        // holders and numbers of moves of all shards, to all processes
	shardAsk          // nothing: the answer has the table
)

// shardRequest sends a request about shards, and returns the answer.
func (n *Node) shardRequest(member int, kind byte, body []byte, size int) ([]byte, error) {
	reply := make([]byte, size)
	got, err := n.call(member, opShard, append([]byte{kind}, body...), reply)
	if err == nil && got != size {
		err = errMalformed
	}
	return reply, err
}

// shardSet is a set of shards.
type shardSet [address.Shards]bool

// shardSetBytes is the size of a set in messages.
const shardSetBytes = address.Shards / 8

// append appends the set.
func (s *shardSet) append(b []byte) []byte {
	var bits [shardSetBytes]byte
	for shard, in := range s {
		if in {
			bits[shard/8] |= 1 << (shard % 8)
		}
	}
	return append(b, bits[:]...)
}

// decodeShardSet decodes a set of shardSetBytes.
func decodeShardSet(b []byte) *shardSet {
	s := new(shardSet)
	for shard := range s {
		s[shard] = b[shard/8]&(1<<(shard%8)) != 0
	}
	return s
}

// Distribute lets some processes hold the shards, as many each as possible, and tells all processes of the run. Few shards move. One
// process calls it, one goroutine at a time. Blocks for some round trips for each pair of processes between which shards move, and until all
// processes know.
func (n *Node) Distribute(holders []int) error {
	if len(holders) == 0 {
		return errors.New("no process is to hold shards")
	}
	sets := map[[2]int]*shardSet{}
	for _, m := range plan(n.shards.holders(), holders) {
		way := [2]int{m.from, m.to}
		if sets[way] == nil {
			sets[way] = new(shardSet)
		}
		sets[way][m.shard] = true
	}
	for way, set := range sets {
		from, to := way[0], way[1]
		reply, err := n.shardRequest(from, shardMove, set.append(binary.LittleEndian.AppendUint32(nil, uint32(to))), shardTableBytes)
		if err != nil {
			return fmt.Errorf("moving a part of the directory from process %d to %d: %w", from, to, err)
		}
		n.shards.decode(reply)
	}
	return n.announceShards()
}

// announceShards tells all processes which process holds each shard.
func (n *Node) announceShards() error {
	table := n.shards.encode()
	for _, member := range n.p.Ranks.Members() {
		if member == n.self || !n.p.Present(member) {
			continue
		}
		if _, err := n.shardRequest(member, shardTable, table, 1); err != nil && !fabric.IsGone(err) {
			return err
		}
	}
	return nil
}

// Begin begins the use of global memory in a program of DMI. Process 0 tells which process holds each shard, which a process that has come
// later does not know. Blocks for a round trip.
func (n *Node) Begin() error {
	reply, err := n.shardRequest(0, shardAsk, nil, shardTableBytes)
	if err == nil {
		n.begun.Store(true)
		n.shards.decode(reply)
	}
	return err
}

// move is the move of a shard.
type move struct{ shard, from, to int }

// plan returns the fewest moves after which only the wanted processes hold shards, and none has two more than another one.
func plan(now []int, wanted []int) (moves []move) {
	held := map[int]int{}
	for _, holder := range now {
		held[holder]++
	}
	// Those that hold most keep one more, if the shards do not come out even.
	order := slices.Clone(wanted)
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(held[b], held[a]) })
	room := map[int]int{} // how many a process is to get; negative: to give
	for i, process := range order {
		room[process] = len(now)/len(wanted) - held[process]
		if i < len(now)%len(wanted) {
			room[process]++
		}
	}
	for shard, holder := range now {
		left, stays := room[holder]
		if stays && left >= 0 {
			continue
		}
		if stays {
			room[holder]++
		}
		for room[order[0]] <= 0 {
			order = order[1:]
		}
		room[order[0]]--
		moves = append(moves, move{shard, holder, order[0]})
	}
	return moves
}

// serveShard serves a request about shards.
func (n *Node) serveShard(r fabric.Request) (int, error) {
	if len(r.Body) == 0 {
		return 0, errMalformed
	}
	body := r.Body[1:]
	switch kind := r.Body[0]; {
	case kind == shardMove && len(body) == 4+shardSetBytes && len(r.Reply) == shardTableBytes:
		to, set := binary.LittleEndian.Uint32(body), decodeShardSet(body[4:])
		if to >= uint32(n.p.Ranks.Seats()) {
			return 0, errMalformed
		}
		done := r.Later.Defer()
		go func() {
			err := n.handOver(set, int(to))
			copy(r.Reply, n.shards.encode())
			done.Complete(shardTableBytes, err)
		}()
		return 0, nil
	case kind == shardPart && len(body)%shardRecordBytes == 0 && len(r.Reply) == 1:
		body = bytes.Clone(body)
		done := r.Later.Defer()
		go func() { done.Complete(1, n.takeRecords(body)) }()
		return 0, nil
	case kind == shardOwn && len(body) == shardTableBytes && len(r.Reply) == 1:
		n.shards.decode(body)
		return 1, nil
	case kind == shardTable && len(body) == shardTableBytes && len(r.Reply) == 1:
		n.shards.decode(body)
		return 1, nil
	case kind == shardAsk && len(r.Reply) == shardTableBytes:
		return copy(r.Reply, n.shards.encode()), nil
	}
	return 0, errMalformed
}

// handOver gives shards of this process to another one. Requests for them are answered again meanwhile, and with the new holder
// afterwards.
func (n *Node) handOver(set *shardSet, to int) error {
	if err := n.shards.beginMove(set, n.self); err != nil {
		return err
	}
	defer n.shards.endMove(set)
	pages := n.pageRecords(set)
	if err := n.sendRecords(to, append(n.registryRecords(set), pages...)); err != nil {
		return err
	}
	if _, err := n.shardRequest(to, shardOwn, n.shards.encodeMoved(set, to), 1); err != nil {
		return err
	}
	n.forgetShards(set)
	n.shards.decode(n.shards.encodeMoved(set, to))
	// Owners that have changed since the records were made have told this process, or are this process.
	return n.sendRecords(to, changed(n.pageRecords(set), pages))
}
