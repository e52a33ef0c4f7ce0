//go:build cgo

package main

// #include <stdint.h>
import "C"

import "sync"

// numbered is what a C program knows by number. Numbers are not used again.
type numbered[T any] struct {
	mu       sync.RWMutex
	last     uintptr
	byNumber map[uintptr]T
}

// add returns the number of x from now on.
func (n *numbered[T]) add(x T) C.uintptr_t {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.byNumber == nil {
		n.byNumber = make(map[uintptr]T)
	}
	n.last++
	n.byNumber[n.last] = x
	return C.uintptr_t(n.last)
}

// find returns what has a number. The program may pass any number.
func (n *numbered[T]) find(number C.uintptr_t) (x T, found bool) {
	n.mu.RLock()
	defer n.mu.RUnlock()
	x, found = n.byNumber[uintptr(number)]
	return x, found
}

// drop takes a number back.
func (n *numbered[T]) drop(number C.uintptr_t) {
	n.mu.Lock()
	defer n.mu.Unlock()
	delete(n.byNumber, uintptr(number))
}

// dropAll takes all numbers back.
func (n *numbered[T]) dropAll() {
	n.mu.Lock()
	defer n.mu.Unlock()
	clear(n.byNumber)
}
