package acp_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"
	"time"
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

// TestSegBufModel sends numbered segments between all ranks, by several buffers for each
// pair and direction, at random times, and compares every byte and what both ends say of
// themselves with a model.
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

// segUser is one end and what should be so.
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

// slot returns the memory of the segment whose turn is next.
func (u *segUser) slot() []byte {
	i := u.done % u.count
	return u.mem[i*u.segment : (i+1)*u.segment]
}

// pattern returns what belongs into the segment whose turn is next.
func (u *segUser) pattern() []byte {
	from := (u.done*131 + int(u.from)*50) % 256
	return noise[from : from+u.segment]
}

// noise repeats itself after a number of bytes that is no power of two.
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
	if err := u.e.Close(context.Background()); err != nil {
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

func TestSegBufErrors(t *testing.T) {
	ctx := context.Background()
	forEachMode(t, []int{2}, func(t *testing.T, mode bridge.Mode, n int) {
		run(t, n, acp.Config{Mode: mode}, func(p *member) error {
			other := 1 - p.Rank()
			mem := make([]byte, 64)
			for _, c := range []struct {
				rank    acp.Rank
				mem     []byte
				segment int
				want    error
			}{
				{-1, mem, 8, acp.ErrBadRank}, {2, mem, 8, acp.ErrBadRank}, {other, nil, 8, acp.ErrBadSize},
				{other, mem, 0, acp.ErrBadSize}, {other, mem, -8, acp.ErrBadSize}, {other, mem, 7, acp.ErrBadSize},
			} {
				_, serr := p.NewSegBufSource(c.rank, c.mem, c.segment)
				_, derr := p.NewSegBufDestination(c.rank, c.mem, c.segment)
				if err := errors.Join(expect(c.want, serr), expect(c.want, derr)); err != nil {
					return err
				}
			}
			// Numbers count from here: what failed has none.
			var e *acp.SegBuf
			var err error
			if p.Rank() == 0 {
				if e, err = p.NewSegBufSource(other, mem, 16); err != nil {
					return err
				}
				if ok, err := e.Connected(); ok || err != nil { // the other waits for the Sync
					return fmt.Errorf("connected too early: %v, %v", ok, err)
				}
				if err := errors.Join(expect(acp.ErrNotConnected, e.Ack()), expect(acp.ErrNotConnected, e.Disconnect()),
					expect(acp.ErrNotConnected, e.Close(ctx))); err != nil {
					return err
				}
				limited, cancel := context.WithTimeout(ctx, time.Millisecond)
				defer cancel()
				if err := expect(context.DeadlineExceeded, e.Connect(limited)); err != nil {
					return err
				}
			}
			if err := p.Sync(); err != nil {
				return err
			}
			if p.Rank() == 1 {
				if e, err = p.NewSegBufDestination(other, mem, 16); err != nil {
					return err
				}
			}
			if err := e.Connect(ctx); err != nil {
				return err
			}
			if err := errors.Join(atEnd(e, p.Rank() == 0), p.Sync()); err != nil {
				return err
			}
			if err := errors.Join(expect(acp.ErrConnected, e.Close(ctx)), e.Disconnect()); err != nil {
				return err
			}
			_, qerr := e.Head()
			if err := errors.Join(expect(acp.ErrDisconnected, e.Disconnect()), expect(acp.ErrDisconnected, e.Connect(ctx)),
				expect(acp.ErrDisconnected, qerr), e.Close(ctx), expect(acp.ErrDestroyed, e.Close(ctx))); err != nil {
				return err
			}
			return differentShapes(p, other)
		})
	})
}

// atEnd does what one end must not, and fills the buffer.
func atEnd(e *acp.SegBuf, source bool) error {
	if !source {
		_, err := e.Sent()
		return errors.Join(expect(acp.ErrNotEndpoint, e.Ack()), expect(acp.ErrNotEndpoint, err))
	}
	var list []error
	for range 4 {
		list = append(list, e.Ack())
	}
	ready, err := e.IsReady()
	if ready {
		err = errors.New("ready although full")
	}
	return errors.Join(append(list, err, expect(acp.ErrFull, e.Ack()), expect(acp.ErrNotEndpoint, e.Ready()))...)
}

// differentShapes makes two ends that do not fit.
func differentShapes(p *member, other acp.Rank) error {
	open := p.NewSegBufSource
	if p.Rank() == 1 {
		open = p.NewSegBufDestination
	}
	e, err := open(other, make([]byte, 64), 16+int(p.Rank())*16)
	if err != nil {
		return err
	}
	if err := expect(acp.ErrDisagree, e.Connect(context.Background())); err != nil {
		return err
	}
	_, err = e.IsAcked()
	return expect(acp.ErrDisagree, err)
}

// TestSegBufAfterReset: a reset forgets ends and their numbers.
func TestSegBufAfterReset(t *testing.T) {
	forEachMode(t, []int{3}, func(t *testing.T, mode bridge.Mode, n int) {
		run(t, n, acp.Config{Mode: mode}, func(p *member) error {
			for life := range uint64(3) {
				next, before := acp.Rank((int(p.Rank())+1)%n), acp.Rank((int(p.Rank())+2)%n)
				out, err := p.NewSegBufSource(next, binary.NativeEndian.AppendUint64(nil, life), 8)
				if err != nil {
					return err
				}
				mem := foreign(t, 8)
				in, err := p.NewSegBufDestination(before, mem, 8)
				if err != nil {
					return err
				}
				// One whose other end is never made.
				if _, err := p.NewSegBufSource(next, mem, 8); err != nil {
					return err
				}
				if err := errors.Join(out.Connect(context.Background()), in.Connect(context.Background()), out.Ack()); err != nil {
					return err
				}
				for ok := false; !ok; runtime.Gosched() {
					if ok, err = in.IsAcked(); err != nil {
						return err
					}
				}
				if got := binary.NativeEndian.Uint64(mem); got != life {
					return fmt.Errorf("got %d in life %d", got, life)
				}
				if err := p.Reset(next); err != nil {
					return err
				}
				if err := errors.Join(expect(acp.ErrDestroyed, out.Ack()), expect(acp.ErrDestroyed, in.Disconnect())); err != nil {
					return err
				}
			}
			return nil
		})
	})
}

// TestLostRunEndsSegBuf ends the run while ranks wait for others.
func TestLostRunEndsSegBuf(t *testing.T) {
	loseRun(t, func(ctx context.Context, p *acp.Process) (func() error, error) {
		e, err := lonelyEnd(ctx, p)
		if p.Rank() == 1 {
			return func() error { return e.Connect(ctx) }, err
		}
		return func() error { return e.Close(ctx) }, err
	})
}

// lonelyEnd makes an end whose other end rank 0 never makes, or never disconnects.
func lonelyEnd(ctx context.Context, p *acp.Process) (*acp.SegBuf, error) {
	switch p.Rank() {
	case 0:
		return p.NewSegBufSource(2, make([]byte, 8), 8)
	case 1:
		return p.NewSegBufSource(0, make([]byte, 8), 8)
	}
	e, err := p.NewSegBufDestination(0, make([]byte, 8), 8)
	if err != nil {
		return nil, err
	}
	return e, errors.Join(e.Connect(ctx), e.Disconnect())
}
