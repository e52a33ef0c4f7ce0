package link

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/goacp/goacp/internal/fabric"
	"github.com/goacp/goacp/internal/ground/activity"
	"github.com/goacp/goacp/internal/ground/debuglog"
	"github.com/goacp/goacp/internal/system/couple/conserve"
	"github.com/goacp/goacp/internal/system/couple/directory"
	"github.com/goacp/goacp/internal/system/couple/flow"
	"github.com/goacp/goacp/internal/system/couple/meet"
	"github.com/goacp/goacp/internal/system/couple/points"
	"github.com/goacp/goacp/internal/system/couple/side"
	"github.com/goacp/goacp/internal/system/couple/wire"
)

// MaxLevels bounds the levels of a link.
const MaxLevels = meet.MaxLevels

// Options are the options of one side of a link.
type Options struct {
	Levels int // messages that a sender may be ahead of a receiver; 0: as the other side, or 1
	Every  int // messages are of the steps that this divides; 0: of all steps

	// SameNumbers: points of both sides with the same number match, for any grids of the fields. It is enough if
	// one side sets it.
	SameNumbers bool

	// Conserve is how receivers keep the integral; None: as Field.Conserve says.
	Conserve conserve.Method

	// Limits bounds the messages that this end sends or gets by remote zero copy.
	Limits flow.Limits
}

// opening is a link that is being opened by one rank.
type opening struct {
	s       *System
	f       *Field
	side    side.Side
	way     meet.Way
	name    string
	host    int
	options Options
	began   time.Time

	known   meet.Agreement
	members [2][]int
	keepers []int // members that keep the shards of the directory of points, by part
	ranges  directory.Ranges
}

// Check returns an error if the name of a field or the options are wrong: ErrOptions or ErrModel. Functions that open
// links call it before they wait. Does not block.
func Check(partner string, o Options) error {
	if o.Levels < 0 || o.Levels > MaxLevels || o.Every < 0 {
		return fmt.Errorf("%w: %d levels, every %d steps", ErrOptions, o.Levels, o.Every)
	}
	return checkPartner(partner)
}

// open opens one side of the link between a field and that of another model with a name. Collective for the ranks of the model.
// Blocks until all ranks of both models have called it.
func (s *System) open(ctx context.Context, f *Field, sd side.Side, way meet.Way, partner string, options Options) (*end, error) {
	if err := Check(partner, options); err != nil {
		return nil, err
	}
	f.linked.Store(true)
	o := s.newOpening(f, sd, way, partner, options)
	debuglog.Couple.Printf("link %s: %s waits for all ranks of both sides, at rank %d", o.name, way.Function(sd), s.p.Ranks.Rank(o.host))
	e, err := o.run(ctx)
	o.log(e, err)
	if err != nil {
		return nil, fmt.Errorf("link %s: %w", o.name, err)
	}
	s.flows.open(e)
	return e, nil
}

// newOpening returns an opening that has not begun.
func (s *System) newOpening(f *Field, sd side.Side, way meet.Way, partner string, options Options) *opening {
	options.Every = max(options.Every, 1)
	name := meet.LinkName(f.Name(), partner)
	if sd == side.Receiving {
		name = meet.LinkName(partner, f.Name())
	}
	return &opening{s: s, f: f, side: sd, way: way, name: name, host: s.hostOf(name), options: options, began: time.Now()}
}

// run opens the link. After all ranks have come, no rank gives up any more: the other ranks would wait for it
// forever. If a rank fails or a guest is gone by then, all of them fail, with the reason of that rank, ErrRankGone or ErrPartner.
func (o *opening) run(ctx context.Context) (*end, error) {
	if err := o.introduce(ctx); err != nil {
		return nil, err
	}
	ctx = context.WithoutCancel(ctx)
	until, end := o.untilGone(ctx)
	defer end()
	e, err := o.prepare(ctx, until)
	if err == nil {
		err = o.join(ctx, until, e)
	}
	if gone := context.Cause(until); gone != nil && err != nil {
		err = gone
	}
	if err != nil {
		return nil, err
	}
	return e, nil
}

