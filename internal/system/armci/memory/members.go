package memory

// Members are processes that call a collective function together, in order.
type Members interface {
	// Procs returns the numbers of the members in the world, in order of their ranks. The caller
	// does not change them.
	Procs() []int
	// Rank returns the rank of this process.
	Rank() int
	// Exchange returns the blobs of all members, one after the other in order of ranks. All
	// blobs have the same length. Collective. Blocks until all members have called it.
	Exchange(own []byte) ([]byte, error)
	// Barrier waits until all members have called it. Collective.
	Barrier() error
}
