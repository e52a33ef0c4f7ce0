package node

import (
	"github.com/goacp/goacp/internal/fabric"
	"github.com/goacp/goacp/internal/system/dmi/page"
)

// ReadMany reads global memory at each address to the slice with the same number. Each is an access of its own, in no order. With the mode
// Get, those to one process of another host travel together, and all are under way at the same time. Fails as Read does, before it has read
// anything if an argument is wrong.
func (n *Node) ReadMany(addrs []int64, all [][]byte, mode Mode) error {
	if err := mode.checkRead(); err != nil {
		return err
	}
	if err := n.users.Enter(); err != nil {
		return err
	}
	defer n.users.Leave()
	var far [][]byte
	var groups []*gatherGroup
	err := n.eachPart(addrs, all, func(p part) error {
		if ok, err := n.readHere(p); ok || err != nil {
			return err
		}
		if mode != Get || len(p.b) >= smallMax {
			return n.read(p, mode)
		}
		groups = addSpan(groups, p.entry, span{p.at, int64(len(p.b)), int64(len(far))})
		far = append(far, p.b)
		return nil
	})
	if err != nil {
		return err
	}
	return n.gather(groups, &places{each: far})
}

// WriteMany writes each slice to global memory at the address with the same number, as ReadMany does in the other direction.
func (n *Node) WriteMany(addrs []int64, all [][]byte, mode Mode) error {
	if err := mode.checkWrite(); err != nil {
		return err
	}
	if err := n.users.Enter(); err != nil {
		return err
	}
	defer n.users.Leave()
	g := &writes{wave: n.newWave()}
	first := n.eachPart(addrs, all, func(p part) error {
		c := &change{kind: store, in: p.b}
		if ok, err := n.changeHere(p.entry, p.at, int64(len(p.b)), c); ok || err != nil {
			return err
		}
		if mode != Put || len(p.b) > smallMax {
			return n.change(p.entry, p.at, int64(len(p.b)), c, mode)
		}
		g.start(p, c.request(page.Write, p.at, int64(len(p.b))))
		return nil
	})
	if err := g.end(mode); first == nil {
		first = err
	}
	return first
}

// eachPart checks all ranges, and calls f for the part of each in each page until it fails.
func (n *Node) eachPart(addrs []int64, all [][]byte, f func(p part) error) error {
	if len(addrs) != len(all) {
		return ErrSize
	}
	for i, addr := range addrs {
		if _, _, err := n.check(addr, int64(len(all[i]))); err != nil {
			return err
		}
	}
	for i, addr := range addrs {
		s, offset, err := n.check(addr, int64(len(all[i])))
		if err == nil {
			err = s.parts(offset, all[i], f)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// writes are requests of WriteMany.
type writes struct {
	wave    *wave
	parts   []part
	to      []int // processes to which the requests were sent
	replies []*reply
}

// start sends the bytes of a part to the process that owned the page last.
func (g *writes) start(p part, r request) {
	r.base, r.page = p.space.base, p.page
	message := append(r.append(make([]byte, 0, requestHead+len(p.b))), p.b...)
	to := g.wave.node.target(p.entry)
	g.parts, g.to = append(g.parts, p), append(g.to, to)
	g.replies = append(g.replies, g.wave.start(to, opPage, message, answerHead))
}

// end returns when all requests have ended, and makes those changes again that were sent to a process which is not the owner, or
// has left.
func (g *writes) end(mode Mode) error {
	if err := g.wave.wait(0); err != nil {
		return err
	}
	n := g.wave.node
	for i, q := range g.replies {
		var a answer
		err := n.p.Absence(g.to[i], q.err)
		if q.err == nil {
			a, _, err = decodeAnswer(q.bytes[:q.size])
		}
		p := g.parts[i]
		switch {
		case err != nil && !fabric.IsGone(err):
		case a.status == done:
			n.meet(p.entry, &a)
		default:
			err = n.change(p.entry, p.at, int64(len(p.b)), &change{kind: store, in: p.b}, mode)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