// prepare makes the end, and returns it when all ranks have one. No rank knows its memory yet.
func (o *opening) prepare(ctx, until context.Context) (*end, error) {
	var e *end
	common, err := o.find(ctx, until)
	if err != nil {
		// Another rank that has broken the link may have received the end of a guest earlier than this one.
		_ = o.s.p.Memory.Refresh() // on an error the run is over
		err = cmp.Or(context.Cause(until), err)
	} else {
		e, err = o.newEnd(common)
	}
	_, err = o.agree(ctx, meet.AboutReadiness, err)
	if err != nil {
		_ = o.s.p.Memory.Refresh() // after that a guest that is gone makes no shard of the link anew; on an error the run is over
	}
	o.endShard()
	if err != nil && e != nil {
		err = errors.Join(err, e.discard(true))
	}
	return e, err
}

// join connects the end with its partners. It returns nil when all ranks have done so. Partners may have the address of an end that
// has failed. They use it only after all ranks have reported success to the host, so the memory is freed when the host has reported that
// one of them has not.
func (o *opening) join(ctx, until context.Context, e *end) error {
	answered, err := o.agree(ctx, meet.AboutConnection, e.connect(until))
	if err == nil && e.unconnected.Load() > 0 {
		answered, err = false, wire.ErrMalformed // of a sender that has reported too early
	}
	if err != nil {
		return errors.Join(err, e.discard(answered))
	}
	return nil
}

// arrival returns what this rank sends to the host of the link.
func (o *opening) arrival(question meet.Question, body []byte) meet.Arrival {
	return meet.Arrival{
		Question: question, Link: o.name, ID: o.known.ID,
		Side: o.side, Index: o.f.model.index, Size: len(o.f.model.members), Body: body,
	}
}

// meet joins a meeting at the host, and returns its result. Fails with *lateError if this rank has left the meeting
// before the other ranks had come.
func (o *opening) meet(ctx context.Context, question meet.Question, body []byte) (answer []byte, err error) {
	a := o.arrival(question, body)
	request := a.Encode()
	if len(request) > fabric.CallMax {
		return nil, fmt.Errorf("%w: the ranks of model %s are too much out of order", ErrModel, o.f.model.name)
	}
	r := o.s.start(o.host, opMeet, request, fabric.CallMax)
	if question == meet.AboutIntroduction && o.f.model.index == 0 && !o.publishes() {
		o.s.report(meet.Waits, o.f.model.name, o.name)
		defer func() { o.endWait(err) }()
		go o.watchPartner(r, &a)
	}
	answer, err = o.await(ctx, r)
	if err == nil || ctx.Err() == nil {
		return answer, err
	}
	late := o.late(ctx)
	ctx = context.WithoutCancel(ctx)
	left, err := o.leave(ctx, question, nil)
	if err != nil {
		return nil, err
	}
	if !left.Left {
		return o.s.answer(ctx, r)
	}
	if !o.publishes() {
		late.why = o.explain(ctx, &left)
	}
	return nil, late
}

// endWait reports to the registry that the model no longer waits for the link, after a meeting that ended with an error or nil.
// If the rank has given up, endWait returns when the registry knows: the error of a wait that begins afterwards at another rank
// does not name this one. It does not wait longer than reportLimit: the process with the registry may be stopped.
func (o *opening) endWait(met error) {
	if _, late := met.(*lateError); !late {
		o.s.report(meet.WaitsNoMore, o.f.model.name, o.name)
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), reportLimit)
	defer cancel()
	// An error changes nothing for the caller.
	_, _ = o.s.answer(ctx, o.s.report(meet.GivesUp, o.f.model.name, o.name))
}

// reportLimit bounds the wait of a rank that has given up a link for the registry.
const reportLimit = time.Second

// publishes reports whether the link is opened by a Publisher, on a goroutine of the library.
func (o *opening) publishes() bool { return o.way == meet.Watching && o.side == side.Sending }

// await waits for the answer of a meeting. A program that waits sees for which link.
func (o *opening) await(ctx context.Context, r *reply) ([]byte, error) {
	if o.publishes() {
		return o.s.answer(ctx, r)
	}
	defer o.show(ctx)()
	return o.s.answer(ctx, r)
}

// show shows readers that the program waits for the link, until the result is called: on the calling goroutine, or on
// the goroutine of the program if the link belongs to a group.
func (o *opening) show(ctx context.Context) (end func()) {
	reason := activity.For(activity.Opening).About(o.title())
	if g, ok := ctx.Value(groupKey{}).(*Group); ok {
		return g.show(reason)
	}
	w := o.s.p.Budget.Park(reason)
	return func() { o.s.p.Budget.Unpark(w) }
}

