package link

import "sync/atomic"

// post is where a receiver that waits for a message shows its senders its array, so that they copy their values straight
// into it. It is in the heap of the receiver.
//
// A receiver that gives up leaves the array as it was. So no sender writes into the array before all of them are
// certain to send: the word counts the flows that are missing. A sender that is about to send the message takes its flow off
// the count: it claims the post. The receiver takes a flow off whose message has come without a claim. When no flow is missing, the
// post is settled: the receiver cannot withdraw it any more, and waits for the messages. Until then senders
// pack their values. From then on they copy the rest straight.
//
//goacp:c goacp_couple_post
type post struct {
	word   uint64 // which post it is, and how many flows are missing; 0: there is none
	number uint64 // how many messages there are with the one that the receiver waits for
	step   int64  // the number of the message in its head
	data   uint64 // position of the values of the field
	_      [32]byte
}

// missingBits is how many bits of the word count the flows that are missing.
//
//goacp:c GOACP_COUPLE_
const missingBits = 16

// mostMissing is the most flows that the word counts.
const mostMissing = 1<<missingBits - 1

// posting is what a receiver posts.
type posting struct {
	number uint64
	step   int64
	data   uint64
}

// open makes the post with an identity, which no post before had. There is none now.
func (p *post) open(identity, missing uint64, o posting) {
	atomic.StoreUint64(&p.number, o.number)
	atomic.StoreInt64(&p.step, o.step)
	atomic.StoreUint64(&p.data, o.data)
	atomic.StoreUint64(&p.word, identity<<missingBits|missing)
}

// read returns the word, and what is posted. The result is right if claim succeeds with the word.
func (p *post) read() (word uint64, o posting) {
	word = atomic.LoadUint64(&p.word)
	return word, posting{atomic.LoadUint64(&p.number), atomic.LoadInt64(&p.step), atomic.LoadUint64(&p.data)}
}

// claim takes a flow off the count if the word has not changed since it was read.
func (p *post) claim(word uint64) bool {
	return atomic.CompareAndSwapUint64(&p.word, word, word-1)
}

// count takes a flow off the count whose message has come without a claim. The post is not settled.
func (p *post) count() { atomic.AddUint64(&p.word, ^uint64(0)) }

// withdraw ends the post unless it is settled. It reports whether there is no post any more.
func (p *post) withdraw() bool {
	for {
		word := atomic.LoadUint64(&p.word)
		if word == 0 {
			return true
		}
		if word&mostMissing == 0 {
			return false
		}
		if atomic.CompareAndSwapUint64(&p.word, word, 0) {
			return true
		}
	}
}

// end ends the post, whose message is there.
func (p *post) end() { atomic.StoreUint64(&p.word, 0) }

// offer posts the array of the field for the next message, unless no sender can copy straight.
func (r *Receiver) offer(message int64) {
	if r.post == nil {
		return
	}
	data, ok := r.s.mem.PositionOf(r.s.p.Ranks.Self(), uintptr(r.field.data.Base), r.extent)
	if !ok {
		return
	}
	slot, missing, straight := r.count%r.levels, uint64(0), false
	for _, f := range r.flows {
		f.counted = f.arrived(slot, r.count)
		_, over := f.told()
		if f.counted && f.slot(slot).step != message || over && !f.counted {
			return // Receive fails
		}
		if !f.counted {
			missing++
			straight = straight || f.straight
		}
	}
	if straight {
		r.posts++
		r.posted = r.posts
		r.post.open(r.posted, missing, posting{r.count + 1, message, data})
	}
}

// missing is empty that takes flows off the count of the post whose messages have come.
func (r *Receiver) missing() *flow {
	if r.posted != 0 {
		slot, step := r.count%r.levels, atomic.LoadInt64(&r.post.step)
		for _, f := range r.flows {
			if f.counted || !f.arrived(slot, r.count) {
				continue
			}
			if h := f.slot(slot); h.step == step {
				f.counted = true
				if f.asks || !f.straight || h.division().claim != r.posted {
					r.post.count()
				}
			}
		}
		r.ask()
	}
	return r.empty()
}

// withdraw ends the post unless it is settled. It reports whether there is none any more.
func (r *Receiver) withdraw() bool {
	if r.posted == 0 {
		return true
	}
	if r.asked != nil && !r.recall() || !r.post.withdraw() {
		return false
	}
	r.posted = 0
	return true
}

// settle ends the post when all messages are there. It returns which post the senders have claimed if they may have copied straight,
// otherwise 0.
func (r *Receiver) settle() uint64 {
	claimed := r.posted
	if r.withdraw() {
		return 0
	}
	r.post.end()
	r.posted, r.asked = 0, nil
	return claimed
}
