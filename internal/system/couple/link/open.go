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
	"github.com/goacp/goacp/internal/system/couple/directory"
	"github.com/goacp/goacp/internal/system/couple/points"
)

// MaxLevels bounds the levels of a link.
const MaxLevels = 1 << 16

// Options is what a side may choose when it opens a link.
type Options struct {
	Levels int // messages that a sender may be ahead of a receiver; 0: as the other side, or 1
	Every  int // messages are of the steps that this divides; 0: of all steps

	// SameNumbers: points of both sides with the same numbers belong together, whatever the grids of the fields. One side says so.
	SameNumbers bool
}

// way is how a link moves messages.
type way uint8

const (
	moving   way = iota // each message, so that senders wait for receivers
	watching            // what receivers ask for, so that senders wait for nothing
)

// function returns the name of the function by which a side opens a link.
func (w way) function(s side) string {
	return [...][2]string{moving: {"SendTo", "ReceiveFrom"}, watching: {"PublishTo", "Watch"}}[w][s]
}

// opening is a link that is being opened by one rank.
type opening struct {
	s       *System
	f       *Field
	side    side
	way     way
	name    string
	host    int
	options Options
	began   time.Time

	known   acquaintance
	members [2][]int
	offices []int // members that are directories, by part
	ranges  directory.Ranges
}

// Check returns why there cannot be a link with a field with a name, or with options, which functions that open links find
// out before they wait: ErrOptions or ErrModel. Does not block.
func Check(partner string, o Options) error {
	if o.Levels < 0 || o.Levels > MaxLevels || o.Every < 0 {
		return fmt.Errorf("%w: %d levels, every %d steps", ErrOptions, o.Levels, o.Every)
	}
	return checkPartner(partner)
}

// open opens one side of the link between a field and that of another model with a name. Collective for the ranks of the model.
// Blocks until all ranks of both models have called it.
func (s *System) open(ctx context.Context, f *Field, sd side, way way, partner string, options Options) (*end, error) {
	if err := Check(partner, options); err != nil {
		return nil, err
	}
	f.linked.Store(true)
	options.Every = max(options.Every, 1)
	name := linkName(f.Name(), partner)
	if sd == receiving {
		name = linkName(partner, f.Name())
	}
	o := &opening{s: s, f: f, side: sd, way: way, name: name, host: s.hostOf(name), options: options, began: time.Now()}
	debuglog.Couple.Printf("link %s: %s waits for all ranks of both sides, at rank %d", name, way.function(sd), s.p.Ranks.Rank(o.host))
	e, err := o.run(ctx)
	o.log(e, err)
	if err != nil {
		return nil, fmt.Errorf("link %s: %w", name, err)
	}
	s.flows.open(e)
	return e, nil
}

// run opens the link. When all ranks have come, no rank gives up any more: each of them would wait for it in
// vain.
func (o *opening) run(ctx context.Context) (*end, error) {
	if err := o.introduce(ctx); err != nil {
		return nil, err
	}
	ctx = context.WithoutCancel(ctx)
	if err := o.hold(ctx); err != nil {
		return nil, err
	}
	if err := o.compare(ctx); err != nil {
		return nil, err
	}
	common, err := o.fetch(ctx)
	if err != nil {
		return nil, err
	}
	e, failed := o.newEnd(common)
	err = o.agree(ctx, failed)
	if failed != nil {
		err = failed // which is what the others are told
	}
	if err != nil {
		return nil, errors.Join(err, e.discard())
	}
	if err := e.connect(ctx); err != nil {
		return nil, errors.Join(err, e.discard())
	}
	return e, nil
}

// meet comes to a meeting at the host, and returns its result. Fails with *lateError if this rank has left
// the meeting before the others had come.
func (o *opening) meet(ctx context.Context, question uint64, body []byte) ([]byte, error) {
	a := attendance{
		question: question, name: o.name, id: o.known.id,
		side: o.side, index: o.f.model.index, size: len(o.f.model.members), body: body,
	}
	request := a.encode()
	if len(request) > fabric.CallMax {
		return nil, fmt.Errorf("%w: the ranks of model %s are too much out of order", ErrModel, o.f.model.name)
	}
	r := o.s.start(o.host, opMeet, request, fabric.CallMax)
	tells := question == aboutIntroduction && o.f.model.index == 0 && !o.publishes()
	ends := uint64(modelWaitsNoMore)
	if tells {
		o.s.tell(o.f.model.name, modelWaits, o.name)
		defer func() { o.s.tell(o.f.model.name, ends, o.name) }()
		go o.watchPartner(r, &a)
	}
	answer, err := o.await(ctx, r)
	if err == nil || ctx.Err() == nil {
		return answer, err
	}
	late := o.late(ctx)
	ctx = context.WithoutCancel(ctx)
	left, err := o.leave(ctx, question, nil)
	if err != nil {
		return nil, err
	}
	if !left.was {
		return o.s.answer(ctx, r)
	}
	if !o.publishes() {
		late.why = o.explain(ctx, &left)
	}
	ends = modelGivesUp
	return nil, late
}

