package link

import (
	"context"
	"errors"
	"sync/atomic"

	"github.com/goacp/goacp/internal/access/global"
	"github.com/goacp/goacp/internal/memory/ga"
	"github.com/goacp/goacp/internal/system/couple/side"
)

// A partner may write into the block of an end until it has closed the link, too: a sender packs values into a slot,
// claims the post, or has puts in flight. So the block of a closed end stays until the last notice of its partners
// has arrived. No end waits for that.

// Close closes the link for this rank, and waits until the messages that it has sent have left it. It does not wait
// for calls of other ranks. The memory of the link is freed when the partners have closed it, too. If ctx ends first,
// Close may be called again. A second Close does nothing.
func (e *end) Close(ctx context.Context) error {
	if e.closed {
		return nil
	}
	if !e.left {
		if err := e.usable(); err != nil {
			return err
		}
		e.left = true
		if err := e.leave(); err != nil {
			return err
		}
	}
	if err := e.await(ctx, e.underway); err != nil {
		return e.wrap(nil, err)
	}
	if e.watch != nil {
		e.s.watches.remove(watchKey{e.id, e.side})
	}
	return e.s.flows.close(e)
}

// leave notifies the partners that this side has ended. The notice follows all messages, and is the last from this
// end. A partner whose word is mapped sees it at once. After the notice a closed partner can free its block.
func (e *end) leave() error {
	for _, f := range e.flows {
		if f.toWord != nil {
			atomic.StoreUint64(f.toWord, e.Messages|ended)
			f.toEvents.Notify()
		}
		if err := f.notify(e.Messages | ended); err != nil && !errors.Is(global.Cause(err), global.ErrRankGone) {
			return e.wrap(f, global.Cause(err))
		}
	}
	if e.watch != nil {
		e.watch.leave(e.side, e.field.model.index)
	}
	e.endIntegral()
	return nil
}

// underway returns a flow with messages that the messenger has not sent, or nil.
func (e *end) underway() *stream {
	for _, f := range e.flows {
		if !f.idle() {
			return f
		}
	}
	return nil
}

// discard ends an end that has moved nothing. Its memory is freed if no partner will use it: none has the address, or all ranks know that
// the link is not opened. Otherwise it stays until Reset.
func (e *end) discard(unused bool) error {
	if e.watch != nil {
		e.s.watches.remove(watchKey{e.id, e.side})
	}
	e.endIntegral()
	for _, f := range e.flows {
		if e.side == side.Receiving {
			e.s.flows.arrive(e.connection(f))
		}
	}
	e.s.flows.mu.Lock()
	defer e.s.flows.mu.Unlock()
	e.closed = true
	e.ends()
	if !unused {
		e.block = ga.Null
	}
	return e.s.flows.remove(e)
}

// open notes that an end is open.
func (t *flows) open(e *end) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.ends[e] = true
}

// close notes that an end is closed.
func (t *flows) close(e *end) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	e.closed = true
	e.ends()
	delete(t.ends, e)
	return t.release(e)
}

// end notes that the partner of a flow has closed the link.
func (t *flows) end(from int, number uint32, value uint64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	f := t.byNumber[number]
	if f == nil || f.member != from {
		return
	}
	atomic.StoreUint64(f.word, value)
	if f.end.closed {
		_ = t.release(f.end) // on an error the run is over, or the heap is damaged: no call waits for that
	}
}

// release frees the resources of a closed end if all partners have closed the link. The caller holds the lock.
func (t *flows) release(e *end) error {
	for _, f := range e.flows {
		if _, over := f.reported(); !over {
			return nil
		}
	}
	return t.remove(e)
}

// remove frees the resources of an end. After that no notice changes its words. The caller holds the lock.
func (t *flows) remove(e *end) error {
	for _, f := range e.flows {
		if t.byNumber[f.number] == f {
			delete(t.byNumber, f.number)
		}
	}
	if e.block == ga.Null {
		return nil
	}
	block := e.block
	e.block = ga.Null
	return e.s.mem.Free(block)
}

// closeAll closes all ends that the program has left open.
func (s *System) closeAll() {
	s.flows.mu.RLock()
	var all []*end
	for e := range s.flows.ends {
		all = append(all, e)
	}
	s.flows.mu.RUnlock()
	for _, e := range all {
		_ = e.Close(context.Background()) // on an error the run is over
	}
}
