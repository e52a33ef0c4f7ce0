package segment

import (
	"sync/atomic"

	"github.com/goacp/goacp/internal/futex"
)

// Doorbell is the words by which members of one host wake a process. They lie in the header
// page of the process that is woken.
type Doorbell struct {
	Rung *uint32 // counts rings; the process sleeps on it with a futex
	Hot  *uint64 // recipients of the rings: bit i stands for those whose number is i modulo 64
	Mail *uint64 // position of the letter posted last, 0 if there is none
}

// Ring wakes the process for the recipient with the given number.
func (d Doorbell) Ring(recipient int) {
	atomic.OrUint64(d.Hot, 1<<(recipient%64))
	d.Wake()
}

// Wake wakes the process for no recipient.
func (d Doorbell) Wake() {
	atomic.AddUint32(d.Rung, 1)
	futex.Wake(d.Rung)
}

// Post adds the letter at position pos to the list of the process. link makes the new letter
// point to the one that was posted before. Post may call it several times.
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

// Doorbell returns the doorbell of this process.
func (s *Space) Doorbell() Doorbell { return doorbellOf(s.header()) }

// Doorbell returns the doorbell of the peer.
func (v *View) Doorbell() Doorbell { return doorbellOf(v.header()) }
