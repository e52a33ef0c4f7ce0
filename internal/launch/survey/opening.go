package survey

import (
	"slices"
	"strings"

	"github.com/goacp/goacp/internal/ground/activity"
)

// opening is a link that a rank opens, from the view of its side.
type opening struct {
	own, other string // names of the fields
	sends      bool
}

// readOpening parses a rank's text about a link that it opens. whole is false if the text was cut off because
// of long names.
func readOpening(about string) (o opening, whole bool) {
	for _, word := range []string{" to ", " from "} {
		if own, other, found := strings.Cut(about, word); found && strings.Contains(other, ".") && len(about) < activity.MaxAbout {
			return opening{own, other, word == " to "}, true
		}
	}
	return o, false
}

// mirrored returns the link from the view of the other side.
func (o opening) mirrored() opening { return opening{o.other, o.own, !o.sends} }

// modelOf returns the name of the model of a field.
func modelOf(field string) string {
	model, _, _ := strings.Cut(field, ".")
	return model
}

// openings are the links that ranks open.
type openings map[opening]bool

// findOpenings returns the links that ranks open. all is true if every wait is for a link.
func (r *Run) findOpenings() (links openings, all bool) {
	links, all = openings{}, true
	for rank := range r.Ranks {
		x := &r.Ranks[rank]
		if x.State != Waiting {
			continue
		}
		for _, w := range x.Seen.Waits {
			o, whole := readOpening(w.About)
			if w.Kind == activity.Opening && whole {
				links[o] = true
			} else {
				all = false
			}
		}
	}
	return links, all
}

// openingAdvice returns advice if ranks wait for links: to change names of models of which no rank opens
// links, or to change the order in which models open links, if their waits form a cycle. Otherwise it returns
// "".
func (r *Run) openingAdvice() string {
	links, all := r.findOpenings()
	if absent := links.absent(); all && len(absent) > 0 {
		return "no rank opens a link of model " + strings.Join(absent, " or of model ")
	}
	if links.circle() {
		return "models open links between the same fields, and in the same order, or begin all of them before they wait"
	}
	return ""
}

// absent returns the models for which ranks wait, and of which no rank opens a link.
func (l openings) absent() (models []string) {
	present := map[string]bool{}
	for o := range l {
		present[modelOf(o.own)] = true
	}
	for o := range l {
		if other := modelOf(o.other); !present[other] {
			models = append(models, other)
		}
	}
	slices.Sort(models)
	return slices.Compact(models)
}

// circle reports whether models wait for each other, each by a link that the next one does not open.
func (l openings) circle() bool {
	next := map[string][]string{}
	for o := range l {
		if !l[o.mirrored()] {
			next[modelOf(o.own)] = append(next[modelOf(o.own)], modelOf(o.other))
		}
	}
	const (
		open = 1 + iota // on the path
		done
	)
	state := map[string]int{}
	var leadsBack func(model string) bool
	leadsBack = func(model string) bool {
		state[model] = open
		for _, other := range next[model] {
			if state[other] == open || state[other] == 0 && leadsBack(other) {
				return true
			}
		}
		state[model] = done
		return false
	}
	for model := range next {
		if state[model] == 0 && leadsBack(model) {
			return true
		}
	}
	return false
}
