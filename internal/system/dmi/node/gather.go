package node

import (
	"encoding/binary"
	"sync"

	"github.com/goacp/goacp/internal/fabric"
)

// A gather is one request for ranges of many pages to the process that owns them. It has groups, each of ranges of one page: its base and
// its number as varints, and then the ranges (ranges.go). The answer has a byte for each group, and the bytes of its ranges behind it if it is gatherRead. A process
// answers for those pages alone that it may read at once.

const (
	gatherRefused byte = iota // the process does not own the page, or may not read it now
	gatherRead                // bytes follow
	gatherZero                // no process has changed the page
)

// span is a range of a page, and the number of the memory to which its bytes go.
type span struct{ at, size, to int64 }

// places is the memory for the bytes of ranges: one buffer, or one for each range.
type places struct {
	buffer []byte
	each   [][]byte // by number, if buffer is nil
}

// of returns the memory for a range.
func (p *places) of(x span) []byte {
	if p.buffer == nil {
		return p.each[x.to]
	}
	return p.buffer[x.to:][:x.size]
}

// scatter copies the bytes of the ranges of a group to their memory.
func (p *places) scatter(g *gatherGroup, bytes []byte) {
	if p.buffer != nil && g.dense {
		copy(p.buffer[g.spans[0].to:], bytes[:g.size])
		return
	}
	for _, x := range g.spans {
		bytes = bytes[copy(p.of(x), bytes):]
	}
}

// gatherGroup is ranges of one page. They do not change while requests are under way.
type gatherGroup struct {
	entry *entry
	spans []span
	list  ranges // the same
	size  int64  // of the bytes of all ranges
	dense bool   // in one buffer, each range is behind the one before it
}

// groupHead is the greatest size of a group without its ranges, and rangeMax that of a range.
const (
	groupHead = 2*binary.MaxVarintLen64 + rangesHead
	rangeMax  = 2 * wordBytes
)

// length is the size of the group in a request, at most.
func (g *gatherGroup) length() int { return groupHead + len(g.spans)*rangeMax }

// add appends a range, and reports whether there was room in a request and an answer.
func (g *gatherGroup) add(x span) bool {
	if g.length()+rangeMax > smallMax || 1+g.size+x.size > smallMax || !g.list.add(x.at, x.size) {
		return false
	}
	n := len(g.spans)
	g.dense = n == 0 || g.dense && x.to == g.spans[n-1].to+g.spans[n-1].size
	g.spans, g.size = append(g.spans, x), g.size+x.size
	return true
}

// addSpan adds a range of a page, of less than smallMax bytes, to the last group, or to a new one.
func addSpan(all []*gatherGroup, e *entry, x span) []*gatherGroup {
	if n := len(all); n > 0 && all[n-1].entry == e && all[n-1].add(x) {
		return all
	}
	g := &gatherGroup{entry: e}
	g.add(x)
	return append(all, g)
}

// gatherMessage is one request.
type gatherMessage struct {
	groups []*gatherGroup
	size   int   // of the request, at most
	room   int64 // for the answer
}

// add adds a group to the message, and reports whether there was room.
func (m *gatherMessage) add(g *gatherGroup) bool {
	if m.size+g.length() > smallMax || m.room+1+g.size > smallMax {
		return false
	}
	m.groups, m.size, m.room = append(m.groups, g), m.size+g.length(), m.room+1+g.size
	return true
}

// buffers is the memory of a gather under way.
type buffers struct{ request, answer [smallMax]byte }

// spare has memory for gathers: the collection of what each of them would take anew took a fourth of the time.
var spare = sync.Pool{New: func() any { return new(buffers) }}

// appendTo appends the request to b.
func (m *gatherMessage) appendTo(b []byte) []byte {
	for _, g := range m.groups {
		b = binary.AppendUvarint(b, uint64(g.entry.space.base))
		b = binary.AppendUvarint(b, uint64(g.entry.page))
		b = g.list.append(b)
	}
	return b
}

// take takes the answer, and returns the groups that have not been read.
func (m *gatherMessage) take(r *reply, to *places) (rest []*gatherGroup, err error) {
	if fabric.IsGone(r.err) {
		return m.groups, nil
	}
	if r.err != nil {
		return nil, r.err
	}
	answer := r.bytes[:r.size]
	for _, g := range m.groups {
		if len(answer) == 0 {
			return nil, errMalformed
		}
		status := answer[0]
		answer = answer[1:]
		switch {
		case status == gatherRefused:
			rest = append(rest, g)
		case status == gatherZero:
			for _, x := range g.spans {
				clear(to.of(x))
			}
		case status == gatherRead && int64(len(answer)) >= g.size:
			to.scatter(g, answer)
			answer = answer[g.size:]
		default:
			return nil, errMalformed
		}
	}
	return rest, nil
}

// gatherTurns bounds how often a range is part of a gather. Pages may move all the time.
const gatherTurns = 4

// gather reads ranges of pages that other hosts own: with one request to each process, or a few if they have many bytes. A process may
// refuse a page. Then one of its ranges is read on its own, whose answer names the owner.
func (n *Node) gather(groups []*gatherGroup, to *places) error {
	for turn := 1; len(groups) > 0; turn++ {
		refused, err := n.gatherOnce(groups, to)
		if err != nil {
			return err
		}
		asked := make(map[*entry]bool)
		for _, g := range refused {
			for _, x := range g.spans {
				if asked[g.entry] && turn < gatherTurns {
					break
				}
				asked[g.entry] = true
				if err := n.read(part{entry: g.entry, at: x.at, b: to.of(x)}, Get); err != nil {
					return err
				}
			}
		}
		if groups = refused; turn == gatherTurns {
			return nil
		}
	}
	return nil
}

// gatherOnce sends the requests for some groups, and returns the groups that have not been read.
func (n *Node) gatherOnce(groups []*gatherGroup, to *places) (refused []*gatherGroup, err error) {
	w := n.newWave()
	open := make(map[int]*gatherMessage) // by process: the message that still has room
	var messages []*gatherMessage
	var memory []*buffers
	var replies []*reply
	send := func(process int, m *gatherMessage) {
		b := spare.Get().(*buffers)
		messages, memory = append(messages, m), append(memory, b)
		replies = append(replies, w.startInto(process, opGather, m.appendTo(b.request[:0]), b.answer[:m.room]))
	}
	for _, g := range groups {
		process := n.target(g.entry)
		m := open[process]
		if m == nil || !m.add(g) {
			if m != nil {
				send(process, m)
			}
			m = &gatherMessage{}
			m.add(g)
			open[process] = m
		}
	}
	for process, m := range open {
		send(process, m)
	}
	if err := w.wait(0); err != nil {
		return nil, err
	}
	for i, m := range messages {
		replies[i].err = n.p.Absence(replies[i].to, replies[i].err)
		rest, err := m.take(replies[i], to)
		if err != nil {
			return nil, err
		}
		refused = append(refused, rest...)
		spare.Put(memory[i])
	}
	return refused, nil
}
