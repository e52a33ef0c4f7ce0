package object

import (
	"fmt"
	"sync/atomic"
	"unsafe"

	"github.com/goacp/goacp/internal/ground/futex"
)

// A barrier, in bytes:
//
//	 0  mark
//	 4  1 if threads have called differently
//	 5  number of entries
//	 6  1 if threads that C has counted sleep at the number of the round
//	 8  number of the round
//	12  the call of the first thread of the round (threads, operation, type)
//	20  how many threads have arrived
//	24  the combined value; if threads have called differently, the call that differed
//	32  the levels of the entries, a byte each
//	48  the entries: places of processes that have threads which wait
//
// An entry is for one process. If there is no room, the process that arrives takes all entries of the lowest level that
// has several as its children, and its entry has the next level. So the entries are the roots of trees. The thread that ends
// the round tells the roots, and each process tells its children. Up to 10 processes are told at once, up to 64 by way
// of one other process, and so on.
//
// A thread whose page is on this host is counted by C (lib/acp/dmi_barrier.c). Then it has no entry: it looks for the next number of the round,
// and sleeps at it, for some time. Then it makes an entry by barrierEnter.

//goacp:c GOACP_DMI_
const (
	barrierBytes = BarrierSize
	brokenAt     = 4
	entriesAt    = 5
	asleepAt     = 6
	roundAt      = 8
	callAt       = 12
	arrivedAt    = 20
	combinedAt   = 24
)

const (
	levelsAt = 32
	entryAt  = 48

	maxEntries = (BarrierSize - entryAt) / placeBytes
	callBytes  = 8
)

// gathering is how a thread calls a barrier. All threads of a round have to call it alike.
type gathering struct {
	threads  uint32
	op, kind int8 // of the reduction; 0: none
}

func gatheringAt(b []byte, at int) gathering {
	return gathering{word(b, at), int8(b[at+4]), int8(b[at+5])}
}

func (g gathering) put(b []byte, at int) {
	setWord(b, at, g.threads)
	b[at+4], b[at+5], b[at+6], b[at+7] = byte(g.op), byte(g.kind), 0, 0
}

// String describes the call for messages.
func (g gathering) String() string {
	if g.op == 0 {
		return fmt.Sprintf("sync of %d threads", g.threads)
	}
	return fmt.Sprintf("allreduce of %d threads, operation %d, type %d", g.threads, g.op, g.kind)
}

// barrier is a barrier in memory.
type barrier struct{ b []byte }

func (r barrier) round() uint32       { return word(r.b, roundAt) }
func (r barrier) number() *uint32     { return (*uint32)(unsafe.Pointer(&r.b[roundAt])) }
func (r barrier) arrived() uint32     { return word(r.b, arrivedAt) }
func (r barrier) call() gathering     { return gatheringAt(r.b, callAt) }
func (r barrier) entries() int        { return min(int(r.b[entriesAt]), maxEntries) }
func (r barrier) entry(i int) place   { return placeAt(r.b, entryAt+i*placeBytes) }
func (r barrier) level(i int) *byte   { return &r.b[levelsAt+i] }
func (r barrier) combined() value     { return value(r.b[combinedAt : combinedAt+8]) }
func (r barrier) setCombined(v value) { copy(r.b[combinedAt:], v[:]) }

// isAligned reports whether the barrier is aligned in memory: C counts no threads of others. Pages may have any size.
func (r barrier) isAligned() bool {
	return uintptr(unsafe.Pointer(unsafe.SliceData(r.b)))%alignment == 0
}

// initBarrier makes a barrier. The input is the number of its first round. A process that has not yet learned of the
// last round of an earlier barrier at this address has to see another number.
func initBarrier(b, in, _ []byte) {
	initialise(b, barrierKind)
	setWord(b, roundAt, word(in, 0))
}

// destroyBarrier fails with waiting. The number of the round stays: a thread that C has counted in the last round may not have seen it yet.
func destroyBarrier(b, _, out []byte) {
	if r := (barrier{b}); r.arrived() != 0 && b[brokenAt] == 0 {
		out[0] = byte(waiting)
		return
	}
	round := word(b, roundAt)
	clear(b)
	setWord(b, roundAt, round)
}

// arriveIn and arriveOut are the sizes of an arrival and an answer.
const (
	arriveIn  = placeBytes + 4 + 4 + 4 + callBytes + 8
	arriveOut = 4 + 4 + 4 + 4 + 8 + callBytes + maxEntries*placeBytes
)

// arrival is what a process sends for some of its threads.
type arrival struct {
	to      place     // where the process waits, if it is not entered yet
	entered bool      // the process waits already in round
	round   uint32    //
	threads uint32    // how many arrive
	call    gathering // of each of them
	value   value     // theirs, combined
}

func (a *arrival) put(b []byte) {
	a.to.put(b, 0)
	setWord(b, 8, uint32(asByte(a.entered)))
	setWord(b, 12, a.round)
	setWord(b, 16, a.threads)
	a.call.put(b, 20)
	copy(b[28:], a.value[:])
}

func arrivalAt(b []byte) arrival {
	return arrival{placeAt(b, 0), word(b, 8) != 0, word(b, 12), word(b, 16), gatheringAt(b, 20), value(b[28:36])}
}

