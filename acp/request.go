package acp

import (
	"context"
	"errors"

	"github.com/goacp/goacp/internal/channel"
)

// Request is a send, a receive or the closing of an end of a channel, under way or
// finished. Its methods may be called by several goroutines at once.
type Request channel.Request

// request returns what the request is made of.
func (r *Request) request() *channel.Request { return (*channel.Request)(r) }

// Done reports whether the request is finished. It makes nothing progress. Does not
// block.
func (r *Request) Done() bool { return r.request().Done() }

// Wait waits until the request is finished and returns the bytes that a receive has
// stored, 0 for others. Once finished, it returns the same again.
//
// Fails with ErrClosed if the sender has closed its end and no message is left,
// with the reason why a message could not be fetched, and with ErrPeerDead when the run
// is over. Blocks. Spec 4.2.7.
func (r *Request) Wait() (int, error) { return r.WaitContext(context.Background()) }

// WaitContext is Wait that also ends when ctx does, with the error of ctx. The request
// then goes on and may be waited for again. Blocks. Spec 4.2.7.
func (r *Request) WaitContext(ctx context.Context) (int, error) { return r.request().Wait(ctx) }

// WaitAll waits for all requests and returns the errors of those that failed, joined. A
// Wait for a request returns the same afterwards. Blocks until the last is finished or ctx
// ends. Spec 4.2.7.
func WaitAll(ctx context.Context, requests ...*Request) error {
	var errs []error
	for _, r := range requests {
		if _, err := r.WaitContext(ctx); err != nil {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// requestByHandle is Request of package binding.
func (p *Process) requestByHandle(handle uint64) (*Request, error) {
	r, err := p.channels.Request(handle)
	return (*Request)(r), p.lifeError("wait", err)
}
