package tcp

import "github.com/goacp/goacp/internal/fabric"

// Requests whose completion is fabric.Batched share system calls. If the peer is about to answer an earlier
// request, the link gathers such a request: it stays in the queue, and no goroutine becomes the writer for
// it. Gathered requests are sent after the next receive from the peer, together with any request that is not
// gathered, when there are gatherMax bytes of them, and by Poll. So no clock is needed, and a single request
// is sent at once.

// gatherMax is how many bytes of requests a link gathers before it sends them.
const gatherMax = 16 << 10

// answeredAtOnce reports whether the agent answers a request of this kind without waiting for anything but
// the link. For a call, the initiator marks that by a fabric.Batched.
func (op *operation) answeredAtOnce(k kind) bool {
	return k == kindPut || k == kindGet || k == kindAtomic || k == kindSeries || k == kindCall && op.batched
}

// gather reports whether the request h, which has been queued last, may stay in the queue. The
// caller holds mu.
func (l *link) gather(h *header, op *operation) bool {
	if !op.batched || !op.answeredAtOnce(h.kind) || l.prompt < 2 {
		return false
	}
	n := l.gathered.Load() + headerSize + h.payload()
	if n > gatherMax {
		return false
	}
	l.gathered.Store(n)
	return true
}

// flush sends the gathered requests.
func (l *link) flush() {
	if l.gathered.Load() > 0 {
		l.kick()
	}
}

// concluded keeps the outcome of an operation until tell. The caller holds in.lock.
func (l *link) concluded(op *operation, old uint64, err error) {
	l.in.outcomes = append(l.in.outcomes, fabric.Outcome{Done: op.done, Old: old, Err: fabric.Over(name, err)})
}

// tell passes the outcomes of operations to their completions; completions with the same fabric.Batch get
// them together. The caller holds in.lock, and no other lock.
func (l *link) tell() {
	all := l.in.outcomes
	fabric.CompleteAll(all)
	clear(all)
	l.in.outcomes = all[:0]
}
