package message_test

import (
	"encoding/binary"
	"testing"

	"github.com/goacp/goacp/bridge"
	"github.com/goacp/goacp/internal/access/global/globaltest"
	"github.com/goacp/goacp/internal/fabric"
	"github.com/goacp/goacp/internal/structure/message"
	"github.com/goacp/goacp/internal/structure/message/messagetest"
)

// FuzzServe: an Engine survives all requests of other members, and goes on to work.
func FuzzServe(f *testing.F) {
	w := messagetest.Open(f, globaltest.Config{Size: 2, Mode: bridge.ModeSHM})
	f.Add(uint8(0), uint8(1), uint16(16), []byte{})
	f.Add(uint8(1), uint8(1), uint16(0), []byte{})
	f.Add(uint8(2), uint8(1), uint16(0), binary.LittleEndian.AppendUint64(nil, 4|1<<6))
	f.Add(uint8(3), uint8(1), uint16(100), make([]byte, 24))
	operations := message.Operations()
	f.Fuzz(func(t *testing.T, op, from uint8, capacity uint16, body []byte) {
		h := w.Engines[0]
		r := fabric.Request{From: int(from) % 2, Body: body, Reply: make([]byte, capacity)}
		n, err := operations[int(op)%len(operations)].Serve(h, r)
		if err == nil && (n < 0 || n > len(r.Reply)) {
			t.Fatalf("an answer of %d bytes in %d", n, len(r.Reply))
		}
		h.ForgetWorld(1)
		l := message.Label{World: 1}
		if err := h.Send(l, 0, []byte{5}); err != nil {
			t.Fatal(err)
		}
		b := make([]byte, 1)
		if n, err := h.Receive(l, 0, b); n != 1 || err != nil || b[0] != 5 {
			t.Fatal(n, err)
		}
	})
}

// TestForgedRequests: no member gets a piece of a message for another one, releases it, or gets
// what does not exist.
func TestForgedRequests(t *testing.T) {
	messagetest.ForEachWay(t, 3, func(t *testing.T, w *messagetest.Run) {
		l := message.Label{World: 1}
		if err := w.Engines[0].Send(l, 1, contents()[:message.Buffered]); err != nil {
			t.Fatal(err)
		}
		fetch := message.Operations()[3]
		for _, c := range []struct {
			from     int
			id, at   uint64
			last     byte
			capacity int
			accepted bool
		}{
			{2, 1, 0, 0, 8, false}, {1, 2, 0, 0, 8, false}, {1, 1, message.Buffered + 1, 0, 8, false},
			{1, 1, 1<<64 - 1, 1, 8, false}, {1, 1, 0, 1, 8, false}, {1, 1, message.Buffered, 0, 8, true},
		} {
			body := binary.LittleEndian.AppendUint64(nil, c.id)
			body = append(binary.LittleEndian.AppendUint64(body, c.at), c.last, 0, 0, 0, 0, 0, 0, 0)
			n, err := fetch.Serve(w.Engines[0], fabric.Request{From: c.from, Body: body, Reply: make([]byte, c.capacity)})
			if (err == nil) != c.accepted || n != 0 {
				t.Errorf("%+v: %d bytes, %v", c, n, err)
			}
		}
		release := binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, 4), 1)
		if _, err := message.Operations()[2].Serve(w.Engines[0], fabric.Request{From: 2, Body: release}); err == nil {
			t.Error("a member has released a message for another one")
		}
		receiveWant(t, w.Engines[1], l, 0, message.Buffered)
	})
}
