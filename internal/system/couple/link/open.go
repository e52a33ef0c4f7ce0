package link

import (
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
	options.Every = max(options.Every, 1)
	name := meet.LinkName(f.Name(), partner)
	if sd == side.Receiving {
		name = meet.LinkName(partner, f.Name())
	}
	o := &opening{s: s, f: f, side: sd, way: way, name: name, host: s.hostOf(name), options: options, began: time.Now()}
	debuglog.Couple.Printf("link %s: %s waits for all ranks of both sides, at rank %d", name, way.Function(sd), s.p.Ranks.Rank(o.host))
	e, err := o.run(ctx)
	o.log(e, err)
	if err != nil {
		return nil, fmt.Errorf("link %s: %w", name, err)
	}
	s.flows.open(e)
	return e, nil
}

// run opens the link. After all ranks have come, no rank gives up any more: the other ranks would wait for it
// forever. If a guest is gone by then, all of them fail with ErrRankGone or ErrPartner.
func (o *opening) run(ctx context.Context) (*end, error) {
	if err := o.introduce(ctx); err != nil {
		return nil, err
	}
	ctx = context.WithoutCancel(ctx)
	until, end := o.untilGone(ctx)
	defer end()
	common, err := o.find(until)
	if err != nil {
		// Another rank that has broken the link may have received the end of a guest earlier than this one.
		_ = o.s.p.Memory.Refresh() // on an error the run is over
	}
	if gone := context.Cause(until); gone != nil {
		o.breakShard()
		// The host knows that the link is broken, and answers at once.
		_ = o.agree(ctx, gone)
		return nil, gone
	}
	if err != nil {
		return nil, err
	}
	e, failed := o.newEnd(common)
	err = o.agree(ctx, failed)
	if failed != nil {
		err = failed // which is sent to the other ranks
	}
	if err == nil {
		err = e.connect(until)
	}
	if gone := context.Cause(until); gone != nil && err != nil {
		err = gone
	}
	if err != nil {
		return nil, errors.Join(err, e.discard())
	}
	return e, nil
}

