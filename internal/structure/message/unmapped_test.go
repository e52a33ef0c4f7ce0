package message_test

import (
	"bytes"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/goacp/goacp/bridge"
	"github.com/goacp/goacp/internal/access/global"
	"github.com/goacp/goacp/internal/access/global/globaltest"
	"github.com/goacp/goacp/internal/structure/message"
	"github.com/goacp/goacp/internal/structure/message/messagetest"
	"golang.org/x/sys/unix"
)

// TestNotCopied: if a receiver fails to copy a message, because its memory is not mapped, the sender fails, too, and both go on.
func TestNotCopied(t *testing.T) {
	w := messagetest.Open(t, globaltest.Config{Size: 2, Mode: bridge.ModeSHM})
	const size = 4 * message.Buffered
	unmapped, err := unix.Mmap(-1, 0, size, unix.PROT_NONE, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Munmap(unmapped)
	l := message.Label{World: 1}
	sent := make(chan error)
	go func() { sent <- w.Engines[0].Send(l, 1, make([]byte, size)) }()
	if _, err := w.Engines[1].Receive(l, 0, unmapped); !errors.Is(err, unix.EFAULT) {
		t.Errorf("the receive: %v, want EFAULT", err)
	}
	if err := <-sent; !errors.Is(err, message.ErrNotCopied) {
		t.Errorf("the send: %v, want %v", err, message.ErrNotCopied)
	}
	go func() { sent <- w.Engines[0].Send(l, 1, make([]byte, size)) }()
	if n, err := w.Engines[1].Receive(l, 0, make([]byte, size)); n != size || err != nil {
		t.Error(n, err)
	}
	if err := <-sent; err != nil {
		t.Error(err)
	}
	for _, h := range w.Engines {
		h.CheckEmpty(t)
	}
}

// TestBroadcastNotCopied: if a rank fails to copy a part of a broadcast, the ranks below it fail, too, with an error that names it. The next
// broadcast reaches all.
func TestBroadcastNotCopied(t *testing.T) {
	const size, piece, pieces = 8, message.BroadcastPiece, 3
	below := map[int][]int{1: nil, 2: {3}, 3: nil, 4: {5, 6, 7}, 5: nil, 6: {7}, 7: nil} // of root 0
	w := messagetest.Open(t, globaltest.Config{Size: size, Mode: bridge.ModeSHM})
	members := make([]int, size)
	for i := range members {
		members[i] = i
	}
	b, err := unix.Mmap(-1, 0, pieces*piece, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Munmap(b)
	broadcast := func(lacks int) (errs [size]error) {
		var all sync.WaitGroup
		for rank := range size {
			all.Go(func() {
				to := make([]byte, pieces*piece)
				if rank == 0 {
					to = bytes.Repeat([]byte{7}, len(to))
				} else if rank == lacks {
					to = b
				}
				errs[rank] = w.Engines[rank].Broadcast(&message.Team{Label: message.Label{World: 1}, Members: members, Rank: rank}, to, 0)
				if errs[rank] == nil && bytes.Count(to, []byte{7}) != len(to) {
					errs[rank] = errors.New("the message has other bytes")
				}
			})
		}
		all.Wait()
		return errs
	}
	for lacks := 1; lacks < size; lacks++ {
		for first := range pieces {
			t.Run(fmt.Sprintf("rank %d, piece %d", lacks, first), func(t *testing.T) {
				part := b[first*piece:]
				if err := unix.Mprotect(part, unix.PROT_NONE); err != nil {
					t.Fatal(err)
				}
				errs := broadcast(lacks)
				if err := unix.Mprotect(part, unix.PROT_READ|unix.PROT_WRITE); err != nil {
					t.Fatal(err)
				}
				if !errors.Is(errs[lacks], unix.EFAULT) {
					t.Errorf("rank %d: %v, want EFAULT", lacks, errs[lacks])
				}
				for _, rank := range below[lacks] {
					if failed := (*message.CopyError)(nil); !errors.As(errs[rank], &failed) || failed.Rank != lacks {
						t.Errorf("rank %d: %v", rank, errs[rank])
					}
				}
				for rank, err := range broadcast(-1) {
					if err != nil {
						t.Errorf("the next broadcast at rank %d: %v", rank, err)
					}
				}
				for _, h := range w.Engines {
					h.CheckEmpty(t)
				}
			})
		}
	}
}

// TestAbsence: a process that the kernel does not find any more is waited for until it is gone or the run is over. The error names its rank.
func TestAbsence(t *testing.T) {
	for _, over := range []bool{false, true} {
		w := messagetest.Open(t, globaltest.Config{Size: 2, Mode: bridge.ModeSHM})
		l := message.Label{World: 1}
		if err := w.Engines[1].Send(l, 0, []byte("a")); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Engines[0].Receive(l, 1, make([]byte, 1)); err != nil {
			t.Fatal(err)
		}
		failed := make(chan error)
		go func() { failed <- w.Engines[0].Absence(1) }()
		want := error(global.ErrRankGone)
		if over {
			want = errors.New("the run is over")
			w.Lose(want)
		} else {
			w.Engines[0].MemberGone(1)
		}
		err := <-failed
		if gone := (*message.GoneError)(nil); !errors.Is(err, want) || !over && (!errors.As(err, &gone) || gone.Rank != 1) {
			t.Errorf("error %v, want %v", err, want)
		}
	}
}
