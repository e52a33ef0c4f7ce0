package segbuf

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/goacp/goacp/internal/access/global"
	"github.com/goacp/goacp/internal/ground/wait"
	"github.com/goacp/goacp/internal/memory/ga"
	"github.com/goacp/goacp/internal/process/collective"
)

// members is the number of processes of a model.
const members = 2

// processes is a number of processes that make ends at random times. Notes from one process to another arrive
// in order, as late as the test chooses.
type processes struct {
	rnd     *rand.Rand
	buffers [members]*Buffers
	notes   map[[2]int][]note // by sender and receiver: on their way
	ends    []*modelEnd
	streams map[stream]*[2]*modelEnd // by side
	made    map[streamSide]int
}

// stream is the n-th segmented buffer from one process to another.
type stream struct{ from, to, n int }

// streamSide is one side of the segmented buffers from one process to another.
type streamSide struct {
	from, to int
	source   bool
}

// modelEnd is an end and its expected state.
type modelEnd struct {
	stream
	source  bool
	end     *End
	joined  bool // its note has arrived, whether or not the other end is there
	left    bool // it has disconnected, and the note has arrived
	leaving bool // it has disconnected
	freed   bool
}

func newProcesses(rnd *rand.Rand) *processes {
	w := &processes{rnd: rnd, notes: map[[2]int][]note{}}
	for m := range members {
		w.buffers[m] = withoutMemory(ga.NewRanks(members, m), wait.NewCond(new(wait.Budget), nil))
	}
	w.forget()
	return w
}

// forget applies a Reset to the model.
func (w *processes) forget() {
	w.ends, w.streams, w.made = nil, map[stream]*[2]*modelEnd{}, map[streamSide]int{}
}

// side returns the index of an end in its stream.
func side(source bool) int {
	if source {
		return 0
	}
	return 1
}

// home returns the process of an end, and that of the other one.
func (u *modelEnd) home() (self, peer int) {
	if u.source {
		return u.from, u.to
	}
	return u.to, u.from
}

// add makes an end of one of two shapes.
func (w *processes) add() {
	s := streamSide{w.rnd.IntN(members), w.rnd.IntN(members), w.rnd.IntN(2) == 0}
	u := &modelEnd{stream: stream{s.from, s.to, w.made[s]}, source: s.source}
	w.made[s]++
	self, peer := u.home()
	u.end = &End{s: w.buffers[self], source: s.source, peer: peer, segment: 8, count: 2}
	if w.rnd.IntN(10) == 0 {
		u.end.segment, u.end.count = 16, 1
	}
	u.end.s.enter(u.end)
	if w.streams[u.stream] == nil {
		w.streams[u.stream] = new([2]*modelEnd)
	}
	w.streams[u.stream][side(u.source)] = u
	w.ends = append(w.ends, u)
	w.send(u, noteJoin)
}

// send queues a note of an end.
func (w *processes) send(u *modelEnd, kind uint64) {
	self, peer := u.home()
	n := note{kind: kind, life: u.end.life, number: u.end.number, segment: u.end.segment, count: uint64(u.end.count)}
	if !u.source {
		n.toSource = 1
	}
	w.notes[[2]int{self, peer}] = append(w.notes[[2]int{self, peer}], n)
}

// deliver lets a note arrive.
func (w *processes) deliver() error {
	way := [2]int{w.rnd.IntN(members), w.rnd.IntN(members)}
	if len(w.notes[way]) == 0 {
		return nil
	}
	n := w.notes[way][0]
	w.notes[way] = w.notes[way][1:]
	if n.life == w.buffers[0].life.Load() {
		s := stream{way[0], way[1], int(n.number)}
		if n.toSource != 0 {
			s.from, s.to = s.to, s.from
		}
		u := w.streams[s][side(n.toSource == 0)]
		u.joined = true
		u.left = u.left || n.kind == noteLeave
	}
	return w.buffers[way[1]].take(way[0], n)
}

// leave disconnects an end that is connected, or frees one that both have left.
func (w *processes) leave() {
	if len(w.ends) == 0 {
		return
	}
	u := w.ends[w.rnd.IntN(len(w.ends))]
	switch {
	case u.freed:
	case u.leaving && u.end.left.Load():
		u.freed = true
		u.end.state.Store(freed)
		u.end.s.remove(u.end)
	case !u.leaving && u.end.state.Load() == connected:
		u.leaving = true
		u.end.state.Store(disconnected)
		w.send(u, noteLeave)
	}
}

