package node

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/internal/acptest/extensiontest"
	"github.com/goacp/goacp/internal/fabric"
	"github.com/goacp/goacp/internal/system/dmi/page"
)

// later lets requests be answered later. It checks the length of the answer.
type later struct {
	t    *testing.T
	room int
}

func (l later) Defer() fabric.Completion { return l }

func (l later) Complete(size uint64, err error) {
	if err == nil && size > uint64(l.room) {
		l.t.Errorf("an answer of %d bytes in %d", size, l.room)
	}
}

// serves are the functions that serve requests of other processes.
var serves = [...]func(*Node, fabric.Request) (int, error){
	opPage: (*Node).servePage, opEnd: (*Node).serveEnd, opCopy: (*Node).serveCopy, opOwner: (*Node).serveOwner, opSpace: (*Node).serveSpace,
}

// misuse is a request or a notice that any process may send. In bytes it has the number of its operation, which may be that of the notice,
// with flags, the room for the answer, the length of its body, and the body.
type misuse struct {
	operation byte
	room      uint16
	body      []byte
}

// Flags of the operation of a misuse.
const (
	misuseLarge = 1 << 5 // it is about the space with the large page
	misuseBase  = 1 << 6 // the body has its own address of a space
	misuseSelf  = 1 << 7 // it is of this process
)

func (m misuse) append(b []byte) []byte {
	b = binary.LittleEndian.AppendUint16(append(b, m.operation), m.room)
	return append(append(b, byte(len(m.body))), m.body...)
}

// misuses returns the requests and notices that some bytes are.
func misuses(b []byte) (all []misuse) {
	for len(b) >= 4 && len(all) < 50 {
		n := min(int(b[3]), len(b)-4)
		all = append(all, misuse{b[0], binary.LittleEndian.Uint16(b[1:]), bytes.Clone(b[4:][:n])})
		b = b[4+n:]
	}
	return all
}

// setBase sets the address of a space in the body.
func (m misuse) setBase(bases [2]int64) {
	at, base := 0, bases[0]
	if m.operation&misuseLarge != 0 {
		base = bases[1]
	}
	switch int(m.operation&7) % (len(serves) + 1) {
	case opSpace:
		at = 1
	case opEnd, len(serves):
		return // it has the number of a loan
	}
	if m.operation&misuseBase == 0 && len(m.body) >= at+8 {
		binary.LittleEndian.PutUint64(m.body[at:], uint64(base))
	}
}

// serve serves the request.
func (m misuse) serve(t *testing.T, n *Node) {
	from := 1
	if m.operation&misuseSelf != 0 {
		from = n.self
	}
	operation := int(m.operation&7) % (len(serves) + 1)
	if operation == len(serves) {
		if len(m.body) >= 8 {
			n.takeEnd(from, 0, binary.LittleEndian.Uint64(m.body))
		}
		return
	}
	room := int(m.room)
	r := fabric.Request{From: from, Body: m.body, Reply: make([]byte, room), Later: later{t, room}}
	size, err := serves[operation](n, r)
	if err == nil && (size < 0 || size > room) {
		t.Errorf("operation %d: an answer of %d bytes in %d", operation, size, room)
	}
}

// seeds returns what correct processes send, about a page of 64 bytes or a large one.
func seeds() (all []misuse) {
	add := func(operation byte, room int, body []byte) { all = append(all, misuse{operation, uint16(room), body}) }
	loan := binary.LittleEndian.AppendUint64(nil, 1)
	for _, number := range []int64{0, 1} {
		for _, r := range []request{
			{kind: page.Get, size: 64}, {kind: page.Fetch, copy: page.Update, grant: 1, size: 8}, {kind: page.Fetch, copy: page.Invalidate, grant: 1, size: 64},
			{kind: page.Write, at: 8, size: 8}, {kind: page.Write, size: 8, do: modify, op: fetchAdd, room: 8}, {kind: page.Write, size: 8, do: function, room: 8},
			{kind: page.Write, size: 8, flags: flagApart}, {kind: page.Take, size: 8, flags: flagLong}, {kind: page.Take, size: 8}, {kind: page.Take, do: nothing, flags: flagMove},
			{kind: page.Take, size: 64, flags: flagWhole}, {kind: page.Get, size: 40000, flags: flagLong}, {kind: page.Fetch, copy: page.Update, grant: 1, size: 8, flags: flagLong},
		} {
			r.page = number
			body := append(r.append(nil), make([]byte, 8)...)
			if r.kind == page.Write && r.size == 64 || r.flags&flagWhole != 0 {
				body = append(r.append(nil), make([]byte, 64)...)
			}
			add(opPage, answerHead+64+holdersRoom, body)
			if r.has(flagLong|flagApart) && number == 0 {
				add(opPage|misuseLarge, answerHead+smallMax+holdersRoom, body)
				add(opEnd, answerHead, loan)
				add(opEnd, answerHead+holdersRoom, loan)
				add(byte(len(serves)), 0, loan)
			}
		}
	}
	for _, do := range []page.Do{page.Drop, page.Hold, page.Bring, page.Release} {
		m := copyMessage{grant: 1, version: 1, do: do, bytes: make([]byte, 8)}
		add(opCopy, 1, m.append(nil))
	}
	add(opOwner, 0, make([]byte, ownerBytes))
	for kind := range byte(spaceTake + 1) {
		add(opSpace, spaceAnswer, append([]byte{kind}, make([]byte, 24)...))
	}
	return all
}

// FuzzServe: a process that owns pages survives all requests of other processes, in any order, and still works.
func FuzzServe(f *testing.F) {
	n := Of(extensiontest.Alone(f, acp.Config{HeapSize: acp.MinHeapSize}))
	n.SetFunction(func(page, in, out []byte, _ int8) { copy(out, page) })
	var together []byte
	for _, m := range seeds() {
		f.Add(m.append(m.append(nil)))
		together = m.append(together)
	}
	f.Add(together)
	for i, m := range seeds() { // what a process sends while another request is under way
		for _, other := range seeds()[i:] {
			f.Add(other.append(m.append(nil)))
		}
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		var bases [2]int64
		for i, size := range []int64{64, 40000} {
			var err error
			if bases[i], err = n.Map(size, 2); err != nil {
				t.Fatal(err)
			}
			if err := n.Write(bases[i], make([]byte, size), Exclusive); err != nil {
				t.Fatal(err)
			}
		}
		for _, m := range misuses(b) {
			m.setBase(bases)
			m.serve(t, n)
		}
		for _, base := range bases {
			n.forget(base)
		}
		forgetLoans(t, n)
		if err := works(n); err != nil {
			t.Fatal(err)
		}
	})
}

// forgetLoans ends all loans of spaces that have ended, and forgets the spaces of this process.
func forgetLoans(t *testing.T, n *Node) {
	n.mu.Lock()
	loans := slices.Collect(maps.Values(n.loans))
	clear(n.loans)
	clear(n.registry)
	n.lastLoan = 0
	n.mu.Unlock()
	for _, l := range loans {
		reply := make([]byte, l.pending.endRoom()+answerHead)
		n.endLoan(l, reply, later{t, len(reply)})
	}
}

// works uses a new space.
func works(n *Node) error {
	base, err := n.Map(100, 2)
	if err != nil {
		return err
	}
	want, got := bytes.Repeat([]byte{7}, 200), make([]byte, 200)
	if err := n.Write(base, want, Put); err != nil {
		return err
	}
	if err := n.Read(base, got, Update); err != nil {
		return err
	}
	if !bytes.Equal(got, want) {
		return fmt.Errorf("the process reads %v", got)
	}
	return n.Unmap(base)
}
