// Unregister lets all other ranks write to registered memory of rank 0 while rank 0 repeatedly unregisters
// it. After that the memory must not change any more, and rank 0 unmaps it.
//
//	acprun -np 3 -smemsize 6m unregister [-small]
//
// With -small the other ranks use a few bytes at a time, and a goroutine of rank 0 sleeps in the library.
// So the agent of rank 0 polls.
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/tests/programs/rank"
)

const (
	size   = 5 << 20 // more than is copied at once
	rounds = 5
	end    = ^uint64(0)
)

// board is the beginning of the starter memory of rank 0.
type board struct {
	ga   uint64 // of the memory to write to; 0 while there is none, end at the end
	puts uint64 // that have succeeded
}

var small = flag.Bool("small", false, "access a few bytes at a time")

func main() {
	flag.Parse()
	rank.Main(func(p *acp.Process) error {
		if err := p.Sync(); err != nil {
			return err
		}
		work := write
		if p.Rank() == 0 {
			work = publish
		}
		if err := work(p); err != nil {
			return err
		}
		return p.Sync()
	})
}

// publish registers memory, waits for writers, unregisters it and checks it.
func publish(p *acp.Process) error {
	if *small {
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		go p.WithContext(ctx).WaitValue("that nothing puts", 1)
	}
	b := (*board)(unsafe.Pointer(&p.Starter()[0]))
	for round := range rounds {
		mem, err := syscall.Mmap(-1, 0, size, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
		if err != nil {
			return err
		}
		key, err := p.Register(mem, 0)
		if err != nil {
			return err
		}
		ga, err := p.QueryGA(key, unsafe.Pointer(&mem[0]))
		if err != nil {
			return err
		}
		before := atomic.LoadUint64(&b.puts)
		atomic.StoreUint64(&b.ga, uint64(ga))
		for atomic.LoadUint64(&b.puts) < before+uint64(p.Procs()) {
			time.Sleep(100 * time.Microsecond)
		}
		if err := p.Unregister(key); err != nil {
			return err
		}
		atomic.StoreUint64(&b.ga, 0)
		for i := range mem {
			mem[i] = 1
		}
		for range 5 {
			if i := bytes.IndexByte(mem, 0); i >= 0 {
				return fmt.Errorf("round %d: byte %d was written after the memory was unregistered", round, i)
			}
		}
		if err := syscall.Munmap(mem); err != nil {
			return err
		}
	}
	atomic.StoreUint64(&b.ga, end)
	return nil
}

// write writes zeros to the memory that rank 0 publishes.
func write(p *acp.Process) error {
	own, there := rank.Must(p.StarterGA(p.Rank())), rank.Must(p.StarterGA(0))
	ga := (*uint64)(unsafe.Pointer(&p.Starter()[0]))
	do := func(h acp.Handle, err error) error {
		if err != nil {
			return err
		}
		return p.Complete(h)
	}
	for {
		if err := do(p.Copy(own, there, 8, acp.HandleNull)); err != nil {
			return err
		}
		switch *ga {
		case 0:
			continue
		case end:
			return nil
		}
		switch err := access(p, acp.GA(*ga), own, do); {
		case errors.Is(err, acp.ErrBadAddress):
			continue
		case err != nil:
			return err
		}
		if err := do(p.Add8(own+8, there+8, 1, acp.HandleNull)); err != nil {
			return err
		}
	}
}

// access writes zeros at ga, from own+16 on and by an atomic that uses own+8.
func access(p *acp.Process, ga, own acp.GA, do func(acp.Handle, error) error) error {
	if !*small {
		return do(p.Copy(ga, own+16, size, acp.HandleNull))
	}
	for range 20 {
		if err := do(p.Swap8(own+8, ga+64, 0, acp.HandleNull)); err != nil {
			return err
		}
		if err := do(p.Copy(ga, own+16, 8, acp.HandleNull)); err != nil {
			return err
		}
	}
	return nil
}
