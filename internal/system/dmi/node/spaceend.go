package node

import (
	"encoding/binary"
	"errors"
	"sync"

	"github.com/goacp/goacp/internal/fabric"
)

// Requests about spaces. Each has its kind and three numbers.
const (
	spaceCreate   = iota // size, size of pages, 1 if by DMI_malloc; the answer has the address
	spaceDescribe        // address; the answer has what the request to create has
	spaceEnd             // address; to the process that holds the shard
	spaceForget          // address; from there to the processes that know the space
	spaceRoom            // nothing; the answer has the free bytes of the process
	spaceTake            // address, number of a page: the process takes it
)

const (
	spaceRequest = 1 + 3*8
	spaceAnswer  = 1 + 3*8 // whether it has worked, and numbers
)

// askSpace sends a request about a space. It reports whether the other process could follow it.
func (n *Node) askSpace(member int, kind byte, words [3]int64) (answer [3]int64, ok bool, err error) {
	request := make([]byte, 1, spaceRequest)
	request[0] = kind
	for _, x := range words {
		request = binary.LittleEndian.AppendUint64(request, uint64(x))
	}
	reply := make([]byte, spaceAnswer)
	size, err := n.p.Call(member, opSpace, request, reply)
	if err != nil {
		return answer, false, err
	}
	if size != spaceAnswer {
		return answer, false, errMalformed
	}
	return spaceWords(reply), reply[0] == 1, nil
}

// spaceWords returns the numbers of a request or an answer.
func spaceWords(b []byte) (words [3]int64) {
	for i := range words {
		words[i] = int64(binary.LittleEndian.Uint64(b[1+8*i:]))
	}
	return words
}

// words returns the numbers of a description.
func (d *description) words() [3]int64 {
	w := [3]int64{d.size, d.pageSize, 0}
	if d.malloced {
		w[2] = 1
	}
	return w
}

// described returns the description with some numbers.
func described(w [3]int64) description { return description{w[0], w[1], w[2] == 1} }

// askCreate makes a space in a shard of another process.
func (n *Node) askCreate(d description) (int64, error) {
	answer, ok, err := n.askSpace(n.shards.holder(0), spaceCreate, d.words())
	if err == nil && !ok {
		err = sizeError(d.pageSize, d.size/d.pageSize)
	}
	return answer[0], err
}

// askDescription asks for a space of a shard of another process.
func (n *Node) askDescription(holder int, base int64) (description, bool, error) {
	answer, ok, err := n.askSpace(holder, spaceDescribe, [3]int64{base})
	d := described(answer)
	if ok && (d.size < 0 || d.pageSize < 1) {
		return d, false, errMalformed
	}
	return d, ok, err
}

// askEnd ends a space of a shard of another process.
func (n *Node) askEnd(holder int, base int64) error {
	_, ok, err := n.askSpace(holder, spaceEnd, [3]int64{base})
	if err == nil && !ok {
		err = spaceError(base)
	}
	return err
}

// tellEnd tells processes that a space has ended, and returns when they know.
func (n *Node) tellEnd(base int64, known map[int]bool) error {
	var all sync.WaitGroup
	var mu sync.Mutex
	var errs []error
	for member := range known {
		if member == n.self {
			continue
		}
		all.Go(func() {
			if _, _, err := n.askSpace(member, spaceForget, [3]int64{base}); err != nil && !errors.Is(err, fabric.ErrMemberGone) {
				mu.Lock()
				defer mu.Unlock()
				errs = append(errs, err)
			}
		})
	}
	all.Wait()
	return errors.Join(errs...)
}

// serveSpace serves a request about a space. What takes long runs on another goroutine.
func (n *Node) serveSpace(r fabric.Request) (int, error) {
	if len(r.Body) != spaceRequest || len(r.Reply) != spaceAnswer {
		return 0, errMalformed
	}
	kind, words := r.Body[0], spaceWords(r.Body)
	answer := func(ok bool, words [3]int64) {
		r.Reply[0] = 0
		if ok {
			r.Reply[0] = 1
		}
		for i, x := range words {
			binary.LittleEndian.PutUint64(r.Reply[1+8*i:], uint64(x))
		}
	}
	switch kind {
	case spaceCreate:
		base, err := n.createFor(r.From, words)
		answer(err == nil, [3]int64{base})
	case spaceDescribe:
		d, ok := n.describe(words[0], r.From)
		answer(ok, d.words())
	case spaceRoom:
		answer(true, [3]int64{n.room()})
	case spaceEnd, spaceForget, spaceTake:
		done := r.Later.Defer()
		go func() {
			ok := true
			switch kind {
			case spaceForget:
				n.forget(words[0])
			case spaceEnd:
				ok = n.unregister(words[0]) == nil
			case spaceTake:
				ok = n.takeOver(words[0], words[1])
			}
			answer(ok, [3]int64{})
			done.Complete(spaceAnswer, nil)
		}()
		return 0, nil
	default:
		return 0, errMalformed
	}
	return spaceAnswer, nil
}

// createFor makes a space for another process.
func (n *Node) createFor(member int, words [3]int64) (int64, error) {
	d := described(words)
	if d.size < 0 || d.pageSize < 1 {
		return 0, errMalformed
	}
	for shard := range n.shards {
		if n.shards.holder(shard) == n.self {
			return n.register(shard, d, member)
		}
	}
	return 0, errMalformed
}

// forget ends a space in this process, and gives back the memory of its pages.
func (n *Node) forget(base int64) {
	n.mu.Lock()
	if l := n.learning[base]; l != nil {
		l.ended = true
	}
	n.mu.Unlock()
	x, ok := n.spaces.LoadAndDelete(base)
	if !ok {
		return
	}
	s := x.(*space)
	s.ended.Store(true)
	s.pages.Range(func(_, e any) bool {
		n.drop(e.(*entry))
		return true
	})
}

// drop ends a page with its space.
func (n *Node) drop(e *entry) {
	var o outbox
	e.mu.Lock()
	if own := e.own; own != nil {
		n.disown(e)
		for _, p := range own.pending {
			if !p.lent {
				n.conclude(&o, e, p, noSpace, answer{}, 0)
			}
		}
		if own.loans == 0 {
			n.free(&own.block) // otherwise the last loan frees it
		}
		n.returnRecord(own.record)
	}
	if e.copy.Present() {
		e.copy.Drop()
		n.free(&e.block)
	}
	n.pool.remove(e)
	for _, p := range e.early {
		n.conclude(&o, e, p, noSpace, answer{}, 0)
	}
	for _, w := range e.watchers {
		o.add(func() { w.Complete(0, spaceError(e.space.base)) })
	}
	e.early, e.watchers = nil, nil
	e.mu.Unlock()
	o.flush()
}

// disown takes a page from this process. The caller holds the lock of the entry.
func (n *Node) disown(e *entry) {
	lock := &e.own.near.record.lock
	if lock.Lock(n.over) == nil {
		defer lock.Unlock()
	}
	e.own.near.record.generation++
	e.own = nil
	e.near.Store(nil)
}
