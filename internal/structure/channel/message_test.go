package channel

import (
	"bytes"
	"context"
	"fmt"
	"testing"

	"github.com/goacp/goacp/internal/memory/ring"
)

// defaultRing is the bytes of rings whose size does not matter.
const defaultRing = 4096

// A receiver with a buffer that is shorter than the message takes its beginning, and the next
// message is not affected.
func TestTruncation(t *testing.T) {
	sizes := []int{1, 8, 100, 4000, 100_000}
	both(t, defaultRing, func(ctx context.Context, c *Channel, _ func()) error {
		for i, size := range sizes {
			if err := send(ctx, c, message(i, size)); err != nil {
				return err
			}
		}
		return send(ctx, c, []byte("end"))
	}, func(ctx context.Context, c *Channel, _ func()) error {
		for i, size := range sizes {
			capacity := size / 2
			buf := bytes.Repeat([]byte{0xee}, size)
			if err := receiveInto(ctx, c, buf[:capacity], capacity); err != nil {
				return err
			}
			want := append(message(i, size)[:capacity:capacity], bytes.Repeat([]byte{0xee}, size-capacity)...)
			if !bytes.Equal(buf, want) {
				return fmt.Errorf("message of %d bytes in a buffer of %d", size, capacity)
			}
		}
		return receive(ctx, c, []byte("end"))
	})
}

// Messages of all sizes around the limits of a small ring, whose records wrap around its end again and again.
func TestSizes(t *testing.T) {
	const messages, size = 300, 400
	if limit := ring.EagerLimit(ring.Data(size)); limit < 50 || limit > messages-50 {
		t.Fatalf("the longest message in the ring has %d bytes", limit)
	}
	both(t, size, func(ctx context.Context, c *Channel, _ func()) error {
		for i := range messages {
			if err := send(ctx, c, message(i, i)); err != nil {
				return err
			}
		}
		return nil
	}, func(ctx context.Context, c *Channel, _ func()) error {
		for i := range messages {
			if err := receive(ctx, c, message(i, i)); err != nil {
				return fmt.Errorf("message of %d bytes: %w", i, err)
			}
		}
		return nil
	})
}
