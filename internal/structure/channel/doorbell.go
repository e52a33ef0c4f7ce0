package channel

import (
	"math/bits"
	"sync/atomic"

	"github.com/goacp/goacp/internal/ground/futex"
	"github.com/goacp/goacp/internal/ground/wait"
	"github.com/goacp/goacp/internal/memory/segment"
)

// startDoorbell starts the goroutine that waits at the doorbell of this process, unless it runs.
func (h *Hub) startDoorbell() {
	if h.running.Load() {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.running.Load() || h.stopping.Load() {
		return
	}
	h.doorbell.Add(1)
	go h.answerDoorbell()
	h.running.Store(true)
	atomic.StoreUint32(&h.table.Running, 1)
}

// answerDoorbell serves the channels for which the doorbell rings, until Stop.
func (h *Hub) answerDoorbell() {
	defer h.doorbell.Done()
	bell := h.space.Doorbell()
	for !h.stopping.Load() {
		rings := atomic.LoadUint32(bell.Rings)
		announced := h.takeAnnouncements()
		pending := bell.TakePending()
		for _, c := range h.pendingChannels(pending) {
			c.serve()
		}
		if !announced && pending == 0 {
			futex.Wait(bell.Rings, rings, wait.LongestPark)
		}
	}
}

// pendingChannels returns the channels that the bits of a doorbell stand for.
func (h *Hub) pendingChannels(pending uint64) []*Channel {
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

// doorbellOf returns the doorbell of a member, or false if it cannot be rung from here.
func (h *Hub) doorbellOf(member int) (segment.Doorbell, bool) {
	if !h.router.Shares(member) {
		return segment.Doorbell{}, false
	}
	v, err := h.router.View(member)
	if err != nil {
		return segment.Doorbell{}, false
	}
	return v.Doorbell(), true
}

// Stop ends the waiting at the doorbell, for good. Blocks until it has ended.
func (h *Hub) Stop() {
	h.mu.Lock()
	h.stopping.Store(true)
	h.mu.Unlock()
	h.space.Doorbell().Wake()
	h.doorbell.Wait()
}
