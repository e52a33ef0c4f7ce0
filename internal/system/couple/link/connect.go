package link

import (
	"context"
	"fmt"
	"sync/atomic"

	"github.com/goacp/goacp/internal/fabric"
	"github.com/goacp/goacp/internal/ground/wait"
	"github.com/goacp/goacp/internal/memory/ga"
	"github.com/goacp/goacp/internal/system/couple/flow"
	"github.com/goacp/goacp/internal/system/couple/meet"
	"github.com/goacp/goacp/internal/system/couple/wire"
)

// expectation is a flow whose sender connects.
type expectation struct {
	f       *stream
	levels  int
	here    address
	ready   uint64        // position of the record that shows its array, if it sends positions
	missing *atomic.Int32 // flows of the receiver that are not connected
}

// expect lets senders connect flows. The flows are complete except for the address of the
// sender.
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

func (a *address) append(w *wire.Writer) {
	for _, x := range []uint64{uint64(a.number), a.word, a.events, a.slots} {
		w.Number(x)
	}
}

func readAddress(r *wire.Reader) address {
	return address{number: uint32(r.Count(numberLimit)), word: r.Number(), events: r.Number(), slots: r.Number()}
}

// valid reports whether there can be such memory.
func (a *address) valid(slots uint64) bool {
	return a.word%8 == 0 && a.word <= ga.MaxPos-wordBytes && a.events%8 == 0 && a.events <= ga.MaxPos-wait.EventCountBytes &&
		a.slots%8 == 0 && slots <= ga.MaxPos && a.slots <= ga.MaxPos-slots
}

// ask connects a flow of a sender with its receiver. here is the address of the sender.
func (f *stream) ask(ctx context.Context, c connection, here address, levels int, size uint64) error {
	var w wire.Writer
	w.Number(c.id)
	w.Number(uint64(c.sender))
	w.Number(uint64(c.receiver))
	w.Number(f.size)
	fit := f.fit(&f.positions)
	if fit {
		f.shown.Store(new(flow.Ready)) // the receiver may send its request before the reply is read
	}
	w.Flag(fit)
	here.append(&w)
	answer, err := f.s.ask(ctx, f.member, opConnect, w, mostAccepted)
	if err != nil {
		return err
	}
	a, err := decodeAcceptance(answer)
	if err == nil && !a.there.valid(f.slotBytes()*uint64(levels)) {
		err = wire.ErrMalformed
	}
	if err == nil {
		f.connect(a.there, levels)
		err = f.learn(a.ready, a.runs, size)
	}
	if err != nil {
		return fmt.Errorf("rank %d: %w", f.s.p.Ranks.Rank(f.member), err)
	}
	return nil
}

// acceptance is the answer of a receiver to a sender that connects.
type acceptance struct {
	there address
	ready uint64 // position of the record that shows its array, if it sends positions
	runs  []byte // positions of the values at the receiver; empty if all values are packed
}

// mostAccepted is the most bytes of an acceptance.
const mostAccepted = 96 + flow.MostReported

func (a *acceptance) encode() []byte {
	var w wire.Writer
	a.there.append(&w)
	w.Number(a.ready)
	w.Bytes(a.runs)
	return w
}

func decodeAcceptance(b []byte) (acceptance, error) {
	r := wire.NewReader(b)
	a := acceptance{readAddress(r), r.Number(), r.Bytes()}
	if err := r.End(); err != nil || !a.there.valid(0) || a.ready%8 != 0 || a.ready > ga.MaxPos-flow.HeadBytes {
		return acceptance{}, wire.ErrMalformed
	}
	return a, nil
}

// serveConnect lets a sender connect with a flow of this process.
func (s *System) serveConnect(r fabric.Request) (int, error) {
	in := wire.NewReader(r.Body)
	c := connection{id: in.Number(), sender: in.Count(meet.MaxRanks), receiver: in.Count(meet.MaxRanks)}
	size, fit, there := in.Number(), in.Flag(), readAddress(in)
	if err := in.End(); err != nil || !there.valid(0) {
		return 0, wire.ErrMalformed
	}
	e := s.flows.arrive(c)
	if e == nil || e.f.member != r.From || e.f.size != size {
		return 0, wire.ErrMalformed
	}
	e.f.connect(there, e.levels)
	a := acceptance{there: e.here, ready: e.ready}
	if e.f.zeroCopy {
		a.runs = e.f.positions.Bytes()
		e.f.asks = fit && e.f.toWord == nil && e.f.fit(&e.f.positions)
	}
	answer := a.encode()
	if len(answer) > len(r.Reply) {
		return 0, wire.ErrMalformed
	}
	e.missing.Add(-1)
	return copy(r.Reply, answer), nil
}
