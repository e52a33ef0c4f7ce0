package link

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/goacp/goacp/internal/ground/ranges"
	"github.com/goacp/goacp/internal/system/couple/meet"
)

// lateError is the error of a link that not all ranks have opened before the context of this one ended.
type lateError struct {
	waited time.Duration
	why    string // "" if that is not known
	cause  error  // the error of the context
}

// Error returns how long the rank has waited and why the link was not opened. The text of the context's error is not part of it.
func (e *lateError) Error() string {
	text := "not opened after " + strconv.FormatFloat(e.waited.Seconds(), 'f', -1, 64) + " s"
	if !errors.Is(e.cause, context.DeadlineExceeded) {
		text += ", when the wait was given up"
	}
	if e.why != "" {
		text += ": " + e.why
	}
	return text
}

// Unwrap returns the error of the context.
func (e *lateError) Unwrap() error { return e.cause }

// late returns the error of an opening whose context has ended. A deadline counts as it was set, without the time that it takes to
// notice it.
func (o *opening) late(ctx context.Context) *lateError {
	e := &lateError{waited: time.Since(o.began), cause: ctx.Err()}
	if end, ok := ctx.Deadline(); ok && errors.Is(e.cause, context.DeadlineExceeded) {
		e.waited = end.Sub(o.began)
	}
	e.waited = rounded(max(e.waited, 0))
	return e
}

// rounded leaves out the time that passes between the call of a program and the beginning of the wait.
func rounded(d time.Duration) time.Duration {
	if d < time.Second {
		return d.Round(10 * time.Millisecond)
	}
	return d.Round(100 * time.Millisecond)
}

// explain returns the reason why the link has not been opened: the other model or its field does not exist, ranks are
// missing, or models wait for each other. It returns "" if the reason is not known.
func (o *opening) explain(ctx context.Context, d *meet.Departure) string {
	n, err := o.situation(ctx)
	if err != nil {
		return ""
	}
	if n.Absent != "" {
		return n.Absent
	}
	missing := d.Missing
	if !d.Met {
		others, err := meet.DecodeMembers(n.Members, o.s.p.Ranks.Seats())
		if err != nil {
			return ""
		}
		missing = slices.Concat(missing, others)
	}
	text := o.missing(missing)
	switch {
	case text == "":
		return n.Order
	case n.Order != "":
		text += "; " + n.Order
	}
	return text
}

// missing names the members that have not opened the link. If this member is among them, it is on both sides.
func (o *opening) missing(members []int) string {
	var ranks []int
	for _, m := range members {
		ranks = append(ranks, o.s.p.Ranks.Rank(m))
	}
	slices.Sort(ranks)
	ranks = slices.Compact(ranks)
	if len(ranks) == 0 {
		return ""
	}
	has, link := "have", "it"
	if len(ranks) == 1 {
		has = "has"
	}
	if slices.Contains(members, o.s.p.Ranks.Self()) {
		link = fmt.Sprintf("its %v side", 1-o.side)
	}
	return fmt.Sprintf("%s %s not opened %s", ranges.Of(ranks), has, link)
}
