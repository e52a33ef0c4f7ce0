// Mutex is examples/dmi/mutex_dmi.c in Go: all threads add to a counter, each ROUNDS times, by a read and a write that a mutex keeps together.
//
//	dmimw -n 2 ./mutex 2 4 200
//
// NODES THREADS ROUNDS. The counter is checked at the end.
package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/goacp/goacp/dmi"
)

// shared is what all threads use. It lies in global memory.
type shared struct {
	Rounds         int64
	Mutex, Counter dmi.Addr
}

func main() { dmi.Main(dmi.Program{Main: start, Unit: count}) }

func start(n *dmi.Node, args []string) error {
	var numbers [3]int
	if len(args) != len(numbers) {
		return errors.New("expected NODES THREADS ROUNDS")
	}
	for i, arg := range args {
		var err error
		if numbers[i], err = strconv.Atoi(arg); err != nil {
			return err
		}
	}
	nodes, threads, s := numbers[0], numbers[1], shared{Rounds: int64(numbers[2])}
	at, err := n.Map(dmi.Size[shared](), 1)
	if err != nil {
		return err
	}
	if s.Mutex, err = n.Map(dmi.MutexSize, 1); err != nil {
		return err
	}
	if s.Counter, err = n.Map(8, 1); err != nil {
		return err
	}
	err = errors.Join(n.Mutex(s.Mutex).Init(), dmi.Store(n, at, s, dmi.Exclusive), n.Rescale(context.Background(), at, nodes, threads))
	if err != nil {
		return err
	}
	counter, err := dmi.Load[int64](n, s.Counter, dmi.Get)
	if err != nil {
		return err
	}
	fmt.Printf("%d threads, %d rounds: the counter is %d\n", nodes*threads, s.Rounds, counter)
	if want := s.Rounds * int64(nodes*threads); counter != want {
		return fmt.Errorf("expected %d", want)
	}
	return errors.Join(n.Mutex(s.Mutex).Destroy(), n.Unmap(s.Counter), n.Unmap(s.Mutex), n.Unmap(at))
}

// count is one thread.
func count(t *dmi.Thread, _, _ int, at dmi.Addr) error {
	s, err := dmi.Load[shared](t.Node, at, dmi.Get)
	if err != nil {
		return err
	}
	mutex := t.Mutex(s.Mutex)
	for range s.Rounds {
		if err := mutex.Lock(context.Background(), t); err != nil {
			return err
		}
		counter, err := dmi.Load[int64](t.Node, s.Counter, dmi.Invalidate)
		if err != nil {
			return err
		}
		if err := errors.Join(dmi.Store(t.Node, s.Counter, counter+1, dmi.Exclusive), mutex.Unlock(t)); err != nil {
			return err
		}
	}
	return nil
}
