package message_test

import (
	"os"
	"runtime"
	"slices"
	"testing"

	"github.com/goacp/goacp/internal/ground/activity"
	"github.com/goacp/goacp/internal/structure/message"
	"github.com/goacp/goacp/internal/structure/message/messagetest"
)

// awaitSleeper waits until readers see a thread of member 0 that sleeps in a wait of a kind for another member.
func awaitSleeper(t *testing.T, kind activity.Kind, member int) {
	t.Helper()
	pages, err := activity.Open("/proc", os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	for _, page := range pages {
		defer page.Close()
	}
	for {
		for _, page := range pages {
			v, err := page.Look(0)
			if err == nil && v.Member == 0 && slices.ContainsFunc(v.Sleepers, func(s activity.Sleeper) bool { return s.Kind == kind && s.Member == member }) {
				return
			}
		}
		runtime.Gosched()
	}
}

// TestLongMessageIsSeen: readers see that the sender of a long message waits until the receiver takes it.
func TestLongMessageIsSeen(t *testing.T) {
	messagetest.ForEachWay(t, 2, func(t *testing.T, w *messagetest.Run) {
		const length = message.Buffered + 1
		l := message.Label{World: 1}
		sent := make(chan error, 1)
		go func() { sent <- w.Engines[0].Send(l, 1, contents()[:length]) }()
		awaitSleeper(t, activity.Send, 1)
		receiveWant(t, w.Engines[1], l, 0, length)
		if err := <-sent; err != nil {
			t.Error(err)
		}
	})
}
