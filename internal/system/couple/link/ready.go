package link

import "github.com/goacp/goacp/internal/system/couple/flow"

// show shows the array of the field for the next message, unless no sender can use zero copy.
func (r *Receiver) show(message int64) {
	if r.ready == nil {
		return
	}
	data, ok := r.s.mem.PositionOf(r.s.p.Ranks.Self(), uintptr(r.field.data.Base), r.extent)
	if !ok {
		return
	}
	slot, missing, zeroCopy := r.Messages%r.levels, uint64(0), false
	for _, f := range r.flows {
		f.counted = f.arrived(slot, r.Messages)
		_, over := f.reported()
		if f.counted && f.slot(slot).Step != message || over && !f.counted {
			return // Receive fails
		}
		if !f.counted {
			missing++
			zeroCopy = zeroCopy || f.zeroCopy
		}
	}
	if zeroCopy {
		r.epochs++
		r.epoch = r.epochs
		r.ready.Open(r.epoch, missing, flow.Shown{Number: r.Messages + 1, Step: message, Data: data})
	}
}

// missing is empty that takes flows off the count whose messages have come without a reservation.
func (r *Receiver) missing() *stream {
	if r.epoch != 0 {
		slot, step := r.Messages%r.levels, r.ready.Step()
		for _, f := range r.flows {
			if f.counted || !f.arrived(slot, r.Messages) {
				continue
			}
			if h := f.slot(slot); h.Step == step {
				f.counted = true
				if f.asks || !f.zeroCopy || h.Division().Reserved != r.epoch {
					r.ready.Count()
				}
			}
		}
		r.ask()
	}
	return r.empty()
}

// withdraw withdraws the array unless zero copy is committed. It reports whether no array is shown.
func (r *Receiver) withdraw() bool {
	if r.epoch == 0 {
		return true
	}
	if r.asked != nil && !r.recall() || !r.ready.Withdraw() {
		return false
	}
	r.epoch = 0
	return true
}

// conclude withdraws the array, since all messages have arrived. It returns the epoch if the senders have committed
// zero copy, otherwise 0.
func (r *Receiver) conclude() uint64 {
	epoch := r.epoch
	if r.withdraw() {
		return 0
	}
	r.ready.End()
	r.epoch, r.asked = 0, nil
	return epoch
}
