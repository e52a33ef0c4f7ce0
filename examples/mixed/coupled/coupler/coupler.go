// Package coupler exchanges surface temperatures between two models by one-sided
// copies: the twin of coupler.h and directory.h, where it is explained why it is
// right. Models in C and in Go can be coupled with each other, because they use
// starter memory in the same way.
package coupler

import (
	"errors"
	"fmt"
	"time"
	"unsafe"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/examples/mixed/coupled/heat"
)

// float64Size is the bytes of a temperature.
const float64Size = 8

// target is one rank of the other model that needs some of our columns.
type target struct {
	inbox [2]acp.GA // where our columns go, by buffer
	ready [2]acp.GA // what then counts them
	first int       // the first of our cells that goes there
	bytes uint64
}

// Coupler connects a part of one model with the other model.
type Coupler struct {
	p        *acp.Process
	starter  *starter
	old      acp.GA // of starter.old
	part     *heat.Part
	needs    heat.Span
	inbox    []float64 // two buffers of needs.Count temperatures
	cells    acp.GA    // of part.Cells
	keys     []acp.Key
	targets  []target
	senders  uint64     // ranks that write into our inbox
	sent     acp.Handle // last GMA of this step
	reported uint64
}

// New announces a part of the model kind and finds the parts of other with which it
// shares the interface; needs are their columns that it needs. Collective over all
// programs of the run. Blocks until all have called it.
func New(p *acp.Process, part *heat.Part, kind, other Kind, needs heat.Span) (*Coupler, error) {
	s, err := starterOf(p)
	if err != nil {
		return nil, err
	}
	here, err := p.StarterGA(p.Rank())
	if err != nil {
		return nil, err
	}
	c := &Coupler{p: p, starter: s, part: part, needs: needs, inbox: make([]float64, 2*needs.Count)}
	c.old = here + acp.GA(unsafe.Offsetof(s.old))
	inbox, err1 := c.publish(c.inbox)
	// The temperatures are sent from where the model keeps them.
	cells, err2 := c.publish(part.Cells)
	if err := errors.Join(err1, err2); err != nil {
		return nil, err
	}
	c.cells = cells
	s.mine = entry{
		kind:  kind,
		first: uint64(part.Own.First), count: uint64(part.Own.Count),
		needFirst: uint64(needs.First), needCount: uint64(needs.Count),
		inbox: inbox,
		ready: here + acp.GA(unsafe.Offsetof(s.ready)),
		board: here + acp.GA(unsafe.Offsetof(s.board)),
	}
	if err := s.join(p); err != nil {
		return nil, err
	}
	for rank := range p.Procs() {
		if e := &s.directory[rank]; e.kind == other {
			c.meet(e)
		}
	}
	if c.senders == 0 {
		return nil, errors.New("the run has no model to couple with")
	}
	return c, nil
}

// publish makes memory of the Go heap accessible to all ranks and returns its
// address. It is pinned until Close.
func (c *Coupler) publish(v []float64) (acp.GA, error) {
	start := unsafe.Pointer(unsafe.SliceData(v))
	key, err := c.p.Register(unsafe.Slice((*byte)(start), len(v)*float64Size), 0)
	if err != nil {
		return acp.NullGA, err
	}
	c.keys = append(c.keys, key)
	return c.p.QueryGA(key, start)
}

// meet notes what e, a rank of the other model, needs of us, and whether it has
// something for us.
func (c *Coupler) meet(e *entry) {
	if heat.Overlap(e.own(), c.needs).Count > 0 {
		c.senders++
	}
	need := e.needs()
	ours := heat.Overlap(c.part.Own, need)
	if ours.Count == 0 {
		return
	}
	t := target{first: ours.First - c.part.Own.First, bytes: uint64(ours.Count) * float64Size}
	for b := range 2 {
		t.inbox[b] = e.inbox + acp.GA(b*need.Count+ours.First-need.First)*float64Size
		t.ready[b] = e.ready + acp.GA(b)*8
	}
	c.targets = append(c.targets, t)
}

// Send starts sending the surface of this step. The temperatures must stay as they
// are until Sent. Does not block.
func (c *Coupler) Send(step int) error {
	b := step % 2
	surface := c.cells + acp.GA(c.part.SurfaceIndex())*float64Size
	for _, t := range c.targets {
		h, err := c.p.Copy(t.inbox[b], surface+acp.GA(t.first)*float64Size, t.bytes, acp.HandleNull)
		if err != nil {
			return err
		}
		// Counted once it is there: the copy is the order of the add.
		if c.sent, err = c.p.Add8(c.old, t.ready[b], 1, h); err != nil {
			return err
		}
	}
	return nil
}

// Sent waits until everything sent has arrived.
func (c *Coupler) Sent() error { return c.p.Complete(c.sent) }

// Receive waits for the surface of the other model at this step and returns its
// needed columns, which stay until Send of the next step. When a peer dies, the run
// ends, and this process with it.
func (c *Coupler) Receive(step int) []float64 {
	b := step % 2
	expected := uint64(step/2+1) * c.senders
	for looks := 0; c.starter.ready[b].Load() < expected; looks++ {
		patience(looks)
	}
	return c.inbox[b*c.needs.Count:][:c.needs.Count]
}

// Report shows the heat content of this part to watchers.
func (c *Coupler) Report() error {
	if c.reported == heat.Reports {
		return fmt.Errorf("all %d reports have been made", heat.Reports)
	}
	c.starter.board.heat[c.reported] = c.part.Content()
	c.reported++
	c.starter.board.reports.Store(c.reported)
	return nil
}

// Close takes the arrays back. After the last step no rank writes into the inbox: this
// process has waited for all messages of that step.
func (c *Coupler) Close() error {
	var errs []error
	for _, key := range c.keys {
		errs = append(errs, c.p.Unregister(key))
	}
	return errors.Join(errs...)
}

// patience waits before the next check of a word that has not changed, longer if there were many
// checks.
func patience(looks int) {
	if looks < 20 {
		yield()
	} else {
		time.Sleep(50 * time.Microsecond)
	}
}
