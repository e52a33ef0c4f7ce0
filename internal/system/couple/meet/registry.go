package meet

import (
	"maps"
	"slices"

	"github.com/goacp/goacp/internal/ground/spelling"
	"github.com/goacp/goacp/internal/system/couple/wire"
)

// Fact is a report of a rank about its model to the registry.
type Fact uint64

// The facts.
const (
	Declared    Fact = iota // by the rank; the first rank adds the members of the model
	Has                     // a field
	Sealed                  // the model has no more fields
	Ended                   // the rank finalizes
	Waits                   // for the other side of a link
	GivesUp                 // that wait
	WaitsNoMore             // since it is over
	Left                    // the rank leaves its epoch; those that stay may declare the model anew
	facts
)

// Report is a fact about a model.
type Report struct {
	Fact  Fact
	Model string
	Name  string // of the field or the link, or the list of the members; "" for other facts
}

// Encode returns the report as a message.
func (r *Report) Encode() []byte {
	var w wire.Writer
	w.Number(uint64(r.Fact))
	w.Text(r.Model)
	w.Text(r.Name)
	return w
}

// DecodeReport is the inverse of Report.Encode. Fails with wire.ErrMalformed.
func DecodeReport(b []byte) (Report, error) {
	in := wire.NewReader(b)
	r := Report{Fact(in.Count(int(facts - 1))), in.Text(), in.Text()}
	return r, in.End()
}

// Registry has the facts about all models, if this process is their host. There is one host for all models: only it
// can detect that a model does not exist, or that models wait for each other.
type Registry struct {
	procs, jobs int // of the run
	models      map[string]*registered
	reports     uint64 // that have come, which is the clock of waits
}

// NewRegistry returns a registry without models, of a run with a number of processes and jobs.
func NewRegistry(procs, jobs int) *Registry {
	g := &Registry{procs: procs, jobs: jobs}
	g.Forget()
	return g
}

// registered is one model.
type registered struct {
	cohort    int          // of the ranks of the model
	members   []int        // from the first rank; nil if no rank has sent them, or if they are too many
	declared  map[int]bool // members that have declared the model
	fields    map[string]bool
	waits     map[string]span // by link, for the other side of it
	sealed    bool
	ended     bool
	endedRank int
	former    map[int]bool // members of the model as it was before a rank left, which have not declared it anew
	abandoned bool         // it has ended since all members have left
	asking    map[asker]asked
}

// span is the time when a model has begun to wait, and the time when it has given up, which is 0 while it waits. A
// wait that was given up stays until the model waits for the same link again: other models that give up at the same
// time need it.
type span struct{ began, gaveUp uint64 }

// since reports whether the model has waited at or after a time.
func (s span) since(time uint64) bool { return s.began > 0 && (s.gaveUp == 0 || s.gaveUp > time) }

// asker identifies a request about a field, by the requesting member.
type asker struct {
	from   int
	number uint64
}

// asked is a request whether a field can still be declared. The reply is sent when it cannot.
type asked struct {
	field  string
	ticket Ticket
}

// of returns a model.
func (g *Registry) of(model string) *registered {
	if g.models[model] == nil {
		g.begin(model, residents)
	}
	return g.models[model]
}

// residents is the cohort of the run itself.
const residents = 0

// begin begins a model of a cohort, in the place of an earlier model of this name. Requests about that stay.
func (g *Registry) begin(model string, cohort int) *registered {
	m := &registered{
		cohort: cohort, declared: make(map[int]bool), fields: make(map[string]bool), waits: make(map[string]span), asking: make(map[asker]asked),
	}
	if before := g.models[model]; before != nil {
		m.asking = before.asking
	}
	g.models[model] = m
	return m
}

// mayFollow reports whether the model of another cohort may take the place of a model: that has ended, or the other cohort
// precedes.
func (g *Registry) mayFollow(m *registered, cohort int) bool {
	return m.ended || len(m.declared) == 0 || precedes(cohort, m.cohort)
}

// Forget ends all models. Questions get no answers.
func (g *Registry) Forget() { g.models = make(map[string]*registered) }

// Report stores the fact of a rank of a model, and replies to the requests that the fact decides. Fails with wire.ErrMalformed.
func (g *Registry) Report(r *Report, from Caller) (answers []Answer, err error) {
	m := g.of(r.Model)
	if m.cohort != from.Cohort {
		if r.Fact != Declared || !g.mayFollow(m, from.Cohort) {
			return nil, nil // of an earlier model of this name, or of a later one that has no right to it
		}
		m = g.begin(r.Model, from.Cohort)
	}
	g.reports++
	switch r.Fact {
	case Declared:
		if m.abandoned {
			m = g.begin(r.Model, from.Cohort)
		}
		m.declared[from.Member] = true
		delete(m.former, from.Member)
		if r.Name != "" {
			if m.members, err = DecodeMembers([]byte(r.Name), g.procs); err != nil {
				return nil, err
			}
		}
	case Has:
		m.fields[r.Name] = true
	case Sealed:
		m.sealed = true
	case Waits:
		m.waits[r.Name] = span{began: g.reports}
	case GivesUp:
		m.waits[r.Name] = span{m.waits[r.Name].began, g.reports}
	case WaitsNoMore:
		delete(m.waits, r.Name)
	case Ended:
		m.ended, m.endedRank = true, from.Rank
	case Left:
		m = g.leave(m, r.Model, from)
	}
	for by, a := range m.asking {
		if o := m.verdict(r.Model, a.field); o.code != 0 {
			answers = append(answers, Answer{To: a.ticket, Body: o.Encode()})
			delete(m.asking, by)
		}
	}
	return answers, nil
}

// leave begins a model anew without a member, which leaves its epoch. If it is the last one, the model has ended.
func (g *Registry) leave(m *registered, model string, from Caller) *registered {
	if m.ended {
		return m
	}
	rest := make(map[int]bool)
	maps.Copy(rest, m.former)
	maps.Copy(rest, m.declared)
	delete(rest, from.Member)
	m = g.begin(model, m.cohort)
	m.former = rest
	if len(rest) == 0 {
		m.ended, m.abandoned = true, true
	}
	return m
}

// ask adds a request whether a field of a model can still be declared. The reply is an Outcome: the reason why it
// cannot.
func (g *Registry) ask(by asker, model, field string, t Ticket) []Answer {
	m := g.of(model)
	if o := m.verdict(model, field); o.code != 0 {
		return []Answer{{To: t, Body: o.Encode()}}
	}
	m.asking[by] = asked{field, t}
	return nil
}

// forgo ends a question, whose answer is empty.
func (g *Registry) forgo(by asker, model string) []Answer {
	m := g.of(model)
	a, waits := m.asking[by]
	if !waits {
		return nil
	}
	delete(m.asking, by)
	return []Answer{{To: a.ticket}}
}

// verdict returns why a field of a model will never come.
func (m *registered) verdict(model, field string) Outcome {
	switch {
	case m.sealed && !m.fields[field]:
		return problem(ErrField, "model %s has no field %s; it has %s", model, field, m.list(field))
	case m.abandoned:
		return problem(ErrEnded, "all ranks of model %s have left", model)
	case m.ended && !m.fields[field]:
		return problem(ErrField, "rank %d of model %s has ended, and the model has not declared field %s", m.endedRank, model, field)
	case m.ended:
		return problem(ErrEnded, "rank %d of model %s has ended", m.endedRank, model)
	}
	return Outcome{}
}

// list returns the names of the fields for a message, and which of them is like a name.
func (m *registered) list(like string) string {
	return spelling.Choices(like, slices.Sorted(maps.Keys(m.fields)))
}
