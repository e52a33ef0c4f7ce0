package node

import (
	"encoding/binary"
	"sync"

	"github.com/goacp/goacp/internal/fabric"
	"github.com/goacp/goacp/internal/system/dmi/address"
)

// Requests about spaces. Each has its kind and four numbers. Those of the first group go to the process that holds the shard.
const (
	spaceCreate   = iota // size, size of pages, 1 if by DMI_malloc, shard; the answer has the address
	spaceDescribe        // address; the answer has what the request to create has
	spaceEnd             // address

	spaceForget // address; from the holder of the shard to the processes that know the space
	spaceRoom   // nothing; the answer has the free bytes of the process
	spaceTake   // address, number of a page: the process takes it
)

const (
	spaceRequest = 1 + 4*8
	spaceAnswer  = 1 + 4*8 // the outcome, and numbers
)

// Outcomes of requests about spaces.
const (
	spaceNo    = iota
	spaceYes   // it has worked
	spaceAgain // the shard moves, or has moved: the answer has its holder and the number of its move
)

// askSpace sends a request about a space, and returns the outcome.
func (n *Node) askSpace(member int, kind byte, words [4]int64) (answer [4]int64, outcome byte, err error) {
	request := make([]byte, 1, spaceRequest)
	request[0] = kind
	for _, x := range words {
		request = binary.LittleEndian.AppendUint64(request, uint64(x))
	}
	reply := make([]byte, spaceAnswer)
	size, err := n.call(member, opSpace, request, reply)
	if err != nil {
		return answer, spaceNo, err
	}
	if size != spaceAnswer {
		return answer, spaceNo, errMalformed
	}
	return spaceWords(reply), reply[0], nil
}

// askHolder sends a request about a space to the process that holds a shard, and reports whether it has worked.
func (n *Node) askHolder(shard int, kind byte, words [4]int64) ([4]int64, bool, error) {
	var wait backOff
	for {
		answer, outcome, err := n.askSpace(n.shards.holder(shard), kind, words)
		switch {
		case fabric.IsGone(err): // the shard has moved before the process has left
		case err != nil || outcome != spaceAgain:
			return answer, outcome == spaceYes, err
		default:
			n.shards.set(shard, int(answer[0]), uint32(answer[1]))
		}
		if err := wait.pause(n); err != nil {
			return answer, false, err
		}
	}
}

// spaceWords returns the numbers of a request or an answer.
func spaceWords(b []byte) (words [4]int64) {
	for i := range words {
		words[i] = int64(binary.LittleEndian.Uint64(b[1+8*i:]))
	}
	return words
}

// flag returns 1 for a space of DMI_malloc.
func (d *description) flag() int64 {
	if d.malloced {
		return 1
	}
	return 0
}

// described returns the description with some numbers.
func described(size, pageSize, flag int64) description {
	return description{size, pageSize, flag == 1}
}

// valid reports whether a space can have the description.
func (d *description) valid() bool {
	return d.size >= 0 && d.size <= address.MaxSize && d.pageSize >= 1
}

// askDescription asks for a space.
func (n *Node) askDescription(base int64) (description, bool, error) {
	answer, ok, err := n.askHolder(address.Shard(base), spaceDescribe, [4]int64{base})
	d := described(answer[0], answer[1], answer[2])
	if ok && !d.valid() {
		return d, false, errMalformed
	}
	return d, ok, err
}

// tellEnd tells processes that a space has ended, and returns when they know. If the run is over, nothing is left to tell.
func (n *Node) tellEnd(base int64, known map[int]bool) {
	var all sync.WaitGroup
	for member := range known {
		if member != n.self {
			all.Go(func() { _, _, _ = n.askSpace(member, spaceForget, [4]int64{base}) })
		}
	}
	all.Wait()
}

// serveSpace serves a request about a space. What takes long runs on another goroutine.
func (n *Node) serveSpace(r fabric.Request) (int, error) {
	if len(r.Body) != spaceRequest || len(r.Reply) != spaceAnswer {
		return 0, errMalformed
	}
	kind, words := r.Body[0], spaceWords(r.Body)
	switch kind {
	case spaceCreate, spaceDescribe, spaceEnd, spaceRoom:
		if kind != spaceEnd {
			return answerSpace(r.Reply, n.spaceNow(kind, words, r.From)), nil
		}
	case spaceForget, spaceTake:
	default:
		return 0, errMalformed
	}
	done := r.Later.Defer()
	go func() { done.Complete(uint64(answerSpace(r.Reply, n.spaceLater(kind, words))), nil) }()
	return 0, nil
}

// spaceResult is the outcome of a request about a space, and its numbers.
type spaceResult struct {
	outcome byte
	words   [4]int64
}

// answerSpace writes an answer, and returns its size.
func answerSpace(reply []byte, x spaceResult) int {
	reply[0] = x.outcome
	for i, w := range x.words {
		binary.LittleEndian.PutUint64(reply[1+8*i:], uint64(w))
	}
	return spaceAnswer
}

// yesOr returns spaceYes or spaceNo with numbers.
func yesOr(ok bool, words ...int64) (x spaceResult) {
	copy(x.words[:], words)
	if ok {
		x.outcome = spaceYes
	}
	return x
}

// spaceNow carries out a request that takes no time.
func (n *Node) spaceNow(kind byte, words [4]int64, from int) spaceResult {
	if kind == spaceRoom {
		return yesOr(true, n.room())
	}
	n.mu.Lock() // a shard that begins to move does so before or after
	defer n.mu.Unlock()
	switch kind {
	case spaceCreate:
		d, shard := described(words[0], words[1], words[2]), words[3]
		if !d.valid() || shard < 0 || shard >= address.Shards {
			return yesOr(false)
		}
		if x, ok := n.elsewhere(int(shard)); ok {
			return x
		}
		base, ok := n.register(int(shard), d, from)
		return yesOr(ok, base)
	case spaceDescribe:
		if !isBase(words[0]) {
			return yesOr(false)
		}
		if x, ok := n.elsewhere(address.Shard(words[0])); ok {
			return x
		}
		d, ok := n.describe(words[0], from)
		return yesOr(ok, d.size, d.pageSize, d.flag())
	}
	return yesOr(false)
}

// spaceLater carries out a request that may wait for other processes.
func (n *Node) spaceLater(kind byte, words [4]int64) spaceResult {
	switch kind {
	case spaceForget:
		n.forget(words[0])
		return yesOr(true)
	case spaceTake:
		return yesOr(n.takeOver(words[0], words[1]))
	}
	if !isBase(words[0]) {
		return yesOr(false)
	}
	return n.unregister(words[0])
}

// isBase reports whether a space can begin at an address.
func isBase(addr int64) bool {
	_, offset, ok := address.Split(addr)
	return ok && offset == 0
}

// elsewhere returns the answer to a request about a shard that this process does not hold, or that moves.
func (n *Node) elsewhere(shard int) (spaceResult, bool) {
	holder, move := n.shards.at(shard)
	if holder == n.self && !n.shards.isMoving(shard) {
		return spaceResult{}, false
	}
	return spaceResult{spaceAgain, [4]int64{int64(holder), int64(move)}}, true
}
