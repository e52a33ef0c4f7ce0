package launch

import "sync"

// eventLoop carries functions from any goroutine to the one that owns a run. Posting a
// function never blocks.
type eventLoop struct {
	mu   sync.Mutex
	work []func()
	wake chan struct{} // holds one element while there is work
}

func newEventLoop() *eventLoop { return &eventLoop{wake: make(chan struct{}, 1)} }

// post has f called by the owner, in the order of the calls of post. Safe for concurrent use.
func (l *eventLoop) post(f func()) {
	l.mu.Lock()
	l.work = append(l.work, f)
	l.mu.Unlock()
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

// drain calls everything that was posted. Only the owner may call it.
func (l *eventLoop) drain() {
	l.mu.Lock()
	work := l.work
	l.work = nil
	l.mu.Unlock()
	for _, f := range work {
		f()
	}
}
