package segbuf

import "github.com/goacp/goacp/internal/access/global"

// quiet reports whether no copy or message of the end is in flight.
func (e *End) quiet() bool { return e.underway.Load() == 0 }

// ended records the outcome of a copy or message of this End.
func (e *End) ended(err error) {
	if err != nil {
		e.fail(global.Cause(err))
	}
	if e.underway.Add(-1) == 0 || err != nil {
		e.s.wake()
	}
}

// message is the Completion of a message to the other end.
type message struct{ e *End }

// Complete implements fabric.Completion.
func (m message) Complete(_ uint64, err error) { m.e.ended(err) }
