package segbuf

import "github.com/goacp/goacp/internal/access/global"

// Ready gives the segment at the head of a destination back to the source, which may then fill it
// anew. Fails with global.ErrEmpty if no segment is published, with global.ErrNotEndpoint at a
// source, and otherwise as Disconnect.
func (e *End) Ready() error {
	if err := e.readyAs(false); err != nil {
		return err
	}
	head, tail := e.counters()
	if head >= tail {
		return global.ErrEmpty
	}
	e.done = head + 1
	return e.writeCounter(headAt, head+1)
}
