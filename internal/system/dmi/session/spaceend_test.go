package session

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/goacp/goacp/internal/system/dmi/node"
	"github.com/goacp/goacp/internal/system/dmi/object"
	"github.com/goacp/goacp/internal/system/dmi/thread"
)

// TestSpaceEndsUnderWaiters: threads of all processes wait at a mutex, a condition variable and a barrier when their space ends. All waits fail.
func TestSpaceEndsUnderWaiters(t *testing.T) {
	const processes, threads = 3, 6
	var counter, board atomic.Int64 // addresses, which the threads get without a message that the race detector sees
	runThreads(t, processes, func(s *Session) error {
		count, err := s.Node.Map(8, 1)
		if err != nil {
			return err
		}
		objects, err := s.Node.Map(boardSize, 1)
		if err != nil {
			return err
		}
		counter.Store(count)
		board.Store(objects)
		o := s.Objects
		if err := errors.Join(o.InitMutex(objects+boardMutex), o.InitMutex(objects+boardSpin), o.InitCond(objects+boardFull), o.InitBarrier(objects+boardBarrier)); err != nil {
			return err
		}
		main := object.Thread{Number: uint32(s.Threads.Main().ID().Thread)}
		if err := o.Lock(context.Background(), objects+boardMutex, main); err != nil {
			return err
		}
		ended := make(chan error, 1)
		go func() { ended <- s.Threads.Rescale(nil, objects, processes, threads) }()
		// The threads have come to their objects, or are about to. In each state, the end of the space ends the wait.
		for come := int64(0); come < processes*threads; {
			if come, err = s.Node.FetchAdd(count, 0, node.Put); err != nil {
				return err
			}
		}
		if err := errors.Join(s.Node.Unmap(objects), <-ended); err != nil {
			return err
		}
		_, err = s.Threads.End()
		return err
	}, func(s *Session, t *thread.Thread) error {
		ctx, o, objects := context.Background(), s.Objects, board.Load()
		self := object.Thread{Member: int(t.ID().Process), Number: uint32(t.ID().Thread)}
		l, err := o.NewLocalBarrier(objects + boardBarrier)
		if err != nil {
			return err
		}
		defer l.Destroy()
		if t.Rank%3 == 1 {
			if err := o.Lock(ctx, objects+boardSpin, self); err != nil {
				return err
			}
		}
		if _, err := s.Node.FetchAdd(counter.Load(), 1, node.Put); err != nil {
			return err
		}
		switch t.Rank % 3 {
		case 0:
			err = o.Lock(ctx, objects+boardMutex, self)
		case 1:
			err = o.Wait(ctx, objects+boardFull, objects+boardSpin, self)
		case 2:
			err = l.Sync(ctx, t.Size)
		}
		if !errors.Is(err, node.ErrNoSpace) {
			return fmt.Errorf("the wait at object %d: %v, expected %v", t.Rank%3, err, node.ErrNoSpace)
		}
		return nil
	})
}
