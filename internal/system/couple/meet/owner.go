package meet

import (
	"maps"
	"strings"

	"github.com/goacp/goacp/internal/system/couple/side"
)

// Caller is the rank that makes a request.
type Caller struct{ Member, Rank, Cohort int }

// sideKey names one side of a link.
type sideKey struct {
	link string
	side side.Side
}

// sideOf returns the side of the rank that arrives.
func sideOf(a *Arrival) sideKey { return sideKey{a.Link, a.Side} }

// model returns the name of the model of the side.
func (k sideKey) model() string {
	from, to := Fields(k.link)
	if k.side == side.Receiving {
		from = to
	}
	model, _, _ := strings.Cut(from, ".")
	return model
}

// precedes reports whether a cohort gets the name of a model that another cohort has: the residents precede all guests, and guests
// precede those that have attached before them. So the order in which messages arrive makes no difference.
func precedes(cohort, other int) bool {
	return other != residents && (cohort == residents || cohort > other)
}

// own lets a rank that introduces itself have the model of its side, with its cohort. It returns the answers to the ranks of the cohort
// that loses the model, or the reason why the rank cannot have it: a cohort has it that precedes its own.
func (h *Host) own(a *Arrival, from Caller) ([]Answer, Outcome) {
	key := sideOf(a)
	owner, owned := h.owners[key]
	switch {
	case !owned || owner.Cohort == from.Cohort:
	case !precedes(from.Cohort, owner.Cohort):
		why := owner.owns(key)
		h.refuseOthers(key, from.Cohort, why, a.Size, func(index int) bool { return index == a.Index })
		return nil, why
	default:
		h.owners[key] = from
		return h.evict(a, owner.Cohort, from.owns(key)), Outcome{}
	}
	h.owners[key] = from
	return nil, Outcome{}
}

// owns returns the outcome for ranks that cannot have a model because the caller has it.
func (c Caller) owns(k sideKey) Outcome {
	if c.Cohort == residents {
		return problem(ErrModel, "rank %d of the run has model %s", c.Rank, k.model())
	}
	return problem(ErrModel, "rank %d, which has attached later, has model %s", c.Rank, k.model())
}

// evict removes the ranks of a cohort from the meeting of a side, and gives them a reason. Those that have not come get it when they
// come.
func (h *Host) evict(a *Arrival, cohort int, why Outcome) []Answer {
	m := h.open[a.key()]
	if m == nil {
		return nil
	}
	g := &m.sides[a.Side]
	answers := g.answer(refusal(why))
	h.refuseOthers(sideOf(a), cohort, why, g.size, g.has)
	*g = gathering{}
	m.gone[a.Side] = departures{}
	return answers
}

// disown lets other cohorts have the models of a cohort of which a member is gone.
func (h *Host) disown(cohort int) {
	maps.DeleteFunc(h.owners, func(_ sideKey, owner Caller) bool { return owner.Cohort == cohort })
	if cohort != residents {
		maps.DeleteFunc(h.refused, func(k refusedKey, _ *refused) bool { return k.cohort == cohort })
	}
}
