package main

import (
	"fmt"
	"math/rand/v2"
	"unsafe"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/internal/acptest/clienttest"
	"github.com/goacp/goacp/internal/structure/hashed"
	"github.com/goacp/goacp/internal/structure/hashed/hashedtest"
)

// tables calls operations on two whole structures and on keys of them, as all ranks do at the same time. At the end
// rank 0 checks whether the history of all calls is linearizable.
type tables struct {
	w       *world
	history hashedtest.History
	client  clienttest.Client
	events  acp.GA // the address of the calls of this rank for other ranks
}

// An operation on whole structures takes many round trips, in which other ranks wait. Each is long on a network that loses
// frames. So structures have few tables, and such operations are rare.
const (
	mostTables = 3
	rareWhole  = 10
)

// newHistory chooses the structures of a round.
func (w *world) newHistory() hashedtest.History {
	choices := w.random(forTables)
	h := hashedtest.History{Kind: hashed.Kind(choices.IntN(3)), Keys: 1 + choices.IntN(6)}
	for i := range h.Shapes {
		h.Shapes[i] = hashedtest.Shape{Ranks: choices.Perm(w.procs)[:1+choices.IntN(min(w.procs, mostTables))], Slots: 1 + choices.IntN(8)}
	}
	if choices.IntN(3) == 0 {
		h.Shapes[1] = h.Shapes[0]
	}
	return h
}

func newTables(w *world, rnd *rand.Rand) (actor, error) {
	t := &tables{w: w, history: w.newHistory()}
	t.client = clienttest.Client{Process: w.p, Kind: t.history.Kind, Keys: t.history.Keys, Whole: rareWhole, Random: rnd, Now: t.ticket}
	return t, t.client.Open(w.shared.Tables)
}

// ticket returns a number that is greater than all that any rank got before the call.
func (t *tables) ticket() (int64, error) {
	w := t.w
	err := w.complete(w.p.Add8(w.at(w.rank, ticketPlace+8), w.at(0, ticketPlace), 1, acp.HandleNull))
	return int64(*w.word(ticketPlace + 8)), err
}

func (t *tables) step() error { return t.client.Step() }

// settle puts the events where rank 0 finds them: their address and their number.
func (t *tables) settle() error {
	bytes := eventBytes(t.client.Events)
	memory, ga, err := acp.Alloc[byte](t.w.p, max(len(bytes), 1))
	if err != nil {
		return err
	}
	copy(memory, bytes)
	t.events = ga
	*t.w.word(historyPlace), *t.w.word(historyPlace + 8) = uint64(ga), uint64(len(t.client.Events))
	return nil
}

// eventSize is the size of an event in bytes.
const eventSize = int(unsafe.Sizeof(hashedtest.Event{}))

// eventBytes returns the memory of events, which have no pointers.
func eventBytes(events []hashedtest.Event) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(events))), len(events)*eventSize)
}

func (t *tables) check() error {
	if t.w.rank != 0 {
		return nil
	}
	known := len(t.client.Events)
	if err := t.client.Observe(); err != nil {
		return err
	}
	t.history.Events = t.client.Events
	for rank := 1; rank < t.w.procs; rank++ {
		if err := t.collect(rank); err != nil {
			return err
		}
	}
	if err := t.history.Check(); err != nil {
		return fmt.Errorf("%d calls of rank 0 and those of the other ranks: %w", known, err)
	}
	return nil
}

// collect adds the events of a rank.
func (t *tables) collect(rank int) error {
	w := t.w
	if err := w.complete(w.p.Copy(w.at(0, historyPlace+16), w.at(rank, historyPlace), 16, acp.HandleNull)); err != nil {
		return err
	}
	from, n := acp.GA(*w.word(historyPlace + 16)), int(*w.word(historyPlace + 24))
	if n == 0 {
		return nil
	}
	memory, ga, err := acp.Alloc[byte](w.p, n*eventSize)
	if err != nil {
		return err
	}
	if err := w.complete(w.p.Copy(ga, from, uint64(len(memory)), acp.HandleNull)); err != nil {
		return err
	}
	events := make([]hashedtest.Event, n)
	copy(eventBytes(events), memory)
	t.history.Events = append(t.history.Events, events...)
	return w.p.Free(ga)
}

func (t *tables) close() error { return t.w.p.Free(t.events) }
