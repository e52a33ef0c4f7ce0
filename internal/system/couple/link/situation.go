package link

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/goacp/goacp/internal/ground/spelling"
)

// situation is the answer of the host of the models to a rank that gives up its wait for the other side of a link.
type situation struct {
	absent  string // why the other field has not come, if it or its model has not been declared
	members []byte // of the other model, as a list; empty if they are not known
	order   string // for which other links the other model waits
}

func (n *situation) encode() []byte {
	var w writer
	w.text(n.absent)
	w.bytes(n.members)
	w.text(n.order)
	return w
}

func decodeSituation(b []byte) (n situation, err error) {
	r := reader{rest: b}
	n.absent, n.members, n.order = string(r.bytes()), r.bytes(), string(r.bytes())
	return n, r.end()
}

// situation returns what is known while a field of a model does not come to a link with the model own. The run has a number of jobs.
func (g *registry) situation(own, model, field, link string, jobs int) situation {
	g.mu.Lock()
	defer g.mu.Unlock()
	if absent := g.absent(own, model, field, jobs); absent != "" {
		return situation{absent: absent}
	}
	m := g.models[model]
	members := m.members
	if members == nil {
		members = slices.Sorted(maps.Keys(m.declared))
	}
	var n situation
	if list := encodeMembers(members); len(list) <= mostMembers {
		n.members = list
	}
	n.order = g.order(own, model, link, jobs)
	return n
}

// absent says that a model or a field of it has not been declared, or returns "". The caller holds the lock.
func (g *registry) absent(own, model, field string, jobs int) string {
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
		text := fmt.Sprintf("no rank has declared model %s; models: %s", model, listed(models))
		if near := spelling.Nearest(model, others); near != "" {
			text += fmt.Sprintf("; did you mean %s?", near)
		}
		if jobs == 1 {
			text += "; the run has one job"
		}
		return text
	case !m.fields[field] && (m.members == nil || m.declared[m.members[0]]): // the first rank tells the fields
		return fmt.Sprintf("model %s has declared no field %s so far; it has %s", model, field, m.list(field))
	}
	return ""
}

// order says for which other links a model waits while it does not come to a link with the model own, and whether its wait leads back
// to that one. The caller holds the lock.
func (g *registry) order(own, model, link string, jobs int) string {
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
			if absent := g.absent(model, next, field, jobs); absent != "" {
				text += ", and " + absent
			}
		}
		texts = append(texts, text)
	}
	return strings.Join(texts, ", ")
}

// waitsFor says that a model waits for a link.
func waitsFor(model, link string) string {
	return fmt.Sprintf("model %s waits for the other side of link %s meanwhile", model, link)
}

// otherSide returns the model and the field at the other side of a link of a model.
func otherSide(link, model string) (other, field string) {
	from, to, _ := strings.Cut(link, ">")
	if other, field, _ = strings.Cut(from, "."); other == model {
		other, field, _ = strings.Cut(to, ".")
	}
	return other, field
}

// circle finds models that wait for each other, each by a link to which the next one has not come.
type circle struct {
	g     *registry
	own   string // the model at which it ends
	link  string // for which that waits
	began uint64 // when it has begun to wait
	been  map[string]bool
}

// waits returns the links for which a model waits, apart from that of the circle.
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
