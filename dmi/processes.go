package dmi

import (
	"context"
	"iter"

	"github.com/goacp/goacp/internal/system/dmi/object"
	"github.com/goacp/goacp/internal/system/dmi/thread"
)

// State is the state of a process.
type State = thread.State

// The states.
const (
	Open   = thread.Open   // it asks to join
	Opened = thread.Opened // it takes part
	Close  = thread.Close  // it takes part, and asks to leave
	Closed = thread.Closed // it has left
)

// Info is what a process knows of another one.
type Info = thread.Info

// ThreadID identifies a thread of a run.
type ThreadID = thread.ID

// Thread is a thread of the program: the goroutine that runs a function of it.
type Thread struct {
	*Node
	thread *thread.Thread
}

// ID returns the id of the thread. Does not block.
func (t *Thread) ID() ThreadID { return t.thread.ID() }

// MainThread returns the thread that runs Program.Main, for the locks of that function.
func (n *Node) MainThread() *Thread { return &Thread{n, n.session.Threads.Main()} }

// object returns the thread as objects know it.
func (t *Thread) object() object.Thread {
	return object.Thread{Member: t.Node.ID(), Number: uint32(t.thread.ID().Thread)}
}

// Suspend sleeps until another thread wakes this one by Wake, and returns the bytes that come with that. A wake that comes before is
// lost. Fails if the run is over.
func (t *Thread) Suspend() ([]byte, error) { return t.thread.Suspend() }

// Rescale lets those processes in that ask to join, and those go that ask to leave, as far as so many others remain. It waits until nodes
// processes take part, makes threads on each of those with the lowest ids, and returns when all threads have returned. They run
// Program.Unit with arg. If ctx ends, it fails with the error of ctx. It does not wait for processes any more then, but threads that it has
// made run on, and no other Rescale begins before they have returned.
func (n *Node) Rescale(ctx context.Context, arg Addr, nodes, threads int) error {
	s := n.session.Threads
	call := s.NewCall()
	x := n.Go(func(*Node) error { return s.RescaleAs(call, nil, int64(arg), nodes, threads) })
	err := x.until(ctx)
	select {
	case <-x.Done():
		return err
	default:
	}
	if lost := s.GiveUp(call); lost != nil {
		return lost
	}
	return err
}

// Nodes returns the processes there are, in order of their ids. Blocks for a round trip.
func (n *Node) Nodes() ([]Info, error) { return n.session.Threads.Nodes(n.p.Seats()) }

// Create makes a thread on a process, which runs Program.Thread with arg. If the process asks to join, it takes part then. Blocks for a
// round trip or two.
func (n *Node) Create(process int, arg Addr) (ThreadID, error) {
	return n.session.Threads.Create(process, int64(arg), 0)
}

// Join waits until a thread has returned, and returns its result. Each thread is joined once.
func (n *Node) Join(ctx context.Context, id ThreadID) (int64, error) {
	result := make(chan int64, 1)
	err := n.Go(func(n *Node) error {
		x, err := n.session.Threads.Join(nil, id)
		result <- x
		return err
	}).until(ctx)
	if err != nil {
		return 0, err
	}
	return <-result, nil
}

// Detach marks a thread that no thread joins. Blocks for a round trip.
func (n *Node) Detach(id ThreadID) error { return n.session.Threads.Detach(id) }

// Wake wakes a thread that sleeps in Suspend, and gives it bytes. A thread that does not sleep there misses them. Blocks for a round trip.
func (n *Node) Wake(id ThreadID, b []byte) error { return n.session.Threads.Wake(id, b) }

// Requests returns the processes that ask to join or leave, as they do, until ctx or the run ends. Each request is returned once, to one
// caller. The loop blocks between them.
func (n *Node) Requests(ctx context.Context) iter.Seq[Info] {
	return func(yield func(Info) bool) {
		for {
			i, err := n.request(ctx)
			if err != nil || !yield(i) {
				return
			}
		}
	}
}

// request returns the next request to join or leave. If ctx ends first, the question stays, and the next caller gets its answer.
func (n *Node) request(ctx context.Context) (Info, error) {
	select {
	case n.asking <- struct{}{}:
		go func() {
			i, _, err := n.session.Threads.Request(true)
			n.asked <- request{i, err}
		}()
	default: // the question of an earlier caller
	}
	select {
	case r := <-n.asked:
		<-n.asking
		return r.Info, r.err
	case <-ctx.Done():
		return Info{}, ctx.Err()
	}
}

// request is the answer to a question for the next request of a process.
type request struct {
	Info
	err error
}

// Welcome lets a process in that asks to join. Blocks until it takes part.
func (n *Node) Welcome(id int) error { return n.session.Threads.Welcome(id) }

// Goodbye lets a process leave, whether it has asked or not. Its pages move to others. Fails for process 0, while threads run on the process, and
// if the others have no room: then it stays. Blocks until it has left.
func (n *Node) Goodbye(id int) error { return n.session.Threads.Goodbye(id) }

// Fork starts one more process on the host of this one, and returns it when it asks to join. Fails without launcher, and without a free seat.
// Blocks until the process asks.
func (n *Node) Fork() (Info, error) { return n.ForkOn(n.ID(), 0) }

// ForkOn is Fork on the host of a process, for a process with a memory pool of so many bytes; 0 = as the launcher has it for the others.
func (n *Node) ForkOn(id int, pool uint64) (Info, error) { return n.session.Threads.Fork(id, pool) }

// Kill makes a process ask to leave. Process 0 ends the run.
func (n *Node) Kill(id int) error { return n.session.Threads.Kill(id) }
