package link

import (
	"fmt"
	"math"

	"github.com/goacp/goacp/internal/ground/datatype"
	"github.com/goacp/goacp/internal/system/couple/directory"
	"github.com/goacp/goacp/internal/system/couple/matrixmarket"
	"github.com/goacp/goacp/internal/system/couple/points"
)

// introduction is what a rank tells of itself and its side.
type introduction struct {
	way     way
	sums    bool // of a sender: it sends sums with weights
	element Element
	levels  int
	every   int
	bounds  directory.Range // of the points of the rank; empty if it has none
	members []byte          // of the model, as a list
	grid    *points.Grid    // of the points; nil if their numbers alone count

	fileEntries, ownEntries int64 // of a file with weights: how many it has, and the rank; 0 without a file
}

func (i *introduction) encode() []byte {
	var w writer
	w.number(uint64(i.way))
	w.flag(i.sums)
	w.number(uint64(i.element.Kind))
	w.number(uint64(i.element.Values))
	w.number(uint64(i.levels))
	w.number(uint64(i.every))
	w.signed(i.bounds.Lo)
	w.signed(i.bounds.Hi)
	w.bytes(i.members)
	w.number(uint64(i.fileEntries))
	w.number(uint64(i.ownEntries))
	w.flag(i.grid != nil)
	if i.grid != nil {
		w.flag(i.grid.Fortran)
		w.number(uint64(len(i.grid.Sizes)))
		for _, n := range i.grid.Sizes {
			w.number(uint64(n))
		}
	}
	return w
}

func decodeIntroduction(b []byte) (i introduction, err error) {
	r := reader{rest: b}
	i.way, i.sums = way(r.count(int(watching))), r.flag()
	i.element = Element{datatype.Kind(r.count(int(datatype.Last))), r.count(math.MaxInt32)}
	i.levels, i.every = r.count(MaxLevels), r.count(math.MaxInt32)
	i.bounds = directory.Range{Lo: r.signed(), Hi: r.signed()}
	i.members = r.bytes()
	i.fileEntries, i.ownEntries = int64(r.count(matrixmarket.MaxSize)), int64(r.count(matrixmarket.MaxSize))
	if r.flag() {
		i.grid = &points.Grid{Fortran: r.flag()}
		for range r.count(len(r.rest)) {
			i.grid.Sizes = append(i.grid.Sizes, r.count(points.Max))
		}
	}
	if i.bounds.Lo < 0 || i.bounds.Hi < i.bounds.Lo || i.bounds.Hi > points.Max+1 || i.element.Kind == 0 || i.element.Values == 0 {
		r.fail()
	}
	return i, r.end()
}

// acquaintance is what all ranks of a link know when all have introduced themselves.
type acquaintance struct {
	outcome
	id     uint64
	sums   bool // senders send sums
	levels int
	bounds directory.Range
	every  [2]int
	sides  [2][]byte // the members of each side, as a list
}

func (a *acquaintance) encode() []byte {
	var w writer
	w.number(a.code)
	w.text(a.text)
	w.number(a.id)
	w.flag(a.sums)
	w.number(uint64(a.levels))
	w.signed(a.bounds.Lo)
	w.signed(a.bounds.Hi)
	for i := range a.sides {
		w.number(uint64(a.every[i]))
		w.bytes(a.sides[i])
	}
	return w
}

func decodeAcquaintance(b []byte) (a acquaintance, err error) {
	r := reader{rest: b}
	a.code, a.text = r.number(), string(r.bytes())
	a.id, a.sums, a.levels = r.number(), r.flag(), r.count(MaxLevels)
	a.bounds = directory.Range{Lo: r.signed(), Hi: r.signed()}
	for i := range a.sides {
		a.every[i] = r.count(math.MaxInt32)
		a.sides[i] = r.bytes()
	}
	if a.bounds.Lo < 0 || a.bounds.Hi < a.bounds.Lo || a.bounds.Hi > points.Max+1 {
		r.fail()
	}
	return a, r.end()
}

// introduce returns the answer to all ranks of a link that have introduced themselves. id becomes the
// number of the link, which is called link.
func (m *meeting) introduce(link string, id uint64) []byte {
	a := acquaintance{id: id}
	if problem := m.compare(link, &a); problem.code != 0 {
		a = acquaintance{outcome: problem}
	}
	return a.encode()
}

