package named

import (
	"bytes"
	"reflect"
	"strings"
	"testing"

	"github.com/goacp/goacp/internal/fabric"
)

func TestRequestComesBack(t *testing.T) {
	for _, r := range []request{
		{name: "a", value: []byte{}}, {number: 1 << 63, id: 7, name: "ocean.sst", value: []byte("value")},
		{name: strings.Repeat("n", MaxName), value: make([]byte, MaxValue)},
	} {
		b := r.encode()
		got, err := decodeRequest(b)
		if err != nil || !reflect.DeepEqual(got, r) || len(b) > fabric.CallMax {
			t.Errorf("%+v came back as %+v, %v", r, got, err)
		}
	}
}

// FuzzDecodeRequest: a message is refused, or equals a request that this version sends. Serving it changes
// only the entry of its name.
func FuzzDecodeRequest(f *testing.F) {
	for _, r := range []request{{name: "a"}, {number: 3, id: 1, name: "ocean", value: []byte("12345678")}} {
		f.Add(r.encode(), uint8(20))
	}
	f.Add([]byte{}, uint8(0))
	f.Add(make([]byte, requestHead), uint8(answerHead))
	f.Fuzz(func(t *testing.T, b []byte, capacity uint8) {
		r, err := decodeRequest(b)
		if err == nil && !bytes.Equal(r.encode(), b) {
			t.Errorf("%x is sent as %x", b, r.encode())
		}
		var s store
		for _, f := range []func(*request, *entry, *fabric.Request) int{put, get, giveUp} {
			n, served := s.serve(f)(fabric.Request{Body: b, Reply: make([]byte, capacity)})
			if (served == nil) != (err == nil && int(capacity) >= answerHead) || n > int(capacity) {
				t.Errorf("%d bytes with room for %d: %d, %v", len(b), capacity, n, served)
			}
		}
		if n := len(s.entries); n > 1 {
			t.Errorf("%d entries", n)
		}
	})
}

// FuzzDecodeAnswer: an answer is refused, or equals an answer that this version sends.
func FuzzDecodeAnswer(f *testing.F) {
	for _, value := range []string{"", "value", "a long value"} {
		b := make([]byte, answerHead+8)
		f.Add(b[:answer(b, 3, []byte(value))], uint16(8))
	}
	f.Add([]byte{}, uint16(0))
	f.Fuzz(func(t *testing.T, b []byte, capacity uint16) {
		version, size, value, err := decodeAnswer(b, int(capacity))
		if err != nil {
			return
		}
		whole := append(bytes.Clone(value), make([]byte, size-len(value))...)
		again := make([]byte, answerHead+int(capacity))
		if n := answer(again, version, whole); !bytes.Equal(again[:n], b) {
			t.Errorf("%x is sent as %x", b, again[:n])
		}
	})
}
