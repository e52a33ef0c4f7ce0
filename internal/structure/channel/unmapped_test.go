package channel

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"golang.org/x/sys/unix"
)

// gone returns n bytes of memory that can be neither read nor written.
func gone(t *testing.T, n int) []byte {
	b, err := unix.Mmap(-1, 0, n, unix.PROT_NONE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = unix.Munmap(b) })
	return b
}

// A message to or from unmapped memory is an error of its requests. Other messages arrive.
func TestMemoryOfMessageIsGone(t *testing.T) {
	for _, size := range []int{1, 8, 300, 100_000} {
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			both(t, defaultRing, func(ctx context.Context, c *Channel, meet func()) error {
				// The ring is full or not connected yet, so the message is queued first.
				var before []*Request
				for i := range 100 {
					before = append(before, must(c.Send(message(i, 300))))
				}
				bad := must(c.Send(gone(t, size)))
				after := must(c.Send([]byte("after")))
				meet()
				if err := awaitAll(ctx, before); err != nil {
					return err
				}
				if _, err := bad.Wait(ctx); !errors.Is(err, ErrUnreadable) {
					return fmt.Errorf("the message: %w, want ErrUnreadable", err)
				}
				meet()
				return errors.Join(await(ctx, after, nil, 0), send(ctx, c, message(7, size)), send(ctx, c, []byte("end")))
			}, func(ctx context.Context, c *Channel, meet func()) error {
				meet()
				for i := range 100 {
					if err := receive(ctx, c, message(i, 300)); err != nil {
						return err
					}
				}
				if _, err := must(c.Recv(make([]byte, size))).Wait(ctx); !errors.Is(err, ErrUnreadable) {
					return fmt.Errorf("the receive: %w, want ErrUnreadable", err)
				}
				meet()
				if err := receive(ctx, c, []byte("after")); err != nil {
					return err
				}
				if _, err := must(c.Recv(gone(t, size))).Wait(ctx); !errors.Is(err, unix.EFAULT) {
					return fmt.Errorf("the receive: %w, want EFAULT", err)
				}
				return receive(ctx, c, []byte("end"))
			})
		})
	}
}
