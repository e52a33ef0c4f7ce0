package flow

import "time"

// Pace measures how fast a program sends one message after the other. Remote zero copy pays only if the program does
// nothing in between: for a program that computes, packing is cheaper, since the packed values travel while it
// computes.
type Pace struct {
	Steady       bool      // hardly any time passes between two calls of Send
	began, ended time.Time // when the last remote zero copy began and ended; zero: the values were packed
}

// Begin is called when Send begins. The program is fast if the last message is still in flight, or if it has computed
// for less than a quarter of the time that the values of that message have taken. remote means that a flow of the
// sender may use remote zero copy, and busy that a message of such a flow is in flight.
func (p *Pace) Begin(l *Limits, remote, busy bool, now time.Time) {
	p.Steady = remote && (l.Always || busy || now.Sub(p.ended) < p.ended.Sub(p.began)/4)
	p.began, p.ended = time.Time{}, time.Time{}
}

// Start is called when values of the present message begin to go by remote zero copy.
func (p *Pace) Start(now time.Time) {
	if !p.Started() {
		p.began = now
	}
}

// Started reports whether values of the present message go by remote zero copy.
func (p *Pace) Started() bool { return !p.began.IsZero() }

// End is called when they have left the array.
func (p *Pace) End(now time.Time) { p.ended = now }

// Backoff is how a sender waits for a receiver to be ready.
type Backoff struct {
	misses uint64 // how often it has waited in vain since the last time that it has not
	pause  uint64 // for how many messages it does not wait
}

// mostMisses bounds how many messages a sender sends before it waits again: 2 to that power.
const mostMisses = 6

// Waits reports whether to wait for a receiver to which count messages have been sent, and which was last ready for
// message shown: whether it has waited for one of the last messages.
func (p *Backoff) Waits(shown, count, levels uint64) bool {
	if shown == 0 || shown+levels < count {
		return false
	}
	if p.pause > 0 {
		p.pause--
		return false
	}
	return true
}

// Waited notes whether the receiver was ready in time.
func (p *Backoff) Waited(ready bool) {
	if ready {
		*p = Backoff{}
		return
	}
	p.misses = min(p.misses+1, mostMisses)
	p.pause = 1<<p.misses - 1
}

// Grace is how long a sender waits for a receiver whose last message, of size bytes, has arrived: a round trip, and
// the time to unpack that message.
func Grace(size uint64) time.Duration { return 200*time.Microsecond + time.Duration(size/4) }
