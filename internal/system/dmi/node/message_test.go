package node

import (
	"bytes"
	"errors"
	"reflect"
	"testing"

	"github.com/goacp/goacp/internal/access/global"
	"github.com/goacp/goacp/internal/system/dmi/page"
)

// TestRequests: requests arrive as they were sent, with the bytes behind them.
func TestRequests(t *testing.T) {
	data := []byte("12345678")
	for _, r := range []request{
		{base: 1 << 62, page: 7, at: 1, size: 1 << 40, kind: page.Get, flags: flagLong},
		{base: 1, page: 1, grant: 1 << 63, kind: page.Fetch, copy: page.Update, flags: flagWatch},
		{base: 1, at: 9, size: int64(len(data)), kind: page.Write, do: store},
		{size: 8, kind: page.Write, do: modify, op: fetchAdd, room: smallMax},
		{size: 8, kind: page.Take, do: function, tag: -128, flags: flagApart | flagWhole | flagMove},
		{kind: page.Take, do: nothing},
	} {
		got, rest, err := decodeRequest(append(r.append(nil), data...))
		if err != nil || got != r || !bytes.Equal(rest, data) {
			t.Errorf("%+v arrives as %+v with %q: %v", r, got, rest, err)
		}
	}
}

// TestBadRequests: a process notices requests that no correct process sends.
func TestBadRequests(t *testing.T) {
	good := request{page: 1, at: 1, size: 8, kind: page.Write, do: store}
	message := append(good.append(nil), make([]byte, 8)...)
	for n := range requestHead {
		if _, _, err := decodeRequest(message[:n]); !errors.Is(err, global.ErrProtocol) {
			t.Errorf("%d bytes: %v", n, err)
		}
	}
	for name, change := range map[string]func(r *request){
		"page":            func(r *request) { r.page = -1 },
		"position":        func(r *request) { r.at = -1 },
		"size":            func(r *request) { r.size = -1 },
		"fewer bytes":     func(r *request) { r.size = 9 },
		"more bytes":      func(r *request) { r.size = 7 },
		"kind 0":          func(r *request) { r.kind = 0 },
		"kind":            func(r *request) { r.kind = page.Take + 1 },
		"kind of a copy":  func(r *request) { r.kind, r.copy = page.Fetch, page.Update+1 },
		"no copy":         func(r *request) { r.kind = page.Fetch },
		"kind of change":  func(r *request) { r.do = lastChange + 1 },
		"no operation":    func(r *request) { r.do, r.op = modify, 0 },
		"other operation": func(r *request) { r.do, r.op = modify, 255 },
		"room":            func(r *request) { r.room = smallMax + 1 },
	} {
		r := good
		change(&r)
		if _, _, err := decodeRequest(append(r.append(nil), make([]byte, 8)...)); !errors.Is(err, global.ErrProtocol) {
			t.Errorf("%s: %v", name, err)
		}
	}
	long := request{kind: page.Get}
	if _, _, err := decodeRequest(append(long.append(nil), make([]byte, smallMax+1)...)); !errors.Is(err, global.ErrProtocol) {
		t.Errorf("too many bytes: %v", err)
	}
}

// TestAnswers: answers arrive as they were sent.
func TestAnswers(t *testing.T) {
	a := answer{
		owner: 1<<32 - 1, generation: 1, version: 2, loan: 3, recordAt: 4, recordUse: 5, bytesAt: 1<<64 - 1, status: crowded, served: page.Take,
	}
	message := append(bytes.Repeat([]byte{255}, answerHead), "bytes"...)
	a.put(message)
	got, rest, err := decodeAnswer(message)
	if err != nil || got != a || string(rest) != "bytes" {
		t.Errorf("%+v arrives as %+v with %q: %v", a, got, rest, err)
	}
	if _, _, err := decodeAnswer(message[:answerHead-1]); !errors.Is(err, global.ErrProtocol) {
		t.Errorf("a short answer: %v", err)
	}
}

