package session

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"testing"

	"github.com/goacp/goacp/internal/system/dmi/node"
	"github.com/goacp/goacp/internal/system/dmi/object"
	"github.com/goacp/goacp/internal/system/dmi/thread"
)

// board is one of each object in a page, with some words beside them.
type board struct {
	s    *Session
	at   int64
	self object.Thread
	rank int
	size int
}

// The places on a board.
const (
	boardMutex   = 0
	boardFull    = 64  // condition variable
	boardEmpty   = 128 // condition variable
	boardSpin    = 192
	boardPool    = 256
	boardBarrier = 320
	boardSet     = 448
	boardItems   = 576 // guarded by the mutex
	boardPassed  = 584 // guarded by the mutex
	boardTurns   = 592 // guarded by the spin lock
	boardTaken   = 600 // the threads that have the numbers of the pool
	boardSize    = 1024
)

// Sizes of the set and the pool.
const (
	elementsEach = 300
	elementSize  = 24
	poolNumbers  = 4
)

// TestEveryObject has threads of several processes use all objects of one page, on one host and on several.
func TestEveryObject(t *testing.T) {
	const processes, threads, rounds = 3, 4, 20
	runThreads(t, processes, func(s *Session) error { return fillBoard(s, processes, threads, rounds) },
		func(s *Session, t *thread.Thread) error {
			b := &board{s: s, at: t.Addr, rank: t.Rank, size: t.Size, self: object.Thread{Member: int(t.ID().Process), Number: uint32(t.ID().Thread)}}
			return b.play(rounds)
		})
}

// fillBoard makes the objects, lets the threads play, and ends the objects.
func fillBoard(s *Session, processes, threads, rounds int) error {
	at, err := s.Node.Map(boardSize, 1)
	if err != nil {
		return err
	}
	o, n := s.Objects, processes*threads
	if err := errors.Join(o.InitMutex(at+boardMutex), o.InitCond(at+boardFull), o.InitCond(at+boardEmpty), o.InitSpin(at+boardSpin),
		o.InitIDPool(at+boardPool, poolNumbers), o.InitBarrier(at+boardBarrier),
		o.InitRWSet(at+boardSet, int64(n*elementsEach), elementSize, n)); err != nil {
		return err
	}
	if err := s.Threads.Rescale(nil, at, processes, threads); err != nil {
		return err
	}
	b := &board{s: s, at: at}
	for _, c := range []struct {
		at   int64
		want int
	}{{boardItems, 0}, {boardPassed, n * rounds}, {boardTurns, n * rounds}} {
		if got, err := b.add(c.at, 0); err != nil || got != c.want {
			return fmt.Errorf("the word at %d is %d, %v; want %d", c.at, got, err, c.want)
		}
	}
	if err := errors.Join(o.DestroyMutex(at+boardMutex), o.DestroyCond(at+boardFull), o.DestroyCond(at+boardEmpty), o.DestroySpin(at+boardSpin),
		o.DestroyIDPool(at+boardPool), o.DestroyBarrier(at+boardBarrier), o.DestroyRWSet(at+boardSet), s.Node.Unmap(at)); err != nil {
		return err
	}
	_, err = s.Threads.End()
	return err
}

// add adds to a word by a read and a write, and returns the sum.
func (b *board) add(at int64, d int) (int, error) {
	var w [8]byte
	if err := b.s.Node.Read(b.at+at, w[:], node.Get); err != nil {
		return 0, err
	}
	v := int(int64(binary.NativeEndian.Uint64(w[:]))) + d
	binary.NativeEndian.PutUint64(w[:], uint64(v))
	if d == 0 {
		return v, nil
	}
	return v, b.s.Node.Write(b.at+at, w[:], node.Put)
}

// play uses all objects in each round.
func (b *board) play(rounds int) error {
	l, err := b.s.Objects.NewLocalBarrier(b.at + boardBarrier)
	if err != nil {
		return err
	}
	defer l.Destroy()
	set, err := b.bind(l)
	if err != nil {
		return err
	}
	defer set.Destroy()
	for round := range rounds {
		for _, f := range []func(round int) error{b.pass, b.turn, b.number, func(round int) error { return b.exchange(l, set, round) }} {
			if err := f(round); err != nil {
				return fmt.Errorf("round %d: %w", round, err)
			}
		}
	}
	return nil
}

