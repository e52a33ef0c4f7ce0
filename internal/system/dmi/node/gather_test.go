package node

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/goacp/goacp/internal/fabric"
)

// FuzzServeGather: a process survives any gather, and writes no more than the room for the answer.
func FuzzServeGather(f *testing.F) {
	m, s := &gatherMessage{}, &space{base: 1 << 20, description: description{size: 1000, pageSize: 100}}
	for i := range int64(5) {
		g := &gatherGroup{entry: s.entry(i)}
		g.add(span{90 - 7*i, i, 0})
		g.add(span{50, i, 0})
		m.add(g)
	}
	f.Add(m.appendTo(nil), 100)
	f.Add([]byte{1, 1, 1, 0, 9, 0, 0, 0, 200}, 10)
	f.Fuzz(func(t *testing.T, body []byte, room int) {
		n := &Node{}
		reply := make([]byte, min(max(room, 0), smallMax))
		if size, err := n.serveGather(fabric.Request{Body: body, Reply: reply}); err == nil && size > len(reply) {
			t.Errorf("an answer of %d bytes; there is room for %d", size, len(reply))
		}
	})
}

// TestGatherMessage: what is in a message comes out of it, and its answer goes to its places.
func TestGatherMessage(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rnd := rand.New(rand.NewPCG(seed, 0))
	for range 100 {
		s := &space{base: rnd.Int64N(1 << 62), description: description{size: 1 << 60, pageSize: 1 << 40}}
		var groups []*gatherGroup
		var memory [][]byte
		for range rnd.IntN(300) {
			b := bytes.Repeat([]byte{99}, rnd.IntN(1<<rnd.IntN(15)))
			groups = addSpan(groups, s.entry(rnd.Int64N(3)), span{rnd.Int64N(1 << rnd.IntN(40)), int64(len(b)), int64(len(memory))})
			memory = append(memory, b)
		}
		for len(groups) > 0 {
			m := &gatherMessage{}
			for len(groups) > 0 && m.add(groups[0]) {
				groups = groups[1:]
			}
			checkMessage(t, rnd, s, m, memory)
		}
	}
}

// checkMessage decodes a message, makes an answer and checks where its bytes go.
func checkMessage(t *testing.T, rnd *rand.Rand, s *space, m *gatherMessage, memory [][]byte) {
	t.Helper()
	body, answer, filled := m.appendTo(nil), []byte{}, map[int64]byte{}
	if len(m.groups) == 0 || len(body) > smallMax || m.room > smallMax {
		t.Fatalf("%d groups in a request of %d bytes for %d bytes", len(m.groups), len(body), m.room)
	}
	in, refused := gatherReader{b: body}, 0
	for _, g := range m.groups {
		base, page := in.number(), in.number()
		list, size := in.ranges(smallMax)
		if in.bad || base != s.base || page != g.entry.page || size != g.size || list.count() != len(g.spans) {
			t.Fatalf("a group of page %d of the space %d with %d bytes; want %d, %d, %d", page, base, size, g.entry.page, s.base, g.size)
		}
		status := byte(rnd.IntN(3))
		answer = append(answer, status)
		var found [][2]int64
		list.each(func(at, size int64) bool {
			found = append(found, [2]int64{at, size})
			return true
		})
		for i, x := range g.spans {
			if found[i] != [2]int64{x.at, x.size} {
				t.Fatalf("range %d is %v; want %v", i, found[i], x)
			}
			filled[x.to] = 99
			switch status {
			case gatherRead:
				filled[x.to] = byte(x.to)
				answer = append(answer, bytes.Repeat([]byte{byte(x.to)}, int(x.size))...)
			case gatherZero:
				filled[x.to] = 0
			}
		}
		if status == gatherRefused {
			refused++
		}
	}
	to := &places{each: memory}
	if _, err := m.take(&reply{bytes: answer, size: uint64(len(answer)) - 1}, to); err == nil {
		t.Error("an answer that lacks a byte is taken")
	}
	for at := range filled {
		copy(memory[at], bytes.Repeat([]byte{99}, len(memory[at])))
	}
	rest, err := m.take(&reply{bytes: answer, size: uint64(len(answer))}, to)
	if err != nil || len(rest) != refused {
		t.Fatalf("%d groups are refused, %v; want %d", len(rest), err, refused)
	}
	for at, x := range filled {
		if !bytes.Equal(memory[at], bytes.Repeat([]byte{x}, len(memory[at]))) {
			t.Fatalf("the memory %d has %v; want %d", at, memory[at], x)
		}
	}
}