// title names the link as this side sees it: its own field is the first.
func (o *opening) title() string {
	return o.f.Name() + [...]string{side.Sending: " to ", side.Receiving: " from "}[o.side] + meet.Partner(o.name, o.side)
}

// leave leaves a meeting, and returns the state of the meeting. why is not empty if a sender has ended its
// publication; otherwise the rank may come again.
func (o *opening) leave(ctx context.Context, question meet.Question, why []byte) (meet.Departure, error) {
	a := o.arrival(question, why)
	answer, err := o.s.ask(ctx, o.host, opLeave, a.Encode(), fabric.CallMax)
	if err != nil {
		return meet.Departure{}, err
	}
	return meet.DecodeDeparture(answer)
}

// introduce meets all other ranks of the link.
func (o *opening) introduce(ctx context.Context) error {
	in := meet.Introduction{
		Way: o.way, Sums: o.side == side.Sending && o.f.product != nil, Element: o.f.element, Levels: o.options.Levels, Every: o.options.Every,
		Bounds: o.bounds(), Members: meet.EncodeMembers(o.f.model.members),
	}
	if !o.options.SameNumbers {
		in.Grid = o.f.grid
	}
	in.Conserve = o.conserve()
	if p := o.f.product; p != nil {
		in.Weights = p.share
	}
	answer, err := o.meet(ctx, meet.AboutIntroduction, in.Encode())
	if err != nil {
		return err
	}
	if o.known, err = meet.DecodeAgreement(answer); err != nil {
		return err
	}
	if err := o.known.Err(); err != nil {
		return err
	}
	for sd, b := range o.known.Members {
		if o.members[sd], err = meet.DecodeMembers(b, o.s.p.Ranks.Seats()); err != nil {
			return err
		}
	}
	if own := o.members[o.side]; len(o.members[1-o.side]) == 0 || o.f.model.index >= len(own) || own[o.f.model.index] != o.s.p.Ranks.Self() {
		return wire.ErrMalformed
	}
	entered := make(map[int]bool)
	for _, m := range slices.Concat(o.members[side.Sending], o.members[side.Receiving]) {
		if !entered[m] {
			entered[m] = true
			o.keepers = append(o.keepers, m)
		}
	}
	o.ranges = directory.Ranges{All: o.known.Bounds, Parts: len(o.keepers)}
	return nil
}

// conserve returns how receivers keep the integral.
func (o *opening) conserve() conserve.Method {
	switch {
	case o.way != meet.Moving:
		return conserve.None
	case o.options.Conserve != conserve.None:
		return o.options.Conserve
	}
	return o.f.conserve
}

// layout returns the points of this rank.
func (o *opening) layout() *points.Layout { return o.f.layouts[o.side] }

// masked returns the points that this rank holds for the directories and that take no part in the link. The directories need none
// of the points that a receiver has masked.
func (o *opening) masked() *points.List {
	if o.side == side.Sending {
		return &o.f.masked[side.Sending]
	}
	return new(points.List)
}

// bounds returns the range of all points that the directories get from this rank.
func (o *opening) bounds() directory.Range {
	lo, hi := o.layout().Bounds()
	if masked := (points.Layout{Points: *o.masked()}); masked.Len() > 0 {
		first, end := masked.Bounds()
		if lo == hi {
			lo, hi = first, end
		}
		lo, hi = min(lo, first), max(hi, end)
	}
	return directory.Range{Lo: lo, Hi: hi}
}

// agree reports to the host whether this rank has failed, and waits for all other ranks. It returns nil if none has failed. answered means
// that all ranks get this result.
func (o *opening) agree(ctx context.Context, question meet.Question, failed error) (answered bool, err error) {
	var body []byte
	if failed != nil {
		body = []byte(failed.Error())
	}
	answer, err := o.meet(ctx, question, body)
	if err != nil {
		return false, cmp.Or(failed, err)
	}
	all, err := meet.DecodeOutcome(answer)
	if err != nil {
		return false, cmp.Or(failed, err)
	}
	return true, cmp.Or(failed, all.Err())
}
