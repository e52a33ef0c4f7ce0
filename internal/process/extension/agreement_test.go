package extension

import (
	"slices"
	"testing"
)

func TestAgree(t *testing.T) {
	a, b := Signature{"ledger", 0x5000, 5, 1, 7, false}, Signature{"words", 0x5100, 2, 0, 8, false}
	o := Signature{"optional", 0x5200, 5, 1, 7, true}
	for _, c := range []struct {
		name  string
		lists [][]Signature
		want  string // nothing if they agree
	}{
		{"none", [][]Signature{nil, nil, nil}, ""},
		{"equal", [][]Signature{{a, b}, {a, b}}, ""},
		{"missing", [][]Signature{{a, b}, {a, b}, {b}}, "rank 2 does not have the extension ledger, which rank 0 has"},
		{"more", [][]Signature{{a}, {a}, {a, b}}, "rank 2 has the extension words, which rank 0 does not have"},
		{"other", [][]Signature{{a}, {{"ledger", 0x5000, 4, 1, 7, false}}}, "rank 1 has the extension ledger (numbers from 0x5000 on, operations: 4, notices: 1, checksum of their names: 00000007), rank 0 has ledger (numbers from 0x5000 on, operations: 5, notices: 1, checksum of their names: 00000007)"},
		{"renamed", [][]Signature{{a}, {{"ledger", 0x5000, 5, 1, 6, false}}}, "rank 1 has the extension ledger (numbers from 0x5000 on, operations: 5, notices: 1, checksum of their names: 00000006), rank 0 has ledger (numbers from 0x5000 on, operations: 5, notices: 1, checksum of their names: 00000007)"},
		{"order", [][]Signature{{a, b}, {b, a}}, ""},
		{"optional", [][]Signature{{a}, {a, o}, {a}}, ""},
		{"optional, everywhere", [][]Signature{{o}, {o}}, ""},
		{"optional, other", [][]Signature{nil, {o}, {{"optional", 0x5200, 5, 2, 7, true}}}, "rank 2 has the extension optional (numbers from 0x5200 on, operations: 5, notices: 2, checksum of their names: 00000007), rank 1 has optional (numbers from 0x5200 on, operations: 5, notices: 1, checksum of their names: 00000007)"},
		{"renumbered", [][]Signature{{a}, {{"ledger", 0x5300, 5, 1, 7, false}}}, "rank 1 has the extension ledger (numbers from 0x5300 on, operations: 5, notices: 1, checksum of their names: 00000007), rank 0 has ledger (numbers from 0x5000 on, operations: 5, notices: 1, checksum of their names: 00000007)"},
		{"same numbers", [][]Signature{{b}, {b, o}, {{"late", 0x5200, 1, 0, 9, true}, b}}, "rank 2 has the extension late (numbers from 0x5200 on, operations: 1, notices: 0, checksum of their names: 00000009), rank 1 has optional (numbers from 0x5200 on, operations: 5, notices: 1, checksum of their names: 00000007)"},
		{"without numbers", [][]Signature{{{Name: "idle"}, {Name: "silent"}}, {{Name: "idle"}, {Name: "silent"}}}, ""},
	} {
		_, err := agree(0, c.lists)
		if c.want == "" && err != nil || c.want != "" && (err == nil || err.Error() != c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}

// agreedOn returns the agreement of ranks that all have the same extensions.
func agreedOn(t *testing.T, entries ...Entry) *Agreement {
	t.Helper()
	a, err := agree(0, [][]Signature{Signatures(entries)})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// TestNumbersWithoutOptional: an extension has the same numbers on ranks that have another one
// before it and on ranks that do not, and knows which ranks have it.
func TestNumbersWithoutOptional(t *testing.T) {
	before, behind := described("before", 0, 3, 2), described("behind", 1, 2, 1)
	before.Optional = true
	both, one := []Entry{newEntry(before), newEntry(behind)}, []Entry{newEntry(behind)}
	agreement, err := agree(0, [][]Signature{Signatures(one), Signatures(both)})
	if err != nil {
		t.Fatal(err)
	}
	var numbers []int
	for _, entries := range [][]Entry{both, one} {
		set, _, err := Open(entries, agreement, Process{})
		if err != nil {
			t.Fatal(err)
		}
		p := set.byName["behind"].(*system).p
		numbers = append(numbers, int(p.Op(0)), int(p.notice(0)))
		if !p.Present(0) || !p.Present(1) {
			t.Error("an extension of all ranks is not present on all")
		}
		s, _ := set.byName["before"].(*system)
		if len(entries) == 2 && (s.p.Present(0) || !s.p.Present(1)) {
			t.Error("an extension of rank 1 alone is present elsewhere, or not there")
		}
	}
	if !slices.Equal(numbers[:2], numbers[2:]) {
		t.Errorf("operation and notice %v", numbers)
	}
}
