package signal

import (
	"encoding/binary"
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"
	"time"
)

func alive() error { return nil }

// TestQueue lets threads put signals of random sizes into a queue, and send those that it refuses as messages. The taking thread gets
// those of each thread in order.
func TestQueue(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	const threads, signals = 4, 20000
	var q queue
	var mu sync.Mutex
	var messages [][]byte
	var group sync.WaitGroup
	for thread := range threads {
		random := rand.New(rand.NewPCG(seed, uint64(thread)))
		group.Go(func() {
			for i := range signals {
				value := make([]byte, 5, 64)
				value[0] = byte(thread)
				binary.LittleEndian.PutUint32(value[1:], uint32(i))
				if random.IntN(50) == 0 {
					value = value[:cap(value)]
				}
				given, err := q.give(alive, value)
				if err != nil {
					t.Error(err)
				}
				if !given {
					mu.Lock()
					messages = append(messages, value)
					mu.Unlock()
				}
				for random.IntN(8) == 0 {
					runtime.Gosched()
				}
			}
		})
	}
	var next [threads]uint32
	short := 0
	for taken := 0; taken < threads*signals && !t.Failed(); {
		value, ok := q.take()
		if ok {
			short++
		} else {
			mu.Lock()
			if len(messages) > 0 {
				value, messages, ok = messages[0], messages[1:], true
			}
			mu.Unlock()
			if !ok {
				runtime.Gosched()
				continue
			}
			if err := q.arrived(alive); err != nil {
				t.Fatal(err)
			}
		}
		if i := binary.LittleEndian.Uint32(value[1:]); i != next[value[0]] {
			t.Errorf("signal %d of thread %d, expected %d", i, value[0], next[value[0]])
		}
		next[value[0]]++
		taken++
	}
	group.Wait()
	if short == 0 || short == threads*signals || q.away != 0 {
		t.Errorf("%d of %d signals went through the queue, and %d are away", short, threads*signals, q.away)
	}
}

// FuzzMessage decodes messages of other processes, and encodes them again.
func FuzzMessage(f *testing.F) {
	f.Add([]byte{1, 0, 0, 128, 1, 'x'})
	f.Fuzz(func(t *testing.T, b []byte) {
		m, ok := decode(b)
		if ok && string(m.encode()) != string(b) {
			t.Errorf("%x becomes %x", b, m.encode())
		}
	})
}