// find returns the points that this rank has in common with each rank of the other side.
func (o *opening) find(ctx context.Context) (map[int]points.List, error) {
	if err := o.hold(ctx); err != nil {
		return nil, err
	}
	if err := o.match(ctx); err != nil {
		return nil, err
	}
	return o.fetch(ctx)
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

// hold sends the directories the points that this rank holds, and its masked points.
func (o *opening) hold(ctx context.Context) error {
	masked := make([]points.List, o.ranges.Parts)
	if err := o.ranges.Cut(o.masked(), func(part int, some points.List) error {
		masked[part] = some
		return nil
	}); err != nil {
		return err
	}
	return o.ranges.Cut(&o.layout().Points, func(part int, some points.List) error {
		for _, p := range meet.Pieces(o.known.ID, o.side, o.f.model.index, some.Bytes(), masked[part].Bytes()) {
			if _, err := o.s.ask(ctx, o.keepers[part], opHold, p.Encode(), 0); err != nil {
				return err
			}
		}
		return nil
	})
}

// match runs the shard that this process keeps. If the process is on both sides, the sending side runs it.
func (o *opening) match(ctx context.Context) error {
	s, self := o.s, o.s.p.Ranks.Self()
	if o.side == side.Receiving && slices.Contains(o.members[side.Sending], self) {
		return nil
	}
	s.shards.mu.Lock()
	shard := s.shards.machine.Of(o.known.ID)
	s.shards.mu.Unlock()
	if shard == nil {
		return fmt.Errorf("%w: more than %d links are being opened", ErrOptions, meet.MaxShards)
	}
	all := func() bool {
		s.shards.mu.Lock()
		defer s.shards.mu.Unlock()
		return shard.Whole() == len(o.members[side.Sending])+len(o.members[side.Receiving])
	}
	if err := s.p.Cond.WaitContext(ctx, activity.For(activity.Link).About(meet.Partner(o.name, o.side)), all); err != nil {
		return err
	}
	s.shards.mu.Lock()
	reported := shard.Take()
	s.shards.mu.Unlock()
	match, err := reported.Match(o.ranges.Part(slices.Index(o.keepers, self)), o.members, o.known.Sums, o.s.p.Ranks.Rank)
	if err != nil {
		return err
	}
	findings := meet.Findings(match, o.members)
	deliver(s.shards.do(func(all *meet.Shards) []meet.Answer { return all.Publish(shard, o.members, findings) }))
	return nil
}

// fetch sends a request to all directories. It returns the points that this rank has in common with each rank of the
// other side.
func (o *opening) fetch(ctx context.Context) (map[int]points.List, error) {
	builders := make(map[int]*points.Builder)
	problem := meet.Finding{Missing: directory.None, Twice: directory.None}
	for part := range o.keepers {
		b, err := o.fetchPart(ctx, part)
		if err != nil {
			return nil, err
		}
		f, err := meet.DecodeFinding(b)
		if err != nil {
			return nil, err
		}
		if problem.Missing == directory.None {
			problem.Missing = f.Missing
		}
		if problem.Twice == directory.None {
			problem.Twice, problem.Senders = f.Twice, f.Senders
		}
		rng := o.ranges.Part(part)
		for _, p := range f.Partners {
			l, err := points.Decode(p.Points, rng.Lo, rng.Hi, true)
			if err != nil || p.Index >= len(o.members[1-o.side]) {
				return nil, wire.ErrMalformed
			}
			if builders[p.Index] == nil {
				builders[p.Index] = new(points.Builder)
			}
			appendList(builders[p.Index], &l)
		}
	}
	if err := o.problem(&problem); err != nil {
		return nil, err
	}
	common := make(map[int]points.List, len(builders))
	for i, b := range builders {
		common[i] = b.List()
	}
	return common, nil
}

// appendList appends the numbers of a list.
func appendList(b *points.Builder, l *points.List) {
	for it := l.All(); ; {
		r, ok := it.Next()
		if !ok {
			return
		}
		b.AddRun(r)
	}
}

// fetchPart sends a request to one directory.
func (o *opening) fetchPart(ctx context.Context, part int) ([]byte, error) {
	var all []byte
	for left := meet.MaxFinding; ; {
		f := meet.Fetch{ID: o.known.ID, Side: o.side, Index: o.f.model.index, Offset: len(all)}
		answer, err := o.s.ask(ctx, o.keepers[part], opFetch, f.Encode(), fabric.CallMax)
		if err != nil {
			return nil, err
		}
		p, err := meet.DecodePart(answer)
		if err != nil {
			return nil, err
		}
		before, some := left, p.Bytes
		left = p.Left
		if all != nil && left+len(some) != before || left > 0 && len(some) == 0 {
			return nil, wire.ErrMalformed
		}
		if all == nil {
			all = make([]byte, 0, len(some)+min(left, meet.PieceBytes<<10))
		}
		all = append(all, some...)
		if left == 0 {
			return all, nil
		}
	}
}

// problem returns why the points of both sides do not fit, or nil. All ranks of the link return the same.
func (o *opening) problem(f *meet.Finding) error {
	from, to := meet.Fields(o.name)
	senders := o.members[side.Sending]
	switch {
	case f.Twice != directory.None && f.Senders[0] < len(senders) && f.Senders[1] < len(senders):
		ranks := o.s.p.Ranks
		return fmt.Errorf("%w: ranks %d and %d both hold point %d of %s, which is the first such point", points.ErrTwice,
			ranks.Rank(senders[f.Senders[0]]), ranks.Rank(senders[f.Senders[1]]), f.Twice, from)
	case f.Twice != directory.None:
		return wire.ErrMalformed
	case f.Missing != directory.None:
		return fmt.Errorf("%w: no rank holds point %d of %s, which %s wants and which is the first such point", ErrMissing, f.Missing, from, to)
	}
	return nil
}

// agree sends all other ranks whether this rank is ready. It returns nil if all ranks are.
func (o *opening) agree(ctx context.Context, failed error) error {
	var body []byte
	if failed != nil {
		body = []byte(failed.Error())
	}
	answer, err := o.meet(ctx, meet.AboutReadiness, body)
	if err != nil {
		return err
	}
	ready, err := meet.DecodeOutcome(answer)
	if err != nil {
		return err
	}
	return ready.Err()
}
