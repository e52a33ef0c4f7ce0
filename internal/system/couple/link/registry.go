package link

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/goacp/goacp/internal/fabric"
	"github.com/goacp/goacp/internal/ground/spelling"
)

// What a rank tells of its model.
const (
	modelDeclared = iota // by the rank; the first rank adds the members of the model
	modelHas             // a field
	modelSealed          // it has no more fields
	modelEnded           // a rank of it finalizes
	modelWaits           // for the other side of a link
	modelGivesUp         // that wait
	modelWaitsNoMore
	modelFacts
)

// registry has the facts that ranks have sent about all models, if this process is their host. There is one host for all models: only
// it can find out that a model does not exist, or that models wait for each other.
type registry struct {
	mu     sync.Mutex
	models map[string]*registered
	told   uint64 // how much ranks have told, which is the clock of waits
	number uint64 // questions that this process has asked
}

// registered is one model.
type registered struct {
	members   []int        // as the first rank has told; nil if none has told, or if they are too many to tell
	declared  map[int]bool // members that have declared the model
	fields    map[string]bool
	waits     map[string]span // by link, for the other side of it
	sealed    bool
	ended     bool
	endedRank int
	asking    map[question]asked
}

// span is when a model has begun to wait, and when it has given up, which is 0 while it waits. A wait that was given up stays until
// the model waits for the same link again: other models that give up at the same time ask for it.
type span struct{ began, gaveUp uint64 }

// since reports whether the model has waited at or after a time.
func (s span) since(time uint64) bool { return s.began > 0 && (s.gaveUp == 0 || s.gaveUp > time) }

// question names a question about a model, by the member that asks.
type question struct {
	from   int
	number uint64
}

// asked is a question whether a field may still come. The answer is deferred until it is no.
type asked struct {
	field  string
	answer []byte
	done   fabric.Completion
}

// of returns a model. The caller holds the lock.
func (g *registry) of(model string) *registered {
	if g.models[model] == nil {
		g.models[model] = &registered{
			declared: make(map[int]bool), fields: make(map[string]bool), waits: make(map[string]span), asking: make(map[question]asked),
		}
	}
	return g.models[model]
}

// forget ends all models. Those that ask find out by themselves.
func (g *registry) forget() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.models = make(map[string]*registered)
}

// verdict returns why a field of a model will never come.
func (m *registered) verdict(model, field string) outcome {
	switch {
	case m.sealed && !m.fields[field]:
		return problem(ErrField, "model %s has no field %s; it has %s", model, field, m.list(field))
	case m.ended && !m.fields[field]:
		return problem(ErrField, "rank %d of model %s has ended, and the model has not declared field %s", m.endedRank, model, field)
	case m.ended:
		return problem(ErrEnded, "rank %d of model %s has ended", m.endedRank, model)
	}
	return outcome{}
}

// list returns the names of the fields for a message, and which of them is like a name.
func (m *registered) list(like string) string {
	names := slices.Sorted(maps.Keys(m.fields))
	text := listed(names)
	if near := spelling.Nearest(like, names); near != "" && len(names) > 1 {
		text += fmt.Sprintf("; did you mean %s?", near)
	}
	return text
}

// listed returns names for a message.
func listed(names []string) string {
	const most = 20
	if len(names) == 0 {
		return "none"
	}
	text := strings.Join(names[:min(len(names), most)], ", ")
	if len(names) > most {
		text += fmt.Sprintf(" and %d more", len(names)-most)
	}
	return text
}

// tell sends a fact about a model to the host of the models. The name is that of a field or a link, or the list of the members.
func (s *System) tell(model string, fact uint64, name string) *reply {
	var w writer
	w.number(fact)
	w.text(model)
	w.text(name)
	return s.start(s.registryHost(), opTell, w, 0)
}

// registryHost returns the member that is the host of the models.
func (s *System) registryHost() int { return s.hostOf("") }

// serveTell notes what a rank tells of a model, and answers the questions that this decides.
func (s *System) serveTell(r fabric.Request) (int, error) {
	in := reader{rest: r.Body}
	fact, model, name := in.count(modelFacts-1), string(in.bytes()), string(in.bytes())
	if err := in.end(); err != nil {
		return 0, err
	}
	g := &s.registry
	g.mu.Lock()
	defer g.mu.Unlock()
	m := g.of(model)
	g.told++
	switch fact {
	case modelDeclared:
		m.declared[r.From] = true
		if name != "" {
			var err error
			if m.members, err = decodeMembers([]byte(name), s.p.Ranks.Size()); err != nil {
				return 0, err
			}
		}
	case modelHas:
		m.fields[name] = true
	case modelSealed:
		m.sealed = true
	case modelWaits:
		m.waits[name] = span{began: g.told}
	case modelGivesUp:
		m.waits[name] = span{m.waits[name].began, g.told}
	case modelWaitsNoMore:
		delete(m.waits, name)
	case modelEnded:
		m.ended, m.endedRank = true, s.p.Ranks.Rank(r.From)
	}
	for q, a := range m.asking {
		if o := m.verdict(model, a.field); o.code != 0 {
			a.done.Complete(uint64(copy(a.answer, o.encode())), nil)
			delete(m.asking, q)
		}
	}
	return 0, nil
}
