package link

import (
	"errors"
	"reflect"
	"testing"

	"github.com/goacp/goacp/internal/system/couple/wire"
)

var (
	anAcceptance = acceptance{there: address{number: 5, word: 64, events: 128, slots: 4096}, ready: 192, runs: []byte{0, 2}}
)

// arrives checks that a message is the same at the other end, and that no beginning of it is
// accepted.
func arrives[T any](t *testing.T, sent T, b []byte, decode func([]byte) (T, error)) {
	t.Helper()
	if got, err := decode(b); err != nil || !reflect.DeepEqual(got, sent) {
		t.Errorf("%+v arrived as %+v: %v", sent, got, err)
	}
	for n := range b {
		if got, err := decode(b[:n:n]); !errors.Is(err, wire.ErrMalformed) {
			t.Errorf("%d of %d bytes arrived as %+v: %v", n, len(b), got, err)
		}
	}
	if _, err := decode(append(b, 0)); !errors.Is(err, wire.ErrMalformed) {
		t.Errorf("%+v with a byte behind it: %v", sent, err)
	}
}

func TestMessages(t *testing.T) {
	arrives(t, anAcceptance, anAcceptance.encode(), decodeAcceptance)
}

// fuzz gives a decoder any bytes. Accepted values are the same when they are encoded and decoded
// again.
func fuzz[T any](f *testing.F, seed []byte, encode func(*T) []byte, decode func([]byte) (T, error)) {
	f.Add(seed)
	f.Fuzz(func(t *testing.T, b []byte) {
		first, err := decode(b)
		if err != nil {
			if !errors.Is(err, wire.ErrMalformed) {
				t.Error(err)
			}
			return
		}
		if second, err := decode(encode(&first)); err != nil || !reflect.DeepEqual(first, second) {
			t.Errorf("%+v became %+v: %v", first, second, err)
		}
	})
}

func FuzzDecodeAcceptance(f *testing.F) {
	fuzz(f, anAcceptance.encode(), (*acceptance).encode, decodeAcceptance)
}
