package registration

import (
	"runtime"
	"sync"
)

// pins keeps registered memory of the Go heap in its place.
type pins struct {
	mu    sync.Mutex
	byKey map[Key][]runtime.Pinner
}

func (s *pins) add(key Key, pin runtime.Pinner) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.byKey == nil {
		s.byKey = make(map[Key][]runtime.Pinner)
	}
	s.byKey[key] = append(s.byKey[key], pin)
}

func (s *pins) release(key Key) {
	s.mu.Lock()
	defer s.mu.Unlock()
	unpin(s.byKey[key])
	delete(s.byKey, key)
}

func (s *pins) releaseAll() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, l := range s.byKey {
		unpin(l)
	}
	clear(s.byKey)
}

func unpin(l []runtime.Pinner) {
	for i := range l {
		l[i].Unpin()
	}
}
