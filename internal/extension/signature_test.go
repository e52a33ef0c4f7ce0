package extension

import (
	"bytes"
	"slices"
	"strings"
	"testing"
)

func TestCompare(t *testing.T) {
	a, b := Signature{"armci", 5, 1, 7}, Signature{"dmi", 2, 0, 8}
	for _, c := range []struct {
		name  string
		lists [][]Signature
		want  string // nothing if they are equal
	}{
		{"none", [][]Signature{nil, nil, nil}, ""},
		{"equal", [][]Signature{{a, b}, {a, b}}, ""},
		{"missing", [][]Signature{{a, b}, {a, b}, {b}}, "rank 2 does not have the extension armci, which rank 0 has"},
		{"more", [][]Signature{{a}, {a}, {a, b}}, "rank 2 has the extension dmi, which rank 0 does not have"},
		{"other", [][]Signature{{a}, {{"armci", 4, 1, 7}}}, "rank 1 has the extension armci (operations: 4, notices: 1, checksum of their names: 00000007), rank 0 has armci (operations: 5, notices: 1, checksum of their names: 00000007)"},
		{"renamed", [][]Signature{{a}, {{"armci", 5, 1, 6}}}, "rank 1 has the extension armci (operations: 5, notices: 1, checksum of their names: 00000006), rank 0 has armci (operations: 5, notices: 1, checksum of their names: 00000007)"},
		{"order", [][]Signature{{a, b}, {b, a}}, "rank 1 has its extensions in another order than rank 0"},
	} {
		err := Compare(c.lists)
		if c.want == "" && err != nil || c.want != "" && (err == nil || err.Error() != c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}

func TestSignaturesTravel(t *testing.T) {
	for _, list := range [][]Signature{nil, {{"a", 0, 0, 0}}, {{strings.Repeat("n", maxName), maxCount, maxCount, 1<<32 - 1}, {"b", 1, 2, 3}}} {
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
	f.Add(Append(nil, []Signature{{"armci", 5, 1, 7}, {"dmi", 2, 0, 8}}))
	f.Add([]byte{200, 1, 1, 'a'})
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
