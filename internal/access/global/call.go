package global

import (
	"context"
	"errors"
	"slices"

	"github.com/goacp/goacp/internal/fabric"
	"github.com/goacp/goacp/internal/ground/activity"
	"github.com/goacp/goacp/internal/memory/heapview"
	"github.com/goacp/goacp/internal/network/am"
)

// Final reports whether err is the final outcome of an operation that has run near, on the
// heap of member. Otherwise this process has no address space for the operation, and the
// owner has to carry it out.
func (m *Memory) Final(member int, err error) bool {
	return err == nil || member == m.ranks.Self() || !errors.Is(err, heapview.ErrShort)
}

// Far lets the agent of member carry out c, whose bytes are not on the stack. Blocks for one
// round trip, and a few more if Data and More are longer than am.MaxData together. Of Out at
// most am.MaxOut bytes come back.
func (m *Memory) Far(member int, c am.Call) (r am.Result, err error) {
	if m.Detaches() {
		return m.DetachedCall(&c, nil, func(m *Memory, c *am.Call) (am.Result, error) { return m.Far(member, *c) })
	}
	if len(c.Data)+len(c.More) > am.MaxData {
		block, err := m.stage(member, c.Data, c.More)
		if err != nil {
			return r, err
		}
		defer func() { err = errors.Join(err, m.Free(block)) }()
		c.Block = am.Block{GA: block, Data: uint64(len(c.Data)), More: uint64(len(c.More))}
	}
	answer := make([]byte, c.ReplySize())
	n, err := m.Call(member, c.Op, c.Append(make([]byte, 0, c.RequestSize())), answer)
	if err == nil {
		r, err = c.Outcome(answer[:n])
	}
	return r, Cause(err)
}

// stage copies data and more, one behind the other, to a new block of the heap of member. They
// are joined first, so one copy is enough, and neither is in use after the call.
func (m *Memory) stage(member int, data, more []byte) (uint64, error) {
	block, err := m.Alloc(member, uint64(len(data)+len(more)))
	if err != nil {
		return 0, err
	}
	if err := m.Put(block, slices.Concat(data, more)); err != nil {
		return 0, errors.Join(err, m.Free(block))
	}
	return block, nil
}

// Call lets the agent of member carry out op, and returns the length of the answer. The caller
// encodes request and decodes answer. Blocks until the answer is there.
func (m *Memory) Call(member int, op am.Op, request, answer []byte) (int, error) {
	return m.CallFor(member, op, request, answer, activity.On(activity.Answer, member))
}

// CallFor is Call for a reason that says more than that a thread waits for an answer.
func (m *Memory) CallFor(member int, op am.Op, request, answer []byte, why activity.Reason) (int, error) {
	r := &reply{cond: m.cond}
	m.router.Agents().Call(member, uint16(op), request, answer, r)
	n, err := r.wait(why)
	return int(n), err
}

// CallUntil is Call that also ends with the error of ctx. Then the answer may still come, so the caller
// leaves request and answer alone, and giveUp may ask the owner to answer now. It does not block.
func (m *Memory) CallUntil(ctx context.Context, member int, op am.Op, request, answer []byte, why activity.Reason, giveUp func(fabric.Messenger)) (int, error) {
	r := &reply{cond: m.cond}
	m.router.Agents().Call(member, uint16(op), request, answer, r)
	if err := m.cond.WaitContext(ctx, why, r.arrived.Load); err != nil {
		if ctx.Err() != nil {
			giveUp(m.router.Agents())
		}
		return 0, err
	}
	return int(r.result), r.err
}