// publishes reports whether the link is opened by a Publisher, on a goroutine of the library.
func (o *opening) publishes() bool { return o.way == watching && o.side == sending }

// await waits for the answer of a meeting. A program that waits sees for which link.
func (o *opening) await(ctx context.Context, r *reply) ([]byte, error) {
	if o.publishes() {
		return o.s.answer(ctx, r)
	}
	defer o.show(ctx)()
	return o.s.answer(ctx, r)
}

// show shows readers that the program waits for the link, until the result is called: on the goroutine that calls, or on that of
// the program if the link belongs to a group.
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
	return o.f.Name() + [...]string{sending: " to ", receiving: " from "}[o.side] + partnerOf(o.name, o.side)
}

// leave leaves a meeting. It returns what the meeting was then. why says that a sender publishes no more; it is empty if the rank may
// come again.
func (o *opening) leave(ctx context.Context, question uint64, why []byte) (left, error) {
	a := attendance{
		question: question, name: o.name, id: o.known.id,
		side: o.side, index: o.f.model.index, size: len(o.f.model.members), body: why,
	}
	answer, err := o.s.ask(ctx, o.host, opLeave, a.encode(), fabric.CallMax)
	if err != nil {
		return left{}, err
	}
	return decodeLeft(answer)
}

// introduce meets all other ranks of the link.
func (o *opening) introduce(ctx context.Context) error {
	in := introduction{
		way: o.way, sums: o.side == sending && o.f.product != nil, element: o.f.element, levels: o.options.Levels, every: o.options.Every,
		bounds: o.bounds(), members: encodeMembers(o.f.model.members),
	}
	if !o.options.SameNumbers {
		in.grid = o.f.grid
	}
	if p := o.f.product; p != nil {
		in.fileEntries, in.ownEntries = p.fileEntries, p.ownEntries
	}
	answer, err := o.meet(ctx, aboutIntroduction, in.encode())
	if err != nil {
		return err
	}
	if o.known, err = decodeAcquaintance(answer); err != nil {
		return err
	}
	if err := o.known.err(); err != nil {
		return err
	}
	for sd, b := range o.known.sides {
		if o.members[sd], err = decodeMembers(b, o.s.p.Ranks.Size()); err != nil {
			return err
		}
	}
	if own := o.members[o.side]; len(o.members[1-o.side]) == 0 || o.f.model.index >= len(own) || own[o.f.model.index] != o.s.p.Ranks.Self() {
		return errMalformed
	}
	entered := make(map[int]bool)
	for _, m := range slices.Concat(o.members[sending], o.members[receiving]) {
		if !entered[m] {
			entered[m] = true
			o.offices = append(o.offices, m)
		}
	}
	o.ranges = directory.Ranges{All: o.known.bounds, Parts: len(o.offices)}
	return nil
}

// layout returns the points of this rank.
func (o *opening) layout() *points.Layout { return o.f.layouts[o.side] }

