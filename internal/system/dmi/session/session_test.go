package session

import (
	"context"
	"encoding/binary"
	"fmt"
	"testing"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/bridge"
	"github.com/goacp/goacp/internal/acptest/extensiontest"
	"github.com/goacp/goacp/internal/system/dmi/node"
	"github.com/goacp/goacp/internal/system/dmi/object"
	"github.com/goacp/goacp/internal/system/dmi/thread"
)

// The operation and the type of a sum of integers of 8 bytes.
const sum, integers = 3, 4

// TestObjects has threads of three processes count under a mutex and meet at a barrier, over shared memory and over sockets.
func TestObjects(t *testing.T) {
	const processes, threads, rounds = 3, 3, 30
	runThreads(t, processes, func(s *Session) error { return phase(s, processes, threads, rounds) },
		func(s *Session, t *thread.Thread) error { return work(s, t, rounds) })
}

// runThreads runs the first function in process 0, which starts threads that run the second one, over shared memory and over sockets.
func runThreads(t *testing.T, processes int, first func(s *Session) error, unit func(s *Session, t *thread.Thread) error) {
	t.Helper()
	extensiontest.EachMode(t, func(t *testing.T, mode bridge.Mode) {
		extensiontest.Run(t, processes, acp.Config{Mode: mode, HeapSize: acp.MinHeapSize}, func(p *acp.Process) error {
			s := New(p)
			failed := make(chan error, 64)
			if err := s.Threads.Begin(thread.Config{Units: true, Start: func(t *thread.Thread) error {
				go func() {
					if t.Begin() {
						if err := unit(s, t); err != nil {
							failed <- fmt.Errorf("thread %d: %w", t.Rank, err)
						}
						t.End(0)
					}
				}()
				return nil
			}}); err != nil {
				return err
			}
			if s.Threads.ID() == 0 {
				if err := first(s); err != nil {
					return err
				}
			} else if err := s.Threads.Serve(); err != nil {
				return err
			}
			select {
			case err := <-failed:
				return err
			default:
				return nil
			}
		})
	})
}

// The places of the objects in their page.
const mutexAt, barrierAt, counterAt, pageSize = 0, 64, 192, 200

// phase makes the objects, lets the threads work and checks the counter.
func phase(s *Session, processes, threads, rounds int) error {
	at, err := s.Node.Map(pageSize, 1)
	if err != nil {
		return err
	}
	if err := s.Objects.InitMutex(at + mutexAt); err != nil {
		return err
	}
	if err := s.Objects.InitBarrier(at + barrierAt); err != nil {
		return err
	}
	if err := s.Threads.Rescale(nil, at, processes, threads); err != nil {
		return err
	}
	var b [8]byte
	if err := s.Node.Read(at+counterAt, b[:], node.Get); err != nil {
		return err
	}
	if n, want := binary.LittleEndian.Uint64(b[:]), uint64(processes*threads*rounds); n != want {
		return fmt.Errorf("the counter is %d, want %d", n, want)
	}
	if _, err := s.Threads.End(); err != nil {
		return err
	}
	return nil
}

// work is one thread.
func work(s *Session, t *thread.Thread, rounds int) error {
	ctx, at := context.Background(), t.Addr
	self := object.Thread{Member: int(t.ID().Process), Number: uint32(t.ID().Thread)}
	barrier, err := s.Objects.NewLocalBarrier(at + barrierAt)
	if err != nil {
		return err
	}
	defer barrier.Destroy()
	for round := range rounds {
		if err := s.Objects.Lock(ctx, at+mutexAt, self); err != nil {
			return err
		}
		var b [8]byte
		if err := s.Node.Read(at+counterAt, b[:], node.Get); err != nil {
			return err
		}
		binary.LittleEndian.PutUint64(b[:], binary.LittleEndian.Uint64(b[:])+1)
		if err := s.Node.Write(at+counterAt, b[:], node.Put); err != nil {
			return err
		}
		if err := s.Objects.Unlock(at+mutexAt, self); err != nil {
			return err
		}
		in, out := binary.LittleEndian.AppendUint64(nil, uint64(t.Rank+1)), make([]byte, 8)
		if err := barrier.AllReduce(ctx, t.Size, in, out, sum, integers); err != nil {
			return err
		}
		if got, want := binary.LittleEndian.Uint64(out), uint64(t.Size*(t.Size+1)/2); got != want {
			return fmt.Errorf("round %d: the sum is %d, want %d", round, got, want)
		}
	}
	return nil
}
