package acp

import (
	"time"

	"github.com/goacp/goacp/internal/fabric/segment"
)

// Registered memory is the program's, which may free it as soon as it is unregistered. So
// unregistering it has to wait for its users, or to take it away from them: ranks on
// this host that copy it themselves, the agent, which receives into it and sends from it,
// and ranks that reach it by windows of MPI.

// withdraw takes back one registration of key. last says that it was the last: then nothing
// touches the memory any more.
func (p *Process) withdraw(key segment.Key) (last bool, err error) {
	gone, last, err := p.space.Withdraw(key)
	if err != nil || !last {
		return false, err
	}
	return true, p.settle(gone)
}

// settle returns when nothing uses memory that has been withdrawn, or when the run is over.
func (p *Process) settle(gone segment.Extents) error {
	if len(gone) == 0 {
		return nil
	}
	return p.net.Withdraw(gone, p.overSince(time.Now()))
}

// settleTime is how long ranks that are still there may go on with what they do when the
// run is over.
const settleTime = 2 * time.Second

// overSince returns a function that tells why the run is over, if that is so and settleTime
// has passed.
func (p *Process) overSince(begin time.Time) func() error {
	return func() error {
		err := p.barrier.Over()
		if err == nil || time.Since(begin) < settleTime {
			return nil
		}
		return err
	}
}
