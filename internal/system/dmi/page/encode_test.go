package page

import (
	"bytes"
	"crypto/sha256"
	"slices"
)

// key identifies a state. States with the same key are taken for the same.
type key [16]byte

// encoder appends what makes a state different from others.
type encoder []byte

func (b *encoder) put(xs ...int) {
	for _, x := range xs {
		*b = append(*b, byte(x))
	}
}

func (b *encoder) flags(xs ...bool) {
	flags := 0
	for i, x := range xs {
		if x {
			flags |= 1 << i
		}
	}
	b.put(flags)
}

// key returns the key of the state. The messages under way have no order.
func (m *model) key() key {
	b := make(encoder, 0, 512)
	for page := range m.values {
		b.put(len(m.values[page]))
		for _, x := range m.values[page] {
			b.put(int(x))
		}
	}
	for i := range m.threads {
		t := &m.threads[i]
		b.put(t.at, int(t.step), int(t.since), int(t.asked), int(t.served), t.server, int(t.half), int(t.version), int(t.noticed))
		b.flags(t.begun, t.fired, t.taking)
	}
	for p := range m.places {
		at := &m.places[p]
		for page := range pages {
			b.put(int(at.homes[page]), int(at.moves[page]))
			b.flags(at.moving[page], at.evacuates, at.gone)
		}
	}
	for p := range m.entries {
		for page := range m.entries[p] {
			b.entry(&m.entries[p][page])
		}
	}
	ends, all := make([]encoder, len(m.net)), make(encoder, 0, 40*len(m.net))
	for i := range m.net {
		from := len(all)
		all.message(&m.net[i])
		ends[i] = all[from:len(all):len(all)]
	}
	slices.SortFunc(ends, func(x, y encoder) int { return bytes.Compare(x, y) })
	for _, x := range ends {
		b = append(b, x...)
	}
	sum := sha256.Sum256(b)
	return key(sum[:16])
}

func (b *encoder) entry(e *entry) {
	b.put(e.owner, int(e.generation), len(e.early), len(e.told), len(e.watchers), int(e.bytes), int(e.left))
	b.flags(e.taking, e.fetching, e.own != nil)
	c := &e.copy
	b.put(int(c.condition), int(c.kind), int(c.version), int(c.grant), int(c.fetching), int(c.last))
	for _, r := range e.early {
		b.request(&r)
	}
	for i := range e.told {
		b.message(&e.told[i])
	}
	b.put(e.watchers...)
	if e.own != nil {
		b.put(int(e.own.bytes))
		b.flags(e.own.guarded, e.own.shut)
		b.owner(e.own.machine)
	}
}

func (b *encoder) owner(o *Owner) {
	b.flags(o.empty, o.gone, o.change != nil)
	b.put(int(o.state.Version), o.lent, o.next, len(o.queue))
	b.holders(o.state.Holders)
	for _, r := range o.queue {
		b.request(&r)
	}
	if c := o.change; c != nil {
		b.request(&c.request)
		b.put(int(c.phase), len(c.waiting))
		waiting := slices.Clone(c.waiting)
		slices.Sort(waiting)
		b.put(waiting...)
	}
}

// holders appends holders, whose order has no meaning.
func (b *encoder) holders(holders []Holder) {
	sorted := slices.Clone(holders)
	slices.SortFunc(sorted, func(x, y Holder) int { return x.Process - y.Process })
	b.put(len(sorted))
	for _, h := range sorted {
		b.put(h.Process, int(h.Kind), int(h.Grant))
	}
}

func (b *encoder) request(r *Request) {
	b.put(int(r.ID), r.From, int(r.Kind), int(r.Copy), int(r.Grant))
	b.flags(r.Long)
}

func (b *encoder) message(x *message) {
	b.put(int(x.kind), x.from, x.to, x.page, x.thread, int(x.status), int(x.served), int(x.do), int(x.grant), int(x.version),
		int(x.bytes), x.owner, int(x.generation))
	b.flags(x.kept)
	b.request(&x.request)
	b.holders(x.holders)
}
