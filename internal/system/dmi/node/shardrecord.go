package node

import (
	"encoding/binary"
	"slices"

	"github.com/goacp/goacp/internal/system/dmi/address"
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
	recordPage          // address of its space, number, owner or unknown, generation, and size, size of pages and flag of the space
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

// sendRecords sends records of shards to their new holder.
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

// registryRecords returns what this process knows of the spaces of shards.
func (n *Node) registryRecords(set *shardSet) (all []shardRecord) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for base, r := range n.registry {
		if !set[address.Shard(base)] {
			continue
		}
		all = append(all, shardRecord{recordSpace, [7]int64{base, r.size, r.pageSize, r.flag()}})
		for process := range r.known {
			all = append(all, shardRecord{recordKnown, [7]int64{base, int64(process)}})
		}
	}
	for shard, in := range set {
		if !in {
			continue
		}
		for class, number := range n.numbers[shard] {
			all = append(all, shardRecord{recordNumber, [7]int64{int64(shard), int64(class), int64(number)}})
		}
	}
	return all
}

// pageRecords returns the owners of the pages whose homes are in shards.
func (n *Node) pageRecords(set *shardSet) (all []shardRecord) {
	n.spaces.Range(func(_, x any) bool {
		s := x.(*space)
		s.pages.Range(func(_, x any) bool {
			e := x.(*entry)
			if !set[e.shard()] {
				return true
			}
			e.mu.RLock()
			defer e.mu.RUnlock()
			if e.generation > 0 { // also if the owner has left, and the next one is not known yet
				all = append(all, shardRecord{recordPage, [7]int64{s.base, e.page, int64(e.owner), int64(e.generation), s.size, s.pageSize, s.flag()}})
			}
			return true
		})
		return true
	})
	return all
}

// forgetShards forgets the spaces of shards that another process holds now.
func (n *Node) forgetShards(set *shardSet) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for base := range n.registry {
		if set[address.Shard(base)] {
			delete(n.registry, base)
		}
	}
	for shard, in := range set {
		if in {
			n.numbers[shard] = nil
		}
	}
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
		d := described(w[1], w[2], w[3])
		if !isBase(w[0]) || !d.valid() {
			return errMalformed
		}
		n.registry[w[0]] = &registered{d, make(map[int]bool)}
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
