package acp

import "github.com/goacp/goacp/internal/collective"

// meet begins a collective function: it waits until every rank has called it. If they have
// not all called c, the run is over and the error wraps ErrDisagree.
func (p *Process) meet(c collective.Call) error {
	if err := p.alive(); err != nil {
		return err
	}
	return p.collective.Begin(c)
}

// gather begins the collective function f and gives every rank the blobs of all, in order
// of members.
func (p *Process) gather(f collective.Function, blob []byte) ([][]byte, error) {
	if err := p.alive(); err != nil {
		return nil, err
	}
	return p.collective.Gather(f, blob)
}
