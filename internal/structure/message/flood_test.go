package message_test

import (
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/goacp/goacp/bridge"
	"github.com/goacp/goacp/internal/access/global/globaltest"
	"github.com/goacp/goacp/internal/fabric"
	"github.com/goacp/goacp/internal/ground/activity"
	"github.com/goacp/goacp/internal/structure/message"
	"github.com/goacp/goacp/internal/structure/message/messagetest"
)

// holding is a Messenger that carries calls when the test says so.
type holding struct {
	fabric.Messenger
	mu    sync.Mutex
	calls []func()
	bytes int // of requests that wait
}

// Call implements fabric.Messenger.
func (h *holding) Call(peer int, service uint16, request, reply []byte, done fabric.Completion) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.calls = append(h.calls, func() { h.Messenger.Call(peer, service, request, reply, done) })
	h.bytes += len(request)
}

// carry carries the calls that wait, and returns how many bytes their requests have.
func (h *holding) carry() int {
	h.mu.Lock()
	calls, bytes := h.calls, h.bytes
	h.calls, h.bytes = nil, 0
	h.mu.Unlock()
	for _, call := range calls {
		call()
	}
	return bytes
}

// TestFlood: a sender waits when many bytes are on the way to an agent, until some have arrived. Readers see for what.
func TestFlood(t *testing.T) {
	stuck := time.AfterFunc(messagetest.Deadline, func() { panic("processes are stuck") })
	defer stuck.Stop()
	w := messagetest.Open(t, globaltest.Config{Size: 2, Mode: bridge.ModeTCP})
	held := new(holding)
	w.Engines[0].SetMessenger(func(m fabric.Messenger) fabric.Messenger {
		held.Messenger = m
		return held
	})
	const length, messages = 60000, 3 * message.Delivering / 60000
	l := message.Label{World: 1}
	sent := make(chan error, 1)
	go func() {
		for range messages {
			if err := w.Engines[0].Send(l, 1, contents()[:length]); err != nil {
				sent <- err
				return
			}
		}
		sent <- nil
	}()
	for flooded := false; !flooded; runtime.Gosched() {
		held.mu.Lock()
		flooded = held.bytes > message.Delivering-2*length
		held.mu.Unlock()
	}
	awaitSleeper(t, activity.Send, 1)
	for over := false; !over; runtime.Gosched() {
		select {
		case err := <-sent:
			if err != nil {
				t.Fatal(err)
			}
			over = true
		default:
		}
		if bytes := held.carry(); bytes > message.Delivering {
			t.Fatalf("%d bytes are on the way, more than %d", bytes, message.Delivering)
		}
	}
	held.carry()
	for range messages {
		receiveWant(t, w.Engines[1], l, 0, length)
	}
}
