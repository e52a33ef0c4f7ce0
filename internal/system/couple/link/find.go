package link

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/goacp/goacp/internal/fabric"
	"github.com/goacp/goacp/internal/ground/activity"
	"github.com/goacp/goacp/internal/system/couple/directory"
	"github.com/goacp/goacp/internal/system/couple/meet"
	"github.com/goacp/goacp/internal/system/couple/points"
	"github.com/goacp/goacp/internal/system/couple/side"
	"github.com/goacp/goacp/internal/system/couple/wire"
)

// find returns the points that this rank has in common with each rank of the other side. Other ranks wait for what it sends and for its
// shard, so it goes on after an error.
func (o *opening) find(ctx, until context.Context) (map[int]points.List, error) {
	held := o.hold(ctx)
	matched := o.match(until)
	common, fetched := o.fetch(ctx)
	return common, cmp.Or(held, matched, fetched)
}

// hold sends the directories the points that this rank holds, and its masked points. A directory that does not accept them gets the
// reason in their place.
func (o *opening) hold(ctx context.Context) error {
	masked := make([]points.List, o.ranges.Parts)
	// The functions that Cut calls here do not fail.
	_ = o.ranges.Cut(o.masked(), func(part int, some points.List) error {
		masked[part] = some
		return nil
	})
	var failed error
	_ = o.ranges.Cut(&o.layout().Points, func(part int, some points.List) error {
		err := o.send(ctx, part, meet.Pieces(o.known.ID, o.side, o.f.model.index, some.Bytes(), masked[part].Bytes()))
		if err != nil {
			why := meet.Piece{ID: o.known.ID, Side: o.side, Index: o.f.model.index, Last: true, Why: shortened(err.Error())}
			// If this fails, too, the directory has all points of this index, and finds out from whom.
			_ = o.send(ctx, part, []meet.Piece{why})
			failed = cmp.Or(failed, fmt.Errorf("points are not accepted: %w", err))
		}
		return nil
	})
	return failed
}

// mostWhy bounds the bytes of a reason in a message.
const mostWhy = 1 << 10

// shortened returns the beginning of a reason.
func shortened(why string) string { return strings.ToValidUTF8(why[:min(len(why), mostWhy)], "") }

// send sends points to one directory.
func (o *opening) send(ctx context.Context, part int, pieces []meet.Piece) error {
	for _, p := range pieces {
		if _, err := o.s.ask(ctx, o.keepers[part], opHold, p.Encode(), 0); err != nil {
			return err
		}
	}
	return nil
}

// match runs the shard that this process keeps. If the process is on both sides, the sending side runs it. If it fails, all ranks that
// fetch from the shard get the reason.
func (o *opening) match(ctx context.Context) error {
	if o.side == side.Receiving && slices.Contains(o.members[side.Sending], o.s.p.Ranks.Self()) {
		return nil
	}
	err := o.publish(ctx)
	if err != nil {
		why := shortened(fmt.Sprintf("rank %d of model %s: %v", o.s.p.Ranks.Rank(o.s.p.Ranks.Self()), o.f.model.name, err))
		deliver(o.s.shards.do(func(all *meet.Shards) []meet.Answer { return all.Break(o.known.ID, why) }))
	}
	return err
}

// endShard ends the shard that this process keeps. All ranks have come to the next meeting, so none sends requests to it any more.
func (o *opening) endShard() {
	o.s.shards.mu.Lock()
	defer o.s.shards.mu.Unlock()
	o.s.shards.machine.End(o.known.ID)
}

// publish waits for the points of all ranks, matches them, and lets the ranks fetch what the shard has found.
func (o *opening) publish(ctx context.Context) error {
	s, self := o.s, o.s.p.Ranks.Self()
	s.shards.mu.Lock()
	shard := s.shards.machine.Of(o.known.ID)
	s.shards.mu.Unlock()
	if shard == nil {
		return fmt.Errorf("%w: %w", ErrOptions, meet.ErrMany)
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
		if err := p.Err(); err != nil {
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
