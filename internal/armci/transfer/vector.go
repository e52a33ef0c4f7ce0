package transfer

import (
	"unsafe"

	"github.com/goacp/goacp/internal/armci/shape"
	"github.com/goacp/goacp/internal/armci/world"
)

// issueVector chooses between near and far for a vector transfer. All segments are checked before
// the first one moves.
func (e *Engine) issueVector(r *Request, t *Tracker) error {
	places := make([]place, len(r.Vector))
	mapped := e.near(r)
	for i, s := range r.Vector {
		p := &places[i]
		if r.Proc == e.world.Self() {
			p.here = world.At(s.Remote)
			continue
		}
		var err error
		if p.pos, err = e.world.Locate(r.Proc, s.Remote, uint64(s.N)); err != nil {
			return err
		}
		if mapped {
			p.here = e.world.Here(r.Proc, p.pos, uint64(s.N))
			mapped = p.here != nil
		}
	}
	if !mapped {
		return e.farVector(r, places, t)
	}
	if err := e.settle(r.Proc); err != nil {
		return err
	}
	return e.nearVector(r, places)
}

// place is where the owner's side of a segment is.
type place struct {
	pos  uint64         // in the memory of the owner
	here unsafe.Pointer // where it is mapped, or nil
}

// nearVector carries out a vector transfer on memory that is mapped.
func (e *Engine) nearVector(r *Request, places []place) error {
	for i, s := range r.Vector {
		one := Request{Kind: r.Kind, Proc: r.Proc, Type: r.Type, Scale: r.Scale, Local: s.Local, Remote: s.Remote, Shape: shape.Contiguous(s.N)}
		if err := e.nearStrided(&one, places[i].here); err != nil {
			return err
		}
	}
	return nil
}
