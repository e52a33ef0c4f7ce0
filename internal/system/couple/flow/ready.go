package flow

import "sync/atomic"

// Ready is where a receiver that is ready to receive a message shows its senders its array, so that they put their values
// there without packing them. It is in the heap of the receiver.
//
// A receiver that gives up leaves the array unchanged. So no sender writes into the array before all senders are
// certain to send: the word counts the missing flows. A sender that is about to send the message decrements the
// count: it reserves its part of the array. If a message arrives without a reservation, the receiver decrements the
// count. When no flow is missing, the transfer is committed: the receiver can no longer withdraw, and waits for the
// messages. Until then senders pack their values. From then on they copy the rest directly into the array.
//
//goacp:c goacp_couple_ready
type Ready struct {
	word   uint64 // the epoch, which distinguishes this array from earlier arrays, and the number of missing flows; 0: no array
	number uint64 // the number of messages including the message for which the receiver waits
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

// Shown describes the array that a receiver shows.
type Shown struct {
	Number uint64 // the number of messages including the message for which it waits
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

// read returns the word and the shown array. The result is valid if reserve succeeds with the word.
func (r *Ready) read() (word uint64, s Shown) {
	word = atomic.LoadUint64(&r.word)
	return word, Shown{atomic.LoadUint64(&r.number), atomic.LoadInt64(&r.step), atomic.LoadUint64(&r.data)}
}

// Missing returns the epoch, and how many flows are missing. Both are 0 if nothing is shown.
func (r *Ready) Missing() (epoch, missing uint64) {
	word := atomic.LoadUint64(&r.word)
	return word >> missingBits, word & MostMissing
}

// Shown returns the array that was shown last.
func (r *Ready) Shown() Shown {
	_, s := r.read()
	return s
}

// Step returns the number of the message that was shown last.
func (r *Ready) Step() int64 { return atomic.LoadInt64(&r.step) }

// Number returns the number of messages including the message that was shown last.
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
