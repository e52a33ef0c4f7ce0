package message

import (
	"context"

	"github.com/goacp/goacp/internal/structure/collarea"
	"github.com/goacp/goacp/internal/structure/reduction"
)

const (
	// reducePiece is how much of an array goes in one message, which never waits for the
	// receiver.
	reducePiece = eagerMax

	// reduceWindow is how many pieces are on their way to one process at a time. Its ring has
	// room for two windows.
	reduceWindow = 3
)

// Reduce combines the arrays b of all processes of the team, and stores the result in b on all of
// them. All pass the same length, a multiple of 8 bytes or of the elements. b is not on the stack.
// The result depends on the arrays and the size of the team alone, down to the last bit. Fails
// with ErrUnequal, and if the run is over.
func (h *Engine) Reduce(t *Team, b []byte, f reduction.Functions) error {
	if f.Prepare != nil {
		f.Prepare(b)
	}
	steps := t.exchanges()
	if len(steps) == 0 || len(b) == 0 {
		return nil
	}
	near := func(shared *collarea.Area) error { return shared.Combine(b, f.Combine) }
	return h.together(t, near, func() error { return h.combine(t, b, steps, f.Combine) })
}

// combine is Reduce by messages.
func (h *Engine) combine(t *Team, b []byte, steps []step, f reduction.Function) error {
	const window = reduceWindow * reducePiece
	for at := 0; at < len(b); at += window {
		part := b[at:min(at+window, len(b))]
		for i := range steps {
			if err := h.exchange(t, part, &steps[i], f); err != nil {
				return err
			}
		}
	}
	return nil
}

// exchange takes one step of a reduction.
func (h *Engine) exchange(t *Team, b []byte, s *step, f reduction.Function) error {
	l := t.label(tagReduce)
	for at := 0; at < len(b); at += reducePiece {
		piece := b[at:min(at+reducePiece, len(b))]
		for _, rank := range s.to {
			if _, err := h.post(l, t.Members[rank], piece, Buffered); err != nil {
				return err
			}
		}
	}
	for at := 0; at < len(b); at += reducePiece {
		x := target{ctx: context.Background(), b: b[at:min(at+reducePiece, len(b))], combine: f, left: s.left}
		if _, err := h.receive(l, t.Members[s.from], &x); err != nil {
			return err
		}
	}
	return nil
}

// step is one step of a reduction: a process sends what it has to some ranks, and combines it with
// what it gets from one.
type step struct {
	level int // both sides have blocks of 2^level ranks at most
	to    []int
	from  int
	left  bool // what the process has precedes what it gets
}

// exchanges returns the steps of a rank in a reduction over size ranks. In step k each block of
// 2^k ranks, whose processes all have the result of the block, is joined with its neighbour. The
// last block may be shorter. Then each of its processes serves several of the other block.
func exchanges(size, rank int) (steps []step) {
	for k := 0; 1<<k < size; k++ {
		whole := 1 << k
		left := rank &^ (2*whole - 1)
		right := left + whole
		count := min(whole, size-right) // of the ranks in the right block
		if count <= 0 {
			continue
		}
		if rank >= right {
			s := step{level: k, from: rank - whole}
			for i := rank - right; i < whole; i += count {
				s.to = append(s.to, left+i)
			}
			steps = append(steps, s)
			continue
		}
		s := step{level: k, from: right + (rank-left)%count, left: true}
		if rank-left < count {
			s.to = []int{rank + whole}
		}
		steps = append(steps, s)
	}
	return steps
}
