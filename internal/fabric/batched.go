package fabric

// Batched is the Completion of an operation that may share messages with others. While earlier
// operations on the same peer are under way whose answers do not depend on other members, a
// transport may hold the operation back: until one of those answers has arrived, until some
// KiB are held back, or until Messenger.Poll or Flush is called. So a goroutine calls one of them before it
// waits for the operation. The Owner answers a Call whose Completion is Batched before Serve returns.
type Batched interface {
	Completion

	// Batch returns what learns the outcomes of several operations at once, in place of their
	// Completions.
	Batch() Batch
}

// Batch learns the outcomes of operations whose Batched have returned it.
type Batch interface {
	// CompleteAll is Complete for each of the outcomes. It must not keep the slice.
	CompleteAll(outcomes []Outcome)
}

// Outcome is what the Completion of an operation learns.
type Outcome struct {
	Done Completion
	Old  uint64
	Err  error
}
