package hashedtest

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/goacp/goacp/internal/structure/hashed"
)

// History holds the operations of clients on two structures A and B, which were empty before.
type History struct {
	Kind   hashed.Kind
	Shapes [2]Shape
	Keys   int // they are numbered from 0
	Events []Event
}

// maxClients bounds the clients of a history.
const maxClients = 16

// Check returns an error that describes the first key whose history is not linearizable.
func (h *History) Check() error {
	for key := range h.Keys {
		if err := h.checkKey(key); err != nil {
			return fmt.Errorf("key %d: %w", key, err)
		}
	}
	return nil
}

// content is the state of one key in A and B: its multiplicity, or its value in a map, which is not 0. In a
// set it is 1. 0 means absent.
type content [2]uint64

// point is a state of a search: how many events of each client have taken effect, and the resulting content.
type point struct {
	done [maxClients]int32
	has  content
}

// search looks for an order of the events of one key.
type search struct {
	h       *History
	key     int
	clients [maxClients][]Event
	failed  map[point]bool // points from which no order of the remaining events is possible
	best    point          // the one with most events
	most    int
}

func (h *History) checkKey(key int) error {
	s := search{h: h, key: key, failed: make(map[point]bool)}
	for _, e := range h.Events {
		if e.Client < 0 || e.Client >= maxClients {
			return fmt.Errorf("client %d of at most %d", e.Client, maxClients)
		}
		if e.Op.Whole() || e.Key == key {
			s.clients[e.Client] = append(s.clients[e.Client], e)
		}
	}
	for _, list := range s.clients {
		slices.SortStableFunc(list, func(a, b Event) int { return cmp.Compare(a.Begin, b.Begin) })
	}
	if !s.goOn(point{}, 0) {
		return s.failure()
	}
	return nil
}

// goOn reports whether there is an order for the events behind p. n events are before p.
func (s *search) goOn(p point, n int) bool {
	if s.failed[p] {
		return false
	}
	if n > s.most {
		s.best, s.most = p, n
	}
	end, first := true, int64(1<<63-1) // first is when the first of the next events has ended
	for i, list := range s.clients {
		if rest := list[p.done[i]:]; len(rest) > 0 {
			end, first = false, min(first, rest[0].End)
		}
	}
	if end {
		return true
	}
	for i, list := range s.clients {
		rest := list[p.done[i]:]
		if len(rest) == 0 || rest[0].Begin > first {
			continue
		}
		next := p
		var ok bool
		if next.has, ok = s.apply(p.has, &rest[0]); !ok {
			continue
		}
		next.done[i]++
		if s.goOn(next, n+1) {
			return true
		}
	}
	s.failed[p] = true
	return false
}

// apply returns the content after an event on has. ok is true if has explains the result of the event.
func (s *search) apply(has content, e *Event) (left content, ok bool) {
	if e.Op.Whole() {
		return s.applyWhole(has, e)
	}
	left = has
	own := has[e.On]
	there := uint64(0)
	if own != 0 {
		there = 1
	}
	ok = e.Blind
	switch e.Op {
	case Insert:
		ok = ok || e.Result == 1-there
		switch {
		case s.h.Kind == hashed.Multiset:
			left[e.On]++
		case own == 0:
			left[e.On] = max(e.Arg, 1)
		}
	case Store:
		ok = ok || e.Result == 1-there
		left[e.On] = e.Arg
	case Remove, RemoveAll:
		ok = ok || e.Result == there
		if left[e.On] = 0; s.h.Kind == hashed.Multiset && e.Op == Remove && own != 0 {
			left[e.On] = own - 1
		}
	case Find:
		ok = ok || e.Result == there
	case Load:
		ok = ok || e.Result == own
	}
	return left, ok
}

func (s *search) applyWhole(has content, e *Event) (left content, ok bool) {
	left = has
	own, other := &left[e.On], &left[1-e.On]
	from := e.On // the structure whose local part a local operation is on
	if e.Op == Assign || e.Op == Merge || e.Op == Move {
		from = 1 - e.On
	}
	here := !e.Local || s.h.Shapes[from].rankOf(s.key) == e.Client
	switch {
	case e.Op == Size:
		return left, s.h.Keys > 1 || e.Result == min(*own, 1) || !here && e.Result == 0
	case e.Op == Assign && !here:
		*own = 0
	case !here:
	case e.Op == Clear:
		*own = 0
	case e.Op == Assign:
		*own = *other
	case e.Op == Swap:
		*own, *other = *other, *own
	default:
		if s.h.Kind == hashed.Multiset {
			*own += *other
		} else if *own == 0 {
			*own = *other
		}
		if e.Op == Move {
			*other = 0
		}
	}
	return left, true
}

// failure describes how far the search has come.
func (s *search) failure() error {
	var b strings.Builder
	fmt.Fprintf(&b, "no order explains the results; after %d events A has %d and B has %d, and no next event fits:", s.most, s.best.has[0], s.best.has[1])
	for i, list := range s.clients {
		done := int(s.best.done[i])
		for k := max(done-3, 0); k < min(done+2, len(list)); k++ {
			if k == done {
				b.WriteString("\n  next:")
			}
			fmt.Fprintf(&b, "\n  %v", &list[k])
		}
	}
	return fmt.Errorf("%s", b.String())
}
