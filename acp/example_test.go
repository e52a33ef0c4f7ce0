package acp_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"log"
	"os"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/bridge"
)

// asRanks calls body once for each of n ranks, which are all in this OS process. Programs have
// one rank in each process: they call acp.Init, the body, and Finalize.
func asRanks(n int, body func(p *acp.Process) error) {
	server, env, err := rendezvous(n)
	if err != nil {
		log.Fatal(err)
	}
	defer server.Close()
	errs := make([]error, n)
	var all sync.WaitGroup
	for rank := range n {
		all.Go(func() {
			env := env
			env.JobRank = rank
			boot, err := bridge.Dial(context.Background(), env, bridge.Identity{PID: os.Getpid(), Host: "test"})
			if err != nil {
				errs[rank] = err
				return
			}
			p, err := acp.Open(context.Background(), acp.Config{Bootstrap: boot})
			if err != nil {
				errs[rank] = err
				return
			}
			if err := body(p); err != nil {
				errs[rank] = err
				p.Abort(err.Error())
				return
			}
			errs[rank] = p.Finalize()
		})
	}
	all.Wait()
	if err := errors.Join(errs...); err != nil {
		log.Fatal(err)
	}
}

// A program that no launcher has started is a run of one rank.
func Example() {
	p, err := acp.Init(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("rank %d of %d\n", p.Rank(), p.Procs())
	if err := p.Finalize(); err != nil {
		log.Fatal(err)
	}
	// Output: rank 0 of 1
}

// Each rank puts a word into the starter memory of the next one.
func ExampleProcess_Copy() {
	asRanks(3, func(p *acp.Process) error {
		here, err := p.StarterGA(p.Rank())
		if err != nil {
			return err
		}
		next, err := p.StarterGA((p.Rank() + 1) % acp.Rank(p.Procs()))
		if err != nil {
			return err
		}
		binary.NativeEndian.PutUint64(p.Starter(), uint64(100+p.Rank()))
		h, err := p.Copy(next+8, here, 8, acp.HandleNull)
		if err != nil {
			return err
		}
		// Complete waits for the copy of this rank, Sync for the other ranks.
		if err := errors.Join(p.Complete(h), p.Sync()); err != nil {
			return err
		}
		fmt.Printf("rank %d got %d\n", p.Rank(), binary.NativeEndian.Uint64(p.Starter()[8:]))
		return nil
	})
	// Unordered output:
	// rank 0 got 102
	// rank 1 got 100
	// rank 2 got 101
}

// All ranks add to a counter on rank 0. The second argument is the counter; the value that it
// had before goes to the first, in memory of the caller.
func ExampleProcess_Add8() {
	asRanks(4, func(p *acp.Process) error {
		here, err := p.StarterGA(p.Rank())
		if err != nil {
			return err
		}
		counter, err := p.StarterGA(0)
		if err != nil {
			return err
		}
		h, err := p.Add8(here+8, counter, uint64(p.Rank())+1, acp.HandleNull)
		if err != nil {
			return err
		}
		if err := errors.Join(p.Complete(h), p.Sync()); err != nil {
			return err
		}
		if p.Rank() == 0 {
			// The owner may use its memory by atomics of Go.
			word := (*atomic.Uint64)(unsafe.Pointer(&p.Starter()[0]))
			fmt.Println("1 + 2 + 3 + 4 =", word.Load())
		}
		return p.Sync()
	})
	// Output: 1 + 2 + 3 + 4 = 10
}

// A handle as the last argument orders accesses: the counter that announces the data changes
// when the data have arrived.
func ExampleHandle() {
	asRanks(2, func(p *acp.Process) error {
		const text = "ready when the counter is 1"
		data, err := p.StarterGA(1)
		if err != nil {
			return err
		}
		if p.Rank() == 0 {
			here, err := p.StarterGA(0)
			if err != nil {
				return err
			}
			copy(p.Starter()[64:], text)
			h, err := p.Copy(data+64, here+64, uint64(len(text)), acp.HandleNull)
			if err != nil {
				return err
			}
			if h, err = p.Add8(here, data, 1, h); err != nil {
				return err
			}
			return errors.Join(p.Complete(h), p.Sync())
		}
		counter := (*atomic.Uint64)(unsafe.Pointer(&p.Starter()[0]))
		for counter.Load() == 0 {
		}
		fmt.Printf("%s\n", p.Starter()[64:][:len(text)])
		return p.Sync()
	})
	// Output: ready when the counter is 1
}

// A GA names a byte of any rank. Adding n to it names the byte n further.
func ExampleGA() {
	asRanks(2, func(p *acp.Process) error {
		if p.Rank() != 0 {
			return nil
		}
		ga, err := p.StarterGA(1)
		if err != nil {
			return err
		}
		rank, err := p.QueryRank(ga + 100)
		if err != nil {
			return err
		}
		fmt.Println("the byte at", ga+100, "is on rank", rank)
		if _, err := p.QueryRank(0); errors.Is(err, acp.ErrBadAddress) {
			fmt.Println("the null address is on no rank")
		}
		return nil
	})
	// Output:
	// the byte at 0x100000001064 is on rank 1
	// the null address is on no rank
}

// A rank registers an array where it lies, and publishes its address in starter memory.
func ExampleProcess_Register() {
	asRanks(2, func(p *acp.Process) error {
		owner, err := p.StarterGA(0)
		if err != nil {
			return err
		}
		if p.Rank() == 0 {
			array := bytes.Repeat([]byte("field "), 1000)
			key, err := p.Register(array, 0)
			if err != nil {
				return err
			}
			ga, err := p.QueryGA(key, unsafe.Pointer(&array[0]))
			if err != nil {
				return err
			}
			binary.NativeEndian.PutUint64(p.Starter(), uint64(ga))
			// The other rank copies between the two barriers.
			return errors.Join(p.Sync(), p.Sync(), p.Unregister(key))
		}
		if err := p.Sync(); err != nil {
			return err
		}
		here, err := p.StarterGA(1)
		if err != nil {
			return err
		}
		h, err := p.Copy(here, owner, 8, acp.HandleNull)
		if err != nil {
			return err
		}
		if err := p.Complete(h); err != nil {
			return err
		}
		array := acp.GA(binary.NativeEndian.Uint64(p.Starter()))
		if h, err = p.Copy(here+64, array+600, 12, acp.HandleNull); err != nil {
			return err
		}
		if err := p.Complete(h); err != nil {
			return err
		}
		fmt.Printf("%q\n", p.Starter()[64:][:12])
		return p.Sync()
	})
	// Output: "field field "
}

// Any rank allocates memory on any rank.
func ExampleProcess_Malloc() {
	asRanks(2, func(p *acp.Process) error {
		if p.Rank() == 0 {
			block, err := p.Malloc(1<<20, 1)
			if err != nil {
				return err
			}
			rank, err := p.QueryRank(block)
			if err != nil {
				return err
			}
			fmt.Println("1 MiB on rank", rank)
			if err := p.Free(block); err != nil {
				return err
			}
			if err := p.Free(block); errors.Is(err, acp.ErrNotAllocated) {
				fmt.Println("freed once")
			}
		}
		return p.Sync()
	})
	// Output:
	// 1 MiB on rank 1
	// freed once
}
