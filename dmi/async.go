package dmi

import "context"

// Future is a call that has been started.
type Future struct {
	done chan struct{}
	err  error // set before done is closed
}

// Go starts a function on a goroutine, such as one that accesses global memory. Functions that are started are independent of each other. Does
// not block.
func (n *Node) Go(f func(n *Node) error) *Future {
	x := &Future{done: make(chan struct{})}
	go func() {
		defer close(x.done)
		x.err = f(n)
	}()
	return x
}

// ReadAsync starts a Read. The caller leaves b alone until it has ended. Does not block.
func (n *Node) ReadAsync(a Addr, b []byte, m Mode) *Future {
	return n.Go(func(n *Node) error { return n.Read(a, b, m) })
}

// WriteAsync starts a Write. The caller leaves b as it is until it has ended. Does not block.
func (n *Node) WriteAsync(a Addr, b []byte, m Mode) *Future {
	return n.Go(func(n *Node) error { return n.Write(a, b, m) })
}

// Done is closed when the function has returned.
func (x *Future) Done() <-chan struct{} { return x.done }

// until is Wait that also ends with the error of ctx.
func (x *Future) until(ctx context.Context) error {
	select {
	case <-x.done:
		return x.err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Wait waits until the function has returned, and returns its error.
func (x *Future) Wait() error {
	<-x.done
	return x.err
}
