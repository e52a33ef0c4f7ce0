package segment

import (
	"sync/atomic"

	"github.com/goacp/goacp/internal/futex"
)

// Doorbell is how members of one host call a process that waits for them or has work to
// do for them. It lies in the header page of the process that is called.
type Doorbell struct {
	Rung *uint32 // counts calls; waited for with a futex
	Hot  *uint64 // whom the calls are for, one bit for every 64th of them
	Mail *uint64 // position of the letter posted last, 0 if there is none
}

// Ring calls the process for the recipient with the given number.
func (d Doorbell) Ring(recipient int) {
	atomic.OrUint64(d.Hot, 1<<(recipient%64))
	d.Wake()
}

// Wake calls the process for nobody in particular.
func (d Doorbell) Wake() {
	atomic.AddUint32(d.Rung, 1)
	futex.Wake(d.Rung)
}

// Post adds the letter at position pos to those of the process. link is called with the
// letter that was posted before, which the new one has to lead to, perhaps several times.
func (d Doorbell) Post(pos uint64, link func(next uint64)) {
	for {
		next := atomic.LoadUint64(d.Mail)
		link(next)
		if atomic.CompareAndSwapUint64(d.Mail, next, pos) {
			return
		}
	}
}

// Collect takes all letters and returns the position of the last one, or 0.
func (d Doorbell) Collect() uint64 {
	if atomic.LoadUint64(d.Mail) == 0 {
		return 0
	}
	return atomic.SwapUint64(d.Mail, 0)
}

func doorbellOf(h *header) Doorbell { return Doorbell{Rung: &h.rung, Hot: &h.hot, Mail: &h.mail} }

// Doorbell returns how others call the owner.
func (s *Space) Doorbell() Doorbell { return doorbellOf(s.header()) }

// Doorbell returns how the peer is called.
func (v *View) Doorbell() Doorbell { return doorbellOf(v.header()) }
