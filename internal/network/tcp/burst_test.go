package tcp

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/goacp/goacp/internal/fabric"
	"github.com/goacp/goacp/internal/network/fabrictest"
)

// burst is many requests that an impostor writes at once, with the answers of a serial model.
type burst struct {
	rnd    *rand.Rand
	memory []byte // of the model
	frames []byte
	want   map[uint64]answered
}

// answered is the answer to one request.
type answered struct {
	status status
	found  uint64 // of an atomic, and of a get of up to 8 bytes
	data   []byte // of a longer get
}

// add adds a random request, which may be wrong.
func (b *burst) add(id uint64) {
	at := b.rnd.Uint64N(uint64(len(b.memory))-64) &^ 7
	h := header{id: id, pos: startPos + at}
	place := b.memory[at:]
	switch b.rnd.IntN(6) {
	case 0:
		h.kind, h.size, h.arg = kindPut, b.rnd.Uint64N(inlineMax+1), b.rnd.Uint64()
		copy(place[:h.size], binary.LittleEndian.AppendUint64(nil, h.arg))
		b.expect(h, answered{})
	case 1:
		h.kind, h.size = kindGet, b.rnd.Uint64N(inlineMax+1)
		var word [8]byte
		copy(word[:], place[:h.size])
		b.expect(h, answered{found: binary.LittleEndian.Uint64(word[:])})
	case 2:
		h.kind, h.code, h.width, h.arg = kindAtomic, uint8(fabric.OpAdd), 8, b.rnd.Uint64()
		old := binary.NativeEndian.Uint64(place)
		binary.NativeEndian.PutUint64(place, old+h.arg)
		b.expect(h, answered{found: old})
	case 3:
		h.kind, h.size = kindGet, inlineMax+1+b.rnd.Uint64N(50)
		b.expect(h, answered{data: bytes.Clone(place[:h.size])})
	case 4:
		h.kind, h.size = kindPut, inlineMax+1+b.rnd.Uint64N(50)
		payload := make([]byte, h.size)
		for i := range payload {
			payload[i] = byte(b.rnd.Uint32())
		}
		copy(place, payload)
		b.expect(h, answered{}, payload...)
	case 5:
		h.kind, h.code, h.width, h.pos = kindAtomic, uint8(fabric.OpAdd), 8, h.pos+1
		b.expect(h, answered{status: statusInvalid})
	}
}

func (b *burst) expect(h header, a answered, payload ...byte) {
	b.frames = append(b.frames, frame(h, payload...)...)
	b.want[h.id] = a
}

// answer compares one outcome with the model.
func (b *burst) answer(id, found uint64, s status, data []byte) error {
	want, ok := b.want[id]
	if !ok {
		return fmt.Errorf("request %d is answered twice", id)
	}
	delete(b.want, id)
	if s != want.status || s == statusOK && found != want.found || !bytes.Equal(data, want.data) {
		return fmt.Errorf("request %d: status %d, %#x, %x, want %+v", id, s, found, data, want)
	}
	return nil
}

// collect reads answers until it has all of them.
func (b *burst) collect(p *impostor) error {
	data := make(map[uint64][]byte)
	for len(b.want) > 0 {
		h, err := p.read()
		if err != nil {
			return err
		}
		payload := make([]byte, h.payload())
		if _, err := io.ReadFull(p.c, payload); err != nil {
			return err
		}
		if h.kind == kindData {
			data[h.id] = payload
			continue
		}
		if h.failed() {
			err = b.answer(h.id, 0, status(h.code), nil)
		} else {
			err = b.answer(h.id, h.pos, statusOK, data[h.id])
			for ; err == nil && len(payload) > 0; payload = payload[outcomeSize:] {
				err = b.answer(binary.LittleEndian.Uint64(payload), binary.LittleEndian.Uint64(payload[8:]), statusOK, nil)
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// count lets member 1 add to a word of member 0, and put and get words there, until stop is closed.
func (w *world) count(stop <-chan struct{}, at uint64) error {
	f, pos := w.transports[1], startPos+at
	var sent, received uint64
	for n := uint64(0); ; n++ {
		select {
		case <-stop:
			return nil
		default:
		}
		sent = n
		put, get, add := fabrictest.NewOutcome(), fabrictest.NewOutcome(), fabrictest.NewOutcome()
		f.Put(0, pos, unsafe.Pointer(&sent), 8, put)
		f.Get(0, pos, unsafe.Pointer(&received), 8, get)
		f.Atomic(0, pos+8, fabric.Atomic{Op: fabric.OpAdd, Width: 8, Operand: 1}, add)
		for _, o := range []*fabrictest.Outcome{put, get, add} {
			if old, err := o.Wait(); err != nil || o == add && old != n {
				return fmt.Errorf("round %d of the other member: found %d: %v", n, old, err)
			}
		}
		if received != sent {
			return fmt.Errorf("round %d of the other member: got %d", n, received)
		}
	}
}

// TestBursts lets a peer send as many requests at once as it may have under way, right and wrong ones, over
// and over. Each is answered once, with the answer of a serial model. Another member works meanwhile.
func TestBursts(t *testing.T) {
	const rounds, memory = 100, 4096
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	w := newWorld(t, 3, 1<<16)
	p := intrude(t, w, 2)
	p.expect(kindWelcome, statusOK)
	clear(w.owners[0].Memory[memory:][:16])
	stop, other := make(chan struct{}), make(chan error, 1)
	go func() { other <- w.count(stop, memory) }()
	b := &burst{rnd: rand.New(rand.NewPCG(seed, 0)), memory: bytes.Clone(w.owners[0].Memory[:memory])}
	for round := range uint64(rounds) {
		b.frames, b.want = b.frames[:0], make(map[uint64]answered)
		for i := range uint64(window) {
			b.add(round<<32 | i)
		}
		sent := make(chan error, 1)
		go func(frames []byte) {
			_, err := p.c.Write(frames)
			sent <- err
		}(b.frames)
		err := b.collect(p)
		if err == nil {
			err = <-sent
		}
		if err != nil {
			t.Fatalf("round %d: %v", round, err)
		}
	}
	close(stop)
	if err := <-other; err != nil {
		t.Error(err)
	}
	if !bytes.Equal(b.memory, w.owners[0].Memory[:memory]) {
		t.Error("the memory is not that of the model")
	}
	w.healthy(t)
}
