package fabric

// Deferred is the Completion of an operation that a transport may leave incomplete until Flush of the
// transport. The initiator calls Flush before it waits for the operation, and before it starts one that
// has to follow. Memory of the initiator that the operation uses stays in place until it is complete.
type Deferred interface {
	Batched
	// Deferred does nothing. It tells these completions from others.
	Deferred()
}

// Deferring is a Transport that completes many operations on some peers by one flush: those whose
// Completion is Deferred. It carries them out in any order.
type Deferring interface {
	Transport

	// Defers reports whether operations on a peer may wait for a flush. Does not block.
	Defers(peer int) bool
	// HasDeferred reports whether an operation waits for a flush. Does not block.
	HasDeferred() bool
	// Flush completes the operations that wait for it. Waits for peers, or until the run is over.
	Flush()
	// FlushSoon makes another goroutine call Flush. Does not block.
	FlushSoon()
}

// CompleteAll tells the completions of operations about their outcomes, those that have one Batch
// together.
func CompleteAll(outcomes []Outcome) {
	for len(outcomes) > 0 {
		outcomes = outcomes[completeSome(outcomes):]
	}
}

// completeSome tells the first of the outcomes, and those behind it that have the same Batch. It
// returns their number.
func completeSome(outcomes []Outcome) int {
	first, ok := outcomes[0].Done.(Batched)
	if !ok {
		outcomes[0].Done.Complete(outcomes[0].Old, outcomes[0].Err)
		return 1
	}
	batch, n := first.Batch(), 1
	for n < len(outcomes) {
		if next, ok := outcomes[n].Done.(Batched); !ok || next.Batch() != batch {
			break
		}
		n++
	}
	batch.CompleteAll(outcomes[:n])
	return n
}
