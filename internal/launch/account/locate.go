package account

import (
	"sync"

	"github.com/goacp/goacp/internal/ground/traffic"
	"github.com/goacp/goacp/internal/launch/source"
)

// Lines finds the lines at which ranks of this host have waited. Its methods may be called by several goroutines at
// once.
type Lines struct {
	mu     sync.Mutex
	finder *source.Finder
}

// NewLines returns Lines that cache the lines they have found.
func NewLines() *Lines { return &Lines{finder: source.NewFinder("/proc")} }

// Locate enters the lines in tables of this host. It may read large files.
func (l *Lines) Locate(tables []traffic.Snapshot) {
	l.mu.Lock()
	defer l.mu.Unlock()
	defer l.finder.Rest()
	for i := range tables {
		tables[i].Locate(l.finder.LineIn)
	}
}
