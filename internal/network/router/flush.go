package router

import "time"

// HasDeferred reports whether operations with a fabric.Deferred wait for Flush. Does not block.
func (n *Network) HasDeferred() bool { return n.deferring != nil && n.deferring.HasDeferred() }

// Flush completes the operations that wait for it. Waits for peers, or until the run is over.
func (n *Network) Flush() {
	if n.HasDeferred() {
		n.deferring.Flush()
	}
}

// Poll makes the fabrics progress, and reports whether anything came. Another goroutine completes the
// operations that wait for Flush. Does not wait for peers.
func (n *Network) Poll() bool {
	n.flushSoon()
	return n.Agents().Poll()
}

// PollInline makes the agents progress as Poll does, until done holds or nothing has come for as long as quiet. It may
// return earlier, but not before it has called done. The kernel does not wake their goroutines meanwhile. PollInline returns false at once if operations wait for
// Flush, which Poll sees to, or if none is under way with an agent.
func (n *Network) PollInline(quiet time.Duration, done func() bool) bool {
	return !n.HasDeferred() && n.Agents().PollAllInline(quiet, done)
}

// Send makes the fabrics send what they hold back, and does nothing else.
func (n *Network) Send() {
	n.flushSoon()
	n.Agents().Flush()
}

func (n *Network) flushSoon() {
	if n.HasDeferred() {
		n.deferring.FlushSoon()
	}
}
