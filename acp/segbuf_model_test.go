package acp_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"
	"unsafe"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/bridge"
)

// segShape is one segmented buffer of TestSegBufModel.
type segShape struct {
	from, to       acp.Rank
	segment, count int
	heap           bool // the destination's memory is from Malloc
}

// TestSegBufModel sends numbered segments between all ranks, by several buffers for each pair and direction,
// at random times, and compares every byte and the counters of both ends with a model.
func TestSegBufModel(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	segments := map[bridge.Mode]int{bridge.ModeSHM: 2000, bridge.ModeTCP: 200}
	forEachMode(t, []int{1, 3}, func(t *testing.T, mode bridge.Mode, n int) {
		run(t, n, acp.Config{Mode: mode}, func(p *member) error {
			rnd := rand.New(rand.NewPCG(seed, uint64(p.Rank())))
			common := rand.New(rand.NewPCG(seed, 1000))
			var ends []*segUser
			for from := range n {
				for to := range n {
					for range 2 {
						s := segShape{acp.Rank(from), acp.Rank(to), 1 + common.IntN(3000), 1 + common.IntN(9), common.IntN(2) == 0}
						made, err := openSegBufs(t, p, s)
						if err != nil {
							return err
						}
						ends = append(ends, made...)
					}
				}
			}
			for open := len(ends); open > 0; runtime.Gosched() {
				u := ends[rnd.IntN(len(ends))]
				if u.done == segments[mode] {
					continue
				}
				if err := u.step(rnd); err != nil {
					return fmt.Errorf("%+v, source %v, segment %d: %w", u.segShape, u.source, u.done, err)
				}
				if u.done == segments[mode] {
					open--
				}
			}
			for _, u := range ends {
				if err := u.e.Disconnect(); err != nil {
					return err
				}
			}
			for _, u := range ends {
				if err := u.close(p); err != nil {
					return err
				}
			}
			return wholeHeap(p)
		})
	})
}

// segUser is one end and its expected state.
type segUser struct {
	segShape
	source    bool
	e         *acp.SegBuf
	mem       []byte
	block     acp.GA
	done      int // segments published or given back
	connected bool
}

// openSegBufs makes the ends of s that belong to this rank.
func openSegBufs(t *testing.T, p *member, s segShape) ([]*segUser, error) {
	var ends []*segUser
	if p.Rank() == s.from {
		u := &segUser{segShape: s, source: true, mem: make([]byte, s.segment*s.count)}
		var err error
		if u.e, err = p.NewSegBufSource(s.to, u.mem, s.segment); err != nil {
			return nil, err
		}
		ends = append(ends, u)
	}
	if p.Rank() == s.to {
		u := &segUser{segShape: s}
		if err := u.openDestination(t, p); err != nil {
			return nil, err
		}
		ends = append(ends, u)
	}
	return ends, nil
}

func (u *segUser) openDestination(t *testing.T, p *member) error {
	size := u.segment * u.count
	u.mem = foreign(t, size) // the race detector does not see the counters
	var err error
	if u.heap {
		if u.block, err = p.Malloc(uint64(size), p.Rank()); err != nil {
			return err
		}
		u.mem = unsafe.Slice((*byte)(must(p.QueryAddress(u.block))), size)
	}
	u.e, err = p.NewSegBufDestination(u.from, u.mem, u.segment)
	return err
}

// slot returns the memory of the next segment.
func (u *segUser) slot() []byte {
	i := u.done % u.count
	return u.mem[i*u.segment : (i+1)*u.segment]
}

// pattern returns the expected bytes of the next segment.
func (u *segUser) pattern() []byte {
	from := (u.done*131 + int(u.from)*50) % 256
	return noise[from : from+u.segment]
}

// noise repeats itself every 251 bytes, which is no power of two.
var noise = func() (b [256 + 3000]byte) {
	for i := range b {
		b[i] = byte(i % 251)
	}
	return b
}()

func (u *segUser) step(rnd *rand.Rand) error {
	if !u.connected {
		var err error
		u.connected, err = u.e.Connected()
		return err
	}
	if err := u.check(); err != nil {
		return err
	}
	if u.source {
		return u.publish()
	}
	if rnd.IntN(4) == 0 { // slow
		return nil
	}
	return u.take()
}

// check compares the counters of this end, which alone changes one of them.
func (u *segUser) check() error {
	head, herr := u.e.Head()
	tail, terr := u.e.Tail()
	if err := errors.Join(herr, terr); err != nil {
		return err
	}
	own := head
	if u.source {
		own = tail
		if sent, err := u.e.Sent(); sent >= u.count {
			return fmt.Errorf("sent %d of %d", sent, u.count)
		} else if err != nil {
			return err
		}
	}
	if own != u.done%u.count || head >= u.count || tail >= u.count {
		return fmt.Errorf("head %d, tail %d", head, tail)
	}
	return nil
}

func (u *segUser) publish() error {
	if ok, err := u.e.IsReady(); !ok || err != nil {
		return err
	}
	copy(u.slot(), u.pattern())
	u.done++
	return u.e.Ack()
}

func (u *segUser) take() error {
	if ok, err := u.e.IsAcked(); !ok || err != nil {
		return err
	}
	if !bytes.Equal(u.slot(), u.pattern()) {
		return fmt.Errorf("got %.20x…, expected %.20x…", u.slot(), u.pattern())
	}
	u.done++
	return u.e.Ready()
}

func (u *segUser) close(p *member) error {
	if err := u.e.Close(); err != nil {
		return err
	}
	if err := u.e.Ack(); !errors.Is(err, acp.ErrDestroyed) {
		return fmt.Errorf("ack after free: %v", err)
	}
	if u.heap && !u.source {
		return p.Free(u.block)
	}
	return nil
}
