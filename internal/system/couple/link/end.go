package link

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/goacp/goacp/internal/ground/activity"
	"github.com/goacp/goacp/internal/ground/traffic"
	"github.com/goacp/goacp/internal/memory/ga"
	"github.com/goacp/goacp/internal/memory/heapview"
	"github.com/goacp/goacp/internal/system/couple/conserve"
	"github.com/goacp/goacp/internal/system/couple/flow"
	"github.com/goacp/goacp/internal/system/couple/meet"
	"github.com/goacp/goacp/internal/system/couple/points"
	"github.com/goacp/goacp/internal/system/couple/side"
)

// end is one side of a link on one rank. One goroutine at a time calls its methods.
type end struct {
	s      *System
	field  *Field
	side   side.Side
	name   string
	id     uint64
	levels uint64
	every  int64
	limits flow.Limits

	flows  []*stream // one for each rank of the other side with common points
	block  uint64    // address of the words and slots; ga.Null if there are none
	events uint64    // address
	watch  *watched  // nil unless the link is watched
	sums   *sums     // nil unless the end receives sums of several senders
	timed  *timed    // nil without operations in time

	recorder *recorder // nil unless messages are written to a file

	ready  *flow.Ready // of a receiver; nil if all values are packed
	asked  *stream     // of a receiver: the sender on another host that decides whether zero copy is committed, or nil
	extent uint64      // bytes of the array up to the last value that may go by zero copy

	remoteCopied uint64 // of a receiver: bytes that have come by remote zero copy; tests read it

	unconnected atomic.Int32
	*activity.LinkSteps
	progress
	shown   *activity.LinkEnd // to readers
	counted *traffic.LinkEnd  // nil unless this process counts
	waited  time.Duration
	left    bool // the partners have been notified that this side has ended
	closed  bool // changes while flows.mu is held
	life    uint64
}

// newEnd returns the end of a link without connections. If it fails, the end holds the resources to free.
func (o *opening) newEnd(common map[int]points.List) (*end, error) {
	e := &end{
		s: o.s, field: o.f, side: o.side, name: o.name, id: o.known.ID,
		levels: max(uint64(o.known.Levels), 1), every: int64(o.options.Every), limits: o.options.Limits.OrUsual(), life: o.s.life.Load(),
	}
	receives := o.side == side.Receiving
	e.shown, e.counted = o.s.p.Page.ShowLink(o.name, receives, e.every), o.s.p.Memory.CountLink(o.name, receives)
	e.LinkSteps = e.shown.Steps()
	e.begins()
	if o.f.bad != nil {
		return e, o.f.bad
	}
	for _, i := range slices.Sorted(maps.Keys(common)) {
		list := common[i]
		positions, err := o.layout().Locate(&list)
		if err != nil {
			return e, err
		}
		f := &stream{
			end: e, s: o.s, side: o.side, index: i, member: o.members[1-o.side][i],
			positions: positions, size: uint64(positions.Len()) * uint64(o.f.element.Size()), sent: e.counted.Sent(),
		}
		if !e.s.flows.enter(f) {
			return e, fmt.Errorf("%w: too many links", ErrOptions)
		}
		e.flows = append(e.flows, f)
	}
	if o.known.Sums && e.side == side.Receiving {
		e.sums = newSums(o.f.element, e.flows)
	}
	if o.way == meet.Watching {
		e.levels, e.watch = watchLevels, newWatched(o)
		e.s.watches.enter(watchKey{e.id, e.side}, e.watch)
	}
	if method := o.conserve(); method != conserve.None {
		if err := e.keepIntegral(method, o.members); err != nil {
			return e, err
		}
	}
	if len(e.flows) == 0 {
		return e, nil
	}
	return e, e.allocate()
}

// allocate makes the words, and the slots of a receiver.
func (e *end) allocate() error {
	var err error
	if e.events, err = e.s.makeNotifier(); err != nil {
		return err
	}
	size := 2 * flow.HeadBytes
	for _, f := range e.flows {
		size += e.share(f)
	}
	if e.block, err = e.s.mem.Alloc(e.s.p.Ranks.Self(), size); err != nil {
		return fmt.Errorf("%d bytes for the messages of %s: %w", size, e.field.Name(), err)
	}
	mem, err := e.s.mem.Own().Bytes(e.block, size)
	if err != nil {
		return err
	}
	if err := e.tell(); err != nil {
		return err
	}
	at := e.first()
	for _, f := range e.flows {
		word, err := heapview.At[uint64](e.s.mem.Own(), at)
		if err != nil {
			return err
		}
		e.s.flows.begin(f, word)
		if e.side == side.Receiving {
			f.slots = unsafe.Pointer(&mem[at-e.block+wordBytes])
			for n := range e.levels {
				*f.slot(n) = flow.Slot{}
			}
			e.unconnected.Add(1)
			e.s.flows.expect(e.connection(f), &expectation{
				f: f, levels: int(e.levels), here: e.address(f, at), ready: ga.Pos(e.readyAt()), missing: &e.unconnected,
			})
		}
		at += e.share(f)
	}
	return nil
}

// readyAt returns the address of the record in the block that shows the array. Records, words and slots begin at cache lines.
func (e *end) readyAt() uint64 { return (e.block + flow.HeadBytes - 1) &^ (flow.HeadBytes - 1) }

// first returns the address of the first word in the block.
func (e *end) first() uint64 { return e.readyAt() + flow.HeadBytes }

// share returns the bytes that a flow has in the block.
func (e *end) share(f *stream) uint64 {
	if e.side == side.Sending {
		return wordBytes
	}
	return wordBytes + e.levels*f.slotBytes()
}

// address returns where a flow is reached whose part of the block is at an address.
func (e *end) address(f *stream, at uint64) address {
	return address{number: f.number, word: ga.Pos(at), events: ga.Pos(e.events), slots: ga.Pos(at + wordBytes)}
}

// connection returns the name of a flow.
func (e *end) connection(f *stream) connection {
	if e.side == side.Sending {
		return connection{e.id, e.field.model.index, f.index}
	}
	return connection{e.id, f.index, e.field.model.index}
}

// connect connects the flows of a sender. A receiver answers meanwhile.
func (e *end) connect(ctx context.Context) error {
	if e.side == side.Receiving {
		return nil
	}
	at := e.first()
	for _, f := range e.flows {
		if err := f.ask(ctx, e.connection(f), e.address(f, at), int(e.levels), uint64(e.field.element.Size())); err != nil {
			return err
		}
		at += e.share(f)
	}
	return nil
}

// usable returns why the end cannot be used, or nil.
func (e *end) usable() error {
	if err := e.s.mem.Alive(); err != nil {
		return err
	}
	if e.closed || e.left || e.life != e.s.life.Load() {
		return fmt.Errorf("link %s: %w", e.name, ErrClosed)
	}
	return nil
}

// waitFor waits until blocked returns nil, which otherwise returns a flow that the end waits for.
func (e *end) waitFor(ctx context.Context, blocked func() *stream) error {
	if err := e.usable(); err != nil {
		return err
	}
	if err := e.await(ctx, blocked); err != nil {
		return e.wrap(nil, err)
	}
	return nil
}

// wrap returns an error with the name of the link.
func (e *end) wrap(f *stream, err error) error {
	if f == nil {
		return fmt.Errorf("link %s: %w", e.name, err)
	}
	return fmt.Errorf("link %s: rank %d: %w", e.name, e.s.p.Ranks.Rank(f.member), err)
}

// due returns the number of the message of a step, and whether the step has one.
func (e *end) due(step int64) (message int64, ok bool) {
	return step / e.every, step%e.every == 0
}
