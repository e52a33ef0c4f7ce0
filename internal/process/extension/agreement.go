package extension

import (
	"fmt"
	"slices"
	"strings"
)

// Agreement is what all ranks of a run know about their extensions. It does not change. It takes
// memory for each rank only if there is an optional extension that some ranks do not have.
type Agreement struct {
	all []agreed // those that some member has, in order of their names
}

// agreed is an extension that some member has.
type agreed struct {
	Signature
	absent []uint64 // one bit for each member, set if the member does not have it; nil: all have it
}

// Agree compares the extensions of all ranks, whose lists are in order of ranks. An extension is
// the same on all ranks that have it, and all ranks have it unless it is optional. Two extensions do
// not have the same numbers. Otherwise the error names a rank and an extension. All ranks get the
// same result.
func Agree(lists [][]Signature) (*Agreement, error) {
	a := new(Agreement)
	first := make(map[string]int) // the lowest rank that has an extension
	for rank, list := range lists {
		for _, s := range list {
			i := slices.IndexFunc(a.all, func(x agreed) bool { return x.Name == s.Name || x.collides(s) })
			switch {
			case i < 0:
				first[s.Name] = rank
				a.all = append(a.all, agreed{Signature: s})
			case a.all[i].Signature != s:
				other := a.all[i].Signature
				return nil, fmt.Errorf("rank %d has the extension %v, rank %d has %v", rank, s, first[other.Name], other)
			}
		}
	}
	slices.SortFunc(a.all, func(x, y agreed) int { return strings.Compare(x.Name, y.Name) })
	for i := range a.all {
		if err := a.all[i].find(lists, first[a.all[i].Name]); err != nil {
			return nil, err
		}
	}
	return a, nil
}

// find notes which members do not have the extension. first is the lowest that has it. Fails if it
// is not optional and a member does not have it.
func (x *agreed) find(lists [][]Signature, first int) error {
	for rank, list := range lists {
		switch {
		case slices.ContainsFunc(list, func(s Signature) bool { return s.Name == x.Name }):
		case x.Optional:
			if x.absent == nil {
				x.absent = make([]uint64, (len(lists)+63)/64)
			}
			x.absent[rank/64] |= 1 << (rank % 64)
		case rank < first:
			return fmt.Errorf("rank %d has the extension %s, which rank %d does not have", first, x.Name, rank)
		default:
			return fmt.Errorf("rank %d does not have the extension %s, which rank %d has", rank, x.Name, first)
		}
	}
	return nil
}

// has reports whether a member has an extension that some member has.
func (a *Agreement) has(member int, name string) bool {
	absent := a.all[a.named(name)].absent
	return absent == nil || absent[member/64]>>(member%64)&1 == 0
}

// named returns the place of an extension in the list, or -1.
func (a *Agreement) named(name string) int {
	return slices.IndexFunc(a.all, func(x agreed) bool { return x.Name == name })
}
