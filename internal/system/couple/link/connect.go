package link

import (
	"context"
	"fmt"
	"sync/atomic"

	"github.com/goacp/goacp/internal/fabric"
	"github.com/goacp/goacp/internal/ground/wait"
	"github.com/goacp/goacp/internal/memory/ga"
)

// expectation is a flow whose sender connects.
type expectation struct {
	f       *flow
	levels  int
	here    address
	post    uint64        // position of its post, which it has only if it tells runs
	missing *atomic.Int32 // flows of the receiver that are not connected
}

// expect lets senders connect flows. The flows are complete but for the address of the sender.
func (t *flows) expect(c connection, e *expectation) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.expected[c] = e
}

// arrive takes the expectation of a connection, or returns nil.
func (t *flows) arrive(c connection) *expectation {
	t.mu.Lock()
	defer t.mu.Unlock()
	e := t.expected[c]
	delete(t.expected, c)
	return e
}

func (a *address) append(w *writer) {
	for _, x := range []uint64{uint64(a.number), a.word, a.bell, a.slots} {
		w.number(x)
	}
}

func readAddress(r *reader) address {
	return address{number: uint32(r.count(numberLimit)), word: r.number(), bell: r.number(), slots: r.number()}
}

// valid reports whether there can be such memory.
func (a *address) valid(slots uint64) bool {
	return a.word%8 == 0 && a.word <= ga.MaxPos-wordBytes && a.bell%8 == 0 && a.bell <= ga.MaxPos-wait.BellBytes &&
		a.slots%8 == 0 && slots <= ga.MaxPos && a.slots <= ga.MaxPos-slots
}

// ask connects a flow of a sender with its receiver. here is where the sender is reached.
func (f *flow) ask(ctx context.Context, c connection, here address, levels int, size uint64) error {
	var w writer
	w.number(c.id)
	w.number(uint64(c.sender))
	w.number(uint64(c.receiver))
	w.number(f.size)
	long := f.long(&f.positions, size)
	if long {
		f.shown.Store(new(post)) // the receiver may ask before the answer is read
	}
	w.flag(long)
	here.append(&w)
	answer, err := f.s.ask(ctx, f.member, opConnect, w, mostAccepted)
	if err != nil {
		return err
	}
	a, err := decodeAcceptance(answer)
	if err == nil && !a.there.valid(f.slotBytes()*uint64(levels)) {
		err = errMalformed
	}
	if err == nil {
		f.connect(a.there, levels)
		err = f.learn(a.post, a.runs, size)
	}
	if err != nil {
		return fmt.Errorf("rank %d: %w", f.s.p.Ranks.Rank(f.member), err)
	}
	return nil
}

// acceptance is the answer of a receiver to a sender that connects.
type acceptance struct {
	there address
	post  uint64 // position of its post, which it has only if it tells runs
	runs  []byte // positions of the values at the receiver; empty if all values are packed
}

// mostAccepted is the most bytes of an acceptance.
const mostAccepted = 96 + mostTold

func (a *acceptance) encode() []byte {
	var w writer
	a.there.append(&w)
	w.number(a.post)
	w.bytes(a.runs)
	return w
}

func decodeAcceptance(b []byte) (acceptance, error) {
	r := reader{rest: b}
	a := acceptance{readAddress(&r), r.number(), r.bytes()}
	if err := r.end(); err != nil || !a.there.valid(0) || a.post%8 != 0 || a.post > ga.MaxPos-headBytes {
		return acceptance{}, errMalformed
	}
	return a, nil
}

// serveConnect lets a sender connect with a flow of this process.
func (s *System) serveConnect(r fabric.Request) (int, error) {
	in := reader{rest: r.Body}
	c := connection{id: in.number(), sender: in.count(maxRanks), receiver: in.count(maxRanks)}
	size, long, there := in.number(), in.flag(), readAddress(&in)
	if err := in.end(); err != nil || !there.valid(0) {
		return 0, errMalformed
	}
	e := s.flows.arrive(c)
	if e == nil || e.f.member != r.From || e.f.size != size {
		return 0, errMalformed
	}
	e.f.connect(there, e.levels)
	a := acceptance{there: e.here, post: e.post}
	if e.f.straight {
		a.runs = e.f.positions.Bytes()
		e.f.asks = long && e.f.toWord == nil && e.f.long(&e.f.positions, e.f.size/uint64(e.f.positions.Len()))
	}
	answer := a.encode()
	if len(answer) > len(r.Reply) {
		return 0, errMalformed
	}
	s.p.Cond.Lock()
	e.missing.Add(-1)
	s.p.Cond.Broadcast()
	s.p.Cond.Unlock()
	return copy(r.Reply, answer), nil
}
