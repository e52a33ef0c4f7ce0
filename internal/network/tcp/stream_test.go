package tcp

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/goacp/goacp/internal/fabric"
	"github.com/goacp/goacp/internal/network/fabrictest"
)

// feed hands stream to the receiving side of a link that has no socket, in pieces whose sizes next draws, as
// receive would. It returns the error that has ended the link.
func feed(l *link, stream []byte, next func() int) error {
	for len(stream) > 0 {
		in := &l.in
		in.w = copy(in.buf, in.buf[in.r:in.w])
		in.r = 0
		n := min(max(next(), 1), len(stream))
		direct := 0
		if in.left > 0 && in.target != nil {
			direct = int(min(uint64(n), in.left))
			copy(unsafe.Slice((*byte)(in.target), direct), stream)
		}
		n = direct + copy(in.buf[in.w:], stream[direct:n])
		stream = stream[n:]
		if err := l.take(n); err != nil {
			return err
		}
	}
	return nil
}

// outcome holds all effects of a stream.
type outcome struct {
	err     string
	memory  []byte
	replies []byte
	notes   int
	done    []string // outcomes of operations, in order
}

// waiting is the number of operations of a link that is fed a stream. Their ids are 0, 1 and so on. Series of 2 items
// follow, one of each kind.
const waiting = 4

// series returns those series. The gets store at an address.
func waitingSeries(to unsafe.Pointer) []*fabric.Series {
	return []*fabric.Series{
		{Kind: fabric.SeriesPut, Size: 8, Items: make([]fabric.Item, 2)},
		{Kind: fabric.SeriesGet, Size: 3, Items: []fabric.Item{{Addr: to}, {}}},
		{Kind: fabric.SeriesAtomic, Op: fabric.OpAdd, Size: 8, Items: make([]fabric.Item, 2)},
	}
}

// listed is a completion that adds its outcome to a list.
type listed struct {
	id   int
	list *[]string
}

// Complete implements fabric.Completion.
func (c *listed) Complete(old uint64, err error) {
	*c.list = append(*c.list, fmt.Sprint(c.id, old, err))
}

func play(t *testing.T, stream []byte, next func() int) outcome {
	owner := fabrictest.NewOwner(t, startPos, 4096)
	f := &Transport{cfg: Config{Self: 0, Size: 3, Owner: owner}}
	l := newLink(f, 1) // writing is true: replies stay in the queue
	l.state = stateOpen
	l.in.buf = make([]byte, 256)
	var got outcome
	await := func(op operation) {
		op.done = &listed{len(l.ops.slots), &got.done}
		l.ops.add(&op)
		l.waiting.Add(1)
		l.under++
	}
	for range waiting {
		await(operation{kind: kindReply})
	}
	var bytes [3]byte
	series := waitingSeries(unsafe.Pointer(&bytes))
	for i, s := range series {
		await(operation{kind: []kind{kindReply, kindValues, kindValues}[i], series: s})
	}
	if err := feed(l, stream, next); err != nil {
		got.err = err.Error()
	}
	l.queueAnswers()
	l.tell()
	got.memory = append(got.memory, owner.Memory...)
	for i := range l.out.n {
		f := l.out.at(i)
		got.replies = append(got.replies, f.head[:]...)
		switch {
		case f.packet != nil:
			got.replies = append(got.replies, f.packet[:f.left]...)
		case kind(f.head[1]) == kindValues:
			got.replies = append(got.replies, unsafe.Slice((*byte)(f.payload), f.left)...)
		}
	}
	got.notes = len(owner.Notes)
	for _, s := range series {
		got.done = append(got.done, fmt.Sprint(bytes, s.Items[0].Word, s.Items[1].Word, s.Failed))
	}
	return got
}

func frame(h header, payload ...byte) []byte {
	var b [headerSize]byte
	h.encode(&b)
	return append(b[:], payload...)
}

// seriesFrame returns the request of a series with items at some positions.
func seriesFrame(id uint64, s *fabric.Series, at ...uint64) []byte {
	for _, pos := range at {
		s.Items = append(s.Items, fabric.Item{Pos: pos, Word: pos, Compare: 1})
	}
	h := seriesHeader(s)
	h.id = id
	records := make([]byte, h.size)
	encodeSeries(records, s)
	return frame(h, records...)
}

