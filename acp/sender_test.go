package acp_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"sync"
	"testing"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/bridge"
)

// track is a value with padding. The padding is sent, too.
type track struct {
	ID    int8
	Place [3]float64
}

// drawBytes returns bytes of a random length, most often around the lengths at which a value
// takes one more message.
func drawBytes(r *rand.Rand) []byte {
	near := []int{0, 8, 1016, 1024, 4096, 32 << 10, 1 << 20, 1016 + 1<<20, 3 << 20}
	weight := []int{0, 0, 0, 1, 1, 2, 2, 2, 3, 3, 4, 5}
	n := max(0, near[weight[r.IntN(len(weight))]]+r.IntN(5)-2)
	if r.IntN(100) == 0 {
		n = near[6+r.IntN(3)] + r.IntN(5) - 2
	}
	at := r.IntN(longest)
	return pattern()[at : at+min(n, 3*longest)]
}

// TestTypedChannel: the values of many channels arrive once, in order, whatever their sizes, while some
// receives return early, and the loop ends when the sender has closed its end.
func TestTypedChannel(t *testing.T) {
	forEachMode(t, []int{2}, func(t *testing.T, mode bridge.Mode, n int) {
		t.Run("int32", func(t *testing.T) { stream(t, mode, 3000, (*rand.Rand).Int32) })
		t.Run("struct", func(t *testing.T) {
			stream(t, mode, 2000, func(r *rand.Rand) track {
				return track{int8(r.IntN(100)), [3]float64{r.Float64(), r.Float64(), 1}}
			})
		})
		t.Run("array", func(t *testing.T) {
			stream(t, mode, 300, func(r *rand.Rand) (a [5000]uint16) {
				a[0], a[4999] = uint16(r.Uint32()), uint16(r.Uint32())
				return a
			})
		})
		t.Run("string", func(t *testing.T) {
			stream(t, mode, 300, func(r *rand.Rand) string { return string(drawBytes(r)) })
		})
		t.Run("bytes", func(t *testing.T) { stream(t, mode, 300, drawBytes) })
	})
}

// stream sends count values that draw makes from rank 0 to rank 1, through a small buffer and
// through a large one.
func stream[T any](t *testing.T, mode bridge.Mode, count int, draw func(*rand.Rand) T) {
	for _, size := range []uint64{256, 64 << 10} {
		run(t, 2, acp.Config{Mode: mode}, func(p *member) error {
			values := rand.New(rand.NewPCG(size, uint64(count)))
			if p.Rank() == 0 {
				s := must(acp.NewSender[T](p.Process, 1))
				for range count {
					if err := s.Send(draw(values)); err != nil {
						return err
					}
				}
				return s.Close()
			}
			r := must(acp.NewReceiver[T](p.Process, 0, acp.ChannelOptions{BufferSize: size}))
			if err := takeSome(r, count/2, values, draw); err != nil {
				return err
			}
			i := count / 2
			for got := range r.All() {
				if want := draw(values); !reflect.DeepEqual(got, want) {
					return fmt.Errorf("value %d is another one", i)
				}
				i++
			}
			if i != count {
				return fmt.Errorf("%d values of %d", i, count)
			}
			return errors.Join(r.Err(), r.Close())
		})
	}
}

// takeSome receives n values. Now and then a context ends at a random time.
func takeSome[T any](r *acp.Receiver[T], n int, values *rand.Rand, draw func(*rand.Rand) T) error {
	chance := rand.New(rand.NewPCG(3, uint64(n)))
	for i := 0; i < n; {
		ctx, cancel := context.WithCancel(context.Background())
		switch chance.IntN(3) {
		case 0:
			cancel()
		case 1:
			go cancel()
		}
		got, err := r.WithContext(ctx).Recv()
		cancel()
		if errors.Is(err, context.Canceled) {
			var op *acp.OpError
			if !errors.As(err, &op) {
				return fmt.Errorf("giving up is no *OpError: %v", err)
			}
			continue
		}
		if err != nil {
			return err
		}
		if want := draw(values); !reflect.DeepEqual(got, want) {
			return fmt.Errorf("value %d is another one", i)
		}
		i++
	}
	return nil
}

