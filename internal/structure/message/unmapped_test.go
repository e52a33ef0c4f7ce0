package message_test

import (
	"errors"
	"testing"

	"github.com/goacp/goacp/bridge"
	"github.com/goacp/goacp/internal/access/global/globaltest"
	"github.com/goacp/goacp/internal/structure/message"
	"github.com/goacp/goacp/internal/structure/message/messagetest"
	"golang.org/x/sys/unix"
)

// TestNotCopied: if a receiver fails to copy a message, because its memory is not mapped, the sender fails, too, and both go on.
func TestNotCopied(t *testing.T) {
	w := messagetest.Open(t, globaltest.Config{Size: 2, Mode: bridge.ModeSHM})
	const size = 4 * message.Buffered
	unmapped, err := unix.Mmap(-1, 0, size, unix.PROT_NONE, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Munmap(unmapped)
	l := message.Label{World: 1}
	sent := make(chan error)
	go func() { sent <- w.Engines[0].Send(l, 1, make([]byte, size)) }()
	if _, err := w.Engines[1].Receive(l, 0, unmapped); !errors.Is(err, unix.EFAULT) {
		t.Errorf("the receive: %v, want EFAULT", err)
	}
	if err := <-sent; !errors.Is(err, message.ErrNotCopied) {
		t.Errorf("the send: %v, want %v", err, message.ErrNotCopied)
	}
	go func() { sent <- w.Engines[0].Send(l, 1, make([]byte, size)) }()
	if n, err := w.Engines[1].Receive(l, 0, make([]byte, size)); n != size || err != nil {
		t.Error(n, err)
	}
	if err := <-sent; err != nil {
		t.Error(err)
	}
	for _, h := range w.Engines {
		h.CheckEmpty(t)
	}
}