// masked returns the points that this rank holds for the directories and that take no part in the link. The directories need none
// of the points that a receiver has masked.
func (o *opening) masked() *points.List {
	if o.side == sending {
		return &o.f.masked[sending]
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

// hold sends the directories the points that this rank holds, and those of them that it has masked.
func (o *opening) hold(ctx context.Context) error {
	masked := make([]points.List, o.ranges.Parts)
	if err := o.ranges.Cut(o.masked(), func(part int, some points.List) error {
		masked[part] = some
		return nil
	}); err != nil {
		return err
	}
	return o.ranges.Cut(&o.layout().Points, func(part int, some points.List) error {
		pieces := o.pieces(some.Bytes(), false)
		if b := masked[part].Bytes(); len(b) > 0 {
			pieces = append(pieces, o.pieces(b, true)...)
		}
		for i, h := range pieces {
			h.last = i == len(pieces)-1
			if _, err := o.s.ask(ctx, o.offices[part], opHold, h.encode(), 0); err != nil {
				return err
			}
		}
		return nil
	})
}

// pieces divides a list into messages. There is at least one.
func (o *opening) pieces(b []byte, masked bool) (all []holding) {
	for len(all) == 0 || len(b) > 0 {
		n := min(len(b), pieceBytes)
		all = append(all, holding{id: o.known.id, side: o.side, index: o.f.model.index, masked: masked, part: b[:n]})
		b = b[n:]
	}
	return all
}

// compare does the work of the directory that this process is. If it is on both sides, the sending one
// does that.
func (o *opening) compare(ctx context.Context) error {
	self := o.s.p.Ranks.Self()
	if o.side == receiving && slices.Contains(o.members[sending], self) {
		return nil
	}
	o.s.offices.mu.Lock()
	office := o.s.offices.office(o.known.id)
	o.s.offices.mu.Unlock()
	if office == nil {
		return fmt.Errorf("%w: more than %d links are being opened", ErrOptions, maxOffices)
	}
	sizes := [2]int{len(o.members[sending]), len(o.members[receiving])}
	all := func() bool { return int(office.whole.Load()) == sizes[sending]+sizes[receiving] }
	if err := o.s.p.Cond.WaitContext(ctx, activity.For(activity.Link).About(partnerOf(o.name, o.side)), all); err != nil {
		return err
	}
	return o.s.compare(&o.known, office, o.ranges.Part(slices.Index(o.offices, self)), o.members)
}

// fetch asks all directories. It returns the points that this rank has in common with each rank of the
// other side.
func (o *opening) fetch(ctx context.Context) (map[int]points.List, error) {
	builders := make(map[int]*points.Builder)
	problem := finding{missing: directory.None, twice: directory.None}
	for part := range o.offices {
		b, err := o.fetchPart(ctx, part)
		if err != nil {
			return nil, err
		}
		f, err := decodeFinding(b)
		if err != nil {
			return nil, err
		}
		if problem.missing == directory.None {
			problem.missing = f.missing
		}
		if problem.twice == directory.None {
			problem.twice, problem.senders = f.twice, f.senders
		}
		rng := o.ranges.Part(part)
		for _, p := range f.partners {
			l, err := points.Decode(p.points, rng.Lo, rng.Hi, true)
			if err != nil || p.index >= len(o.members[1-o.side]) {
				return nil, errMalformed
			}
			if builders[p.index] == nil {
				builders[p.index] = new(points.Builder)
			}
			appendList(builders[p.index], &l)
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

// fetchPart asks one directory.
func (o *opening) fetchPart(ctx context.Context, part int) ([]byte, error) {
	var all []byte
	for left := maxOffset; ; {
		f := fetching{id: o.known.id, side: o.side, index: o.f.model.index, offset: len(all)}
		answer, err := o.s.ask(ctx, o.offices[part], opFetch, f.encode(), fabric.CallMax)
		if err != nil {
			return nil, err
		}
		r := reader{rest: answer}
		before := left
		left = r.count(maxOffset)
		some := r.bytes()
		if err := r.end(); err != nil {
			return nil, err
		}
		if all != nil && left+len(some) != before || left > 0 && len(some) == 0 {
			return nil, errMalformed
		}
		if all == nil {
			all = make([]byte, 0, len(some)+min(left, pieceBytes<<10))
		}
		all = append(all, some...)
		if left == 0 {
			return all, nil
		}
	}
}

// problem returns why the points of both sides do not fit, or nil. All ranks of the link return the same.
func (o *opening) problem(f *finding) error {
	from, to := o.ends()
	senders := o.members[sending]
	switch {
	case f.twice != directory.None && f.senders[0] < len(senders) && f.senders[1] < len(senders):
		ranks := o.s.p.Ranks
		return fmt.Errorf("%w: ranks %d and %d both hold point %d of %s, which is the first such point", points.ErrTwice,
			ranks.Rank(senders[f.senders[0]]), ranks.Rank(senders[f.senders[1]]), f.twice, from)
	case f.twice != directory.None:
		return errMalformed
	case f.missing != directory.None:
		return fmt.Errorf("%w: no rank holds point %d of %s, which %s wants and which is the first such point", ErrMissing, f.missing, from, to)
	}
	return nil
}

// agree tells all other ranks whether this one is ready. It returns nil if all are.
func (o *opening) agree(ctx context.Context, failed error) error {
	var body []byte
	if failed != nil {
		body = []byte(failed.Error())
	}
	answer, err := o.meet(ctx, aboutReadiness, body)
	if err != nil {
		return err
	}
	return decodeReadiness(answer)
}
