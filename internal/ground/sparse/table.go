// Package sparse has tables with an entry for each member of a run. A process uses few members of a
// large run, so most entries are never set and take no memory.
package sparse

import (
	"iter"
	"sync/atomic"
)

// perBlock is the number of entries of a block. A block takes some 500 bytes, a table without blocks
// 8 bytes for as many entries.
const perBlock = 64

// Table has a pointer for each number from 0 to a size. Its methods may be called by several
// goroutines at once. None blocks.
type Table[T any] struct {
	blocks []atomic.Pointer[block[T]]
	size   int
}

type block[T any] [perBlock]atomic.Pointer[T]

// New returns a table for the numbers below size. All pointers are nil.
func New[T any](size int) *Table[T] {
	return &Table[T]{blocks: make([]atomic.Pointer[block[T]], (size+perBlock-1)/perBlock), size: size}
}

// Size returns the size with which the table was made.
func (t *Table[T]) Size() int { return t.size }

// Load returns the pointer of i, 0 ≤ i < Size.
func (t *Table[T]) Load(i int) *T {
	if b := t.blocks[i/perBlock].Load(); b != nil {
		return b[i%perBlock].Load()
	}
	return nil
}

// Store sets the pointer of i, 0 ≤ i < Size.
func (t *Table[T]) Store(i int, p *T) {
	at := &t.blocks[i/perBlock]
	b := at.Load()
	if b == nil {
		b = new(block[T])
		if !at.CompareAndSwap(nil, b) {
			b = at.Load() // another goroutine was faster; a block stays
		}
	}
	b[i%perBlock].Store(p)
}

// All returns the pointers that are not nil, in the order of their numbers. The caller may change the
// table meanwhile.
func (t *Table[T]) All() iter.Seq2[int, *T] {
	return func(yield func(int, *T) bool) {
		for n := range t.blocks {
			b := t.blocks[n].Load()
			if b == nil {
				continue
			}
			for k := range b {
				if p := b[k].Load(); p != nil && !yield(n*perBlock+k, p) {
					return
				}
			}
		}
	}
}

// Clear sets all pointers to nil.
func (t *Table[T]) Clear() {
	for i := range t.All() {
		t.Store(i, nil)
	}
}
