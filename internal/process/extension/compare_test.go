package extension

import (
	"testing"

	"github.com/goacp/goacp/bridge"
)

// launched is the bootstrap of a process of a cohort that follows the changes of a run.
type launched struct {
	bridge.Bootstrap
	cohort  bridge.Cohort
	changes []bridge.Change
}

func (l *launched) Cohort() bridge.Cohort { return l.cohort }

func (l *launched) Follow(f func(bridge.Change) error) error {
	for _, c := range l.changes {
		if err := f(c); err != nil {
			return err
		}
	}
	return nil
}

// contacts returns the contacts of processes from rank first on that have these extensions.
func contacts(first int, lists ...[]Signature) (all [][]byte) {
	for i, list := range lists {
		c := bridge.Contact{Member: uint32(first + i), Job: uint32(first), JobRank: uint32(i), Extensions: string(Append(nil, list))}
		all = append(all, c.Append(nil))
	}
	return all
}

// TestCompare: a guest compares its extensions with those of the residents, and knows which of them have one.
func TestCompare(t *testing.T) {
	a, o := Signature{"ledger", 0x5000, 5, 1, 7, false}, Signature{"optional", 0x5200, 5, 1, 7, true}
	other := a
	other.Operations = 4
	for _, c := range []struct {
		name             string
		residents, guest [][]Signature
		want             string // nothing if they agree
	}{
		{"equal", [][]Signature{{a, o}, {a}}, [][]Signature{{a}, {a, o}}, ""},
		{"missing", [][]Signature{{a}, {a}}, [][]Signature{nil, nil}, "rank 2 does not have the extension ledger, which rank 0 has"},
		{"more", [][]Signature{nil, nil}, [][]Signature{{a}, {a}}, "rank 0 does not have the extension ledger, which rank 2 has"},
		{"other", [][]Signature{{a}}, [][]Signature{{other}}, "rank 1 has the extension " + other.String() + ", rank 0 has " + a.String()},
		{"same numbers", [][]Signature{{o}}, [][]Signature{{{"late", 0x5200, 1, 0, 9, true}}}, "rank 1 has the extension " + Signature{"late", 0x5200, 1, 0, 9, true}.String() + ", rank 0 has " + o.String()},
	} {
		first := len(c.residents)
		guest := contacts(first, c.guest...)
		roster, err := bridge.NewRoster(&launched{bridge.Single(), bridge.Cohort{Number: 1, First: first, Size: len(c.guest)}, []bridge.Change{
			{Kind: bridge.CohortArrived, Size: first, Contacts: contacts(0, c.residents...)},
			{Kind: bridge.CohortArrived, Member: first, Cohort: 1, Job: 1, World: first, Size: len(c.guest)},
		}}, guest)
		if err != nil {
			t.Fatal(err)
		}
		agreement, err := Compare(roster)
		if c.want == "" && err != nil || c.want != "" && (err == nil || err.Error() != c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
		if err != nil {
			continue
		}
		for member, list := range append(c.residents, c.guest...) {
			if agreement.has(member, "optional") != has(list, "optional") || !agreement.has(member, "ledger") {
				t.Errorf("%s: rank %d has the extension: %v", c.name, member, agreement.has(member, "optional"))
			}
		}
		if agreement.has(first+len(c.guest), "ledger") {
			t.Errorf("%s: a rank that has not come has an extension", c.name)
		}
	}
	roster, err := bridge.NewRoster(bridge.Single(), [][]byte{(&bridge.Contact{Extensions: "x"}).Append(nil)})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Compare(roster); err == nil || err.Error() != "rank 0 runs another version of the library: malformed list of extensions" {
		t.Errorf("a malformed list: %v", err)
	}
}