// FuzzStream feeds a stream at once and in random pieces. Both must have the same outcome, and no stream may
// crash the link.
func FuzzStream(f *testing.F) {
	long := bytes.Repeat([]byte("0123456789"), 100)
	f.Add(bytes.Join([][]byte{
		frame(header{kind: kindPut, id: 1, pos: startPos + 5, size: 1000}, long...),
		frame(header{kind: kindPut, id: 2, pos: 1, size: 1000}, long...),
		frame(header{kind: kindGet, id: 3, pos: startPos, size: 500}),
		frame(header{kind: kindPut, id: 4, pos: startPos + 100, size: 8, arg: 7}),
		frame(header{kind: kindAtomic, code: uint8(fabric.OpAdd), width: 8, id: 5, pos: startPos + 8, arg: 1}),
		frame(header{kind: kindNotify, member: 1, arg: 2}),
		frame(header{kind: kindCopy, member: 2, id: 6, pos: startPos, size: 10}),
		frame(header{kind: kindCall, code: 2, id: 7, arg: 8}),
		frame(header{kind: kindCall, code: 2, width: 0x41, id: 8, arg: 8}),
		frame(header{kind: kindNotify, code: 1, width: 0xff, member: 1<<32 - 1, arg: 2}),
		frame(header{kind: kindGoodbye}),
	}, nil), uint64(1))
	f.Add(bytes.Join([][]byte{
		frame(header{kind: kindPut, width: fabric.WordMax, id: 1, pos: startPos + 5, size: 1000}, long...),
		frame(header{kind: kindPut, width: fabric.WordMax, id: 2, pos: 1, size: 1000}, long...),
		frame(header{kind: kindGet, width: fabric.WordMax, id: 3, pos: startPos + 3, size: 500}),
		frame(header{kind: kindGet, width: fabric.WordMax, id: 4, pos: startPos + 3, size: 7}),
		frame(header{kind: kindGet, width: fabric.WordMax, id: 5, pos: 1, size: 500}),
	}, nil), uint64(8))
	f.Add(bytes.Join([][]byte{
		seriesFrame(1, &fabric.Series{Kind: fabric.SeriesPut, Size: 3}, startPos, startPos+3, 1),
		seriesFrame(2, &fabric.Series{Kind: fabric.SeriesPut, Size: 200, Data: long}, startPos+8, startPos+4095),
		seriesFrame(3, &fabric.Series{Kind: fabric.SeriesGet, Size: 100}, startPos, startPos+50, ^uint64(0)),
		seriesFrame(4, &fabric.Series{Kind: fabric.SeriesAtomic, Op: fabric.OpCas, Size: 4}, startPos, startPos+1),
		seriesFrame(5, &fabric.Series{Kind: fabric.SeriesAtomic, Op: fabric.OpAdd, Size: 8}, startPos+8, startPos+8),
	}, nil), uint64(9))
	f.Add(bytes.Join([][]byte{
		frame(header{kind: kindFault, code: uint8(statusRange), id: waiting, member: 1, pos: 3, size: 8}),
		frame(header{kind: kindReply, id: waiting}),
		frame(header{kind: kindFault, code: uint8(statusInvalid), id: waiting + 2}),
		frame(header{kind: kindValues, id: waiting + 2, size: 16}, long[:16]...),
		frame(header{kind: kindValues, id: waiting + 1, size: 6}, long[:6]...),
	}, nil), uint64(10))
	f.Add(frame(header{kind: kindDeferred, id: 1}), uint64(4))
	further := make([]byte, 2*outcomeSize)
	further[0], further[8], further[16] = 3, 9, 1
	f.Add(frame(header{kind: kindReply, pos: 5, size: 32}, further...), uint64(5))
	f.Add(frame(header{kind: kindReply, size: 16}, further...), uint64(6))
	further[16] = 3 // which has been answered
	f.Add(frame(header{kind: kindReply, pos: 5, size: 32}, further...), uint64(7))
	f.Add(frame(header{kind: kindReply, code: uint8(statusOther), arg: 10}, long...), uint64(2))
	f.Add(frame(header{kind: kindData, size: 1 << 50}, long...), uint64(3))
	f.Fuzz(func(t *testing.T, stream []byte, seed uint64) {
		rng := rand.New(rand.NewPCG(seed, 0))
		whole := play(t, stream, func() int { return len(stream) })
		pieces := play(t, stream, func() int { return 1 + rng.IntN(100) })
		if a, b := fmt.Sprint(whole), fmt.Sprint(pieces); a != b {
			t.Errorf("at once:\n%s\nin pieces:\n%s", a, b)
		}
	})
}
