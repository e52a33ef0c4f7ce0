package link

import (
	"github.com/goacp/goacp/internal/memory/heapview"
	"github.com/goacp/goacp/internal/system/couple/flow"
	"github.com/goacp/goacp/internal/system/couple/points"
	"github.com/goacp/goacp/internal/system/couple/side"
)

// tell selects the senders that get the positions of their values, and makes room to show the array if there are such
// senders.
func (e *end) tell() error {
	if e.side == side.Sending || e.watch != nil || e.sums != nil || e.field.product != nil || len(e.flows) > flow.MostMissing {
		return nil
	}
	for _, f := range e.flows {
		if f.zeroCopy = flow.Tells(&f.positions, f.size); f.zeroCopy {
			e.extent = max(e.extent, uint64(flow.Extent(&f.positions))*uint64(e.field.element.Size()))
		}
	}
	if e.extent == 0 {
		return nil
	}
	var err error
	if e.ready, err = heapview.At[flow.Ready](e.s.mem.Own(), e.readyAt()); err == nil {
		*e.ready = flow.Ready{}
	}
	return err
}

// fit reports whether a message of the flow whose values lie at some positions is fit for remote zero copy.
func (f *stream) fit(positions *points.List) bool { return f.end.limits.Fit(positions, f.size) }

// learn stores the data from the receiver: the address at which it shows its array, and its positions.
func (f *stream) learn(at uint64, encoded []byte, size uint64) error {
	if len(encoded) == 0 {
		return nil
	}
	runs, extent, err := flow.DecodeRuns(encoded, f.positions.Len(), size)
	if err != nil {
		return err
	}
	d := flow.Destination{Way: flow.Choose(f.slots != nil, f.shown.Load() != nil && f.fit(&runs)), Runs: runs, Extent: extent}
	switch d.Way {
	case flow.Local:
		d.Ready = (*flow.Ready)(f.find(at, flow.HeadBytes))
	case flow.Remote:
		d.Ready = f.shown.Load()
		f.remote.notifier = &f.s.notifier
	default:
		return nil
	}
	f.to = d
	return nil
}

// pack puts the values of the message with a number into its slot, or sends them to the array of the receiver.
func (s *Sender) pack(f *stream, h *flow.Slot, number uint64) {
	data, size := s.field.data.Base, uintptr(s.field.element.Size())
	switch {
	case f.to.Ready == nil:
		flow.Pack(f.values(h), data, &f.positions, size)
	case f.to.Way == flow.Remote:
		s.putOrPack(f, h, number)
	default:
		f.to.Pack(h, data, &f.positions, size, number, f.find)
	}
}
