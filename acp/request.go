package acp

import (
	"context"
	"errors"

	"github.com/goacp/goacp/internal/structure/channel"
)

// Request is a send, a receive or the closing of an end of a channel, under way or
// finished. The zero value is none. Its methods may be called by several goroutines at once.
type Request struct {
	r   *channel.Request
	ctx context.Context
}

// WithContext returns the same request. When ctx ends, Wait of the result returns early. The request goes on,
// keeps its buffer, and may be waited for again. Local. Does not block.
func (r Request) WithContext(ctx context.Context) Request { return Request{r.r, ctx} }

// Done reports whether the request is finished. It does not drive progress. Local. Does not block.
func (r Request) Done() bool { return r.r != nil && r.r.Done() }

// Wait waits until the request is finished and returns the number of bytes that a receive has stored, 0 for
// other requests. Once finished, it returns the same again.
//
// Fails with ErrNoRequest if there is none, with ErrClosed if the sender has closed its end and
// no message is left, with the reason why a message could not be fetched, and with ErrPeerDead
// when the run is over. Blocks. Spec 4.2.7.
func (r Request) Wait() (int, error) {
	if r.r == nil {
		return 0, &OpError{Op: "wait", Rank: -1, Err: ErrNoRequest}
	}
	return r.r.Wait(r.ctx)
}

// WaitAll waits for all requests and returns the errors of those that failed, joined. A
// Wait for a request returns the same afterwards. Blocks until the last is finished or ctx
// ends, whatever contexts the requests have. Spec 4.2.7.
func WaitAll(ctx context.Context, requests ...Request) error {
	var errs []error
	for _, r := range requests {
		if _, err := r.WithContext(ctx).Wait(); err != nil {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// requestByHandle is Request of package binding.
func (p *Process) requestByHandle(handle uint64) (*channel.Request, error) {
	r, err := p.channels.Request(handle)
	return r, p.lifeError("wait", err)
}