// TestHolders: lists of processes with copies arrive as they were sent.
func TestHolders(t *testing.T) {
	var holders []page.Holder
	for i := range maxHolders {
		list := append(appendHolders(nil, holders), "bytes"...)
		got, rest, err := decodeHolders(list)
		if err != nil || !reflect.DeepEqual(got, holders) || string(rest) != "bytes" {
			t.Fatalf("%d processes arrive as %v with %q: %v", len(holders), got, rest, err)
		}
		if len(list)-len("bytes") > holdersRoom {
			t.Fatalf("%d processes need %d bytes", len(holders), len(list))
		}
		if _, _, err := decodeHolders(list[:len(list)-len("bytes")-1]); !errors.Is(err, global.ErrProtocol) {
			t.Fatalf("a short list of %d processes: %v", len(holders), err)
		}
		holders = append(holders, page.Holder{Process: 1<<31 - 1 - i, Kind: page.Invalidate + page.CopyKind(i%2), Grant: ^uint64(i)})
	}
}

// TestCopyMessages: messages about copies arrive as they were sent.
func TestCopyMessages(t *testing.T) {
	for do := range page.Redirect + 2 {
		m := copyMessage{base: 1 << 62, page: 3, at: 1 << 40, grant: 4, version: 1 << 63, do: do, bytes: []byte("bytes")}
		message := m.append(nil)
		got, err := decodeCopy(message)
		switch do {
		case page.Drop, page.Hold, page.Bring, page.Release:
			if err != nil || !reflect.DeepEqual(got, m) {
				t.Errorf("%+v arrives as %+v: %v", m, got, err)
			}
		default:
			if !errors.Is(err, global.ErrProtocol) {
				t.Errorf("a message to do %d: %v", do, err)
			}
		}
		if _, err := decodeCopy(message[:copyHead-1]); !errors.Is(err, global.ErrProtocol) {
			t.Errorf("a short message: %v", err)
		}
	}
}

// FuzzDecodeRequest decodes arbitrary requests. One that is decoded is the same again.
func FuzzDecodeRequest(f *testing.F) {
	for _, m := range seeds() {
		f.Add(m.body)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		r, data, err := decodeRequest(b)
		if err != nil {
			return
		}
		again, rest, err := decodeRequest(append(r.append(nil), data...))
		if err != nil || again != r || !bytes.Equal(rest, data) {
			t.Errorf("%+v is %+v then: %v", r, again, err)
		}
	})
}

// FuzzDecodeAnswer decodes arbitrary answers of an owner, also as lists of processes with copies.
func FuzzDecodeAnswer(f *testing.F) {
	f.Add(make([]byte, answerHead))
	f.Add(append(make([]byte, answerHead), appendHolders(nil, []page.Holder{{Process: 1, Kind: page.Update, Grant: 1}})...))
	f.Add(append(make([]byte, answerHead), 255, 255, 255, 255))
	f.Fuzz(func(t *testing.T, b []byte) {
		a, data, err := decodeAnswer(b)
		if err != nil {
			return
		}
		again := append(make([]byte, answerHead), data...)
		a.put(again)
		if got, _, err := decodeAnswer(again); err != nil || got != a {
			t.Errorf("%+v is %+v then: %v", a, got, err)
		}
		holders, rest, err := decodeHolders(data)
		if err == nil && !bytes.Equal(append(appendHolders(nil, holders), rest...), data) {
			t.Errorf("%v is not what was decoded", holders)
		}
	})
}

// FuzzDecodeCopy decodes arbitrary messages about copies.
func FuzzDecodeCopy(f *testing.F) {
	for _, m := range seeds() {
		f.Add(m.body)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		m, err := decodeCopy(b)
		if err != nil {
			return
		}
		if got, err := decodeCopy(m.append(nil)); err != nil || !reflect.DeepEqual(got, m) {
			t.Errorf("%+v is %+v then: %v", m, got, err)
		}
	})
}
