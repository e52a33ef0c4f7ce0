package harness

import (
	"bytes"
	"sync"
)

// collected collects the output of a command while other goroutines read it.
type collected struct {
	mu      sync.Mutex
	data    bytes.Buffer
	changed chan struct{} // closed and replaced at every write
}

func newCollected() *collected { return &collected{changed: make(chan struct{})} }

// Write implements io.Writer.
func (c *collected) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	close(c.changed)
	c.changed = make(chan struct{})
	return c.data.Write(p)
}

// text returns everything so far and a channel that is closed when there is more.
func (c *collected) text() (string, <-chan struct{}) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.data.String(), c.changed
}

// String returns everything so far.
func (c *collected) String() string {
	text, _ := c.text()
	return text
}
