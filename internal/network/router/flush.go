package router

import "time"

// HasDeferred reports whether operations with a fabric.Deferred wait for Flush. Does not block.
func (r *Router) HasDeferred() bool { return r.deferring != nil && r.deferring.HasDeferred() }

// Flush completes the operations that wait for it. Waits for peers, or until the run is over.
func (r *Router) Flush() {
	if r.HasDeferred() {
		r.deferring.Flush()
	}
}

// Poll makes the fabrics progress, and reports whether anything came. Another goroutine completes the
// operations that wait for Flush. Does not wait for peers.
func (r *Router) Poll() bool {
	r.flushSoon()
	return r.Agents().Poll()
}

// PollInline makes the agents progress as Poll does, until done holds or nothing has come for as long as quiet. It may
// return earlier, but not before it has called done. The kernel does not wake their goroutines meanwhile. PollInline returns false at once if operations wait for
// Flush, which Poll sees to, or if none is under way with an agent.
func (r *Router) PollInline(quiet time.Duration, done func() bool) bool {
	return !r.HasDeferred() && r.Agents().PollAllInline(quiet, done)
}

// Send makes the fabrics send what they hold back, and does nothing else.
func (r *Router) Send() {
	r.flushSoon()
	r.Agents().Flush()
}

func (r *Router) flushSoon() {
	if r.HasDeferred() {
		r.deferring.FlushSoon()
	}
}
