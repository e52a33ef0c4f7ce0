package message

import "github.com/goacp/goacp/internal/ground/wait"

// manyCopies is how many copies of messages may be out before Send gives receivers time to fetch
// some. As many are kept for later messages.
const manyCopies = 8

// copies are the copies of messages that Send makes so that it need not wait for the receiver. The
// holder of the lock of the Engine uses them.
type copies struct {
	free [][]byte // of Buffered bytes each
	out  int      // those that receivers have to fetch
}

// of returns a copy of b, which has Buffered bytes at most.
func (c *copies) of(b []byte) []byte {
	c.out++
	var buf []byte
	if last := len(c.free) - 1; last >= 0 {
		buf, c.free = c.free[last], c.free[:last]
	} else {
		buf = make([]byte, Buffered)
	}
	return buf[:copy(buf, b)]
}

// giveBack takes a copy back.
func (c *copies) giveBack(b []byte) {
	c.out--
	if len(c.free) < manyCopies {
		c.free = append(c.free, b[:cap(b)])
	}
}

// easeOff lets time pass for a member to fetch messages if many copies are out. It never waits for
// a member that does not.
func (h *Engine) easeOff(to int) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.copies.out < manyCopies {
		return nil
	}
	if !h.any(to) {
		h.mu.Unlock()
		wait.Spin(h.cfg.Budget.Spin(), func() bool { return h.any(to) || h.over.Load() != nil })
		h.mu.Lock()
	}
	return h.drain(to, nil)
}
