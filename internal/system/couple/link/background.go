package link

import (
	"context"
	"sync"
)

// background is the goroutines of a process that use links in the background.
type background struct {
	mu   sync.Mutex
	all  sync.WaitGroup
	ctx  context.Context // ends when Finalize or Reset begins
	stop context.CancelFunc
}

// run runs f on a goroutine of its own. The context of f ends when Finalize or Reset begins, which wait for f. Does not
// block.
func (b *background) run(f func(ctx context.Context)) {
	b.mu.Lock()
	defer b.mu.Unlock()
	ctx := b.ctx
	b.all.Go(func() { f(ctx) })
}

// settle ends all of them.
func (b *background) settle() {
	b.mu.Lock()
	b.stop()
	b.mu.Unlock()
	b.all.Wait()
}

// forget makes new ones possible.
func (b *background) forget() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.ctx, b.stop = context.WithCancel(context.Background())
}