// check compares all ends with the model.
func (w *processes) check() error {
	for _, u := range w.ends {
		v := w.streams[u.stream][1-side(u.source)]
		informed := v != nil && v.joined
		fits := informed && u.end.segment == v.end.segment
		want := waiting
		switch {
		case u.freed:
			want = freed
		case u.leaving:
			want = disconnected
		case fits:
			want = connected
		}
		failed := u.end.failed.Load()
		if got := u.end.state.Load(); got != want || (failed != nil) != (informed && !fits) || u.end.left.Load() != (informed && v.left) {
			return fmt.Errorf("%+v: state %d, expected %d; failed: %v; left: %v", *u, got, want, failed != nil, u.end.left.Load())
		}
		if failed != nil && !errors.Is(*failed, collective.ErrDisagree) {
			return *failed
		}
		if fits && (u.end.other.segment != v.end.segment || u.end.other.number != v.end.number) {
			return fmt.Errorf("%+v is connected with %+v", *u, u.end.other)
		}
	}
	return nil
}

// TestPairing makes ends in any order on two processes, lets their notes arrive early and late,
// disconnects, frees and resets, and compares every end with a model.
func TestPairing(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	for round := range uint64(200) {
		w := newProcesses(rand.New(rand.NewPCG(seed, round)))
		for step := range 400 {
			var err error
			switch n := w.rnd.IntN(100); {
			case n < 20:
				w.add()
			case n < 60:
				err = w.deliver()
			case n < 99:
				w.leave()
			default: // also while notes are in flight, which are then ignored
				for _, b := range w.buffers {
					b.Forget()
				}
				w.forget()
			}
			if err == nil {
				err = w.check()
			}
			if err != nil {
				t.Fatalf("round %d, step %d: %v", round, step, err)
			}
		}
	}
}

// TestForgottenEnds: ends that are freed, notes whose ends have been made or freed, and all ends and notes
// from before a Reset, take no memory.
func TestForgottenEnds(t *testing.T) {
	b := newProcesses(nil).buffers[0]
	join := func(number uint64) note {
		return note{kind: noteJoin, toSource: 1, number: number, segment: 8, count: 2}
	}
	check := func(when string, ends, early int) {
		t.Helper()
		if n, m := len(b.all()), len(b.pair(pairKey{1, true}).early); n != ends || m != early {
			t.Errorf("%s: %d ends and %d early notes are known, expected %d and %d", when, n, m, ends, early)
		}
	}
	if err := errors.Join(b.take(1, join(0)), b.take(1, join(9))); err != nil {
		t.Fatal(err)
	}
	check("informed early", 0, 2)
	e := &End{s: b, peer: 1, source: true, segment: 8, count: 2}
	b.enter(e)
	b.enter(&End{s: b, peer: 1, source: true, segment: 8, count: 2})
	check("made", 2, 1)
	b.remove(e)
	if err := b.take(1, join(0)); err != nil {
		t.Errorf("a note for an end that is freed: %v", err)
	}
	check("freed", 1, 1)
	b.Forget()
	check("after a reset", 0, 0)
}

// TestHostileNotes: notes that no process of this library sends are refused, and only a bounded number of
// valid notes is kept.
func TestHostileNotes(t *testing.T) {
	b := newProcesses(nil).buffers[0]
	b.enter(&End{s: b, peer: 1, source: true, segment: 8, count: 2})
	b.enter(&End{s: b, peer: 1, source: true, segment: 8, count: 2})
	join := note{kind: noteJoin, toSource: 1, segment: 8, count: 2}
	early := join
	early.number = 2
	for _, n := range []note{join, early} {
		if err := b.take(1, n); err != nil {
			t.Fatalf("%+v: %v", n, err)
		}
	}
	for name, n := range map[string]note{
		"joined twice":           join,
		"joined early and twice": early,
		"left before it joined":  {kind: noteLeave, toSource: 1, number: 1},
		"left before it is made": {kind: noteLeave, toSource: 1, number: 3},
		"far too early":          {kind: noteJoin, toSource: 1, number: 2 + maxEarly},
	} {
		if err := b.take(1, n); !errors.Is(err, global.ErrProtocol) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if n := len(b.pair(pairKey{1, true}).early); n != 1 {
		t.Errorf("%d notes are kept", n)
	}
	leave := note{kind: noteLeave, toSource: 1}
	if err := b.take(1, leave); err != nil {
		t.Fatal(err)
	}
	if err := b.take(1, leave); !errors.Is(err, global.ErrProtocol) {
		t.Errorf("left twice: %v", err)
	}
}
