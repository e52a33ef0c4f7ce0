// Package multidial finds, among several addresses, the one at which a peer proves its identity.
//
//	c, err := multidial.First(ctx, addrs, func(ctx context.Context, addr string) (net.Conn, error) {
//		… // connect, and let the other end prove itself
//	})
//
// An address may be wrong: no process listens there, or one that is not the peer, or one that
// sends nothing. A stopped peer sends nothing either, perhaps for hours. So First does not
// give up a silent address. It tries the next one at the same time, and takes the first one
// that proves the identity of the peer.
package multidial

import (
	"context"
	"errors"
	"io"
	"net"
	"time"

	"golang.org/x/sys/unix"
)

const (
	// stagger is how long an address may be silent before the next one is tried at the same
	// time.
	stagger = 300 * time.Millisecond

	// rounds is how often all addresses are tried if the other end closes the connections.
	rounds = 7

	// firstPause is the pause before the second round. Each further pause is twice as long.
	firstPause = 50 * time.Millisecond
)

// First calls attempt for the addresses in order. It tries the next one as soon as those
// before have failed or have been silent for some time. It returns the connection of the first
// attempt that succeeds, and ends the others.
//
// If the other end closes the connections without an answer, First tries all addresses again a
// few times: a process that has too many callers, or was stopped for a while, closes
// connections of callers that may try again. Errors are those of the last round, joined.
// Blocks until an attempt has succeeded, all have failed, or ctx ends.
func First[A any](ctx context.Context, addrs []A, attempt func(context.Context, A) (net.Conn, error)) (net.Conn, error) {
	pause := firstPause
	for round := 1; ; round++ {
		c, err := race(ctx, addrs, attempt)
		if err == nil || round == rounds || !HungUp(err) || ctx.Err() != nil {
			return c, err
		}
		select {
		case <-time.After(pause):
			pause *= 2
		case <-ctx.Done():
			return nil, errors.Join(ctx.Err(), err)
		}
	}
}

// HungUp reports whether err says that the other end has closed a connection.
func HungUp(err error) bool {
	for _, end := range []error{io.EOF, io.ErrUnexpectedEOF, unix.ECONNRESET, unix.EPIPE} {
		if errors.Is(err, end) {
			return true
		}
	}
	return false
}

// outcome is the result of one attempt.
type outcome struct {
	conn net.Conn
	err  error
}

// race makes one round.
func race[A any](ctx context.Context, addrs []A, attempt func(context.Context, A) (net.Conn, error)) (net.Conn, error) {
	ctx, cancel := context.WithCancel(ctx)
	results := make(chan outcome)
	running, next := 0, 0
	// Every attempt ends soon after the context. race waits for them.
	defer func() {
		cancel()
		for range running {
			if o := <-results; o.err == nil {
				o.conn.Close()
			}
		}
	}()
	begin := func() {
		addr := addrs[next]
		next++
		running++
		go func() {
			c, err := attempt(ctx, addr)
			results <- outcome{c, err}
		}()
	}
	timer := time.NewTimer(0)
	defer timer.Stop()
	var failures []error
	for len(failures) < len(addrs) {
		select {
		case <-timer.C:
			if next < len(addrs) {
				begin()
				timer.Reset(stagger)
			}
		case o := <-results:
			running--
			if o.err == nil {
				return o.conn, nil
			}
			failures = append(failures, o.err)
			timer.Reset(0)
		case <-ctx.Done():
			return nil, errors.Join(append(failures, ctx.Err())...)
		}
	}
	return nil, errors.Join(failures...)
}
