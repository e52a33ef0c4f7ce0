package exchange

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"sync"
	"testing"

	"github.com/goacp/goacp/internal/fabric"
)

// answers is the completion of a request of these tests.
type answers struct {
	done chan struct{}
	n    int
	err  error
	once bool
}

func (a *answers) Complete(n uint64, err error) {
	a.n, a.err = int(n), err
	close(a.done)
}

func (a *answers) Defer() fabric.Completion {
	a.once = true
	return a
}

// members makes exchanges that reach each other by direct calls.
func members(n int) []*Exchange {
	all := make([]*Exchange, n)
	for i := range all {
		all[i] = New(n, func(member int, request, answer []byte) (int, error) {
			a := &answers{done: make(chan struct{})}
			n, err := all[member].Serve(fabric.Request{From: i, Body: bytes.Clone(request), Reply: answer, Later: a})
			if !a.once {
				return n, err
			}
			<-a.done
			return a.n, a.err
		})
	}
	return all
}

// TestGather: all members get all blobs, of any length, again and again, also in parts of members
// at the same time.
func TestGather(t *testing.T) {
	const n = 5
	all := members(n)
	lists := [][]int{{0, 1, 2, 3, 4}, {3, 1}, {2}, {4, 0}}
	var work sync.WaitGroup
	for _, list := range lists {
		for index, m := range list {
			work.Go(func() {
				for turn, size := range []int{8, 0, 1, 20_000, 50_000, 3} {
					blob := bytes.Repeat([]byte{byte(16*turn + index)}, size)
					got, err := all[m].Gather(list, index, blob)
					var want []byte
					for i := range list {
						want = append(want, bytes.Repeat([]byte{byte(16*turn + i)}, size)...)
					}
					if err != nil || !bytes.Equal(got, want) {
						t.Errorf("members %v, turn %d: %d bytes, want %d: %v", list, turn, len(got), len(want), err)
					}
				}
			})
		}
	}
	work.Wait()
	for m, e := range all {
		if len(e.rounds) != 0 {
			t.Errorf("member %d keeps %d exchanges that are over", m, len(e.rounds))
		}
	}
}

// TestMismatch: members that do not agree get an error, and members that agree are not affected.
func TestMismatch(t *testing.T) {
	all := members(3)
	var work sync.WaitGroup
	work.Go(func() {
		if _, err := all[0].Gather([]int{0, 1}, 0, []byte("12345678")); err != nil {
			t.Error(err)
		}
	})
	e := all[1]
	for {
		all[0].mu.Lock()
		begun := len(all[0].rounds) == 1
		all[0].mu.Unlock()
		if begun {
			break
		}
	}
	k := key{members: 0, number: 1}
	for other := range all[0].rounds {
		k = other
	}
	for _, h := range []head{{key: k, size: 3, index: 1, blob: 8}, {key: k, size: 2, index: 1, blob: 4}, {key: k, size: 2, index: 0, blob: 8}, {key: k, size: 2, index: 1, part: 1, blob: 8}} {
		answer := make([]byte, 100)
		if n, err := e.call(0, h.request(make([]byte, h.blob)), answer); err != nil || n != 1 || answer[0] != outcomeMismatch {
			t.Errorf("%+v: %d bytes, %d, %v", h, n, answer[0], err)
		}
	}
	if _, err := e.Gather([]int{0, 1}, 1, []byte("abcdefgh")); err != nil {
		t.Error(err)
	}
	work.Wait()
}

// FuzzServe: messages that no process sends do no harm.
func FuzzServe(f *testing.F) {
	h := head{key: key{1, 2}, size: 2, blob: 3}
	f.Add(h.request([]byte("abc")))
	h.size = math.MaxUint32 // as many bytes are more than there is memory for
	f.Add(h.request([]byte("abc")))
	h = head{key: key{1, 2}, size: 2, blob: 3, part: 1} // of an exchange that has not begun
	f.Add(h.request(nil))
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, b []byte) {
		const procs = 8
		e := New(procs, nil)
		reply := make([]byte, 64)
		n, err := e.Serve(fabric.Request{Body: b, Reply: reply, Later: &answers{done: make(chan struct{})}})
		if err != nil && !errors.Is(err, ErrMismatch) || n > len(reply) {
			t.Error(fmt.Sprint(n, err))
		}
		for _, o := range e.rounds {
			if o.come == 0 {
				t.Error("an exchange has begun without a blob")
			}
			if len(o.all) > procs*len(b) {
				t.Errorf("%d bytes take %d bytes of memory", len(b), len(o.all))
			}
		}
	})
}
