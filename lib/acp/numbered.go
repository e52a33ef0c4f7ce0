//go:build cgo

package libacp

import "sync"

// numbered has the objects that a C program names by numbers: those that add gives out, or addresses. The program may
// pass any number. The zero value has none.
type numbered[N ~uint32 | ~uint64 | ~uintptr, T any] struct {
	mu   sync.RWMutex
	last N // that add has given out
	all  map[N]T
}

// add returns a new number for x. It is not 0. No object has had it, unless all numbers of the type have been used.
func (n *numbered[N, T]) add(x T) N {
	n.mu.Lock()
	defer n.mu.Unlock()
	for taken := true; taken || n.last == 0; _, taken = n.all[n.last] {
		n.last++
	}
	n.enter(n.last, x)
	return n.last
}

// set enters x under a number of the caller's.
func (n *numbered[N, T]) set(number N, x T) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.enter(number, x)
}

// enter is set for a caller that holds the lock.
func (n *numbered[N, T]) enter(number N, x T) {
	if n.all == nil {
		n.all = make(map[N]T)
	}
	n.all[number] = x
}

// replace enters after in place of before under a number, and reports whether it has: not if another object has the number by now, or none.
func replace[N ~uint32 | ~uint64 | ~uintptr, T comparable](n *numbered[N, T], number N, before, after T) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	if now, found := n.all[number]; !found || now != before {
		return false
	}
	n.all[number] = after
	return true
}

// find returns the object with a number.
func (n *numbered[N, T]) find(number N) (x T, found bool) {
	n.mu.RLock()
	defer n.mu.RUnlock()
	x, found = n.all[number]
	return x, found
}

// existing is find. Fails with missing if there is no object.
func (n *numbered[N, T]) existing(number N, missing error) (T, error) {
	x, found := n.find(number)
	if !found {
		return x, missing
	}
	return x, nil
}

// drop takes out the object with a number, and returns it.
func (n *numbered[N, T]) drop(number N) (x T, found bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	x, found = n.all[number]
	delete(n.all, number)
	return x, found
}

// clear takes out all objects, and returns them.
func (n *numbered[N, T]) clear() map[N]T {
	n.mu.Lock()
	defer n.mu.Unlock()
	all := n.all
	n.all = nil
	return all
}
