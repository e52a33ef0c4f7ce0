package thread

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"testing"

	"github.com/goacp/goacp/internal/ground/activity"
)

// TestSlots: signals of all processes reach the slot that they name, in the order in which each process has sent them.
func TestSlots(t *testing.T) {
	const processes, signals = 3, 1000
	p := program{thread: func(s *System, t *Thread) int64 {
		for i := range signals {
			value := binary.LittleEndian.AppendUint32([]byte{byte(s.ID())}, uint32(i))
			if err := s.Signal(0, uint32(t.Addr), value); err != nil {
				return -1
			}
		}
		return 0
	}}
	p.run(t, processes, func(s *System) error {
		gone := s.NewSlot()
		gone.Free()
		slot := s.NewSlot()
		if slot.ID() != gone.ID() {
			return fmt.Errorf("slot %d follows %d", slot.ID(), gone.ID())
		}
		defer slot.Free()
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		if _, err := slot.Wait(ctx, activity.For(activity.Unknown)); !errors.Is(err, context.Canceled) {
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
			v, err := slot.Wait(context.Background(), activity.For(activity.Unknown))
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
