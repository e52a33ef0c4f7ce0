package dmi

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/internal/system/dmi/session"
	"github.com/goacp/goacp/internal/system/dmi/thread"
)

// Program is the functions of a program. All processes of a run have the same. Main is required.
type Program struct {
	// Main runs in process 0. The run ends when it returns.
	Main func(n *Node, args []string) error

	// Unit runs in each thread of Rescale, which has a rank among size threads. An error ends the run.
	Unit func(t *Thread, rank, size int, arg Addr) error

	// Thread runs in each thread of Create. An error ends the run.
	Thread func(t *Thread, arg Addr) (int64, error)

	// Atomics are the operations of Node.Atomic.
	Atomics map[int8]AtomicFunc
}

// AtomicFunc is an operation on the bytes of a range of a page, while no other access uses them. in are bytes of the caller, and out goes back to
// it, with zeros at first. The function runs in any process. It keeps none of the bytes, calls no function of this package, does not block, and
// does the same in all processes.
type AtomicFunc func(page, in, out []byte)

// Main runs a program in this process, and ends the process: with status 0, or with 1 and a line on the standard error if the program
// fails. Processes other than 0 serve until the run ends, or until they have left it. It is the only function that main calls.
func Main(p Program) {
	if err := main(p); err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", os.Args[0], err)
		os.Exit(1)
	}
	os.Exit(0)
}

func main(p Program) error {
	var pool uint64
	process, err := acp.InitWith(context.Background(), func(c *acp.Config) (err error) {
		pool, err = session.Pool(os.Getenv)
		c.HeapSize = pool
		return err
	})
	if err != nil {
		return err
	}
	if err := run(process, p, pool, os.Args[1:]); err != nil {
		process.Abort(err.Error())
		return err
	}
	return process.Finalize()
}

// Run runs a program on an open process that the caller finalizes. Several processes of a run may lie in one process of the operating
// system, as in tests. Run returns the error of Program.Main in process 0, and in others when the run ends or the process has left it. Accesses of
// threads that run then fail.
func Run(p *acp.Process, program Program, args []string) error { return run(p, program, 0, args) }

func run(p *acp.Process, program Program, pool uint64, args []string) error {
	if program.Main == nil {
		return errors.New("dmi: the program has no function Main")
	}
	n := &Node{p: p, session: session.New(p), atomics: program.Atomics, asking: make(chan struct{}, 1), asked: make(chan request, 1)}
	if len(program.Atomics) > 0 {
		n.session.Node.SetFunction(func(page, in, out []byte, tag int8) {
			if f := program.Atomics[tag]; f != nil {
				f(page, in, out)
			}
		})
	}
	host, _ := os.Hostname() // a process without a name has none
	threads := n.session.Threads
	err := threads.Begin(thread.Config{
		Run: session.Run[acp.Epoch, acp.Rank](p), Memory: n.session.Node, Start: func(t *thread.Thread) error {
			go n.thread(program, t)
			return nil
		},
		Units: program.Unit != nil, Threads: program.Thread != nil, Cores: runtime.NumCPU(), Pool: int64(pool), Host: host,
	})
	if err != nil || threads.ID() != 0 {
		return errors.Join(err, threads.Serve())
	}
	if err := program.Main(n, args); err != nil {
		return err
	}
	running, err := threads.End()
	if err == nil && running > 0 {
		fmt.Fprintf(os.Stderr, "dmi: Main has ended while %d threads run; their accesses fail\n", running)
	}
	return err
}

// thread is one thread of the program.
func (n *Node) thread(program Program, t *thread.Thread) {
	if !t.Begin() {
		return
	}
	var result int64
	var err error
	own := &Thread{Node: n, thread: t}
	if t.Kind() == thread.Unit {
		if err = program.Unit(own, t.Rank, t.Size, Addr(t.Addr)); err != nil {
			err = fmt.Errorf("unit %d of %d: %w", t.Rank, t.Size, err)
		}
	} else if result, err = program.Thread(own, Addr(t.Addr)); err != nil {
		err = fmt.Errorf("thread %d of process %d: %w", own.ID().Thread, own.ID().Process, err)
	}
	if err != nil && !n.session.Threads.Ended() {
		n.p.Abort(err.Error())
	}
	t.End(result)
}
