package segbuf

import (
	"errors"

	"github.com/goacp/goacp/internal/access/global"
)

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
	err := e.writeCounter(headAt, head+1)
	if errors.Is(err, global.ErrRankGone) && e.left.Load() {
		return nil // no source fills it anew
	}
	return err
}
