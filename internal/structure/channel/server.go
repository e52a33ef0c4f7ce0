package channel

import (
	"math/bits"
	"sync/atomic"

	"github.com/goacp/goacp/internal/ground/futex"
	"github.com/goacp/goacp/internal/ground/wait"
	"github.com/goacp/goacp/internal/memory/segment"
)

// startServer starts the goroutine that serves the channels of which the notifier of this process informs, unless it runs.
func (h *Engine) startServer() {
	if h.running.Load() {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.running.Load() || h.stopping.Load() {
		return
	}
	h.server.Add(1)
	go h.serveNotified()
	h.running.Store(true)
	atomic.StoreUint32(&h.table.Running, 1)
}

// serveNotified serves the channels that are notified, until Stop.
func (h *Engine) serveNotified() {
	defer h.server.Done()
	notifier := h.space.Notifier()
	for !h.stopping.Load() {
		events := atomic.LoadUint32(notifier.Events)
		announced := h.takeAnnouncements()
		pending := notifier.TakePending()
		for _, c := range h.pendingChannels(pending) {
			c.serve()
		}
		if !announced && pending == 0 {
			futex.Wait(notifier.Events, events, wait.LongestPark)
		}
	}
}

// pendingChannels returns the channels that the bits of a notifier stand for.
func (h *Engine) pendingChannels(pending uint64) []*Channel {
	if pending == 0 {
		return nil
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	var list []*Channel
	for ; pending != 0; pending &= pending - 1 {
		for i := bits.TrailingZeros64(pending); i < len(h.all); i += 64 {
			if h.all[i] != nil {
				list = append(list, h.all[i])
			}
		}
	}
	return list
}

// notifierOf returns the notifier of a member, or false if this process does not reach it.
func (h *Engine) notifierOf(member int) (segment.Notifier, bool) {
	if !h.router.Shares(member) {
		return segment.Notifier{}, false
	}
	v, err := h.router.View(member)
	if err != nil {
		return segment.Notifier{}, false
	}
	return v.Notifier(), true
}

// Stop ends the goroutine of startServer, for good. Blocks until it has ended.
func (h *Engine) Stop() {
	h.mu.Lock()
	h.stopping.Store(true)
	h.mu.Unlock()
	h.space.Notifier().Wake()
	h.server.Wait()
}
