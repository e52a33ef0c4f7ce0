package thread

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/goacp/goacp/internal/ground/activity"
)

// TestSlots: signals of all processes reach the slot that they name, in the order in which each process has sent them.
func TestSlots(t *testing.T) {
	t.Run("in the heap", func(t *testing.T) { signalSlot(t, false) })
	t.Run("full heap", func(t *testing.T) { signalSlot(t, true) })
}

// signalSlot sends signals to a slot of process 0, whose heap may be full.
func signalSlot(t *testing.T, full bool) {
	const processes, signals = 3, 1000
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	p := program{thread: func(s *System, t *Thread) int64 {
		random := rand.New(rand.NewPCG(seed, uint64(s.ID())))
		for i := range signals {
			value := binary.LittleEndian.AppendUint32([]byte{byte(s.ID())}, uint32(i))
			value = append(value, make([]byte, random.IntN(40))...) // long ones are messages
			if err := s.Slots.Signal(0, uint32(t.Addr), value); err != nil {
				return -1
			}
		}
		return 0
	}}
	p.run(t, processes, func(s *System) error {
		for size := uint64(1 << 30); full && size >= 16; {
			if _, err := s.p.Memory.Own().Alloc(size); err != nil {
				size /= 2
			}
		}
		gone := s.Slots.NewSlot()
		gone.Free()
		slot := s.Slots.NewSlot()
		if slot.ID() != gone.ID() {
			return fmt.Errorf("slot %d follows %d", slot.ID(), gone.ID())
		}
		if private := slot.ID() >= 1<<31; private != full {
			return fmt.Errorf("slot %#x has its queue outside of the heap: %v, expected %v", slot.ID(), private, full)
		}
		defer slot.Free()
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		if _, err := slot.Wait(ctx, 0, activity.For(activity.Unknown)); !errors.Is(err, context.Canceled) {
			return fmt.Errorf("a wait with a context that has ended: %w", err)
		}
		var threads []ID
		for id := range processes {
			made, err := s.Create(id, int64(slot.ID()), 0)
			if err != nil {
				return err
			}
			threads = append(threads, made)
		}
		var next [processes]uint32
		for range processes * signals {
			v, err := slot.Wait(context.Background(), 0, activity.For(activity.Unknown))
			if err != nil {
				return err
			}
			if from := int(v[0]); binary.LittleEndian.Uint32(v[1:]) != next[from] {
				return fmt.Errorf("signal %d of process %d, want %d", binary.LittleEndian.Uint32(v[1:]), from, next[from])
			}
			next[v[0]]++
		}
		for _, id := range threads {
			if result, err := s.Join(nil, id); err != nil || result != 0 {
				return fmt.Errorf("thread %v: %d, %w", id, result, err)
			}
		}
		return nil
	})
}
