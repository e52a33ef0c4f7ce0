package flow

import "sync/atomic"

// Ready is where a receiver that is ready to receive a message shows its senders its array, so that they put their values
// there without packing them. It is in the heap of the receiver.
//
// A receiver that gives up leaves the array as it was. So no sender writes into the array before all of them are
// certain to send: the word counts the flows that are missing. A sender that is about to send the message takes its flow off
// the count: it reserves its part of the array. The receiver takes a flow off whose message has come without that. When no
// flow is missing, the transfer is committed: the receiver cannot withdraw any more, and waits for the messages. Until then senders
// pack their values. From then on they copy the rest to its place.
//
//goacp:c goacp_couple_ready
type Ready struct {
	word   uint64 // the epoch, which tells this array from those shown before, and how many flows are missing; 0: there is none
	number uint64 // how many messages there are with the one that the receiver waits for
	step   int64  // the number of the message in its head
	data   uint64 // position of the values of the field
	_      [32]byte
}

// missingBits is how many bits of the word count the flows that are missing.
//
//goacp:c GOACP_COUPLE_
const missingBits = 16

// MostMissing is the most flows that the word counts.
const MostMissing = 1<<missingBits - 1

// Shown is what a receiver shows.
type Shown struct {
	Number uint64 // how many messages there are with the one that it waits for
	Step   int64  // the number of the message in its head
	Data   uint64 // position of the values of the field
}

// Open shows an array in an epoch, which has not been before. Nothing is shown now.
func (r *Ready) Open(epoch, missing uint64, s Shown) {
	atomic.StoreUint64(&r.number, s.Number)
	atomic.StoreInt64(&r.step, s.Step)
	atomic.StoreUint64(&r.data, s.Data)
	atomic.StoreUint64(&r.word, epoch<<missingBits|missing)
}

// read returns the word, and what is shown. The result is right if reserve succeeds with the word.
func (r *Ready) read() (word uint64, s Shown) {
	word = atomic.LoadUint64(&r.word)
	return word, Shown{atomic.LoadUint64(&r.number), atomic.LoadInt64(&r.step), atomic.LoadUint64(&r.data)}
}

// Missing returns the epoch, and how many flows are missing. Both are 0 if nothing is shown.
func (r *Ready) Missing() (epoch, missing uint64) {
	word := atomic.LoadUint64(&r.word)
	return word >> missingBits, word & MostMissing
}

// Shown returns what was shown last.
func (r *Ready) Shown() Shown {
	_, s := r.read()
	return s
}

// Step returns the number of the message that was shown last.
func (r *Ready) Step() int64 { return atomic.LoadInt64(&r.step) }

// Number returns how many messages there are with the one that was shown last.
func (r *Ready) Number() uint64 { return atomic.LoadUint64(&r.number) }

// Shows reports whether the receiver is ready for a message, and a flow is missing.
func (r *Ready) Shows(number uint64, step int64) bool {
	word, s := r.read()
	return word&MostMissing > 0 && s.Number == number && s.Step == step
}

// reserve takes a flow off the count if the word has not changed since it was read.
func (r *Ready) reserve(word uint64) bool {
	return atomic.CompareAndSwapUint64(&r.word, word, word-1)
}

// Count takes a flow off the count whose message has come without a reservation. The transfer is not committed.
func (r *Ready) Count() { atomic.AddUint64(&r.word, ^uint64(0)) }

// Withdraw shows nothing any more unless the transfer is committed. It reports whether nothing is shown.
func (r *Ready) Withdraw() bool {
	for {
		word := atomic.LoadUint64(&r.word)
		if word == 0 {
			return true
		}
		if word&MostMissing == 0 {
			return false
		}
		if atomic.CompareAndSwapUint64(&r.word, word, 0) {
			return true
		}
	}
}

// End shows nothing any more, since the message is there.
func (r *Ready) End() { atomic.StoreUint64(&r.word, 0) }
