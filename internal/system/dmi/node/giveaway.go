package node

import (
	"encoding/binary"

	"github.com/goacp/goacp/internal/fabric"
	"github.com/goacp/goacp/internal/system/dmi/page"
)

// giveAway gives the page to the process that has taken it. The caller holds the locks of the entry and of its record, and returns the
// record then.
func (n *Node) giveAway(o *outbox, e *entry, a page.Action) {
	own := e.own
	p := own.pending[a.Request.ID]
	delete(own.pending, a.Request.ID)
	state := own.machine.State()
	holders := make([]page.Holder, 0, len(state.Holders)+1)
	for _, h := range state.Holders {
		if h.Process != p.request.From {
			holders = append(holders, h)
		}
	}
	keep := len(e.watchers) > 0
	if keep {
		holders = append(holders, page.Holder{Process: n.self, Kind: page.Update, Grant: e.copy.Keep(a.Version)})
	}
	e.own = nil
	e.owner, e.generation = p.request.From, e.generation+1
	own.near.record.retire()

	body := appendHolders(p.reply[answerHead:answerHead], holders)
	if !p.r.has(flagLong | flagWhole) {
		body = append(body, own.block.bytes...)
	}
	given := answer{owner: uint32(e.owner), generation: e.generation, version: a.Version, served: page.Take}
	n.conclude(o, e, p, moved, given, len(body))
	if keep {
		e.block = own.block
		n.pool.addCopy(e)
	} else {
		n.free(&own.block)
		n.pool.remove(e)
	}
}

// sendOwner tells the home of a page that this process owns it now, unless it is the home itself. The caller holds the lock of the entry. If the
// home moves meanwhile, sendOwner tells the next one. Until the home knows, it names the owner before, which names this process; if that
// one has left, requests to the home are made again.
func (n *Node) sendOwner(o *outbox, e *entry) {
	home := n.home(e)
	if home == n.self {
		return
	}
	b := make([]byte, 0, ownerBytes)
	for _, x := range [...]uint64{uint64(e.space.base), uint64(e.page), uint64(e.owner), e.generation} {
		b = binary.LittleEndian.AppendUint64(b, x)
	}
	o.add(func() { n.start(home, opOwner, b, func(taken bool, err error) { n.ownerSent(e, b, taken, err) }) })
}

// ownerSent takes the answer to a message about the owner of a page. It does not block.
func (n *Node) ownerSent(e *entry, b []byte, taken bool, err error) {
	if taken || err != nil && !fabric.IsGone(err) || e.space.ended.Load() {
		return
	}
	n.sending.Add(1)
	go func() {
		defer n.sending.Add(-1)
		var wait backOff
		if wait.pause(n) != nil {
			return
		}
		if home := n.home(e); home != n.self { // otherwise what this process knows is what the home knows
			n.start(home, opOwner, b, func(taken bool, err error) { n.ownerSent(e, b, taken, err) })
		}
	}()
}

const ownerBytes = 4 * 8

// serveOwner takes the owner of a page of which this process is the home. The answer says whether it is, and does not move.
func (n *Node) serveOwner(r fabric.Request) (int, error) {
	if len(r.Body) != ownerBytes || len(r.Reply) != 1 {
		return 0, errMalformed
	}
	r.Reply[0] = 1
	word := func(i int) uint64 { return binary.LittleEndian.Uint64(r.Body[8*i:]) }
	s := n.loaded(int64(word(0)))
	if s == nil || s.ended.Load() || int64(word(1)) < 0 || int64(word(1)) >= s.count() || word(2) >= uint64(n.p.Ranks.Seats()) {
		return 1, nil // the space has ended, or this process has never been the home of the page
	}
	e := s.entry(int64(word(1)))
	e.mu.Lock()
	defer e.mu.Unlock()
	e.note(int(word(2)), word(3))
	if n.home(e) != n.self || n.shards.isMoving(e.shard()) {
		r.Reply[0] = 0
	}
	return 1, nil
}
