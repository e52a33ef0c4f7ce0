package link

import (
	"context"
	"errors"

	"github.com/goacp/goacp/internal/access/global"
	"github.com/goacp/goacp/internal/fabric"
	"github.com/goacp/goacp/internal/memory/ga"
	"github.com/goacp/goacp/internal/system/couple/flow"
	"github.com/goacp/goacp/internal/system/couple/wire"
)

// A sender on another host does not see that a receiver is ready. If only its message is missing, the receiver sends
// it a copy of its Shown, which counts the flow of the sender as missing. The sender reserves its part in the copy.
// So the message needs no round trip, and a receiver that gives up sends a request to the sender whether the copy is
// reserved.

// ask sends a request to the only sender whose message is missing, if it may use remote zero copy.
func (r *Receiver) ask() {
	if r.asked != nil {
		return
	}
	epoch, missing := r.ready.Missing()
	if missing != 1 {
		return
	}
	shown := r.ready.Shown()
	for _, f := range r.flows {
		if f.counted || !f.asks {
			continue // a flow that is near takes itself off the count
		}
		var w wire.Writer
		for _, x := range []uint64{uint64(f.there.number), epoch, shown.Number, shown.Data} {
			w.Number(x)
		}
		w.Signed(shown.Step)
		r.asked = f
		f.s.start(f.member, opReady, w, 0)
		return
	}
}

// recall withdraws the request of ask. It reports whether the sender has not reserved its part.
func (r *Receiver) recall() bool {
	f, slot := r.asked, r.Messages%r.levels
	if f.arrived(slot, r.Messages) {
		if f.slot(slot).Division().Reserved == r.epoch {
			return false
		}
		r.asked = nil
		return true
	}
	var w wire.Writer
	w.Number(uint64(f.there.number))
	answer, err := f.s.ask(context.Background(), f.member, opRecall, w, 1)
	if errors.Is(err, global.ErrRankGone) {
		r.asked = nil
		return true
	}
	if err != nil || len(answer) != 1 || answer[0] == 0 {
		return false // on an error the run is over, and the next wait returns it
	}
	r.asked = nil
	return true
}

// shownTo returns the copy that the sender of a flow with a number has, or nil.
func (s *System) shownTo(number uint32, from int) *flow.Ready {
	s.flows.mu.RLock()
	defer s.flows.mu.RUnlock()
	if f := s.flows.byNumber[number]; f != nil && f.member == from {
		return f.shown.Load()
	}
	return nil
}

// serveReady takes the copy of the Shown of a receiver.
func (s *System) serveReady(r fabric.Request) (int, error) {
	in := wire.NewReader(r.Body)
	number, epoch := uint32(in.Count(numberLimit)), in.Number()
	o := flow.Shown{Number: in.Number(), Data: in.Number(), Step: in.Signed()}
	if err := in.End(); err != nil || o.Data > ga.MaxPos {
		return 0, wire.ErrMalformed
	}
	if p := s.shownTo(number, r.From); p != nil {
		p.End()
		p.Open(epoch, 1, o)
		s.notifier.notify()
	}
	return 0, nil
}

// serveRecall withdraws the copy of the Shown of a receiver. The reply is 0 if it is reserved, otherwise 1.
func (s *System) serveRecall(r fabric.Request) (int, error) {
	in := wire.NewReader(r.Body)
	number := uint32(in.Count(numberLimit))
	if err := in.End(); err != nil || len(r.Reply) < 1 {
		return 0, wire.ErrMalformed
	}
	r.Reply[0] = 1
	if p := s.shownTo(number, r.From); p != nil && !p.Withdraw() {
		r.Reply[0] = 0
	}
	return 1, nil
}
