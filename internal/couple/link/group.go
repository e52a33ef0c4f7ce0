package link

import (
	"context"
	"sync"
)

// Group is links that a rank opens at once, each on a goroutine of its own. So the order in which other models open them
// does not matter. Either all of them are opened, or the rank has none. One goroutine at a time calls the methods.
type Group struct {
	ctx  context.Context
	stop context.CancelFunc
	all  sync.WaitGroup

	mu     sync.Mutex // guards what follows, and what the callers of Open note
	opened []Closer
	failed error // why one of the links could not be opened
}

// Closer is an end of a link. Its Close does not wait for other ranks to call anything.
type Closer interface {
	Close(ctx context.Context) error
}

// Begin returns a group without links. ctx bounds the wait for other ranks.
func Begin(ctx context.Context) *Group {
	g := new(Group)
	g.ctx, g.stop = context.WithCancel(ctx)
	return g
}

// Open begins to open an end of a link of a field by a function, whose context ends if another link fails. note gets the
// end when it is open; no two notes run at a time. Finalize and Reset end the wait. Does not block.
func Open[E Closer](g *Group, f *Field, open func(ctx context.Context) (E, error), note func(E)) {
	g.all.Add(1)
	f.model.sys.background.run(func(ending context.Context) {
		defer g.all.Done()
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
	})
}

// Wait waits until all links are open. If one of them fails, it returns that error, and closes the others.
func (g *Group) Wait() error {
	g.all.Wait()
	g.stop()
	if g.failed != nil {
		for _, e := range g.opened {
			_ = e.Close(context.Background()) // an error says that the run is over
		}
	}
	return g.failed
}
