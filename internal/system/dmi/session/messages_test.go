package session

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/internal/acptest/extensiontest"
	"github.com/goacp/goacp/internal/system/dmi/node"
	"github.com/goacp/goacp/internal/system/dmi/object"
	"github.com/goacp/goacp/internal/system/dmi/thread"
)

// counted is a process that counts its messages to others, each on a host of its own.
type counted struct {
	*Session
	p *acp.Process
}

// sent returns how many messages the process has sent, and how many bytes have gone to others and come from them.
func (c *counted) sent() (messages, bytes uint64) {
	for _, x := range c.p.Stats() {
		messages += x.Operations
		bytes += x.Bytes
	}
	return messages, bytes
}

// during returns what f has sent.
func (c *counted) during(f func() error) (messages, bytes uint64, err error) {
	m, b := c.sent()
	err = f()
	messages, bytes = c.sent()
	return messages - m, bytes - b, err
}

// runCounted runs body on n processes, each on a host of its own. at is a space of process 0 with one page of size bytes.
func runCounted(t *testing.T, n int, size int64, body func(c *counted, at int64) error) {
	t.Helper()
	made := make(chan int64, n)
	extensiontest.RunOnHosts(t, n, n, acp.Config{HeapSize: 64 << 20, Stats: true}, func(p *acp.Process) error {
		c := &counted{New(p), p}
		if err := c.Threads.Begin(thread.Config{Start: func(*thread.Thread) error { return errors.ErrUnsupported }}); err != nil {
			return err
		}
		if c.Threads.ID() == 0 {
			at, err := c.Node.Map(size, 1)
			if err == nil {
				err = c.Node.Write(at, make([]byte, size), node.Exclusive)
			}
			if err != nil {
				return err
			}
			for range n {
				made <- at
			}
		}
		return errors.Join(body(c, <-made), p.Sync())
	})
}

// TestSecondReadSendsNothing: a read with Invalidate or Update of a page that is here sends no message, and the threads of a process
// fetch a page once: the factor B of a matrix product moves to each other process once.
func TestSecondReadSendsNothing(t *testing.T) {
	const processes, threads, size = 3, 8, 1 << 20
	for _, mode := range []node.Mode{node.Invalidate, node.Update} {
		t.Run(fmt.Sprint(mode), func(t *testing.T) {
			runCounted(t, processes, size, func(c *counted, at int64) error {
				read := func() error {
					errs := make([]error, threads)
					var all sync.WaitGroup
					for i := range threads {
						all.Go(func() { errs[i] = c.Node.Read(at, make([]byte, size), mode) })
					}
					all.Wait()
					return errors.Join(errs...)
				}
				_, bytes, err := c.during(read)
				if err != nil || c.p.Rank() > 0 && (bytes < size || bytes > size+size/10) || c.p.Rank() == 0 && bytes >= size {
					return fmt.Errorf("%d threads move %d bytes of a page of %d: %w", threads, bytes, size, err)
				}
				if messages, _, err := c.during(read); err != nil || messages != 0 {
					return fmt.Errorf("reading again sends %d messages: %w", messages, err)
				}
				return nil
			})
		})
	}
}

// TestHandOverSendsOneMessage: two threads on different hosts lock a mutex in turn. The thread that gets it is told by one message, and a
// wait sends none, however long it lasts: apart from the operations of process 1 on the page of process 0, each hand-over is one message.
func TestHandOverSendsOneMessage(t *testing.T) {
	const rounds = 50
	ready := make(chan struct{})
	runCounted(t, 2, 64, func(c *counted, at int64) error {
		me := c.p.Rank()
		self := object.Thread{Member: int(me), Number: 1}
		if me == 0 {
			if err := c.Objects.InitMutex(at); err != nil {
				return err
			}
			close(ready)
		}
		<-ready
		messages, _, err := c.during(func() error {
			for range rounds {
				if err := c.Objects.Lock(context.Background(), at, self); err != nil {
					return err
				}
				if err := c.Objects.Unlock(at, self); err != nil {
					return err
				}
			}
			return nil
		})
		most := uint64(rounds) // a hand-over for each unlock
		if me == 1 {
			most += 2*rounds + 1 // the operations, and the question for the space
		}
		if err != nil || messages > most {
			return fmt.Errorf("process %d sends %d messages in %d rounds, expected at most %d: %w", me, messages, rounds, most, err)
		}
		return nil
	})
}
