package launch

import "sync"

// eventLoop carries work from any goroutine to the one that owns a run. It
// never makes the sender wait: senders are a signal handler's goroutine, the
// rendezvous and the reaper.
type eventLoop struct {
	mu   sync.Mutex
	work []func()
	wake chan struct{} // holds one element while there is work
}

func newEventLoop() *eventLoop { return &eventLoop{wake: make(chan struct{}, 1)} }

// post has f called by the owner, in the order of the calls of post.
func (l *eventLoop) post(f func()) {
	l.mu.Lock()
	l.work = append(l.work, f)
	l.mu.Unlock()
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

// drain calls everything that was posted. Only for the owner.
func (l *eventLoop) drain() {
	l.mu.Lock()
	work := l.work
	l.work = nil
	l.mu.Unlock()
	for _, f := range work {
		f()
	}
}
