package message

import (
	"cmp"
	"context"
	"errors"
	"math/bits"

	"github.com/goacp/goacp/internal/access/global"
	"golang.org/x/sys/unix"
)

// broadcastPiece is how much of a message a process has before it passes it on.
const broadcastPiece = 256 << 10

// Broadcast gives all processes of the team the bytes that root, a rank of the team, has in b. All
// pass the same length. b is not on the stack. A process need not wait for all others. Fails with
// ErrTooLong, with ErrUnequal, with global.ErrRankGone if a process of the team is gone, unless this process does not depend on it, with
// unix.EFAULT if b cannot be accessed, and if the run is over. If b cannot be accessed, the processes above and below this one fail with a
// CopyError about it, and the team remains usable. After ErrTooLong and ErrUnequal, processes below may wait until the run is over.
func (h *Engine) Broadcast(t *Team, b []byte, root int) error {
	if err := h.enter(); err != nil {
		return err
	}
	defer h.leave()
	from, to := branches(t.size(), t.Rank, root)
	l := t.label(tagBroadcast)
	if failed := t.failed(); failed != nil {
		if from >= 0 {
			to = append(to, from) // it may wait until this process has the message
		}
		return errors.Join(failed, h.sendEnds(t, l, to, failed))
	}
	var sent []*directMessage
	var failed error
	for at := 0; at < len(b); at += broadcastPiece {
		part := b[at:min(at+broadcastPiece, len(b))]
		if from >= 0 {
			n, err := h.Receive(l, t.Members[from], part)
			if err == nil && n != len(part) {
				err = errUnequal(uint64(n), part)
			}
			if errors.Is(err, global.ErrRankGone) || errors.Is(err, ErrNotCopied) {
				return errors.Join(err, h.sendEnds(t, l, to, err), h.awaitAll(sent))
			}
			if errors.Is(err, unix.EFAULT) {
				return errors.Join(err, h.sendEnds(t, l, to, h.notCopied(h.self)), h.discard(l, t.Members[from], b[at+len(part):]), h.awaitAll(sent))
			}
			if err != nil {
				return err
			}
		}
		for _, rank := range to {
			d, err := h.post(l, t.Members[rank], part, 0)
			switch {
			case errors.Is(err, global.ErrRankGone):
				failed = err // the others get the message
			case err != nil:
				return err
			case d != nil:
				sent = append(sent, d)
			}
		}
	}
	return cmp.Or(failed, h.awaitAll(sent))
}

// sendEnds is sendEnd to some ranks of a team.
func (h *Engine) sendEnds(t *Team, l Label, ranks []int, failed error) (err error) {
	for _, rank := range ranks {
		err = errors.Join(err, h.sendEnd(l, t.Members[rank], failed))
	}
	return err
}

// awaitAll waits until all direct messages are done. It returns the first error of those that have failed.
func (h *Engine) awaitAll(sent []*directMessage) (failed error) {
	for _, d := range sent {
		failed = cmp.Or(failed, h.await(d))
		if err := h.alive(); err != nil {
			return err
		}
	}
	return failed
}

// discard takes the rest of a message that a process cannot store, so that its sender does not wait. rest is where it would go.
func (h *Engine) discard(l Label, from int, rest []byte) error {
	for at := 0; at < len(rest); at += broadcastPiece {
		t := target{ctx: context.Background(), b: rest[at:min(at+broadcastPiece, len(rest))], discard: true}
		if _, err := h.receive(l, from, &t); err != nil {
			return err
		}
	}
	return nil
}

// branches returns from which rank, or -1, and to which ranks a message goes in a binomial tree
// over size ranks.
func branches(size, rank, root int) (from int, to []int) {
	place := (rank - root + size) % size // in the tree, whose root is at 0
	from = -1
	low := bits.Len(uint(size)) // the lowest bit of the place
	if place > 0 {
		low = bits.TrailingZeros(uint(place))
		from = (place&(place-1) + root) % size
	}
	for k := low - 1; k >= 0; k-- {
		if child := place | 1<<k; child < size {
			to = append(to, (child+root)%size)
		}
	}
	return from, to
}

// BinaryTree returns the ranks above and below a rank in the binary tree over size ranks in
// which the children of rank i are 2i+1 and 2i+2; -1 where there is none.
func BinaryTree(size, rank int) (up, left, right int) {
	up, left, right = -1, -1, -1
	if rank > 0 {
		up = (rank - 1) / 2
	}
	if 2*rank+1 < size {
		left = 2*rank + 1
	}
	if 2*rank+2 < size {
		right = 2*rank + 2
	}
	return up, left, right
}
