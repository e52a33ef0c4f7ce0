package stdio

import "sync"

// lines calls functions that write one line each, in the order in which they were added, on a goroutine of its own. The
// zero value is ready for use. Safe for concurrent use.
type lines struct {
	mu      sync.Mutex
	waiting []func()
	writing bool // the goroutine runs
}

// add has write called. It does not block.
func (l *lines) add(write func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.waiting = append(l.waiting, write)
	if !l.writing {
		l.writing = true
		go l.write()
	}
}

// write calls the functions until none waits.
func (l *lines) write() {
	for {
		l.mu.Lock()
		if len(l.waiting) == 0 {
			l.writing = false
			l.mu.Unlock()
			return
		}
		next := l.waiting[0]
		l.waiting = l.waiting[1:]
		l.mu.Unlock()
		next()
	}
}
