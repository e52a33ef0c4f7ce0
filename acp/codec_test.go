package acp

import (
	"bytes"
	"errors"
	"reflect"
	"testing"
	"testing/quick"
)

type point struct {
	X, Y float64
	Tag  [4]int16
}

type padded struct {
	A uint8
	B uint32
}

// roundTrip sends random values of T through its codec.
func roundTrip[T any](t *testing.T) {
	t.Helper()
	c, err := codecOf[T](false)
	if err != nil {
		t.Fatal(err)
	}
	back := func(v T) bool {
		b := bytes.Clone(c.bytes(&v))
		got, err := c.value(b)
		clear(b) // the decoded value must not depend on them
		return err == nil && (c.size == 0 || uint64(len(b)) == c.size) && reflect.DeepEqual(got, v)
	}
	if err := quick.Check(back, nil); err != nil {
		t.Errorf("%T: %v", *new(T), err)
	}
}

func TestCodec(t *testing.T) {
	roundTrip[int8](t)
	roundTrip[uint64](t)
	roundTrip[complex128](t)
	roundTrip[point](t)
	roundTrip[padded](t)
	roundTrip[[3]point](t)
	roundTrip[string](t)
	roundTrip[[]byte](t)
	type name string
	roundTrip[name](t)

	c, err := codecOf[uint32](true)
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{0, 3, 5} {
		if _, err := c.value(make([]byte, n)); err == nil {
			t.Errorf("%d bytes became a uint32", n)
		}
	}
}

func refuse[T any](t *testing.T, asKey bool) {
	t.Helper()
	if _, err := codecOf[T](asKey); !errors.Is(err, ErrBadType) {
		t.Errorf("%T as key %v: %v", *new(T), asKey, err)
	}
}

func TestCodecRefuses(t *testing.T) {
	refuse[*int](t, false)
	refuse[[]int](t, false)
	refuse[map[int]int](t, false)
	refuse[any](t, false)
	refuse[func()](t, false)
	refuse[struct{}](t, false)
	refuse[[0]int](t, false)
	refuse[struct{ S string }](t, false)
	refuse[[2]struct{ P *byte }](t, false)
	refuse[float64](t, true)
	refuse[point](t, true)
	refuse[padded](t, true)
	refuse[[2]padded](t, true)
	refuse[struct {
		A uint32
		B uint16
	}](t, true)
	for _, err := range []error{
		errOf(fixedCodecOf[string]()), errOf(fixedCodecOf[[]byte]()),
	} {
		if !errors.Is(err, ErrBadType) {
			t.Errorf("values of different sizes: %v", err)
		}
	}
	if _, err := codecOf[struct {
		A uint32
		B [2]uint16
	}](true); err != nil {
		t.Error(err)
	}
}

func errOf[T any](_ codec[T], err error) error { return err }
