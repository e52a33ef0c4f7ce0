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
	shardMove  = iota // shard, process: the holder hands the shard over; the answer has the number of the move
	shardPart         // records of a shard, to the new holder
	shardOwn          // shard, number of the move: the new holder has all records
	shardTable        // holders and numbers of moves of all shards, to all processes
	shardAsk          // nothing: the answer has the table
)

// shardRecord is one fact of a shard. A message has many.
type shardRecord struct {
	kind  byte
	words [7]int64
}

// Kinds of records.
const (
	recordSpace  = iota // address, size, size of pages, 1 if by DMI_malloc
	recordKnown         // address of a space of the shard, process that knows it
	recordNumber        // shard, class, number of the next space
	recordPage          // address of its space, number, owner, generation, and size, size of pages and flag of the space
)

const shardRecordBytes = 1 + 7*8

func (r *shardRecord) append(b []byte) []byte {
	b = append(b, r.kind)
	for _, w := range r.words {
		b = binary.LittleEndian.AppendUint64(b, uint64(w))
	}
	return b
}

// decodeShardRecord decodes the record at the beginning of b, which is long enough.
func decodeShardRecord(b []byte) (r shardRecord) {
	r.kind = b[0]
	for i := range r.words {
		r.words[i] = int64(binary.LittleEndian.Uint64(b[1+8*i:]))
	}
	return r
}

// shardRequest sends a request about shards, and returns the answer.
func (n *Node) shardRequest(member int, kind byte, body []byte, size int) ([]byte, error) {
	reply := make([]byte, size)
	got, err := n.call(member, opShard, append([]byte{kind}, body...), reply)
	if err == nil && got != size {
		err = errMalformed
	}
	return reply, err
}

// twoNumbers encodes two numbers.
func twoNumbers(a, b int) []byte {
	return binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(nil, uint32(a)), uint32(b))
}

// Distribute lets some processes hold the shards, as many each as possible, and tells all processes of the run. Few shards move. One
// process calls it, one goroutine at a time. Blocks until all processes know.
func (n *Node) Distribute(holders []int) error {
	if len(holders) == 0 {
		return errors.New("no process is to hold shards")
	}
	for _, m := range plan(n.shards.holders(), holders) {
		reply, err := n.shardRequest(m.from, shardMove, twoNumbers(m.shard, m.to), 4)
		if err != nil {
			return fmt.Errorf("moving a part of the directory from process %d to %d: %w", m.from, m.to, err)
		}
		n.shards.set(m.shard, m.to, binary.LittleEndian.Uint32(reply))
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
		if _, err := n.shardRequest(member, shardTable, table, 1); err != nil && !isGone(err) {
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
	case kind == shardMove && len(body) == 8 && len(r.Reply) == 4:
		shard, to := binary.LittleEndian.Uint32(body), binary.LittleEndian.Uint32(body[4:])
		if shard >= address.Shards || to >= uint32(n.p.Ranks.Seats()) {
			return 0, errMalformed
		}
		done := r.Later.Defer()
		go func() {
			move, err := n.handOver(int(shard), int(to))
			binary.LittleEndian.PutUint32(r.Reply, move)
			done.Complete(4, err)
		}()
		return 0, nil
	case kind == shardPart && len(body)%shardRecordBytes == 0 && len(r.Reply) == 1:
		body = bytes.Clone(body)
		done := r.Later.Defer()
		go func() { done.Complete(1, n.takeRecords(body)) }()
		return 0, nil
	case kind == shardOwn && len(body) == 8 && len(r.Reply) == 1:
		shard := binary.LittleEndian.Uint32(body)
		if shard >= address.Shards {
			return 0, errMalformed
		}
		n.shards.set(int(shard), n.self, binary.LittleEndian.Uint32(body[4:]))
		return 1, nil
	case kind == shardTable && len(body) == shardTableBytes && len(r.Reply) == 1:
		n.shards.decode(body)
		return 1, nil
	case kind == shardAsk && len(r.Reply) == shardTableBytes:
		return copy(r.Reply, n.shards.encode()), nil
	}
	return 0, errMalformed
}

// handOver gives a shard of this process to another one, and returns the number of the move. Requests for the shard are answered again
// meanwhile, and with the new holder afterwards.
func (n *Node) handOver(shard, to int) (uint32, error) {
	holder, last := n.shards.at(shard)
	if holder != n.self || !n.shards.moving[shard].CompareAndSwap(false, true) {
		return 0, fmt.Errorf("process %d does not hold the part %d of the directory", n.self, shard)
	}
	defer n.shards.moving[shard].Store(false)
	pages := n.pageRecords(shard)
	if err := n.sendRecords(to, append(n.registryRecords(shard), pages...)); err != nil {
		return 0, err
	}
	if _, err := n.shardRequest(to, shardOwn, twoNumbers(shard, int(last+1)), 1); err != nil {
		return 0, err
	}
	n.forgetShard(shard)
	n.shards.set(shard, to, last+1)
	// Owners that have changed since the records were made have told this process, or are this process.
	return last + 1, n.sendRecords(to, changed(n.pageRecords(shard), pages))
}

// sendRecords sends records of a shard to its new holder.
func (n *Node) sendRecords(to int, records []shardRecord) error {
	var message []byte
	for i, r := range records {
		message = r.append(message)
		if len(message) < smallMax && i < len(records)-1 {
			continue
		}
		if _, err := n.shardRequest(to, shardPart, message, 1); err != nil {
			return err
		}
		message = message[:0]
	}
	return nil
}

// changed returns the records that others do not have.
func changed(records, others []shardRecord) []shardRecord {
	known := make(map[shardRecord]bool, len(others))
	for _, r := range others {
		known[r] = true
	}
	return slices.DeleteFunc(records, func(r shardRecord) bool { return known[r] })
}

// registryRecords returns what this process knows of the spaces of a shard.
func (n *Node) registryRecords(shard int) (all []shardRecord) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for base, r := range n.registry {
		if address.Shard(base) != shard {
			continue
		}
		all = append(all, shardRecord{recordSpace, [7]int64{base, r.size, r.pageSize, r.flag()}})
		for process := range r.known {
			all = append(all, shardRecord{recordKnown, [7]int64{base, int64(process)}})
		}
	}
	for class, number := range n.numbers[shard] {
		all = append(all, shardRecord{recordNumber, [7]int64{int64(shard), int64(class), int64(number)}})
	}
	return all
}