// compare fills in what the ranks have in common. It returns why they cannot have a link.
func (m *meeting) compare(link string, a *acquaintance) outcome {
	var first [2]introduction
	var grids gridComparison
	var file weightCount // at the sending side
	empty := true
	for s := range m.sides {
		for i, who := range m.sides[s].present {
			in, err := decodeIntroduction(who.body)
			if err != nil {
				return problem(ErrDisagree, "rank %d of the %v side: %v", i, side(s), err)
			}
			if i == 0 {
				first[s] = in
			}
			if what := in.differs(&first[s]); what != "" {
				return problem(ErrDisagree, "on the %v side, process %d of the model has %s", side(s), i, what)
			}
			if side(s) == sending {
				file.add(&in)
			}
			if b := in.bounds; b.Lo < b.Hi {
				if differ := grids.add(link, side(s), i, in.grid); differ.code != 0 {
					return differ
				}
				if empty {
					a.bounds, empty = b, false
				}
				a.bounds = directory.Range{Lo: min(a.bounds.Lo, b.Lo), Hi: max(a.bounds.Hi, b.Hi)}
			}
		}
		a.levels = max(a.levels, first[s].levels)
		a.every[s], a.sides[s] = first[s].every, first[s].members
	}
	a.sums = first[sending].sums
	if from, to := first[sending].way, first[receiving].way; from != to {
		return problem(ErrPartner, "the sending side calls %s, the receiving side %s", from.function(sending), to.function(receiving))
	}
	if from, to := first[sending].element, first[receiving].element; from != to {
		return problem(ErrTypes, "the sending field has %v, the receiving field %v", from, to)
	}
	if differ := grids.verdict(link); differ.code != 0 {
		return differ
	}
	return file.verdict()
}

// weightCount counts which entries of a file with weights the senders have. Each column of the matrix is a point of one of
// them.
type weightCount struct {
	entries, owned int64
	partly         bool // a sender has not read the file, and will say why
	differ         bool
}

func (c *weightCount) add(in *introduction) {
	switch {
	case in.fileEntries == 0:
		c.partly = true
	case c.entries == 0:
		c.entries = in.fileEntries
	default:
		c.differ = c.differ || in.fileEntries != c.entries
	}
	c.owned += in.ownEntries
}

// verdict returns why the senders cannot have the weights.
func (c *weightCount) verdict() outcome {
	switch {
	case c.entries == 0 || c.partly:
		return outcome{}
	case c.differ:
		return problem(ErrDisagree, "ranks of the sending side have read files of weights with different numbers of entries")
	case c.owned < c.entries:
		return problem(ErrWeights, "%d of the %d entries of the file have columns that no rank of the sending side holds", c.entries-c.owned, c.entries)
	case c.owned > c.entries:
		return problem(ErrWeights, "several ranks of the sending side hold the same column of the file")
	}
	return outcome{}
}

// differs says how a rank differs from the first one of its side, for a message.
func (i *introduction) differs(first *introduction) string {
	switch {
	case i.way != first.way:
		return "opened a link that moves each step, and process 0 one that is watched, or the other way round"
	case i.sums != first.sums:
		return "opened a link with weights, and process 0 one without, or the other way round"
	case i.element != first.element:
		return fmt.Sprintf("%v, process 0 has %v", i.element, first.element)
	case i.levels != first.levels:
		return fmt.Sprintf("%d levels, process 0 has %d", i.levels, first.levels)
	case i.every != first.every:
		return fmt.Sprintf("every %d steps, process 0 has %d", i.every, first.every)
	case string(i.members) != string(first.members):
		return "another list of ranks than process 0"
	}
	return ""
}

// readiness returns the answer to all ranks of a link that are ready, or have failed.
func (m *meeting) readiness() []byte {
	for s := range m.sides {
		for i, who := range m.sides[s].present {
			if len(who.body) > 0 {
				o := problem(ErrPartner, "process %d of the %v side: %s", i, side(s), who.body)
				return o.encode()
			}
		}
	}
	var ready outcome
	return ready.encode()
}

func decodeReadiness(b []byte) error {
	o, err := decodeOutcome(b)
	if err != nil {
		return err
	}
	return o.err()
}
