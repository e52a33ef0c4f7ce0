package meet

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/goacp/goacp/internal/ground/spelling"
	"github.com/goacp/goacp/internal/system/couple/wire"
)

// Situation is the answer of the registry to a rank that gives up its wait for the other side of a link.
type Situation struct {
	Absent  string // the reason, if the other field or its model has not been declared
	Members []byte // of the other model, as a list; empty if they are not known
	Order   string // the other links for which the other model waits
}

// Encode returns the situation as a message.
func (n *Situation) Encode() []byte {
	var w wire.Writer
	w.Text(n.Absent)
	w.Bytes(n.Members)
	w.Text(n.Order)
	return w
}

// DecodeSituation is the inverse of Situation.Encode. Fails with wire.ErrMalformed.
func DecodeSituation(b []byte) (n Situation, err error) {
	r := wire.NewReader(b)
	n.Absent, n.Members, n.Order = r.Text(), r.Bytes(), r.Text()
	return n, r.End()
}

// situation returns the state of a field of a model that does not open a link with another model.
func (g *Registry) situation(q *Inquiry) Situation {
	if absent := g.absent(q.Own, q.Model, q.Field); absent != "" {
		return Situation{Absent: absent}
	}
	m := g.models[q.Model]
	members := m.members
	if members == nil {
		members = slices.Sorted(maps.Keys(m.declared))
	}
	var n Situation
	if list := EncodeMembers(members); len(list) <= MostMembers {
		n.Members = list
	}
	n.Order = g.order(q.Own, q.Model, q.Link)
	return n
}

// absent returns a text if a model or a field of it has not been declared, otherwise "".
func (g *Registry) absent(own, model, field string) string {
	m := g.models[model]
	switch {
	case m == nil || len(m.declared) == 0:
		var models, others []string
		for _, name := range slices.Sorted(maps.Keys(g.models)) {
			if len(g.models[name].declared) == 0 {
				continue
			}
			models = append(models, name)
			if name != own {
				others = append(others, name)
			}
		}
		text := fmt.Sprintf("no rank has declared model %s; models: %s", model, spelling.List(models))
		if near := spelling.Nearest(model, others); near != "" {
			text += fmt.Sprintf("; did you mean %s?", near)
		}
		if g.jobs == 1 {
			text += "; the run has one job"
		}
		return text
	case !m.fields[field] && (m.members == nil || m.declared[m.members[0]]): // the first rank sends the fields
		return fmt.Sprintf("model %s has declared no field %s so far; it has %s", model, field, m.list(field))
	}
	return ""
}

// order describes the other links for which a model waits while it does not open a link with the model own, and
// whether its wait leads back to own.
func (g *Registry) order(own, model, link string) string {
	c := circle{g: g, own: own, link: link, been: make(map[string]bool)}
	if m := g.models[own]; m != nil {
		c.began = m.waits[link].began
	}
	if g.models[model].waits[link].since(c.began) {
		return "" // it has come, as far as its first rank is concerned
	}
	if path := c.from(model); path != nil {
		return strings.Join(path, ", ") + "; models open the links between them in the same order, or all at once"
	}
	const most = 4
	var texts []string
	for _, other := range c.waits(model) {
		if len(texts) == most {
			break
		}
		text := waitsFor(model, other)
		if next, field := otherSide(other, model); next != own {
			if absent := g.absent(model, next, field); absent != "" {
				text += ", and " + absent
			}
		}
		texts = append(texts, text)
	}
	return strings.Join(texts, ", ")
}

// waitsFor returns the text that a model waits for a link.
func waitsFor(model, link string) string {
	return fmt.Sprintf("model %s waits for the other side of link %s meanwhile", model, link)
}

// circle finds models that wait for each other, each for a link that the next model has not opened.
type circle struct {
	g     *Registry
	own   string // the model at which it ends
	link  string // for which that waits
	began uint64 // when it has begun to wait
	been  map[string]bool
}

// waits returns the links for which a model waits, except the link of the circle.
func (c *circle) waits(model string) (links []string) {
	m := c.g.models[model]
	for _, link := range slices.Sorted(maps.Keys(m.waits)) {
		if link != c.link && m.waits[link].since(c.began) {
			links = append(links, link)
		}
	}
	return links
}

// from returns the waits that lead from a model to own, or nil.
func (c *circle) from(model string) []string {
	c.been[model] = true
	for _, link := range c.waits(model) {
		next, _ := otherSide(link, model)
		m := c.g.models[next]
		if m == nil || next != model && m.waits[link].since(c.began) {
			continue // that side has come
		}
		if next == c.own {
			return []string{waitsFor(model, link)}
		}
		if c.been[next] {
			continue
		}
		if rest := c.from(next); rest != nil {
			return append([]string{waitsFor(model, link)}, rest...)
		}
	}
	return nil
}
