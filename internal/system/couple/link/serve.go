package link

import (
	"sync"

	"github.com/goacp/goacp/internal/fabric"
	"github.com/goacp/goacp/internal/system/couple/meet"
	"github.com/goacp/goacp/internal/system/couple/wire"
)

// locked is a state machine of package meet with its lock.
type locked[M any] struct {
	mu      sync.Mutex
	machine M
}

// do calls f while the lock is held, and returns its result.
func (l *locked[M]) do(f func(M) []meet.Answer) []meet.Answer {
	l.mu.Lock()
	defer l.mu.Unlock()
	return f(l.machine)
}

// deferred is a request of another process that is answered later. It is the ticket that machines get.
type deferred struct {
	reply []byte
	done  fabric.Completion
}

// deferRequest defers the answer to a request.
func deferRequest(r fabric.Request) *deferred { return &deferred{r.Reply, r.Later.Defer()} }

// deliver sends the answers of a machine.
func deliver(answers []meet.Answer) {
	for _, a := range answers {
		switch d := a.To.(*deferred); {
		case a.Err != nil:
			d.done.Complete(0, a.Err)
		case len(a.Body) > len(d.reply):
			d.done.Complete(0, wire.ErrMalformed)
		default:
			d.done.Complete(uint64(copy(d.reply, a.Body)), nil)
		}
	}
}

// caller returns the rank that a member is.
func (s *System) caller(member int) meet.Caller {
	return meet.Caller{Member: member, Rank: s.p.Ranks.Rank(member), Cohort: s.p.Memory.Cohort(member)}
}

// serveMeet lets a rank of a link join a meeting.
func (s *System) serveMeet(r fabric.Request) (int, error) {
	a, err := meet.DecodeArrival(r.Body, s.p.Ranks.Seats())
	if err != nil {
		return 0, err
	}
	t := deferRequest(r)
	c := s.caller(r.From)
	deliver(s.host.do(func(h *meet.Host) []meet.Answer { return h.Arrive(&a, c, t) }))
	s.recheck(r.From)
	return 0, nil
}

// serveLeave lets a rank leave a meeting, permanently if it gives a reason.
func (s *System) serveLeave(r fabric.Request) (int, error) {
	a, err := meet.DecodeArrival(r.Body, s.p.Ranks.Seats())
	if err != nil {
		return 0, err
	}
	var d meet.Departure
	deliver(s.host.do(func(h *meet.Host) (answers []meet.Answer) {
		d, answers = h.Leave(&a, r.From)
		return answers
	}))
	return put(r, d.Encode())
}

// put answers a request at once.
func put(r fabric.Request, answer []byte) (int, error) {
	if len(answer) > len(r.Reply) {
		return 0, wire.ErrMalformed
	}
	return copy(r.Reply, answer), nil
}

// serveRefuse ends a meeting after the first rank of a side has found that the other side will never
// come.
func (s *System) serveRefuse(r fabric.Request) (int, error) {
	a, err := meet.DecodeArrival(r.Body, s.p.Ranks.Seats())
	if err != nil {
		return 0, err
	}
	deliver(s.host.do(func(h *meet.Host) (answers []meet.Answer) {
		answers, err = h.Refuse(&a, s.p.Memory.Cohort(r.From))
		return answers
	}))
	return 0, err
}

// serveReport stores the report of a rank about a model.
func (s *System) serveReport(r fabric.Request) (int, error) {
	report, err := meet.DecodeReport(r.Body)
	if err != nil {
		return 0, err
	}
	deliver(s.registry.do(func(g *meet.Registry) (answers []meet.Answer) {
		answers, err = g.Report(&report, s.caller(r.From))
		return answers
	}))
	s.recheck(r.From)
	return 0, err
}

// serveInquiry answers a question about a field, at once or when the field cannot come any more.
func (s *System) serveInquiry(r fabric.Request) (int, error) {
	q, err := meet.DecodeInquiry(r.Body)
	if err != nil {
		return 0, err
	}
	t := deferRequest(r)
	deliver(s.registry.do(func(g *meet.Registry) []meet.Answer { return g.Inquire(&q, r.From, t) }))
	s.recheck(r.From)
	return 0, nil
}

// serveHold takes points that a rank holds.
func (s *System) serveHold(r fabric.Request) (int, error) {
	p, err := meet.DecodePiece(r.Body)
	if err != nil {
		return 0, err
	}
	if err := s.p.Check(r.From); err != nil {
		return 0, err // the link is broken, and its shard may have ended
	}
	deliver(s.shards.do(func(all *meet.Shards) []meet.Answer {
		err = all.Hold(&p, r.From)
		return nil
	}))
	if err == nil && p.Last {
		s.p.Cond.Lock()
		s.p.Cond.Broadcast()
		s.p.Cond.Unlock()
	}
	return 0, err
}

// serveFetch answers with a part of a finding.
func (s *System) serveFetch(r fabric.Request) (int, error) {
	f, err := meet.DecodeFetch(r.Body)
	if err != nil {
		return 0, err
	}
	t := deferRequest(r)
	deliver(s.shards.do(func(all *meet.Shards) []meet.Answer { return all.Fetch(&f, r.From, t) }))
	return 0, nil
}
