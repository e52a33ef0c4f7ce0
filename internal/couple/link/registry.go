package link

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/goacp/goacp/internal/fabric"
	"github.com/goacp/goacp/internal/spelling"
)

// What a rank tells of its model.
const (
	modelHas    = iota // a field
	modelSealed        // it has no more fields
	modelEnded         // a rank of it finalizes
	modelWaits         // for the other side of a link
	modelWaitsNoMore
	modelFacts
)

// registry has what ranks have told of the models that this process is the host of.
type registry struct {
	mu     sync.Mutex
	models map[string]*registered
	number uint64 // questions that this process has asked
}

// registered is one model.
type registered struct {
	fields    map[string]bool
	waits     map[string]bool // links whose other side it waits for
	sealed    bool
	ended     bool
	endedRank int
	asking    map[question]asked
}

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
		g.models[model] = &registered{fields: make(map[string]bool), waits: make(map[string]bool), asking: make(map[question]asked)}
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
	if len(m.fields) == 0 {
		return "none"
	}
	names := slices.Sorted(maps.Keys(m.fields))
	text := strings.Join(names[:min(len(names), 20)], ", ")
	if len(names) > 20 {
		text += fmt.Sprintf(" and %d more", len(names)-20)
	}
	if near := spelling.Nearest(like, names); near != "" && len(names) > 1 {
		text += fmt.Sprintf("; did you mean %s?", near)
	}
	return text
}

// situation says for a message what is known of a model while a field of it does not come.
func (g *registry) situation(model, field string) string {
	g.mu.Lock()
	defer g.mu.Unlock()
	m := g.models[model]
	switch {
	case m == nil || len(m.fields) == 0 && !m.sealed && !m.ended:
		return fmt.Sprintf("no rank has declared model %s", model)
	case !m.fields[field]:
		return fmt.Sprintf("model %s has declared no field %s so far; it has %s", model, field, m.list(field))
	}
	if links := m.waitsBut(model + "." + field); len(links) > 0 {
		return fmt.Sprintf("model %s waits for the other side of link %s meanwhile; models open the links between them in the same order, or all at once", model, strings.Join(links, " and of link "))
	}
	return ""
}

// waitsBut returns the links whose other side the model waits for, except those of a field.
func (m *registered) waitsBut(field string) (links []string) {
	for _, name := range slices.Sorted(maps.Keys(m.waits)) {
		if from, to, _ := strings.Cut(name, ">"); from != field && to != field {
			links = append(links, name)
		}
	}
	return links
}

// tell tells the host of a model something about it. The name is that of a field or a link.
func (s *System) tell(model string, fact uint64, name string) *reply {
	var w writer
	w.number(fact)
	w.text(model)
	w.text(name)
	return s.start(s.hostOf(model), opTell, w, 0)
}

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
	switch fact {
	case modelHas:
		m.fields[name] = true
	case modelSealed:
		m.sealed = true
	case modelWaits:
		m.waits[name] = true
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