// pageRecords returns the owners of the pages whose home is in a shard.
func (n *Node) pageRecords(shard int) (all []shardRecord) {
	n.spaces.Range(func(_, x any) bool {
		s := x.(*space)
		s.pages.Range(func(_, x any) bool {
			e := x.(*entry)
			if e.shard() != shard {
				return true
			}
			e.mu.RLock()
			defer e.mu.RUnlock()
			if e.owner != unknown {
				all = append(all, shardRecord{recordPage, [7]int64{s.base, e.page, int64(e.owner), int64(e.generation), s.size, s.pageSize, s.flag()}})
			}
			return true
		})
		return true
	})
	return all
}

// forgetShard forgets the spaces of a shard that another process holds now.
func (n *Node) forgetShard(shard int) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for base := range n.registry {
		if address.Shard(base) == shard {
			delete(n.registry, base)
		}
	}
	n.numbers[shard] = nil
}

// takeRecords takes the records of a shard that this process is to hold.
func (n *Node) takeRecords(b []byte) error {
	for ; len(b) > 0; b = b[shardRecordBytes:] {
		r := decodeShardRecord(b)
		if err := n.takeRecordOf(&r); err != nil {
			return err
		}
	}
	return nil
}

// takeRecordOf takes one record of a shard.
func (n *Node) takeRecordOf(r *shardRecord) error {
	w := r.words
	if r.kind == recordPage {
		return n.takePage(w)
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	switch r.kind {
	case recordSpace:
		n.registry[w[0]] = &registered{described(w[1], w[2], w[3]), make(map[int]bool)}
	case recordKnown:
		if space := n.registry[w[0]]; space != nil {
			space.known[int(w[1])] = true
		}
	case recordNumber:
		if w[0] < 0 || w[0] >= address.Shards {
			return errMalformed
		}
		if n.numbers[w[0]] == nil {
			n.numbers[w[0]] = make(map[uint]uint64)
		}
		n.numbers[w[0]][uint(w[1])] = uint64(w[2])
	default:
		return errMalformed
	}
	return nil
}

// takePage takes the owner of a page whose home this process is about to be.
func (n *Node) takePage(w [7]int64) error {
	base, number, d := w[0], w[1], described(w[4], w[5], w[6])
	s := &space{description: d, base: base}
	if !d.valid() || !isBase(base) || number < 0 || number >= s.count() {
		return errMalformed
	}
	x, loaded := n.spaces.LoadOrStore(base, s)
	x.(*space).entry(number).learn(int(w[2]), uint64(w[3]))
	if !loaded {
		go n.confirm(base)
	}
	return nil
}

// confirm asks for a space that this process knows from another home. So the holder of its shard notes this process, and tells it when the space ends.
func (n *Node) confirm(base int64) {
	if _, ok, err := n.askDescription(base); err == nil && !ok {
		n.forget(base)
	}
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
