package hashed

import (
	"slices"

	"github.com/goacp/goacp/internal/access/global"
	"github.com/goacp/goacp/internal/memory/ga"
	"github.com/goacp/goacp/internal/network/am"
)

// Operations whose callers may return early. The address of its entry in the directory identifies a table: an
// operation waits for earlier operations on the same tables whose callers returned early.

// In returns the same structure in the memory of c.
func (t Tables) In(c *Client) Tables {
	t.c = c
	return t
}

// in returns the same structure in a memory that may have another context.
func (t Tables) in(m *global.Memory) Tables { return t.In(t.c.WithMemory(m)) }

// entry returns the address of the entry of table i.
func (t *Tables) entry(i uint32) uint64 { return t.at.GA + 8*uint64(i) }

// entries returns the addresses of the entries of all tables.
func (t *Tables) entries() []uint64 {
	if t.check() != nil {
		return nil // the operation fails
	}
	all := make([]uint64, min(t.at.Ranks, t.c.mem.HeapSize(t.c.mem.Member(t.at.GA))/8))
	for i := range all {
		all[i] = t.entry(uint32(i))
	}
	return all
}

// detached carries out op, which uses all tables of t and of others. op gets the structure in the memory that
// it has to use.
func (t Tables) detached(op func(t Tables) error, others ...Tables) error {
	entries := t.entries()
	for i := range others {
		entries = append(entries, others[i].entries()...)
	}
	_, err := global.Detached(t.c.mem, entries, func(m *global.Memory) (struct{}, error) {
		return struct{}{}, op(t.in(m))
	}, nil)
	return err
}

// detachedKey carries out op, which uses the table of a key. op gets a copy of the key, and the structure in
// the memory that it has to use.
func detachedKey[T any](t Tables, key []byte, op func(t Tables, key []byte) (T, error)) (result T, err error) {
	i, _, err := t.slotOf(key)
	if err != nil {
		return result, err
	}
	private := slices.Clone(key)
	return global.Detached(t.c.mem, []uint64{t.entry(i)}, func(m *global.Memory) (T, error) { return op(t.in(m), private) }, nil)
}

// detachedAt is doAt for a caller that may return early.
func (t Tables) detachedAt(table Table, op Op, slot uint32, c *am.Call, from *[2]ga.Span) (am.Result, error) {
	var spans *[2]ga.Span // a copy, so that from does not escape
	if from != nil {
		spans = &[2]ga.Span{from[0], from[1]}
		c = &am.Call{Args: c.Args} // its bytes come from there
	}
	return t.c.mem.DetachedCall(c, []uint64{t.entry(table.Index)}, func(m *global.Memory, c *am.Call) (am.Result, error) {
		attached := t.in(m)
		return attached.doAt(&table, op, slot, c, spans)
	})
}

// detachedMake is Make for a caller that may return early.
func (c *Client) detachedMake(kind Kind, ranks []int, slots, rank int) (Tables, error) {
	private := slices.Clone(ranks)
	t, err := global.Detached(c.mem, nil,
		func(m *global.Memory) (Tables, error) { return c.WithMemory(m).Make(kind, private, slots, rank) },
		func(_ *global.Memory, t Tables) { _ = t.Destroy() }) // fails if the run is over
	return t.In(c), err
}

// detachedStep is step for a caller that may return early. The step runs to its end in any case, because the
// records may be in blocks that have to be freed.
func (g *gatherer) detachedStep() error {
	part := g.part
	from := gatherer{part: part, slot: g.slot, elem: g.elem, out: make([]byte, len(g.out))}
	got, err := global.Detached(g.c.mem, []uint64{g.entry(g.index)}, func(m *global.Memory) (gatherer, error) {
		from.Tables = part.Tables.in(m)
		err := from.step()
		return from, err
	}, nil)
	if err == nil {
		g.slot, g.elem, g.records = got.slot, got.elem, append(g.records, got.records...)
	}
	return err
}
