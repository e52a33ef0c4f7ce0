package named

import (
	"bytes"
	"slices"
	"sync"

	"github.com/goacp/goacp/internal/fabric"
	"github.com/goacp/goacp/internal/network/am"
)

// store has the values that one process owns. Its methods may be called by several goroutines at
// once, and do not block.
type store struct {
	mu      sync.Mutex
	entries map[string]*entry
}

// entry is the value of a name, with the requests that wait for it.
type entry struct {
	version uint64 // of the value; 0: there is none
	value   []byte
	waiting []waiter
}

// waiter is a process that waits for a version.
type waiter struct {
	from    int
	id      uint64
	version uint64
	reply   []byte
	done    fabric.Completion
}

// serve returns a function that decodes requests and carries them out by f.
func (s *store) serve(f func(r *request, of *entry, asked *fabric.Request) int) func(fabric.Request) (int, error) {
	return func(asked fabric.Request) (int, error) {
		r, err := decodeRequest(asked.Body)
		if err != nil {
			return 0, err
		}
		if len(asked.Reply) < answerHead {
			return 0, am.ErrMalformed
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		of := s.entries[r.name]
		if of == nil {
			of = new(entry)
		}
		n := f(&r, of, &asked)
		if of.version == 0 && len(of.waiting) == 0 {
			delete(s.entries, r.name)
			return n, nil
		}
		if s.entries == nil {
			s.entries = make(map[string]*entry)
		}
		s.entries[r.name] = of
		return n, nil
	}
}

// put replaces the value, and answers the requests that have waited for the new version.
func put(r *request, of *entry, asked *fabric.Request) int {
	of.version++
	of.value = bytes.Clone(r.value)
	left := of.waiting[:0]
	for _, w := range of.waiting {
		if w.version > of.version {
			left = append(left, w)
			continue
		}
		w.done.Complete(uint64(answer(w.reply, of.version, of.value)), nil)
	}
	clear(of.waiting[len(left):])
	of.waiting = left
	return answer(asked.Reply, of.version, nil)
}

// get answers with the value.
func get(_ *request, of *entry, asked *fabric.Request) int {
	return answer(asked.Reply, of.version, of.value)
}

// await answers with the value when it has the version.
func await(r *request, of *entry, asked *fabric.Request) int {
	if of.version >= max(r.number, 1) {
		return answer(asked.Reply, of.version, of.value)
	}
	of.waiting = append(of.waiting, waiter{asked.From, r.id, max(r.number, 1), asked.Reply, asked.Later.Defer()})
	return 0
}

// giveUp answers a wait of the requesting process, unless the wait has its answer already.
func giveUp(r *request, of *entry, asked *fabric.Request) int {
	for i, w := range of.waiting {
		if w.from == asked.From && w.id == r.number {
			of.waiting = append(of.waiting[:i], of.waiting[i+1:]...)
			w.done.Complete(uint64(answer(w.reply, 0, nil)), nil)
			break
		}
	}
	return answer(asked.Reply, 0, nil)
}

// gone drops the requests of a process, which gets no answers any more.
func (s *store) gone(from int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for name, of := range s.entries {
		of.waiting = slices.DeleteFunc(of.waiting, func(w waiter) bool {
			if w.from == from {
				w.done.Complete(uint64(answer(w.reply, 0, nil)), nil)
			}
			return w.from == from
		})
		if of.version == 0 && len(of.waiting) == 0 {
			delete(s.entries, name)
		}
	}
}

// forget drops all values, and answers all waiting requests.
func (s *store) forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, of := range s.entries {
		for _, w := range of.waiting {
			w.done.Complete(uint64(answer(w.reply, 0, nil)), nil)
		}
	}
	clear(s.entries)
}
