package link

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/goacp/goacp/internal/ground/activity"
	"github.com/goacp/goacp/internal/ground/wait"
)

// Group is links that a rank opens at once, each on its own goroutine. So the order in which other models open them
// does not matter. Either all of them are opened, or none. One goroutine at a time calls the methods.
type Group struct {
	ctx    context.Context
	stop   context.CancelFunc
	budget *wait.Budget // nil without links

	mu      sync.Mutex         // guards the following fields, and the data of the callers of Open
	left    int                // links that are being opened
	waits   []*activity.Reason // of links whose other ranks have not come
	changed chan struct{}      // gets a value when left or waits change; nil before Wait
	opened  []Closer
	failed  error // why one of the links could not be opened
}

// groupKey is the key of the Group of a link in the context of its opening.
type groupKey struct{}

// Closer is an end of a link. Its Close does not wait for calls of other ranks.
type Closer interface {
	Close(ctx context.Context) error
}

// Begin returns a group without links. ctx bounds the wait for other ranks.
func Begin(ctx context.Context) *Group {
	g := new(Group)
	g.ctx, g.stop = context.WithCancel(context.WithValue(ctx, groupKey{}, g))
	return g
}

// Open begins to open an end of a link of a field by a function, whose context ends if another link fails. note gets the
// end when it is open; no two notes run at a time. Finalize and Reset end the wait. Does not block.
func Open[E Closer](g *Group, f *Field, open func(ctx context.Context) (E, error), note func(E)) {
	f.linked.Store(true)
	s := f.model.sys
	g.budget = s.p.Budget
	g.mu.Lock()
	g.left++
	g.mu.Unlock()
	s.background.run(func(ending context.Context) {
		defer context.AfterFunc(ending, g.stop)()
		e, err := open(g.ctx)
		g.mu.Lock()
		defer g.mu.Unlock()
		switch {
		case err == nil:
			note(e)
			g.opened = append(g.opened, e)
		case g.failed == nil:
			g.failed = err
			g.stop()
		}
		g.left--
		g.change()
	})
}

// change wakes Wait. The caller holds the lock.
func (g *Group) change() {
	select {
	case g.changed <- struct{}{}:
	default: // Wait looks anyway, or has not begun
	}
}

// show lets the goroutine in Wait show readers a reason, until the result is called.
func (g *Group) show(why activity.Reason) (end func()) {
	at := &why
	g.mu.Lock()
	defer g.mu.Unlock()
	g.waits = append(g.waits, at)
	g.change()
	return func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		g.waits = slices.DeleteFunc(g.waits, func(w *activity.Reason) bool { return w == at })
		g.change()
	}
}

// Wait waits until all links are open. If a link fails, it returns its error, and closes the other links.
func (g *Group) Wait() error { return Wait(context.Background(), g) }

// Wait waits until all links of some groups are open. If a link fails, it returns its error, and closes the other
// links of all groups. If ctx ends before, it returns ErrUnfinished with the error of ctx, and the links continue to
// open: the caller calls it again. Readers see the calling goroutine wait for each link that other ranks have not opened.
func Wait(ctx context.Context, groups ...*Group) error {
	changed := make(chan struct{}, 1)
	var budget *wait.Budget
	for _, g := range groups {
		g.mu.Lock()
		g.changed = changed
		g.mu.Unlock()
		if g.budget != nil {
			budget = g.budget
		}
	}
	failed := await(ctx, groups, budget, changed)
	if errors.Is(failed, ErrUnfinished) {
		return failed
	}
	for _, g := range groups {
		g.stop()
		if failed == nil {
			continue
		}
		for _, e := range g.opened {
			_ = e.Close(context.Background()) // an error says that the run is over
		}
	}
	return failed
}

// ErrUnfinished: links are still being opened.
var ErrUnfinished = errors.New("links are still being opened")

// await waits until no link of some groups is being opened any more. It returns the first error, or ErrUnfinished if ctx
// ends before. budget is nil if there is no link.
func await(ctx context.Context, groups []*Group, budget *wait.Budget, changed <-chan struct{}) (failed error) {
	if budget == nil {
		return nil
	}
	d := display{budget: budget, shown: make(map[*activity.Reason]activity.Wait)}
	budget.Pause()
	defer budget.Resume()
	for {
		left := 0
		var waits []*activity.Reason
		for _, g := range groups {
			g.mu.Lock()
			left += g.left
			waits = append(waits, g.waits...)
			if failed == nil {
				failed = g.failed
			}
			g.mu.Unlock()
		}
		if failed != nil {
			for _, g := range groups {
				g.stop()
			}
		}
		d.show(waits)
		if left == 0 {
			return failed
		}
		select {
		case <-changed:
		case <-ctx.Done():
			d.show(nil)
			return fmt.Errorf("%w: %w", ErrUnfinished, ctx.Err())
		}
	}
}

// display shows readers the reasons for which one goroutine waits.
type display struct {
	budget *wait.Budget
	shown  map[*activity.Reason]activity.Wait
}

// maxShown bounds the reasons that are shown at a time, so that the page has room for those of other threads.
const maxShown = 12

// show replaces the shown reasons by the first of some reasons.
func (d *display) show(why []*activity.Reason) {
	why = why[:min(len(why), maxShown)]
	for at, w := range d.shown {
		if !slices.Contains(why, at) {
			d.budget.Unsay(w)
			delete(d.shown, at)
		}
	}
	for _, at := range why {
		if _, reported := d.shown[at]; !reported {
			d.shown[at] = d.budget.Say(*at)
		}
	}
}