// answer is what a process gets for an arrival. Its status is done if the round has ended, waiting, mismatch, or
// tooMany: then nothing has changed.
type answer struct {
	status  status
	entered bool      // the process has got its entry
	round   uint32    // of the threads
	room    uint32    // tooMany: how many threads belong to the round
	value   value     // done: the result; mismatch: the call that differed
	call    gathering // mismatch: that of the first thread
	tell    []place   // the processes to which this one sends the end of the round
}

func (a *answer) put(b []byte) {
	b[0], b[1], b[2] = byte(a.status), asByte(a.entered), byte(len(a.tell))
	setWord(b, 4, a.round)
	setWord(b, 8, a.room)
	copy(b[16:], a.value[:])
	a.call.put(b, 24)
	for i, p := range a.tell {
		p.put(b, 32+i*placeBytes)
	}
}

func answerAt(b []byte) answer {
	a := answer{status(b[0]), b[1] != 0, word(b, 4), word(b, 8), value(b[16:24]), gatheringAt(b, 24), nil}
	for i := range min(int(b[2]), maxEntries) {
		a.tell = append(a.tell, placeAt(b, 32+i*placeBytes))
	}
	return a
}

// arriveAtBarrier is the arrival of threads of one process.
func arriveAtBarrier(b, in, out []byte) {
	r, a := barrier{b}, arrivalAt(in)
	answer := r.arrive(&a)
	answer.put(out)
}

// arrive changes the barrier for an arrival.
func (r barrier) arrive(a *arrival) answer {
	if a.threads == 0 || a.threads > a.call.threads {
		return answer{status: outOfRange}
	}
	if r.b[brokenAt] != 0 {
		return r.fail()
	}
	if r.arrived() == 0 {
		a.call.put(r.b, callAt)
		r.b[entriesAt] = 0
	} else if r.call() != a.call {
		r.b[brokenAt] = 1
		r.wake()
		var differs value
		a.call.put(differs[:], 0)
		r.setCombined(differs)
		return r.fail()
	}
	if room := a.call.threads - r.arrived(); a.threads > room {
		return answer{status: tooMany, room: room}
	}
	if r.arrived() != 0 && a.call.op != 0 {
		a.value = combine(a.call.op, a.call.kind, r.combined(), a.value)
	}
	r.setCombined(a.value)
	round := r.round()
	if r.count(a.threads) {
		return answer{status: done, round: round, value: a.value, tell: r.takeEntries()}
	}
	if a.entered && a.round == round {
		return answer{status: waiting, round: round}
	}
	return answer{status: waiting, entered: true, round: round, tell: r.enter(a.to)}
}

// enterBarrier makes an entry for a thread that C has counted, if its round has not ended. The input is an arrival, of which the place, the
// round and the call count.
func enterBarrier(b, in, out []byte) {
	r, a := barrier{b}, arrivalAt(in)
	got := answer{status: done, round: a.round}
	switch {
	case r.round() != a.round:
	case r.b[brokenAt] != 0:
		got = r.fail()
	default:
		got = answer{status: waiting, entered: true, round: a.round, tell: r.enter(a.to)}
	}
	got.put(out)
}

// fail is the answer to an arrival after threads have called differently. It is not known how many threads belong to
// the round, so all that come fail, until the barrier is initialised again.
func (r barrier) fail() answer {
	return answer{status: mismatch, round: r.round(), value: r.combined(), call: r.call(), tell: r.takeEntries()}
}

// count counts threads, and reports whether the round is complete. Then the next one begins.
func (r barrier) count(n uint32) bool {
	n += r.arrived()
	if n < r.call().threads {
		setWord(r.b, arrivedAt, n)
		return false
	}
	setWord(r.b, arrivedAt, 0)
	if next := r.round() + 1; r.isAligned() {
		atomic.StoreUint32(r.number(), next) // threads without an entry read it
	} else {
		setWord(r.b, roundAt, next)
	}
	r.wake()
	return true
}

// wake wakes the threads that sleep at the number of the round.
func (r barrier) wake() {
	if r.b[asleepAt] != 0 {
		r.b[asleepAt] = 0
		futex.Wake(r.number())
	}
}

// takeEntries takes all entries out.
func (r barrier) takeEntries() (all []place) {
	for i := range r.entries() {
		all = append(all, r.entry(i))
	}
	r.b[entriesAt] = 0
	return all
}

// enter makes an entry for a process, and returns those of its children.
func (r barrier) enter(p place) (children []place) {
	level := byte(0)
	if r.entries() == maxEntries {
		merged := r.mergeable()
		level = merged + 1
		kept := 0
		for i := range maxEntries {
			if *r.level(i) == merged {
				children = append(children, r.entry(i))
				continue
			}
			r.entry(i).put(r.b, entryAt+kept*placeBytes)
			*r.level(kept) = *r.level(i)
			kept++
		}
		r.b[entriesAt] = byte(kept)
	}
	n := r.entries()
	p.put(r.b, entryAt+n*placeBytes)
	*r.level(n) = level
	r.b[entriesAt] = byte(n + 1)
	return children
}

// mergeable returns the lowest level with several entries. There is one, unless more processes have arrived than there
// can be: then it is the lowest one.
func (r barrier) mergeable() byte {
	var of [256]byte
	for i := range maxEntries {
		of[*r.level(i)]++
	}
	for level, n := range of {
		if n > 1 {
			return byte(level)
		}
	}
	return *r.level(0)
}
