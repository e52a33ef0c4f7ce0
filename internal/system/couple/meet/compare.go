package meet

import (
	"github.com/goacp/goacp/internal/system/couple/directory"
	"github.com/goacp/goacp/internal/system/couple/side"
)

// introduce returns the answer to all ranks of a link that have introduced themselves, and whether they agree. id becomes the number
// of the link then.
func (m *meeting) introduce(link string, id uint64) (answer []byte, agreed bool) {
	a := Agreement{ID: id}
	if problem := m.compare(link, &a); problem.code != 0 {
		return refusal(problem), false
	}
	return a.Encode(), true
}

// compare fills in the common data of the ranks. It returns the reason if they cannot have a link.
func (m *meeting) compare(link string, a *Agreement) Outcome {
	var first [2]Introduction
	var grids gridComparison
	var file weightCount // at the sending side
	empty := true
	for s := range m.sides {
		for i, who := range m.sides[s].present {
			in, err := DecodeIntroduction(who.body)
			if err != nil {
				return problem(ErrDisagree, "rank %d of the %v side: %v", i, side.Side(s), err)
			}
			if i == 0 {
				first[s] = in
			}
			if what := in.differs(&first[s]); what != "" {
				return problem(ErrDisagree, "on the %v side, process %d of the model has %s", side.Side(s), i, what)
			}
			if side.Side(s) == side.Sending {
				file.add(&in)
			}
			if b := in.Bounds; b.Lo < b.Hi {
				if differ := grids.add(link, side.Side(s), i, in.Grid); differ.code != 0 {
					return differ
				}
				if empty {
					a.Bounds, empty = b, false
				}
				a.Bounds = directory.Range{Lo: min(a.Bounds.Lo, b.Lo), Hi: max(a.Bounds.Hi, b.Hi)}
			}
		}
		a.Levels = max(a.Levels, first[s].Levels)
		a.Every[s], a.Members[s] = first[s].Every, first[s].Members
	}
	from, to := &first[side.Sending], &first[side.Receiving]
	a.Sums = from.Sums
	if from.Way != to.Way {
		return problem(ErrPartner, "the sending side calls %s, the receiving side %s", from.Way.Function(side.Sending), to.Way.Function(side.Receiving))
	}
	if from.Element != to.Element {
		return problem(ErrTypes, "the sending field has %v, the receiving field %v", from.Element, to.Element)
	}
	if from.Conserve != to.Conserve {
		return problem(ErrDisagree, "the sending field has conservation %v, the receiving field %v", from.Conserve, to.Conserve)
	}
	if differ := grids.verdict(link); differ.code != 0 {
		return differ
	}
	return file.verdict()
}

// weightCount adds up what the senders have of a file with weights. Each column of the matrix with a weight must be a point of exactly one
// of them, which may mask it.
type weightCount struct {
	sum    Share
	partly bool // a sender has not read the file, and will report the reason
	differ bool
}

func (c *weightCount) add(in *Introduction) {
	switch {
	case in.Weights.All.Count == 0:
		c.partly = true
	case c.sum.All.Count == 0:
		c.sum.All = in.Weights.All
	default:
		c.differ = c.differ || in.Weights.All != c.sum.All
	}
	c.sum.Own.Count += in.Weights.Own.Count
	c.sum.Own.Sum += in.Weights.Own.Sum
}

// verdict returns why the senders cannot have the weights.
func (c *weightCount) verdict() Outcome {
	switch all, own := c.sum.All, c.sum.Own; {
	case all.Count == 0 || c.partly:
		return Outcome{}
	case c.differ:
		return problem(ErrDisagree, "ranks of the sending side have read different files of weights")
	case own.Count < all.Count:
		return problem(ErrWeights, "%d of the %d entries of the file have columns that no rank of the sending side holds", all.Count-own.Count, all.Count)
	case own.Count > all.Count:
		return problem(ErrWeights, "several ranks of the sending side hold the same column of the file")
	case own != all:
		return problem(ErrWeights, "no rank of the sending side holds some columns of the file, and several ranks hold the same column")
	}
	return Outcome{}
}

// outcome returns the answer to all ranks of a link that have come to its second or third meeting: why one of them has failed.
func (m *meeting) outcome() Outcome {
	var o Outcome
	for s := range m.sides {
		for i, who := range m.sides[s].present {
			if len(who.body) > 0 && o.code == 0 {
				o = problem(ErrPartner, "process %d of the %v side: %s", i, side.Side(s), who.body)
			}
		}
	}
	return o
}
