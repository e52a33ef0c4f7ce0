package timing

// Receiver computes the values of the steps of a receiver from its messages.
type Receiver struct {
	Plan

	step    int64 // the last one; -1: none
	next    int64 // the number of the next message; -1: not known yet
	resumed bool  // its state is that of a file, so messages before next may come again
	have    bool  // it has got a message in this run
	before  Message
	latest  Message // with interpolation, as before
	held    int     // how many of these two there are
}

// NewReceiver returns a Receiver.
func NewReceiver(p Plan) *Receiver { return &Receiver{Plan: p, step: -1, next: -1} }

// Step returns the last step, or -1.
func (r *Receiver) Step() int64 { return r.step }

// Repeats reports whether the receiver has had a message with a number already, in an earlier run.
func (r *Receiver) Repeats(number int64) bool { return r.resumed && number < r.next }

// Needs returns the number of a message that the receiver has to get before it has the values of a step, or false if
// there is none.
func (r *Receiver) Needs(step int64) (number int64, ok bool) {
	first, whole := r.Due(step)
	if !r.Interpolate {
		return first, whole && r.next <= first
	}
	last := first
	if !whole {
		last++
	}
	if r.next < 0 {
		return first, true
	}
	return r.next, r.next <= last
}

// Put takes the message that Needs has named, and copies its values if the receiver interpolates.
func (r *Receiver) Put(number int64, values []float64) {
	r.next, r.have = number+1, true
	if r.Interpolate {
		r.before, r.latest = r.latest, Message{number, append(r.before.Values[:0], values...)}
		r.held = min(r.held+1, 2)
	}
}

// Reach notes that the receiver has the values of a step, and reports whether they have changed. It does not have the values of the
// last message of an earlier run, unless it interpolates: they are in the field of the program.
func (r *Receiver) Reach(step int64) (changed bool) {
	_, whole := r.Due(step)
	r.step = step
	return whole && r.have || r.Interpolate
}

// At sets values to those of a step, for which nothing is needed, of a receiver that interpolates: between two messages
// they are on the straight line through the values of both.
func (r *Receiver) At(step int64, values []float64) {
	number, whole := r.Due(step)
	switch {
	case whole && number == r.latest.Number:
		copy(values, r.latest.Values)
	case whole:
		copy(values, r.before.Values)
	default:
		part := float64(step%r.Every) / float64(r.Every)
		for i, x := range r.before.Values {
			// The conversion keeps the compiler from fusing the product and the sum, which some processors round
			// only once.
			values[i] = x + float64(part*(r.latest.Values[i]-x))
		}
	}
}
