package dmi

import (
	"context"

	"github.com/goacp/goacp/internal/system/dmi/node"
)

// Future is a call that has been started.
type Future struct{ f *node.Future }

// Go starts a function on a goroutine, such as one that accesses global memory. Functions that are started are independent of each other. Does
// not block.
func (n *Node) Go(f func(n *Node) error) *Future {
	x := &Future{n.session.Node.NewFuture()}
	x.run(n, f)
	return x
}

// run runs f on a goroutine.
func (x *Future) run(n *Node, f func(n *Node) error) { go func() { x.f.End(f(n)) }() }

// ReadAsync starts a Read. The caller leaves b alone until it has ended. Many short reads with the mode Get share messages. Does not block.
func (n *Node) ReadAsync(a Addr, b []byte, m Mode) *Future {
	x := &Future{n.session.Node.NewFuture()}
	if !n.session.Node.StartRead(x.f, int64(a), b, m) {
		x.run(n, func(n *Node) error { return n.Read(a, b, m) })
	}
	return x
}

// WriteAsync starts a Write. The caller leaves b as it is until it has ended. Many short writes with the mode Put share messages. Does not block.
func (n *Node) WriteAsync(a Addr, b []byte, m Mode) *Future {
	x := &Future{n.session.Node.NewFuture()}
	if !n.session.Node.StartWrite(x.f, int64(a), b, m) {
		x.run(n, func(n *Node) error { return n.Write(a, b, m) })
	}
	return x
}

// Done is closed when the function has returned. Does not block.
func (x *Future) Done() <-chan struct{} { return x.f.Done() }

// until is Wait that also ends with the error of ctx.
func (x *Future) until(ctx context.Context) error {
	select {
	case <-x.f.Done():
		return x.f.Wait()
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Wait waits until the function has returned, and returns its error. If the run is over before, it returns the reason.
func (x *Future) Wait() error { return x.f.Wait() }