// TestTypedChannelGoroutines: values of several senders of one end do not mix, and each goes to
// one of several receivers.
func TestTypedChannelGoroutines(t *testing.T) {
	const senders, receivers, count = 4, 3, 200
	forEachMode(t, []int{2}, func(t *testing.T, mode bridge.Mode, n int) {
		run(t, n, acp.Config{Mode: mode}, func(p *member) error {
			var wg sync.WaitGroup
			errs := make([]error, max(senders, receivers))
			if p.Rank() == 0 {
				s := must(acp.NewSender[string](p.Process, 1))
				for k := range senders {
					wg.Go(func() {
						for i := range count {
							text := strings.Repeat(string(rune('a'+k)), 1+i*i) // up to several messages
							errs[k] = errors.Join(errs[k], s.Send(text))
						}
					})
				}
				wg.Wait()
				return errors.Join(append(errs, s.Close())...)
			}
			r := must(acp.NewReceiver[string](p.Process, 0, acp.ChannelOptions{}))
			var mu sync.Mutex
			got := make(map[string]int)
			for k := range receivers {
				wg.Go(func() {
					mine := r.WithContext(context.Background())
					for text := range mine.All() {
						if text != strings.Repeat(text[:1], len(text)) {
							errs[k] = errors.New("values have mixed")
						}
						mu.Lock()
						got[fmt.Sprint(text[:1], len(text))]++
						mu.Unlock()
					}
					errs[k] = errors.Join(errs[k], mine.Err())
				})
			}
			wg.Wait()
			if len(got) != senders*count {
				return fmt.Errorf("%d different values, expected %d", len(got), senders*count)
			}
			return errors.Join(append(errs, r.Close())...)
		})
	})
}

// A Send that returns early still sends its value, as it was when Send was called.
func TestSendGivesUp(t *testing.T) {
	forEachMode(t, []int{2}, func(t *testing.T, mode bridge.Mode, n int) {
		run(t, n, acp.Config{Mode: mode}, func(p *member) error {
			want := bytes.Repeat([]byte("value "), 1<<18)
			if p.Rank() == 0 {
				s := must(acp.NewSender[[]byte](p.Process, 1))
				b := bytes.Clone(want)
				if err := s.WithContext(cancelled()).Send([]byte("nothing")); !errors.Is(err, context.Canceled) {
					return fmt.Errorf("sent with a context that had ended: %v", err)
				}
				if err := s.WithContext(endsWhenAsked()).Send(b); !errors.Is(err, context.Canceled) {
					return fmt.Errorf("sent with a context that ends: %v", err)
				}
				clear(b)
				if err := errors.Join(p.Sync(), s.Send(nil)); err != nil {
					return err
				}
				return s.Close()
			}
			if err := p.Sync(); err != nil {
				return err
			}
			r := must(acp.NewReceiver[[]byte](p.Process, 0, acp.ChannelOptions{}))
			first, err1 := r.Recv()
			second, err2 := r.Recv()
			if !bytes.Equal(first, want) || len(second) != 0 {
				return fmt.Errorf("received %d and %d bytes (%v, %v)", len(first), len(second), err1, err2)
			}
			return errors.Join(err1, err2, r.Close())
		})
	})
}

// A message that no Sender of the same type sends is an error, and the messages behind it arrive.
func TestReceiverChecksMessages(t *testing.T) {
	run(t, 2, acp.Config{Mode: bridge.ModeSHM}, func(p *member) error {
		messages := [][]byte{
			{}, {1, 2, 3}, {1, 0, 0, 0, 0, 0, 0, 0, 1, 2}, {2, 0, 0, 0, 0, 0, 0, 0, 1},
			{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}, make([]byte, 5000),
		}
		if p.Rank() == 0 {
			raw := must(p.NewChannel(0, 1, acp.ChannelOptions{}))
			for _, m := range messages {
				if err := send(raw, m); err != nil {
					return err
				}
			}
			if err := send(raw, []byte{2, 0, 0, 0, 0, 0, 0, 0, 'o', 'k'}); err != nil {
				return err
			}
			fixed := must(p.NewChannel(0, 1, acp.ChannelOptions{}))
			for _, size := range []int{0, 3, 5, 100, 4} {
				if err := send(fixed, make([]byte, size)); err != nil {
					return err
				}
			}
			return errors.Join(raw.Close(), fixed.Close())
		}
		text := must(acp.NewReceiver[string](p.Process, 0, acp.ChannelOptions{}))
		for i := range messages {
			if got, err := text.Recv(); !errors.Is(err, acp.ErrBadSize) {
				return fmt.Errorf("message %d gives %q, %v", i, got, err)
			}
		}
		if got, err := text.Recv(); got != "ok" || err != nil {
			return fmt.Errorf("got %q, %v", got, err)
		}
		number := must(acp.NewReceiver[uint32](p.Process, 0, acp.ChannelOptions{}))
		for i := range 4 {
			if got, err := number.Recv(); !errors.Is(err, acp.ErrBadSize) {
				return fmt.Errorf("message %d gives %d, %v", i, got, err)
			}
		}
		if got, err := number.Recv(); got != 0 || err != nil {
			return fmt.Errorf("got %d, %v", got, err)
		}
		return errors.Join(text.Close(), number.Close())
	})
}