// pass puts an item into a buffer of one, or takes it out: threads with even ranks and those with odd ranks wait for each other.
func (b *board) pass(round int) error {
	o, d, mine, other := b.s.Objects, 1, int64(boardFull), int64(boardEmpty)
	if b.rank%2 == 0 {
		d, mine, other = -1, boardEmpty, boardFull
	}
	ctx := context.Background()
	if err := o.Lock(ctx, b.at+boardMutex, b.self); err != nil {
		return err
	}
	for {
		n, err := b.add(boardItems, 0)
		if err != nil {
			return err
		}
		if n+d == 0 || n+d == 1 {
			break
		}
		if err := o.Wait(ctx, b.at+mine, b.at+boardMutex, b.self); err != nil {
			return err
		}
	}
	_, err := b.add(boardItems, d)
	_, err2 := b.add(boardPassed, 1)
	wake := o.SignalCond
	if round%4 == 3 {
		wake = o.BroadcastCond
	}
	return errors.Join(err, err2, wake(b.at+other), o.Unlock(b.at+boardMutex, b.self))
}

// turn counts under the spin lock.
func (b *board) turn(int) error {
	if err := b.s.Objects.LockSpin(context.Background(), b.at+boardSpin, b.self); err != nil {
		return err
	}
	_, err := b.add(boardTurns, 1)
	return errors.Join(err, b.s.Objects.UnlockSpin(b.at+boardSpin, b.self))
}

// number takes a number out of the pool, if there is one, and gives it back.
func (b *board) number(int) error {
	id, err := b.s.Objects.GetID(b.at + boardPool)
	if errors.Is(err, object.ErrExhausted) {
		return nil
	}
	if err != nil {
		return err
	}
	var mine, other [8]byte
	binary.NativeEndian.PutUint64(mine[:], uint64(b.rank+1))
	at := b.at + boardTaken + 8*int64(id)
	if err := b.s.Node.Swap(at, mine[:], other[:], node.Put); err != nil {
		return err
	}
	if other != [8]byte{} {
		return fmt.Errorf("thread %d has the number %d, too", int(other[0])-1, id)
	}
	if err := b.s.Node.Swap(at, other[:], mine[:], node.Put); err != nil {
		return err
	}
	if int(mine[0]) != b.rank+1 {
		return fmt.Errorf("thread %d has got the number %d, too", int(mine[0])-1, id)
	}
	return b.s.Objects.PutID(b.at+boardPool, id)
}

// element returns the number of an element that a thread writes: those of all threads are mixed.
func (b *board) element(rank, i int) int64 { return int64(i*b.size + (rank+i)%b.size) }

// value returns the value of an element in a round.
func (b *board) value(element int64, round int) []byte {
	return bytes.Repeat(binary.NativeEndian.AppendUint64(nil, uint64(element*1000+int64(round)+1)), elementSize/8)
}

// bind decomposes the set, and returns it for the elements of the next thread, and every tenth one of all threads.
func (b *board) bind(l *object.LocalBarrier) (*object.LocalRWSet, error) {
	var list []int64
	for i := range elementsEach {
		list = append(list, b.element(b.rank, i))
	}
	if err := b.s.Objects.Decompose(b.at+boardSet, b.rank, list); err != nil {
		return nil, err
	}
	if err := l.Sync(context.Background(), b.size); err != nil {
		return nil, err
	}
	return b.s.Objects.NewLocalRWSet(b.at+boardSet, b.rank, b.wanted())
}

// wanted returns the elements that the thread reads.
func (b *board) wanted() (list []int64) {
	for i := range elementsEach {
		list = append(list, b.element((b.rank+1)%b.size, i))
	}
	for e := 0; e < b.size*elementsEach; e += 10 {
		list = append(list, int64(e))
	}
	return list
}

// exchange writes the elements of the thread, reads those of others, and agrees on the sum of what was read.
func (b *board) exchange(l *object.LocalBarrier, set *object.LocalRWSet, round int) error {
	var out []byte
	for i := range elementsEach {
		out = append(out, b.value(b.element(b.rank, i), round)...)
	}
	if err := errors.Join(set.Write(out), l.Sync(context.Background(), b.size)); err != nil {
		return err
	}
	in := make([]byte, set.ReadSize())
	if err := set.Read(in); err != nil {
		return err
	}
	for i, e := range b.wanted() {
		if got, want := in[i*elementSize:][:elementSize], b.value(e, round); !bytes.Equal(got, want) {
			return fmt.Errorf("element %d is %v, want %v", e, got, want)
		}
	}
	one := binary.NativeEndian.AppendUint64(nil, uint64(b.rank))
	if err := l.AllReduce(context.Background(), b.size, one, one, object.OpSum, object.TypeLong); err != nil {
		return err
	}
	if got, want := int(binary.NativeEndian.Uint64(one)), b.size*(b.size-1)/2; got != want {
		return fmt.Errorf("the sum is %d, want %d", got, want)
	}
	return nil
}
