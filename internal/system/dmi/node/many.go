package node

import (
	"sync/atomic"

	"github.com/goacp/goacp/internal/ground/activity"
	"github.com/goacp/goacp/internal/ground/wait"
	"github.com/goacp/goacp/internal/system/dmi/page"
)

// ReadMany reads global memory at each address to the slice with the same number. Each is an access of its own, in no order; those to other
// hosts are under way at the same time. Fails as Read does, before it has read anything if an argument is wrong.
func (n *Node) ReadMany(addrs []int64, all [][]byte, mode Mode) error {
	if err := mode.checkRead(); err != nil {
		return err
	}
	return n.many(addrs, all, func(g *gathered, p part) error {
		if ok, err := n.readHere(p); ok || err != nil {
			return err
		}
		if mode != Get || len(p.b) > smallMax {
			return n.read(p, mode)
		}
		g.start(p, request{kind: page.Get, at: p.at, size: int64(len(p.b))}, nil, len(p.b))
		return nil
	}, func(p part) error { return n.read(p, mode) })
}

// WriteMany writes each slice to global memory at the address with the same number, as ReadMany does in the other direction.
func (n *Node) WriteMany(addrs []int64, all [][]byte, mode Mode) error {
	if err := mode.checkWrite(); err != nil {
		return err
	}
	write := func(p part) error {
		return n.change(p.entry, p.at, int64(len(p.b)), &change{kind: store, in: p.b}, mode)
	}
	return n.many(addrs, all, func(g *gathered, p part) error {
		c := &change{kind: store, in: p.b}
		if ok, err := n.changeHere(p.entry, p.at, int64(len(p.b)), c); ok || err != nil {
			return err
		}
		if mode != Put || len(p.b) > smallMax {
			return write(p)
		}
		g.start(p, c.request(page.Write, p.at, int64(len(p.b))), p.b, 0)
		return nil
	}, write)
}

// many checks all ranges, lets begin begin or make each access, and makes those again that the first owner could not.
func (n *Node) many(addrs []int64, all [][]byte, begin func(g *gathered, p part) error, again func(p part) error) error {
	if len(addrs) != len(all) {
		return ErrSize
	}
	for i, addr := range addrs {
		if _, _, err := n.check(addr, int64(len(all[i]))); err != nil {
			return err
		}
	}
	g := &gathered{node: n, cond: n.p.Cond}
	var first error
	for i, addr := range addrs {
		s, offset, err := n.check(addr, int64(len(all[i])))
		if err == nil {
			err = s.parts(offset, all[i], func(p part) error { return begin(g, p) })
		}
		if err != nil {
			first = err
			break
		}
	}
	if err := g.end(again); first == nil {
		first = err
	}
	return first
}

// gathered is requests that are under way at the same time, and whose end one goroutine awaits.
type gathered struct {
	node *Node
	cond *wait.Cond
	all  []*gatheredRequest
	open atomic.Int32
}

type gatheredRequest struct {
	of *gathered
	part
	kind  page.Kind
	reply []byte
	size  uint64
	err   error
}

// gatherWidth bounds the requests that are under way at the same time.
const gatherWidth = 256

// start sends a request for a page to the process that owned it last.
func (g *gathered) start(p part, r request, data []byte, room int) {
	if g.open.Load() >= gatherWidth {
		_ = g.wait(gatherWidth / 2) // end fails for the same reason
	}
	r.base, r.page = p.space.base, p.page
	message := append(r.append(make([]byte, 0, requestHead+len(data))), data...)
	q := &gatheredRequest{of: g, part: p, kind: r.kind, reply: make([]byte, answerHead+room)}
	g.all = append(g.all, q)
	g.open.Add(1)
	g.node.p.Start(g.node.target(p.entry), opPage, message, q.reply, q)
}

// Complete implements fabric.Completion.
func (q *gatheredRequest) Complete(size uint64, err error) {
	c := q.of.cond
	c.Lock()
	defer c.Unlock()
	q.size, q.err = size, err
	q.of.open.Add(-1)
	c.Broadcast()
}

// wait returns when at most some requests are under way, or with the reason why the run is over.
func (g *gathered) wait(most int32) error {
	return g.cond.Wait(activity.On(activity.Answer, -1), func() bool { return g.open.Load() <= most })
}

// end returns when all requests have ended, and makes those accesses again that were sent to a process which is not the owner.
func (g *gathered) end(again func(p part) error) error {
	if err := g.wait(0); err != nil {
		return err
	}
	for _, q := range g.all {
		if isGone(q.err) {
			q.err, q.size = nil, 0
		}
		if q.err != nil {
			return q.err
		}
		if q.size == 0 {
			if err := again(q.part); err != nil {
				return err
			}
			continue
		}
		a, b, err := decodeAnswer(q.reply[:q.size])
		switch {
		case err != nil:
		case a.status == done || a.status == untouched && q.kind == page.Get:
			if a.status == done {
				g.node.meet(q.entry, &a)
			}
			if q.kind == page.Get {
				err = g.node.got(q.part, &a, b)
			}
		default:
			err = again(q.part)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
