package extension

import (
	"fmt"
	"slices"
	"sort"
	"sync"

	"github.com/goacp/goacp/bridge"
)

// Agreement is what all ranks of a run know about their extensions. It does not change. It takes
// memory for each rank only if there is an optional extension that some ranks do not have.
type Agreement struct {
	first, size int            // the cohort of this process
	all         []agreed       // those that some member of it has, in order of their names
	roster      *bridge.Roster // of all cohorts; nil: there is no other one
	lists       sync.Map       // the extensions in a contact of another cohort, by their encoding: []Signature
}

// agreed is an extension that some member of the cohort has.
type agreed struct {
	Signature
	absent []uint64 // one bit for each member of the cohort, set if the member does not have it; nil: all have it
}

// Compare compares the extensions in the contacts of all members. An extension is
// the same on all ranks that have it, and all ranks have it unless it is optional. Two extensions do
// not have the same numbers. Otherwise the error names a rank and an extension. All ranks of a cohort get the
// same result.
func Compare(roster *bridge.Roster) (*Agreement, error) {
	own := roster.Own()
	lists, err := listsOf(own)
	if err != nil {
		return nil, err
	}
	a, err := agree(own.First(), lists)
	if err != nil {
		return nil, err
	}
	a.roster = roster
	for _, other := range roster.Cohorts() {
		if other == own {
			continue
		}
		lists, err := listsOf(other)
		if err == nil {
			err = a.compare(other.First(), lists)
		}
		if err != nil {
			return nil, err
		}
	}
	return a, nil
}

// listsOf decodes the extensions of the members of a cohort. Most lists are like the one before.
func listsOf(members *bridge.Members) ([][]Signature, error) {
	lists := make([][]Signature, members.Len())
	before := ""
	for i := range lists {
		encoded := members.Extensions(members.First() + i)
		if i > 0 && encoded == before {
			lists[i] = lists[i-1]
			continue
		}
		var err error
		if lists[i], err = Decode([]byte(encoded)); err != nil {
			return nil, fmt.Errorf("rank %d runs another version of the library: %w", members.First()+i, err)
		}
		before = encoded
	}
	return lists, nil
}

// agree compares the extensions of the ranks of a cohort, whose lists are in order of ranks from first on.
func agree(first int, lists [][]Signature) (*Agreement, error) {
	a := &Agreement{first: first, size: len(lists)}
	by := make(map[string]int) // the lowest rank that has an extension
	for i, list := range lists {
		for _, s := range list {
			k := slices.IndexFunc(a.all, func(x agreed) bool { return x.Name == s.Name || x.collides(s) })
			switch {
			case k < 0:
				by[s.Name] = first + i
				a.all = append(a.all, agreed{Signature: s})
			case a.all[k].Signature != s:
				other := a.all[k].Signature
				return nil, differ(first+i, s, by[other.Name], other)
			}
		}
	}
	sort.Slice(a.all, func(i, j int) bool { return a.all[i].Name < a.all[j].Name })
	for i := range a.all {
		if err := a.all[i].find(first, lists, by[a.all[i].Name]); err != nil {
			return nil, err
		}
	}
	return a, nil
}

// differ returns the error of two ranks whose extensions are not the same.
func differ(rank int, s Signature, otherRank int, other Signature) error {
	return fmt.Errorf("rank %d has the extension %v, rank %d has %v", rank, s, otherRank, other)
}

// lacks returns the error of a rank that does not have an extension of another one.
func lacks(rank int, name string, otherRank int) error {
	return fmt.Errorf("rank %d does not have the extension %s, which rank %d has", rank, name, otherRank)
}

// find notes which members do not have the extension, of a cohort whose lists begin with rank first. by is the
// lowest that has it. Fails if it is not optional and a member does not have it.
func (x *agreed) find(first int, lists [][]Signature, by int) error {
	for i, list := range lists {
		switch {
		case has(list, x.Name):
		case x.Optional:
			if x.absent == nil {
				x.absent = make([]uint64, (len(lists)+63)/64)
			}
			x.absent[i/64] |= 1 << (i % 64)
		case first+i < by:
			return fmt.Errorf("rank %d has the extension %s, which rank %d does not have", by, x.Name, first+i)
		default:
			return lacks(first+i, x.Name, by)
		}
	}
	return nil
}

// has reports whether a list has an extension.
func has(list []Signature, name string) bool {
	return slices.ContainsFunc(list, func(s Signature) bool { return s.Name == name })
}

// compare compares the extensions of the own cohort with those of the ranks of another one, whose lists begin with
// rank first.
func (a *Agreement) compare(first int, lists [][]Signature) error {
	for i, list := range lists {
		if i > 0 && slices.Equal(list, lists[i-1]) {
			continue
		}
		for _, own := range a.all {
			k := slices.IndexFunc(list, func(s Signature) bool { return s.Name == own.Name || s.collides(own.Signature) })
			switch {
			case k >= 0 && list[k] != own.Signature:
				return differ(a.first, own.Signature, first+i, list[k])
			case k < 0 && !own.Optional:
				return lacks(first+i, own.Name, a.first)
			}
		}
		for _, s := range list {
			if !s.Optional && a.named(s.Name) < 0 {
				return lacks(a.first, s.Name, first+i)
			}
		}
	}
	return nil
}

// has reports whether a member has an extension that some member of the cohort has.
func (a *Agreement) has(member int, name string) bool {
	if i := member - a.first; 0 <= i && i < a.size {
		absent := a.all[a.named(name)].absent
		return absent == nil || absent[i/64]>>(i%64)&1 == 0
	}
	if a.roster == nil {
		return false
	}
	members := a.roster.CohortOf(member)
	if members == nil {
		return false
	}
	encoded := members.Extensions(member)
	list, known := a.lists.Load(encoded)
	if !known {
		decoded, _ := Decode([]byte(encoded)) // a malformed list has none
		list, _ = a.lists.LoadOrStore(encoded, decoded)
	}
	return has(list.([]Signature), name)
}

// named returns the place of an extension in the list, or -1.
func (a *Agreement) named(name string) int {
	return slices.IndexFunc(a.all, func(x agreed) bool { return x.Name == name })
}
