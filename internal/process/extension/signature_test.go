package extension

import (
	"bytes"
	"slices"
	"strings"
	"testing"
)

func TestSignaturesTravel(t *testing.T) {
	for _, list := range [][]Signature{nil, {{Name: "a"}}, {{strings.Repeat("n", maxName), 0xff00, maxCount, maxCount, 1<<32 - 1, true}, {"b", 0x4100, 1, 2, 3, false}}} {
		got, err := Decode(Append(nil, list))
		if err != nil || !slices.Equal(got, list) {
			t.Errorf("%v arrived as %v, %v", list, got, err)
		}
	}
}

// FuzzDecode: what another rank sends is refused, or is the list that Append makes the same
// message of.
func FuzzDecode(f *testing.F) {
	f.Add([]byte{})
	f.Add(Append(nil, []Signature{{"armci", 0x4100, 5, 1, 7, true}, {"dmi", 0x4400, 2, 0, 8, false}}))
	f.Add([]byte{200, 1, 1, 'a'})
	f.Add(Append(nil, []Signature{{"off", 0x4101, 1, 0, 7, false}}))
	f.Add(Append(nil, []Signature{{"none", 0, 1, 0, 7, false}}))
	f.Fuzz(func(t *testing.T, b []byte) {
		list, err := Decode(b)
		if err != nil {
			return
		}
		for _, s := range list {
			if err := s.check(); err != nil {
				t.Error(err)
			}
		}
		if again := Append(nil, list); !bytes.Equal(again, b) {
			t.Errorf("%x is sent as %x", b, again)
		}
	})
}
