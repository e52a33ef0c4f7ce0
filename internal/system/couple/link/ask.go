package link

import (
	"context"
	"sync/atomic"

	"github.com/goacp/goacp/internal/fabric"
	"github.com/goacp/goacp/internal/memory/ga"
)

// A sender on another host does not see the post of a receiver. If its message is the only one that is missing, the receiver
// asks it to decide: the sender has a copy of the post then, which counts its flow as missing, and claims that. So the message needs
// no round trip, and a receiver that gives up asks the sender whether the copy is claimed.

// ask asks the only sender whose message is missing, if its values may cross.
func (r *Receiver) ask() {
	if r.asked != nil || atomic.LoadUint64(&r.post.word)&mostMissing != 1 {
		return
	}
	for _, f := range r.flows {
		if f.counted || !f.asks {
			continue // a flow that is near takes itself off the count
		}
		var w writer
		for _, x := range []uint64{uint64(f.there.number), r.posted, r.post.number, r.post.data} {
			w.number(x)
		}
		w.signed(r.post.step)
		r.asked = f
		f.s.start(f.member, opOffer, w, 0)
		return
	}
}

// recall lets the sender that has been asked decide no more. It reports whether the sender has not claimed the post.
func (r *Receiver) recall() bool {
	f, slot := r.asked, r.count%r.levels
	if f.arrived(slot, r.count) {
		if f.slot(slot).division().claim == r.posted {
			return false
		}
		r.asked = nil
		return true
	}
	var w writer
	w.number(uint64(f.there.number))
	answer, err := f.s.ask(context.Background(), f.member, opRecall, w, 1)
	if err != nil || len(answer) != 1 || answer[0] == 0 {
		return false // an error says that the run is over, which the next wait finds
	}
	r.asked = nil
	return true
}

// shownTo returns the copy of a post that the sender of a flow with a number has, or nil.
func (s *System) shownTo(number uint32, from int) *post {
	s.flows.mu.RLock()
	defer s.flows.mu.RUnlock()
	if f := s.flows.byNumber[number]; f != nil && f.member == from {
		return f.shown.Load()
	}
	return nil
}

// serveOffer takes the copy of the post of a receiver.
func (s *System) serveOffer(r fabric.Request) (int, error) {
	in := reader{rest: r.Body}
	number, identity := uint32(in.count(numberLimit)), in.number()
	o := posting{number: in.number(), data: in.number(), step: in.signed()}
	if err := in.end(); err != nil || o.data > ga.MaxPos {
		return 0, errMalformed
	}
	if p := s.shownTo(number, r.From); p != nil {
		p.end()
		p.open(identity, 1, o)
		s.bell.ring()
	}
	return 0, nil
}

// serveRecall withdraws the copy of the post of a receiver. The answer is 0 if the post is claimed, otherwise 1.
func (s *System) serveRecall(r fabric.Request) (int, error) {
	in := reader{rest: r.Body}
	number := uint32(in.count(numberLimit))
	if err := in.end(); err != nil || len(r.Reply) < 1 {
		return 0, errMalformed
	}
	r.Reply[0] = 1
	if p := s.shownTo(number, r.From); p != nil && !p.withdraw() {
		r.Reply[0] = 0
	}
	return 1, nil
}
