package ring

import "sync/atomic"

// C holds a request as a handle of one word, which may be the result already:
//
//	bit  63        finished; the other bits are the result
//	bit  62        made by Go; the other bits are a count
//	bit  61        a long message that C has sent, whose record has been taken out when
//	               the ring's Head has reached its end:
//	bits 60 … 41   the index of the endpoint
//	bits 40 …  0   and the words that all senders at this index have put into their rings
//	               up to that end, modulo 16 TiB
//	bits 51 … 32   otherwise a receive that C has posted: the index of the endpoint
//	bits 31 …  0   and a count
//
//goacp:c GOACP_
const (
	finished   = 1 << 63
	madeByGo   = 1 << 62
	sentByC    = 1 << 61
	endBits    = 41
	ownerShift = 32
)

// Finished returns the handle of a request that is finished with result n.
func Finished(n uint64) uint64 { return finished | n }

// Counted returns the n-th handle that Go gives to a request.
func Counted(n uint64) uint64 { return madeByGo | n }

// PostedAt returns the index of the endpoint where C has posted a receive, and false for other
// requests.
func PostedAt(request uint64) (index int, ok bool) {
	return int(request >> ownerShift & (MaxEndpoints - 1)), request != 0 && request < sentByC
}

// SentFrom returns the index of the endpoint from which C has sent a long message with this
// request, and false for other requests. Endpoint.Ends returns where its record ends.
func SentFrom(request uint64) (index int, ok bool) {
	return int(request >> endBits & (MaxEndpoints - 1)), request&^(sentByC-1) == sentByC
}

// Fate is what has become of a long message that C has sent.
type Fate uint8

// The fates.
const (
	NeverSent Fate = iota // no message has this request
	Taken                 // the record has been taken out long ago, or its channel was freed
	InRing                // the record may still be in the ring
)

// Ends returns what has become of the message with a request from this endpoint and, if
// its record may still be in the ring, what Head is when it has been taken out.
func (e *Endpoint) Ends(request uint64) (end uint64, fate Fate) {
	back := e.back(request, e.Carried()+e.Pos)
	switch {
	case back >= e.Carried()+e.Pos:
		return 0, NeverSent
	case back >= e.Pos || back >= Capacity(uint64(e.Size)):
		return 0, Taken
	}
	return e.Pos - back, InRing
}

// back returns how many bytes were put into rings after the record of request. now is the number of
// all bytes so far.
func (e *Endpoint) back(request, now uint64) uint64 {
	return (now/8 - request) & (1<<endBits - 1) * 8
}

// Fate is Endpoint.Ends for an index that no sender has.
func (t *Table) Fate(index int, request uint64) Fate {
	carried := atomic.LoadUint64(&t.carried[index])
	if back := t.slots[index].back(request, carried); back >= carried {
		return NeverSent
	}
	return Taken
}
