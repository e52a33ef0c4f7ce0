package segbuf

import (
	"context"
	"fmt"

	"github.com/goacp/goacp/internal/access/global"
	"github.com/goacp/goacp/internal/ground/activity"
	"github.com/goacp/goacp/internal/memory/ga"
	"github.com/goacp/goacp/internal/network/am"
	"github.com/goacp/goacp/internal/process/collective"
)

// notify sends a note about e to the other end.
func (e *End) notify(kind uint64) {
	n := note{
		kind: kind, life: e.life, number: e.number,
		control: ga.Pos(e.block), buf: ga.Pos(e.at), segment: e.segment, count: uint64(e.count),
	}
	if !e.source {
		n.toSource = 1
	}
	e.underway.Add(1)
	e.s.router.Agents().Call(e.peer, uint16(am.OpSegbuf), n.encode(), nil, message{e})
}

// take handles a note of the other end. Fails with global.ErrProtocol if the note is not possible in this
// state. The caller holds the lock of the pairing.
func (e *End) take(n note) error {
	there := e.state.Load() != waiting || e.failed.Load() != nil
	switch {
	case n.kind == noteJoin && !there:
		e.join(n)
	case n.kind == noteLeave && there && !e.left.Load():
		e.left.Store(true)
	default:
		return fmt.Errorf("%w: message %d about segmented buffer %d of rank %d", global.ErrProtocol, n.kind, n.number, e.s.ranks.Rank(e.peer))
	}
	return nil
}

// join connects e with the end that has sent n, unless their shapes differ.
func (e *End) join(n note) {
	if n.segment != e.segment || n.count != uint64(e.count) {
		e.fail(fmt.Errorf("%w: %d segments of %d bytes, at rank %d %d of %d",
			collective.ErrDisagree, e.count, e.segment, e.s.ranks.Rank(e.peer), n.count, n.segment))
		return
	}
	e.other = n
	e.state.Store(connected)
}

// Connect waits until the other end is there, too. Fails with collective.ErrDisagree if it has
// another shape, with ErrDisconnected after Disconnect, and with the error of ctx. Blocks.
func (e *End) Connect(ctx context.Context) error {
	err := e.usable()
	if err == nil {
		err = e.s.cond.WaitContext(ctx, activity.On(activity.Connect, e.peer), func() bool { return e.state.Load() != waiting || e.failed.Load() != nil })
	}
	if err == nil {
		err = e.connection()
	}
	return err
}

// Connected reports whether Connect would not wait. Errors as for Connect.
func (e *End) Connected() (bool, error) {
	err := e.usable()
	if err == nil && e.state.Load() == waiting && e.failed.Load() == nil {
		return false, nil
	}
	if err == nil {
		err = e.connection()
	}
	return err == nil, err
}

// Disconnect ends the use of this end. Segments that it has published still arrive. Fails with
// ErrNotConnected, and otherwise as Connect.
func (e *End) Disconnect() error {
	if err := e.ready(); err != nil {
		return err
	}
	e.state.Store(disconnected)
	e.notify(noteLeave)
	return nil
}

// Close waits until the other end has disconnected, too, or its process is gone, and frees the resources of the end. Fails with
// ErrNotConnected before the other end is there, with ErrConnected before Disconnect, unless that process is gone, and with the error of
// ctx. Blocks.
func (e *End) Close(ctx context.Context) error {
	if err := e.usable(); err != nil {
		return err
	}
	switch state := e.state.Load(); {
	case e.gone.Load():
	case state == waiting:
		return ErrNotConnected
	case state == connected:
		return ErrConnected
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := e.s.cond.WaitContext(ctx, activity.On(activity.Disconnect, e.peer), func() bool { return (e.left.Load() || e.gone.Load()) && e.quiet() }); err != nil {
		return err
	}
	e.state.Store(freed)
	e.s.remove(e)
	return e.giveBack()
}
